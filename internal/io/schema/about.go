package schema

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// aboutKeys are what only the curator of a data set knows. OpenDP's registry of deployments has the same enumerations.
var aboutKeys = keyFacts{
	{name: "name", form: "TEXT", text: "what the data product is called"},
	{name: "description", form: "TEXT", text: "what it describes, in a few sentences"},
	{name: "unit", form: "NOUN", text: "what one privacy unit is called, such as patient; default: person"},
	{name: "curator", form: "TEXT", text: "who publishes it"},
	{name: "curator_type", form: "TYPE", text: "Government, Industry or Nonprofit"},
	{name: "authors", form: "TEXT", text: "who fills in this file: a list, or separated by semicolons"},
	{name: "use", form: "TEXT", text: "what it is meant for"},
	{name: "region", form: "TEXT", text: "the region described, or whose laws apply"},
	{name: "sector", form: "SECTOR", text: "Technology, Healthcare, Education, Government, Energy or Finance"},
	{name: "published", form: "YYYY-MM-DD", text: "the day of publication; default: the run's"},
	{name: "source", form: "NAMESPACE NAME", text: "the private table, such as bigquery shop.raw.people"},
	{name: "security", form: "TEXT", text: "how the private table is kept, and who has access"},
	{name: "justification", form: "TEXT", text: "how ε, the method and the marginals were chosen"},
	{name: "tuning", form: "TEXT", text: "what was tried on the private table before, and what of it was paid for"},
	{name: "other_releases", form: "TEXT", text: "what else is released from the same people, and its cost; a list too"},
	{name: "contact", form: "TEXT", text: "whom to ask, and how to withdraw"},
	{name: "licence", form: "URL", text: "under which the rows are given away"},
	{name: "expires", form: "YYYY-MM-DD", text: "when the rows are to be used no longer"},
}

// aboutWords are the values of the keys that have no others.
var aboutWords = map[string][]string{
	"curator_type": {"Government", "Industry", "Nonprofit"},
	"sector":       {"Technology", "Healthcare", "Education", "Government", "Energy", "Finance"},
}

// ParseAbout reads the text of a file of what only the curator of a data set knows, as texts by key; name stands for it in
// messages. The error is a Faults.
func ParseAbout(name string, data []byte) (map[string]string, error) {
	r := &reader{file: name}
	about := map[string]string{}
	if root := r.document(data); root != nil {
		if m, ok := r.mapping(root, "about", aboutKeys.names()...); ok {
			for _, k := range aboutKeys {
				if m.has(k.name) {
					about[k.name] = r.aboutText(k.name, m)
				}
			}
		}
	}
	return about, r.err()
}

func (r *reader) aboutText(key string, m mapping) string {
	n := m.values[key]
	s, ok := r.aboutList(n, key)
	s = strings.TrimSpace(s)
	words := aboutWords[key]
	switch {
	case !ok:
	case s == "":
		r.add(n, "%s: is empty; write it, or leave the key out", key)
	case words != nil && !slices.Contains(words, s):
		r.add(n, "%s: got %s; want %s", key, quote(s), strings.Join(words, ", "))
	case key == "published" || key == "expires":
		if _, err := time.Parse(time.DateOnly, s); err != nil {
			r.add(n, "%s: got %s; want a day such as 2026-01-31", key, quote(s))
		}
	case key == "source" && len(strings.Fields(s)) != 2:
		r.add(n, "source: got %s; want a namespace and a name, such as bigquery shop.raw.people", quote(s))
	}
	return s
}

// aboutList reads a text, or where several are likely a list of them, which semicolons then separate.
func (r *reader) aboutList(n *yaml.Node, key string) (string, bool) {
	if n.Kind != yaml.SequenceNode || key != "authors" && key != "other_releases" || len(n.Content) == 0 {
		return r.text(n, key)
	}
	texts := make([]string, len(n.Content))
	all := true
	for i, item := range n.Content {
		s, ok := r.text(item, key)
		texts[i], all = strings.TrimSpace(s), all && ok
	}
	return strings.Join(texts, "; "), all
}

// WriteAboutReference writes all keys of such a file with their meaning, for a terminal.
func WriteAboutReference(w io.Writer) error {
	var b strings.Builder
	b.WriteString("What only the curator of a data set knows: --about=FILE of synth and report. YAML, no key is needed.\n" +
		"It goes into _privacy.json and what is drawn from it, word for word. It is public and promises\nnothing.\n\n")
	for _, k := range aboutKeys {
		fmt.Fprintf(&b, "  %-23s %s\n", k.name+": "+k.form, k.text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

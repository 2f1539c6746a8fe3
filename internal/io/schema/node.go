package schema

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// yamlLine finds the line in an error of the YAML parser.
var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// document returns the one YAML document of data, or nil after recording a fault.
func (r *reader) document(data []byte) *yaml.Node {
	var doc, more yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(data))
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		r.add(&yaml.Node{}, "the file is empty; declare columns")
		return nil
	case err != nil:
		r.syntax(err)
		return nil
	}
	if err := dec.Decode(&more); err == nil {
		r.add(&more, "a second document; a domain file has one")
	} else if !errors.Is(err, io.EOF) {
		r.syntax(err)
	}
	if len(doc.Content) != 1 {
		r.add(&doc, "the file is empty; declare columns")
		return nil
	}
	return doc.Content[0]
}

// syntax records an error of the YAML parser, which knows the line alone.
func (r *reader) syntax(err error) {
	text := err.Error()
	m := yamlLine.FindStringSubmatch(text)
	at := &yaml.Node{Column: 1}
	if m != nil {
		text = text[len(m[0]):]
		at.Line, _ = strconv.Atoi(m[1]) // empty if the parser gives no line: 0
	}
	r.add(at, "not YAML: %s", text)
}

// mapping is a YAML mapping with known keys.
type mapping struct {
	node   *yaml.Node
	keys   map[string]*yaml.Node
	values map[string]*yaml.Node
}

// mapping reads n as a mapping with some of the allowed keys; ok is false if it is not a mapping.
func (r *reader) mapping(n *yaml.Node, what string, allowed ...string) (m mapping, ok bool) {
	if n.Kind != yaml.MappingNode {
		r.add(n, "%s: got %s; a mapping with the keys %s is needed", what, kind(n), strings.Join(allowed, ", "))
		return m, false
	}
	m = mapping{node: n, keys: map[string]*yaml.Node{}, values: map[string]*yaml.Node{}}
	for k, value := range pairs(n) {
		switch {
		case k.Kind != yaml.ScalarNode:
			r.add(k, "%s: a key is %s; the keys are %s", what, kind(k), strings.Join(allowed, ", "))
		case !slices.Contains(allowed, k.Value):
			r.add(k, "%s: unknown key %s; the keys are %s", what, quote(k.Value), strings.Join(allowed, ", "))
		case m.keys[k.Value] != nil:
			r.add(k, "%s: the key %s appears twice, first on line %d; leave one out", what, k.Value, m.keys[k.Value].Line)
		default:
			m.keys[k.Value], m.values[k.Value] = k, value
		}
	}
	return m, true
}

// pairs yields the keys of a mapping with their values.
func pairs(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		for i := 0; i+1 < len(n.Content) && yield(n.Content[i], n.Content[i+1]); i += 2 {
		}
	}
}

// has reports whether the key is there.
func (m mapping) has(key string) bool { return m.keys[key] != nil }

// kind names what a node is.
func kind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	if n.ShortTag() == "!!null" {
		return "nothing"
	}
	return quote(n.Value)
}

// longest is how much of a given text a message repeats, in bytes.
const longest = 60

// quote returns s quoted and not too long.
func quote(s string) string {
	if len(s) <= longest {
		return strconv.Quote(s)
	}
	cut := longest
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strconv.Quote(s[:cut]) + "…"
}

// text reads n as a scalar, as it is written. Of a key that is absent, nil, this and the readers below make no fault.
func (r *reader) text(n *yaml.Node, what string) (string, bool) {
	if n == nil {
		return "", false
	}
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
		fix := "one value is needed"
		if n.Kind == yaml.ScalarNode && n.Value != "" {
			fix = "write it in quotes if it is a text"
		}
		r.add(n, "%s: got %s; %s", what, kind(n), fix)
		return "", false
	}
	return n.Value, true
}

// whole reads n as a whole number from 1 to most, which is of the kind that a message names; 0 after a fault.
func (r *reader) whole(n *yaml.Node, what, kind string, most int64) int64 {
	s, ok := r.text(n, what)
	if !ok {
		return 0
	}
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil || v < 1 || v > most {
		r.add(n, "%s: got %s; %s from 1 to %d is needed", what, quote(s), kind, most)
		return 0
	}
	return v
}

// flag reads n as true or false.
func (r *reader) flag(n *yaml.Node, what string) bool {
	if n != nil && (n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool") {
		r.add(n, "%s: got %s; true or false is needed", what, kind(n))
		return false
	}
	return n != nil && strings.EqualFold(n.Value, "true")
}

// list reads n as a list of at least one value.
func (r *reader) list(n *yaml.Node, what string) []*yaml.Node {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		r.add(n, "%s: got %s; a list such as [a, b] is needed", what, kind(n))
		return nil
	}
	if len(n.Content) == 0 {
		r.add(n, "%s: the list is empty; give at least one", what)
	}
	return n.Content
}

// texts reads n as a list of different texts.
func (r *reader) texts(n *yaml.Node, what string) []string {
	var out []string
	seen := map[string]bool{}
	for _, item := range r.list(n, what) {
		s, ok := r.text(item, what)
		switch {
		case !ok:
		case !utf8.ValidString(s):
			r.add(item, "%s: not valid UTF-8", what)
		case seen[s]:
			r.add(item, "%s: %s appears twice; leave one out", what, quote(s))
		default:
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// scalarsOf returns the texts of all scalars in nodes, which may be nil.
func scalarsOf(nodes ...*yaml.Node) (texts []string) {
	for _, n := range nodes {
		if n != nil {
			texts = append(append(texts, n.Value), scalarsOf(n.Content...)...)
		}
	}
	return texts
}

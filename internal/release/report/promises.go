package report

import (
	_ "embed" // the sentences
	"fmt"
	"html/template"
	"regexp"
	"strings"

	"github.com/dapple-dp/dapple/internal/kit/buildinfo"
)

// repository is where dapple is kept.
const repository = "https://github.com/dapple-dp/dapple/"

// sourceAt is where the documents of a version of dapple are read.
func sourceAt(version string) string { return repository + "blob/" + tagOf(version) + "/" }

// tagOf returns the tag or the commit of a version, never a branch: a branch moves. A statement may hold any text as its
// version; then it is the release of this source.
func tagOf(version string) string {
	at, _, _ := strings.Cut(version, "+") // of a working tree with changes
	at = strings.TrimSuffix(at, "-development")
	if commit := at[strings.LastIndexByte(at, '-')+1:]; commitHash.MatchString(commit) {
		return commit
	}
	if tagged.MatchString(at) {
		return at
	}
	return buildinfo.Release
}

var (
	commitHash = regexp.MustCompile(`^[0-9a-f]{12}$`)
	tagged     = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9a-z.]+)?$`)
)

// promisesText holds every sentence of the report that promises something. Its heads carry ids of dp/CLAIMS.md.
//
//go:embed promises.md
var promisesText string

var promiseTemplates = parsePromises(promisesText)

// promiseTemplate is one section of promises.md.
type promiseTemplate struct {
	lines   []*template.Template // paragraphs, or items of a list
	section string               // of dp/PRIVACY.md
	text    string               // the first line as it stands
}

// parsePromises reads promises.md: sections "## key: section of dp/PRIVACY.md <!-- ids of claims -->".
func parsePromises(text string) map[string]promiseTemplate {
	out := map[string]promiseTemplate{}
	for _, part := range strings.Split(text, "\n## ")[1:] {
		head, body, _ := strings.Cut(part, "\n")
		head, _, _ = strings.Cut(head, " <!--") // the ids of its claims
		key, section, ok := strings.Cut(head, ": ")
		if !ok {
			panic("report: a section of promises.md has no key: " + head)
		}
		p := promiseTemplate{section: section}
		for i, line := range blocks(body) {
			if i == 0 {
				p.text = line
			}
			p.lines = append(p.lines, template.Must(template.New(key).Parse(code(line))))
		}
		out[key] = p
	}
	return out
}

// blocks returns the paragraphs and list items of a section.
func blocks(body string) (out []string) {
	open := false
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		item, isItem := strings.CutPrefix(line, "- ")
		switch {
		case line == "":
			open = false
		case isItem || !open:
			out, open = append(out, item), true
		default:
			out[len(out)-1] += " " + line
		}
	}
	return out
}

// code marks what stands between back quotes.
func code(line string) string {
	parts := strings.Split(line, "`")
	for i := 1; i < len(parts); i += 2 {
		parts[i] = "<code>" + parts[i] + "</code>"
	}
	return strings.Join(parts, "")
}

// promises are the sentences of one report, by key.
type promises map[string]promise

// plainText returns the first line of a section, which has no names in it, as text.
func plainText(key string) string { return promiseTemplates[key].text }

// promise is a claim with the place of its evidence.
type promise struct {
	Lines   []template.HTML // of our own, with names escaped
	Section string          // of dp/PRIVACY.md
	URL     string
}

// First is the only line of a promise of one line.
func (p promise) First() template.HTML { return p.Lines[0] }

// promisesFor fills the names of a run into the sentences.
func promisesFor(p Privacy) (promises, error) {
	names := struct{ Unit, Units, Without, Neighbours string }{p.unitName(), p.unitNames(), p.without(), p.neighbours()}
	out := promises{}
	for key, t := range promiseTemplates {
		said := promiseAt(t.section, p.Versions.Dapple)
		for _, line := range t.lines {
			var b strings.Builder
			if err := line.Execute(&b, names); err != nil {
				return nil, fmt.Errorf("report: %w", err)
			}
			said.Lines = append(said.Lines, template.HTML(b.String())) // executed by html/template
		}
		out[key] = said
	}
	return out, nil
}

// promiseAt is a promise without words, at a section of dp/PRIVACY.md of a version.
func promiseAt(section, version string) promise {
	return promise{Section: section, URL: sourceAt(version) + "dp/PRIVACY.md#" + anchor(section)}
}

// sections are the sections of dp/PRIVACY.md that the report points at.
var sections = []string{"The promise", "Against whom", "What has to be trusted", "What is not covered", "How the program keeps it",
	"How each claim is checked", "Known limits of the checks", "Reading a report"}

func evidence(version string) (list []promise) {
	for _, s := range sections {
		list = append(list, promiseAt(s, version))
	}
	return list
}

// anchor is what a heading is called in a link.
func anchor(heading string) string {
	return strings.ReplaceAll(strings.ToLower(heading), " ", "-")
}

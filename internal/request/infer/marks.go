package infer

import (
	"maps"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/yamltext"
)

// nullMarks returns the columns that hold numbers, dates or truth values if some texts are taken for NULL, and
// declares those texts under csv. Then they are NULL in every column.
func (s *Source) nullMarks(tallies map[string]*tally) (columns []string) {
	null := map[string]bool{}
	for _, c := range s.columns {
		t := tallies[c.Name]
		if t == nil || !t.Untyped || t.Type == domain.String || len(t.marks) == 0 {
			continue
		}
		columns = append(columns, c.Name)
		maps.Copy(null, t.marks)
	}
	for _, t := range tallies {
		for mark := range t.marks {
			if null[mark] {
				t.values.drop(mark)
				t.nulls = true
				delete(t.marks, mark)
			}
		}
	}
	s.csv.Null = slices.Sorted(maps.Keys(null))
	return columns
}

// written returns the columns that are not written in the usual way, each with its form.
func (s *Source) written(lines []proposal, tallies map[string]*tally) (columns []string) {
	s.csv.Written = map[string]schema.Written{}
	for _, p := range lines {
		if t := tallies[p.name]; t != nil && t.form != nil && !p.out {
			s.csv.Written[p.name] = t.form.Written
			columns = append(columns, yamltext.Plain(p.name)+": "+yamltext.Plain(string(t.form.Written)))
		}
	}
	return columns
}

// csvLine writes how the files are written; empty if they are as usual.
func (s *Source) csvLine(marked, written []string) string {
	keys := s.csv.Keys()
	review := ""
	if len(s.csv.Null) > 0 {
		review = "  # review: taken for NULL in " + strings.Trim(yamltext.List(marked, yamltext.Plain), "[]") + "; are they values in other columns?"
	}
	if len(written) > 0 {
		keys = append(keys, "written: {"+strings.Join(written, ", ")+"}")
	}
	if len(keys) == 0 {
		return ""
	}
	return "csv: {" + strings.Join(keys, ", ") + "}" + review + "\n"
}

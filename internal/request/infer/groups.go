package infer

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/yamltext"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
	"github.com/dapple-dp/dapple/internal/release/report/page"
)

const (
	maxDistinct  = 1 << 20 // different values of one column that are told apart
	fewestGroups = 100     // values of a column that may name people
)

// shared returns how many things are held for each of so many columns, up to most and at least least, so that memory does
// not grow with the columns.
func shared(all, most, least, columns int) int { return min(most, max(least, all/max(1, columns))) }

// groups counts the different values of a column, and how often a value differs from the one before it.
type groups struct {
	seed    maphash.Seed
	seen    map[uint64]struct{}
	records int64
	runs    int64
	last    uint64
	most    int  // that are told apart
	many    bool // there are more
}

func (g *groups) add(value []byte) {
	if g.many {
		return
	}
	if g.seen == nil {
		g.seed, g.seen = maphash.MakeSeed(), map[uint64]struct{}{}
	}
	h := maphash.Bytes(g.seed, value)
	if g.records == 0 || h != g.last {
		g.runs++
		g.seen[h] = struct{}{}
		g.many = len(g.seen) > g.most
	}
	g.last = h
	g.records++
}

// once reports whether all values are different, as a key's are.
func (g *groups) once() bool {
	n := int64(len(g.seen))
	return !g.many && n >= fewestGroups && n == g.records
}

// long asks whether a table is a long one: a few texts name what a number beside them measures, by the names of both columns.
func (s *Source) long(tallies map[string]*tally) string {
	measure, value := "", ""
	for _, c := range s.columns {
		t := tallies[c.Name]
		if t == nil {
			continue
		}
		name := strings.ToLower(c.Name)
		values, all := t.values.supported(false)
		switch number := t.Type == domain.Int64 || t.Type == domain.Numeric || t.Type == domain.Float64; {
		case t.Type == domain.String && all && len(values) > 1 && slices.Contains(measureNames, name):
			measure = c.Name
		case number && slices.Contains(valueNames, name):
			value = c.Name
		}
	}
	if s.PrivacyID == "" || measure == "" || value == "" {
		return ""
	}
	return fmt.Sprintf("does %[1]s name what %[2]s measures? One column then holds several quantities: pivot first, duckdb -c \"COPY (PIVOT 'TABLE' ON %[1]s USING first(%[2]s) GROUP BY %[3]s) TO 'wide.parquet'\"", measure, value, s.PrivacyID)
}

// The names, in lower case, of columns that say what is measured, and of columns that hold the measured numbers.
var (
	measureNames = []string{"test", "measure", "measurement", "variable", "metric", "parameter", "attribute", "item", "key", "indicator", "feature", "analyte"}
	valueNames   = []string{"value", "val", "result", "measurement", "reading", "amount", "number", "score"}
)

// mostOfOne is the largest part of the rows that one person may have.
const mostOfOne = .01

// persons asks of columns that may name the privacy unit: there are many values, none of them with more than mostOfOne of the
// rows, and they recur; and either the name suggests people, or the rows of a value stand together, or the name suggests
// an ID, or it is text that makes no categories.
func (s *Source) persons(tallies map[string]*tally) (questions []string) {
	ask := func(name, facts string) {
		s.Doubts.People = append(s.Doubts.People, name)
		questions = append(questions, fmt.Sprintf("%[1]s: %[2]sis it a person? Then infer again with --privacy_id=%[1]s", yamltext.Plain(name), facts))
	}
	for _, c := range s.columns {
		t, people := tallies[c.Name], schema.NamesPeople(c.Name)
		if t == nil || t.Type != domain.Int64 && t.Type != domain.String || t.groups.many {
			if people && c.Fault == "" && (t == nil || t.groups.many) {
				ask(c.Name, "")
			}
			continue
		}
		g, n := &t.groups, int64(len(t.groups.seen))
		if n <= fewestGroups || t.values.mostly(cellkind.Duration) || g.records*10 < n*12 && !people || g.records > n*1000 || t.values.anyAbove(mostOfOne) {
			continue
		}
		left := ""
		if t.Type == domain.String {
			_, left = t.categories(false)
		}
		if people && g.records > n || g.runs == n || schema.NamesUnits(t.Name) || left != "" {
			ask(t.Name, fmt.Sprintf("%s values, %.1f rows each: ", page.Count(float64(n)), float64(g.records)/float64(n)))
		}
	}
	return questions
}

package infer

import (
	"fmt"
	"hash/maphash"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/report/page"
	"github.com/dapple-dp/dapple/io/schema"
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

// once reports whether all values are different, as those of a key are.
func (g *groups) once() bool {
	n := int64(len(g.seen))
	return !g.many && n >= fewestGroups && n == g.records
}

// persons asks of columns that may name the privacy unit: the name suggests people, and values recur or are not read; or
// there are many values, each with several rows, and either the rows of a value stand together, or the name suggests
// an ID, or it is text that makes no categories.
func (s *Source) persons(tallies map[string]*tally) (questions []string) {
	s.Doubts.People = nil
	for _, c := range s.columns {
		t, people := tallies[c.name], schema.NamesPeople(c.name)
		if t == nil || t.typ != domain.Int64 && t.typ != domain.String || t.groups.many {
			if people && c.fault == "" && (t == nil || t.groups.many) {
				s.Doubts.People = append(s.Doubts.People, c.name)
				questions = append(questions, fmt.Sprintf("%s: is it a person? Then infer again with --privacy_id=%s", plain(c.name), plain(c.name)))
			}
			continue
		}
		g, n := &t.groups, int64(len(t.groups.seen))
		if (n < fewestGroups || g.records*10 < n*12 || g.records > n*1000) && !(people && g.records > n) {
			continue
		}
		left := ""
		if t.typ == domain.String {
			_, _, left = t.categories(false)
		}
		if g.runs == n || schema.NamesUnits(t.name) || left != "" {
			s.Doubts.People = append(s.Doubts.People, t.name)
			questions = append(questions, fmt.Sprintf("%s: %s values, %.1f rows each: is it a person? Then infer again with --privacy_id=%s",
				plain(t.name), page.Count(float64(n)), float64(g.records)/float64(n), plain(t.name)))
		}
	}
	return questions
}

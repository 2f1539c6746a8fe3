package infer

import (
	"context"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/io/yamltext"
)

const (
	changing     = 0.01  // share of people with several rows within whom a person column may change
	unlike       = 5     // how many times as often it has to differ between two people
	coveredByMax = 0.999 // share of people who have no more rows than are proposed as most
)

// histories is what the rows of one person have in common, for the first people of a table.
type histories struct {
	seed   maphash.Seed
	number map[uint64]int32 // of a person, by the hash of the ID
	rows   []int64          // of each person
	read   int64            // rows of these
	many   int              // people with several rows
	all    int64            // rows, later people's too
	first  [][]uint64       // of each column: the hash of a person's first value
	change [][]bool         // of each column: whether another value followed
	growth []growth         // of each column
	limit  int              // people who are looked at: fewer of tables with more than 32 columns
}

func newHistories(columns int) *histories {
	return &histories{
		limit: shared(1<<25, maxDistinct, 1000, columns), seed: maphash.MakeSeed(), number: map[uint64]int32{},
		first: make([][]uint64, columns), change: make([][]bool, columns),
		growth: make([]growth, columns),
	}
}

// add takes the records of a chunk, whose columns are tallied; units holds a hash of each one's privacy ID.
func (h *histories) add(c *domain.Chunk, tallies []*tally, units []uint64) {
	for i, unit := range units {
		if c.ID.Form == domain.Absent || c.ID.Null(i) {
			continue
		}
		h.all++
		p, known := h.number[unit]
		if !known {
			if len(h.rows) == h.limit {
				continue
			}
			p = int32(len(h.rows))
			h.number[unit], h.rows = p, append(h.rows, 0)
		}
		h.read++
		if h.rows[p]++; h.rows[p] == 2 {
			h.many++
		}
		for a := range h.first {
			v := h.hash(&c.Columns[a], i)
			h.growth[a].add(p, tallies[a].at[i])
			if !known {
				h.first[a], h.change[a] = append(h.first[a], v), append(h.change[a], false)
			} else if v != h.first[a][p] {
				h.change[a][p] = true
			}
		}
	}
}

// people returns the number of people; if there are more than the first ones, as if those had as many rows.
func (h *histories) people() int {
	return int(float64(len(h.rows)) * float64(h.all) / float64(max(1, h.read)))
}

// hash returns a hash of a cell; all that are NULL have one.
func (h *histories) hash(c *domain.Column, i int) uint64 {
	switch {
	case c.Form == domain.Absent || c.Null(i):
		return 0
	case c.Form == domain.Text:
		return maphash.Bytes(h.seed, c.Text(i))
	case c.Form == domain.Dictionary:
		return maphash.String(h.seed, c.Dict[c.Ints[i]])
	case c.Form == domain.Floats:
		return maphash.Comparable(h.seed, math.Float64bits(c.Floats[i]))
	}
	return maphash.Comparable(h.seed, c.Ints[i])
}

// within returns how often a column changes within a person of several rows, and how often it differs between two people.
func (h *histories) within(a int) (changes, differs float64) {
	people := float64(len(h.rows))
	for p := range h.rows {
		if h.change[a][p] {
			changes++
		}
		if p > 0 && h.first[a][p] != h.first[a][p-1] {
			differs++
		}
	}
	return changes / float64(max(h.many, 1)), differs / max(people-1, 1)
}

// most returns the number of rows of nearly all people if it is also the one of most people, as in a panel; else 1, 2 or 5 times a
// power of ten that is not below it.
func (h *histories) most() int64 {
	sorted := slices.Sorted(slices.Values(h.rows))
	want := sorted[int(coveredByMax*float64(len(sorted)-1))]
	if sorted[len(sorted)/2] == want {
		return want
	}
	for power := int64(1); ; power *= 10 {
		for _, digit := range []int64{1, 2, 5} {
			if m := min(digit*power, domain.MaxRowsPerPerson); m >= want || m == domain.MaxRowsPerPerson {
				return m
			}
		}
	}
}

// usualMost is proposed as most rows of a person if no row is read.
const usualMost = 100

// events proposes how people, some of them without rows if they have a table of their own, are written with their rows, in the
// order of a column unless it is empty, and lists what of it was read off the data. The text is empty if few people have several
// rows, or none of the columns changes within them.
func (s *Source) events(h *histories, lines []proposal, order string) (text string, derived []string) {
	rows, review := "min: 0, ", "people without rows exist; person: the columns of their table; max: public, the most rows that anybody is written with"
	left, most, columns := 1, int64(usualMost), s.parents
	if h != nil && len(h.rows) > 0 {
		most = h.most()
	}
	if columns == nil {
		if h == nil || h.many < fewestGroups || h.read*10 < int64(len(h.rows))*12 {
			return "", nil
		}
		rows, review = "", "people are written with their rows; person: columns that never change within one; max: public"
		left, columns = 0, s
	}
	line, person := byName(lines), []string{}
	for a, c := range columns.readable() {
		if line[c.Name].out {
			continue
		}
		if columns == s {
			if changes, differs := h.within(a); changes > changing || changes*unlike > differs {
				left++
				continue
			}
		}
		person = append(person, yamltext.Plain(c.Name))
	}
	if left == 0 {
		return "", nil
	}
	text, derived = fmt.Sprintf("rows: {%smax: %d}", rows, most), []string{"person columns", "rows: max"}
	if len(person) > 0 {
		text = "person: [" + strings.Join(person, ", ") + "], " + text
	}
	if order != "" {
		text, derived = text+", order: "+order, append(derived, "order column")
		review += "; order: grows from row to row of a person, and rows are written in that order; weekdays and hours of the day then follow the first rows"
	}
	return "events: {" + text + "}  # review: " + review + "\n", derived
}

// byName finds the lines of columns.
func byName(lines []proposal) map[string]proposal {
	m := make(map[string]proposal, len(lines))
	for _, p := range lines {
		m[p.name] = p
	}
	return m
}

// OpenPeople finds the table of all people, if some have no rows. The columns of people are read there alone.
func (s *Source) OpenPeople(ctx context.Context, input string) error {
	p, err := Open(ctx, Params{Input: input, FromData: s.FromData, PrivacyID: s.PrivacyID, Services: s.Services})
	if err != nil {
		return err
	}
	if a, b := s.csv, p.csv; s.untyped && p.untyped && (a.Comma != b.Comma || a.Encoding != b.Encoding || a.Trim != b.Trim) {
		return fmt.Errorf("infer: %s and %s are not written alike, with one separator and encoding, and one domain file says how both are; write one of them anew", p.name, s.name)
	}
	if len(p.readable()) == 0 {
		return p.noColumns()
	}
	if !s.untyped {
		s.csv = p.csv
	}
	p.csv, s.parents = s.csv, p
	s.untyped = s.untyped || p.untyped
	s.columns = slices.DeleteFunc(s.columns, func(c table.Column) bool { return c.Name != s.PrivacyID && p.has(c.Name) })
	return nil
}

// noColumns is the error of a table of people that has nothing of them.
func (s *Source) noColumns() error {
	return fmt.Errorf("infer: %s has no column that can be used besides %q; people without rows need one, such as their region", s.name, s.PrivacyID)
}

// has reports whether a column of the name, which is not the privacy ID, is in the table.
func (s *Source) has(name string) bool {
	return name != s.PrivacyID && slices.ContainsFunc(s.columns, func(c table.Column) bool { return c.Name == name })
}

package evaluate

import (
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// PeopleFit says how well a table of many rows per person fits what a domain declares of people.
type PeopleFit struct {
	People   int             `json:"people"`
	Changing []ChangingFit   `json:"changing"`       // of each person column
	Over     int             `json:"people_over"`    // who have more rows than are written of anybody
	Cut      int64           `json:"rows_over"`      // of theirs, beyond that
	MaxRows  int64           `json:"rows_max"`       // the most rows that are written of anybody
	Most     int64           `json:"rows_of_person"` // the most rows that a person has
	Without  int             `json:"people_without_rows"`
	Orphans  int64           `json:"rows_of_nobody"` // of people who are not in the table of people: not used
	Twice    int64           `json:"people_twice"`   // records of the table of people beyond a person's first
	Order    *OrderFit       `json:"order,omitempty"`
	parents  map[uint64]bool // by the hash of the ID: whether they have rows; nil if there is no table of people
	hashes   map[uint64]int  // number of a person, by the hash of the ID
	rows     []int64         // of each
	first    [][]domain.Code // of each person column: the cell of a person's first row
	changed  [][]bool        // whether another cell followed
	columns  []int
	seed     maphash.Seed
	builder  *Builder // reads IDs
	codes    []domain.Code
}

// ChangingFit counts the people within whom a person column is in several cells. One row of each, chosen by its rank,
// decides for all person columns.
type ChangingFit struct {
	Column string `json:"column"`
	People int    `json:"people"`
}

// OrderFit counts rows whose order column is missing or tied.
type OrderFit struct {
	Column  string              `json:"column"`
	Strict  bool                `json:"strict"`
	Tied    int64               `json:"tied"`     // that lie where an earlier row of the person does
	NoPlace int64               `json:"no_place"` // without a usable value: they lie at the fallback
	at      int                 // the column
	seen    map[uint64]struct{} // hashes of people and places
}

func newPeopleFit(d *domain.Domain, e *domain.Events) *PeopleFit {
	f := &PeopleFit{MaxRows: e.MaxRows, hashes: map[uint64]int{}, seed: maphash.MakeSeed(), builder: NewPeopleBuilder(d)}
	for a := range d.Attributes {
		if slices.Contains(e.Person, d.Attributes[a].Name) {
			f.columns = append(f.columns, a)
			f.Changing = append(f.Changing, ChangingFit{Column: d.Attributes[a].Name})
		}
	}
	if q := e.Sequence; q != nil {
		f.Order = &OrderFit{Column: q.Column, Strict: q.Strict, at: d.Index(q.Column), seen: map[uint64]struct{}{}}
	}
	f.first, f.changed = make([][]domain.Code, len(f.columns)), make([][]bool, len(f.columns))
	return f
}

// add takes the records of a chunk. Two people whose hashes are equal are counted as one.
func (f *PeopleFit) add(chunk *domain.Chunk) {
	k := f.builder.domain.Len()
	f.codes = slices.Grow(f.codes[:0], chunk.Rows*k)[:chunk.Rows*k]
	own := *chunk
	own.Columns = chunk.Columns[:k] // derived ones follow
	f.builder.encoder.Encode(&own, f.codes)
	for r := range chunk.Rows {
		id := f.builder.unit(&chunk.ID, r)
		if len(id) == 0 {
			continue
		}
		h := maphash.Bytes(f.seed, id)
		if f.parents != nil {
			if _, known := f.parents[h]; !known {
				f.Orphans++
				continue
			}
			f.parents[h] = true
		}
		p, known := f.hashes[h]
		if !known {
			p = len(f.rows)
			f.hashes[h], f.rows = p, append(f.rows, 0)
		}
		f.rows[p]++
		if o := f.Order; o != nil {
			at := maphash.Comparable(f.seed, [2]uint64{h, uint64(f.codes[r*k+o.at])})
			if _, tied := o.seen[at]; tied {
				o.Tied++
			}
			o.seen[at] = struct{}{}
		}
		for i, a := range f.columns {
			switch code := f.codes[r*k+a]; {
			case !known:
				f.first[i], f.changed[i] = append(f.first[i], code), append(f.changed[i], false)
			case code != f.first[i][p]:
				f.changed[i][p] = true
			}
		}
	}
}

// addParents takes records of the table of people.
func (f *PeopleFit) addParents(chunk *domain.Chunk) {
	for r := range chunk.Rows {
		if id := f.builder.unit(&chunk.ID, r); len(id) > 0 {
			h := maphash.Bytes(f.seed, id)
			if _, known := f.parents[h]; known {
				f.Twice++
			}
			f.parents[h] = false
		}
	}
}

// end counts what was added, to columns that are counted already.
func (f *PeopleFit) end(columns []ColumnFit) {
	if o := f.Order; o != nil {
		o.NoPlace = columns[o.at].Null.Count + columns[o.at].Unusable.Count
	}
	for _, has := range f.parents {
		if !has {
			f.Without++
		}
	}
	f.People = len(f.rows) + f.Without
	for _, n := range f.rows {
		f.Most = max(f.Most, n)
		if n > f.MaxRows {
			f.Over++
			f.Cut += n - f.MaxRows
		}
	}
	for i := range f.columns {
		for _, c := range f.changed[i] {
			if c {
				f.Changing[i].People++
			}
		}
	}
}

// notes says how many people there are, and what does not fit of them, a line each; none if f is nil.
func (f *PeopleFit) notes() (list []string) {
	if f == nil {
		return nil
	}
	line := func(faults int64, format string, args ...any) {
		if faults > 0 {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	of := func(n int) string { return percent(Score(float64(n) / float64(max(f.People, 1)))) }
	line(1, "%s, nobody with more than %s rows", headcount(f.People), thousands(int(f.Most)))
	line(int64(f.Without), "without rows: %s", headcount(f.Without))
	line(f.Orphans, "rows of people who are not in the table of people: %s; they are not used", thousands(int(f.Orphans)))
	line(f.Twice, "the table of people has %s repeated records; one record of each person, chosen by its rank, is used", thousands(int(f.Twice)))
	line(int64(f.Over), "more than %[3]d rows: %[1]s (%[2]s), with %[4]s rows beyond that; they count as having %[3]d", headcount(f.Over), of(f.Over), f.MaxRows, thousands(int(f.Cut)))
	for _, c := range f.Changing {
		line(int64(c.People), "%s: a person column whose value changes from row to row for %s (%s); all person columns come from one row of each person",
			c.Column, headcount(c.People), of(c.People))
	}
	if o := f.Order; o != nil {
		what := "a public rule orders them"
		if o.Strict {
			what += ", and the gap between them counts as the smallest one"
		}
		line(o.Tied, "%s: it orders the rows, and %s lie where another row of the person does; %s", o.Column, thousands(int(o.Tied)), what)
		line(o.NoPlace, "%s: it orders the rows, and %s have no usable value there; they lie at its fallback", o.Column, thousands(int(o.NoPlace)))
	}
	return list
}

func headcount(n int) string {
	if n == 1 {
		return "1 person"
	}
	return thousands(n) + " people"
}

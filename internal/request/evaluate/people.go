package evaluate

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/dapple-dp/dapple/dp/domain"
)

// People compares tables of many rows per person by what joins the rows of a person. Errors are total variations; the
// table dealt at random is the true one with its rows dealt anew to its people, so that nobody's rows are alike, and how
// many somebody has depends on chance alone.
type People struct {
	True      int `json:"true"` // people
	Synthetic int `json:"synthetic"`
	// Changing are the people whose person columns differ between their rows: in the true table the record that stands for a
	// person decides.
	Changing     [2]int `json:"changing"`       // true, synthetic
	Orphans      [2]int `json:"rows_of_nobody"` // rows whose person is not in the table of people, if that is a table of its own: left out
	Without      [2]int `json:"without_rows"`   // people without rows
	TooManyRows  int    `json:"too_many_rows"`  // synthetic people with more rows than the domain allows
	RowsMax      int64  `json:"rows_max"`       // that it allows
	RowsCut      int64  `json:"rows_cut"`       // rows of true people beyond it, which are not written
	RowsPerson   Share  `json:"rows_of_person"` // number of rows, in the bins of the domain
	RowsByPerson Share  `json:"rows_by_person"` // the same with each person column: average over them
	SamePerson   Share  `json:"same_person"`    // values of two rows of a person, each person counting once: average over the other columns
	NextRow      Share  `json:"next_row"`       // values of a row and the next of that person in the table

	Sequences *Sequences `json:"sequences,omitempty"` // nil if rows have no order
}

// Share is an error, and what it would be if rows were dealt at random.
type Share struct {
	TV    float64 `json:"tv"`
	Dealt float64 `json:"dealt_at_random"`
}

// shareOf is the error of a table of weights, and the one of rows dealt at random.
func shareOf(truth, other, dealt []float64) Share {
	return Share{apart(truth, other), apart(truth, dealt)}
}

// add adds an error to a sum.
func (s *Share) add(x Share) { s.TV, s.Dealt = s.TV+x.TV, s.Dealt+x.Dealt }

// over returns the mean of n errors that were added.
func (s Share) over(n int) Share {
	return Share{s.TV / float64(max(n, 1)), s.Dealt / float64(max(n, 1))}
}

// maxPaired is the most cells of a column whose pairs of values are compared.
const maxPaired = 2048

// byPerson are the rows of each person of a table, in order.
type byPerson struct {
	t    *Table
	rows []int32 // of person i at ends[i−1] … ends[i]−1
	ends []int
}

func newByPerson(t *Table) *byPerson {
	b := &byPerson{t: t, rows: make([]int32, t.Rows), ends: make([]int, t.people+1)}
	for _, p := range t.persons {
		b.ends[p+1]++
	}
	for p := range t.people {
		b.ends[p+1] += b.ends[p]
	}
	for r, p := range t.persons {
		b.rows[b.ends[p]] = int32(r)
		b.ends[p]++
	}
	b.ends = b.ends[:t.people]
	return b
}

// each calls visit with the rows of each person.
func (b *byPerson) each(visit func(rows []int32)) {
	from := 0
	for _, to := range b.ends {
		visit(b.rows[from:to])
		from = to
	}
}

// comparePeople compares two tables with people over the domain of a record.
func comparePeople(truth, other *Table, d *domain.Domain, e *domain.Events) *People {
	x, y := newByPerson(truth), newByPerson(other)
	p := &People{True: truth.people + len(truth.without), Synthetic: other.people + len(other.without),
		Without: [2]int{len(truth.without), len(other.without)}, RowsMax: e.MaxRows, Orphans: [2]int{truth.orphans, other.orphans}}
	cuts := domain.EqualRatioCuts(e.MaxRows)
	if e.NoRows {
		cuts = slices.Insert(cuts, 0, 0)
	}
	bin := func(rows int) int {
		return sort.Search(len(cuts), func(i int) bool { return cuts[i] > int64(rows) }) - 1
	}
	x.each(func(rows []int32) { p.RowsCut += max(int64(len(rows))-e.MaxRows, 0) })
	y.each(func(rows []int32) {
		if int64(len(rows)) > e.MaxRows {
			p.TooManyRows++
		}
	})
	perRow := func(b *byPerson) []float64 {
		m := make([]float64, len(cuts))
		b.each(func(rows []int32) { m[bin(len(rows))]++ })
		m[0] += float64(len(b.t.without))
		return m
	}
	numbers := perRow(x)
	p.RowsPerson = shareOf(numbers, perRow(y), byChance(truth.Rows, p.True, e.NoRows, bin, len(cuts)))
	persons, pairs := 0, 0
	changing := [2]map[int]bool{{}, {}}
	for a := range d.Attributes {
		size := d.Attributes[a].Size()
		if slices.Contains(e.Person, d.Attributes[a].Name) {
			nth := persons // of the columns of a person
			persons++
			with := func(i int, b *byPerson) []float64 {
				m, person := make([]float64, size*len(cuts)), 0
				column := b.t.Columns[a]
				for _, codes := range b.t.without {
					m[int(codes[nth])*len(cuts)]++
				}
				b.each(func(rows []int32) {
					m[int(column[rows[0]])*len(cuts)+bin(len(rows))]++
					if slices.ContainsFunc(rows, func(r int32) bool { return column[r] != column[rows[0]] }) {
						changing[i][person] = true
					}
					person++
				})
				return m
			}
			of := with(0, x)
			p.RowsByPerson.add(shareOf(of, with(1, y), unrelated(of, len(cuts))))
			continue
		}
		if size > maxPaired {
			continue
		}
		pairs++
		same, next := x.pairs(a, size)
		otherSame, otherNext := y.pairs(a, size)
		dealt := independent(truth.Columns[a], size)
		p.SamePerson.add(shareOf(same, otherSame, dealt))
		p.NextRow.add(shareOf(next, otherNext, dealt))
	}
	p.Changing = [2]int{len(changing[0]), len(changing[1])}
	p.SamePerson, p.NextRow, p.RowsByPerson = p.SamePerson.over(pairs), p.NextRow.over(pairs), p.RowsByPerson.over(persons)
	if e.Sequence != nil {
		p.Sequences = compareSequences(truth, other, d, e)
	}
	return p
}

// byChance returns in bins how many rows people have if each row is dealt to anybody. Unless some may have none, everybody
// has one before. Numbers of people are large, and the law is Poisson's.
func byChance(rows, people int, noRows bool, bin func(rows int) int, bins int) []float64 {
	least := 1
	if noRows {
		least = 0
	}
	m, mean := make([]float64, bins), max(each(rows, people)-float64(least), 0)
	spread := 12*math.Sqrt(mean) + 60 // what lies beyond is below 1e-20
	for k := max(int(mean-spread), 0); k <= int(mean+spread); k++ {
		below, _ := math.Lgamma(float64(k + 1))
		log := -mean - below
		if k > 0 {
			log += float64(k) * math.Log(mean)
		}
		m[bin(k+least)] += math.Exp(log)
	}
	return m
}

// unrelated returns a table with the sums of one, whose rows have so many cells, if rows and columns had nothing to do with
// each other.
func unrelated(table []float64, columns int) []float64 {
	ofRow, ofColumn := make([]float64, len(table)/columns), make([]float64, columns)
	for i, x := range table {
		ofRow[i/columns] += x
		ofColumn[i%columns] += x
	}
	out := make([]float64, len(table))
	for i := range out {
		out[i] = ofRow[i/columns] * ofColumn[i%columns]
	}
	return out
}

// pairs returns how people with two rows and more have pairs of values: in any two rows, and in a row and the next one.
func (b *byPerson) pairs(a, size int) (same, next []float64) {
	same, next = make([]float64, size*size), make([]float64, size*size)
	column, counts := b.t.Columns[a], map[int]float64{}
	b.each(func(rows []int32) {
		m := float64(len(rows))
		if m < 2 {
			return
		}
		clear(counts)
		for i, r := range rows {
			counts[int(column[r])]++
			if i > 0 {
				next[int(column[rows[i-1]])*size+int(column[r])] += 1 / (m - 1)
			}
		}
		for v, n := range counts {
			for w, k := range counts {
				if v == w {
					k--
				}
				same[v*size+w] += n * k / (m * (m - 1))
			}
		}
	})
	return same, next
}

// independent returns the pairs of values of rows that have nothing to do with each other.
func independent(column []domain.Code, size int) []float64 {
	one, two := make([]float64, size), make([]float64, size*size)
	for _, c := range column {
		one[c]++
	}
	for v, n := range one {
		for w, k := range one {
			two[v*size+w] = n * k
		}
	}
	return two
}

// apart returns the total variation between two tables of weights, 1 if one of them is empty.
func apart(a, b []float64) (tv float64) {
	sumA, sumB := 0.0, 0.0
	for i := range a {
		sumA, sumB = sumA+a[i], sumB+b[i]
	}
	if sumA == 0 || sumB == 0 {
		if sumA == sumB {
			return 0
		}
		return 1
	}
	for i := range a {
		tv += math.Abs(a[i]/sumA - b[i]/sumB)
	}
	return tv / 2
}

// Notes returns a line for each fault of people and their rows.
func (p *People) Notes() (list []string) {
	note := func(faults int, what, many string) {
		if faults > 0 {
			list = append(list, what+": "+many)
		}
	}
	both := func(n [2]int, what string) {
		note(n[0]+n[1], what, fmt.Sprintf("true %s, synthetic %s", thousands(n[0]), thousands(n[1])))
	}
	note(int(p.RowsCut), fmt.Sprintf("true rows beyond a person's first %d, the most that are written", p.RowsMax), thousands(int(p.RowsCut)))
	both(p.Changing, "people whose person columns change from row to row")
	both(p.Orphans, "rows of people who are not in the table of people, left out")
	both(p.Without, "people without rows")
	note(p.TooManyRows, fmt.Sprintf("synthetic people with more than %d rows", p.RowsMax), thousands(p.TooManyRows))
	if s := p.Sequences; s != nil {
		both(s.Unsorted, "people whose rows are not in the order of "+s.Order+", and are sorted here")
		list = append(list, s.scores())
	}
	return list
}

// PersonError is a line of the table of errors.
type PersonError struct {
	Name, TV, Shuffled string // Shuffled: what TV would be if rows were dealt at random
	Worse              bool   // TV is above it
}

// named is a line of the table of errors.
type named struct {
	name string
	Share
}

// Errors are the lines of the table of errors.
func (p *People) Errors() (lines []PersonError) {
	for _, l := range append([]named{{"rows per person", p.RowsPerson}, {"with a person column, average", p.RowsByPerson},
		{"a column in two rows of a person, average", p.SamePerson}, {"in a row and the next, average", p.NextRow}}, p.Sequences.errors()...) {
		lines = append(lines, PersonError{l.name, share(l.TV), share(l.Dealt), l.TV > l.Dealt})
	}
	return lines
}

func each(rows, people int) float64 { return float64(rows) / float64(max(people, 1)) }

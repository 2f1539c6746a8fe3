package population

import (
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Events says what the attributes of a model of people are; each record is a person and one of its rows.
type Events struct {
	Person []int   // attributes that are the same in all rows of a person, the one of Rows among them
	Rows   int     // the attribute that holds the number of rows
	Cuts   []int64 // of that: bin b holds Cuts[b] … Cuts[b+1]−1 rows, the last one Cuts[b+1] too; people without rows are alone
	Chain  *Chain  // nil: rows have no order
}

const (
	// donors is how many records, at least, the rows of a person are drawn from, if there are so many kinds of rows.
	donors = 20
	// every is how many people share an entry of the lists of first rows.
	every = 16
)

// People is a fixed list of persons with their rows that represents a Model of them. Persons are drawn first, as
// rows of what the model says of persons alone; the rows of a person are then drawn from the model's records of such
// persons, so that a person's attributes do not change and every row counts as the model says.
//
// It is safe for any number of readers at once; equal arguments give equal people on every machine.
type People struct {
	m       *Model
	e       Events
	other   []int // attributes of the events
	support *domain.Support
	seed    uint64
	scatter scatter
	n       int64

	cells   []personCell // persons of one kind, in order of their class
	codes   []domain.Code
	classes []class
	donors  []uint32 // records that have rows, in order of rows
	ends    []int64  // donors[j] has rows ends[j−1] … ends[j]−1
	sums    [][]float64
	offset  float64    // of the numbers of rows inside their bins
	chain   *histories // nil: rows have no order
	inOrder []int64    // number of the first row of person every·i, in order of classes
	placed  []int64    // the same in order of positions
}

// personCell is a number of persons with equal attributes.
type personCell struct {
	end   int64 // number of the last one, plus 1
	class int32
	own   uint32 // a record of just such a person; of use only if support is not nil
}

// class is a set of persons whose rows are drawn from the same records.
type class struct{ first, end int64 } // numbers of rows

// NewPeople returns n persons for m, with rows. Persons are refined on the tables of cliques, as NewRows does it.
func NewPeople(m *Model, cliques []domain.Clique, e Events, n int64, seed uint64) *People {
	checkRows(m, n)
	p := &People{m: m, e: e, n: n, seed: seed}
	for a := range m.Sizes {
		if !slices.Contains(e.Person, a) {
			p.other = append(p.other, a)
		}
	}
	if n == 0 {
		return p
	}
	if m.Columns != nil { // a universe has records of every kind
		p.e.Person = byDependence(m, e.Person, p.other)
		slices.SortStableFunc(p.e.Person, func(a, b int) int { return p.precedence(a) - p.precedence(b) })
	}
	if slices.ContainsFunc(m.StructuralZeros, func(x domain.Exclusion) bool { return p.mixes(x.Clique) && !p.ofRows(x.Clique) && !p.ofChain(x.Clique) }) {
		p.support = domain.NewSupport(m.Sizes, m.StructuralZeros)
	}
	p.scatter = newScatter(n, seed)
	p.offset = rand.New(rand.NewPCG(seed, streamOffset)).Float64()
	p.sums = p.inside()
	sorted := p.sorted()
	of := p.draw(sorted, cliques)
	p.number()
	if e.Chain != nil {
		p.chain = newHistories(p, *e.Chain)
		return p
	}
	p.assign(sorted, of)
	return p
}

// ofChain reports whether a clique is of what was before a row, which is as it has to be in every history.
func (p *People) ofChain(c domain.Clique) bool {
	chain := p.e.Chain
	return chain != nil && slices.ContainsFunc(c, func(a int) bool { return a == chain.Gap || slices.Contains(chain.Before, a) })
}

// precedence is the place of an attribute of persons among those that rows follow: first what is usual, then the number of rows,
// which decides how much rows follow that, as no pair of attributes shows.
func (p *People) precedence(a int) int {
	switch {
	case a > p.e.Rows:
		return 0
	case a == p.e.Rows && slices.Max(p.e.Person) > a:
		return 1
	}
	return 2
}

// mixes reports whether a clique holds attributes of persons and of events.
func (p *People) mixes(c domain.Clique) bool {
	persons := 0
	for _, a := range c {
		if slices.Contains(p.e.Person, a) {
			persons++
		}
	}
	return persons > 0 && persons < len(c)
}

// ofRows reports whether a clique is of a column of events and the number of rows, or also of what is usual. What such an
// exclusion says of people with rows holds for whatever record of such people their rows are drawn from.
func (p *People) ofRows(c domain.Clique) bool {
	return slices.Contains(c, p.e.Rows) && (len(c) == 2 && p.e.Cuts[0] == 0 || len(c) == 3 && c[2] > p.e.Rows)
}

// none reports whether a record is of people without rows.
func (p *People) none(r uint32) bool { return p.e.Cuts[0] == 0 && p.m.code(r, p.e.Rows) == 0 }

// cell returns the cell of person r, in order of classes.
func (p *People) cell(r int64) int {
	return sort.Search(len(p.cells), func(i int) bool { return p.cells[i].end > r })
}

// Rows returns the number of rows of all persons.
func (p *People) Rows() int64 {
	if p.n == 0 {
		return 0
	}
	return p.placed[len(p.placed)-1]
}

// First returns how many rows stand before the rows of the person at position i; i may be Len.
func (p *People) First(i int64) int64 {
	if i >= p.n {
		return p.Rows()
	}
	sum := p.placed[i/every]
	for j := i / every * every; j < i; j++ {
		r := p.scatter.row(j)
		sum += p.rowsOf(r, p.cell(r))
	}
	return sum
}

// Person is one of People, whose rows can be read.
type Person struct {
	p     *People
	codes []domain.Code // of the attributes of persons
	own   uint32
	class int
	first int64 // number of its first row, in order of classes
	Rows  int64

	history []domain.Code // the rows of a person whose rows have an order
}

// At returns the person at position i.
func (p *People) At(i int64) Person {
	q := p.person(i)
	if p.chain != nil {
		q.history = make([]domain.Code, q.Rows*int64(len(p.m.Sizes)))
		if q.Rows > 0 {
			for j, v := range p.chain.draw(q.history, q.codes, q.own, i, q.Rows) {
				q.history[j*len(p.m.Sizes)+p.chain.Order] = domain.Code(v)
			}
		}
		return q
	}
	q.first = p.first(p.scatter.row(i))
	return q
}

// person returns the person at position i without rows.
func (p *People) person(i int64) Person {
	r := p.scatter.row(i)
	c := p.cell(r)
	k := len(p.e.Person)
	return Person{p: p, codes: p.codes[c*k : (c+1)*k], own: p.cells[c].own, class: int(p.cells[c].class), Rows: p.rowsOf(r, c)}
}

// Read writes the codes of row j of the person to dst, one for each attribute of the model. Of a person without rows it
// writes the columns of the person, and 0 for the others.
func (q *Person) Read(j int64, dst []domain.Code) {
	p := q.p
	for k, a := range p.e.Person {
		dst[a] = q.codes[k]
	}
	if q.Rows == 0 {
		for _, a := range p.other {
			dst[a] = 0
		}
		return
	}
	if p.chain != nil {
		width := int64(len(p.m.Sizes))
		copy(dst, q.history[j*width:(j+1)*width])
		return
	}
	c := p.classes[q.class]
	n := uint64(c.end - c.first)
	at := permute(uint64(q.first+j-c.first), n, p.seed+uint64(q.class))
	for try := range uint64(100) {
		row := c.first + int64((at+try*try)%n)
		d := p.donors[sort.Search(len(p.ends), func(i int) bool { return p.ends[i] > row })]
		for _, a := range p.other {
			dst[a] = p.m.code(d, a)
		}
		if p.support == nil || p.support.Possible(dst) {
			return
		}
	}
	for _, a := range p.other { // a record of just such a person is possible
		dst[a] = p.m.code(q.own, a)
	}
}

// permute returns where x goes in a permutation of 0 … n−1 that is a function of the key: four rounds of a Feistel network
// on the least even number of bits that hold n, again until what comes out is below n (Black and Rogaway 2002).
func permute(x, n, key uint64) uint64 {
	half := uint(1)
	for 1<<(2*half) < n {
		half++
	}
	mask := uint64(1)<<half - 1
	for {
		l, r := x>>half, x&mask
		for round := range uint64(4) {
			z := (r ^ (key+round)*0x9e3779b97f4a7c15 ^ round<<40) * 0xbf58476d1ce4e5b9
			z = (z ^ z>>31) * 0x94d049bb133111eb
			l, r = r, l^(z^z>>29)&mask
		}
		if x = l<<half | r; x < n {
			return x
		}
	}
}

package population

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Events says what the attributes of a model of people are, of which each record is a person and one of its rows.
type Events struct {
	Person []int   // attributes that are the same in all rows of a person, the one of Rows among them
	Rows   int     // the attribute that holds the number of rows
	Cuts   []int64 // of that: bin b holds Cuts[b] … Cuts[b+1]−1 rows, the last one Cuts[b+1] too
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
	offset  float64 // of the numbers of rows inside their bins
	inOrder []int64 // number of the first row of person every·i, in order of classes
	placed  []int64 // the same in order of positions
}

// personCell is a number of persons with equal attributes.
type personCell struct {
	end   int64 // number of the last one, plus 1
	class int32
	own   [2]uint32 // sorted records of just such persons, if there are any
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
	if slices.ContainsFunc(m.StructuralZeros, func(x domain.Exclusion) bool { return p.mixes(x.Clique) }) {
		p.support = domain.NewSupport(m.Sizes, m.StructuralZeros)
	}
	p.scatter = newScatter(n, seed)
	p.offset = rand.New(rand.NewPCG(seed, streamOffset)).Float64()
	p.sums = p.inside()
	sorted := p.sorted()
	p.draw(sorted, cliques)
	p.number()
	p.assign(sorted)
	return p
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

// sorted returns the records that have weight in lexicographic order of the attributes of persons: a radix sort.
func (p *People) sorted() []uint32 {
	var from []uint32
	for i, w := range p.m.Weights {
		if w > 0 {
			from = append(from, uint32(i))
		}
	}
	to := make([]uint32, len(from))
	for k := len(p.e.Person) - 1; k >= 0; k-- {
		a := p.e.Person[k]
		next := make([]uint32, p.m.Sizes[a]+1)
		for _, i := range from {
			next[p.m.code(i, a)+1]++
		}
		for v := 1; v < len(next); v++ {
			next[v] += next[v-1]
		}
		for _, i := range from {
			c := p.m.code(i, a)
			to[next[c]] = i
			next[c]++
		}
		from, to = to, from
	}
	return from
}

// code returns attribute a of record i.
func (m *Model) code(i uint32, a int) domain.Code {
	if m.Columns != nil {
		return m.Columns[a][i]
	}
	cell := int(i)
	for b := len(m.Sizes) - 1; b > a; b-- {
		cell /= m.Sizes[b]
	}
	return domain.Code(cell % m.Sizes[a])
}

// draw draws the persons, and finds the records that the rows of each kind of them are drawn from: those that agree in
// as many of the attributes of persons, from the first on, as leave enough of them.
func (p *People) draw(sorted []uint32, cliques []domain.Clique) {
	k := len(p.e.Person)
	persons := &Model{Columns: make([][]domain.Code, k)}
	for j, a := range p.e.Person {
		persons.Sizes = append(persons.Sizes, p.m.Sizes[a])
		persons.Columns[j] = []domain.Code{}
	}
	same := func(x, y uint32) bool {
		return !slices.ContainsFunc(p.e.Person, func(a int) bool { return p.m.code(x, a) != p.m.code(y, a) })
	}
	for i, r := range sorted {
		if i == 0 || !same(sorted[i-1], r) {
			for j, a := range p.e.Person {
				persons.Columns[j] = append(persons.Columns[j], p.m.code(r, a))
			}
			persons.Weights = append(persons.Weights, 0)
		}
		persons.Weights[len(persons.Weights)-1] += p.m.Weights[r]
	}
	var rows *Rows
	if p.support != nil { // refined persons can be of a kind that no record is of
		rows = Systematic(persons, p.n, p.seed)
	} else {
		rows = NewRows(persons, within(cliques, p.e.Person), p.n, p.seed)
	}
	kinds := 1
	for _, a := range p.other {
		kinds = min(kinds*p.m.Sizes[a], donors)
	}
	type found struct {
		codes    []domain.Code
		copies   int64
		from, to int
		own      [2]uint32
	}
	var all []found
	rows.list.each(func(codes []domain.Code, copies int64) {
		f := found{codes: slices.Clone(codes), copies: copies, to: len(sorted)}
		from, to, exact := 0, len(sorted), true
		for j, a := range p.e.Person {
			lo := from + sort.Search(to-from, func(i int) bool { return p.m.code(sorted[from+i], a) >= codes[j] })
			hi := from + sort.Search(to-from, func(i int) bool { return p.m.code(sorted[from+i], a) > codes[j] })
			from, to = lo, hi
			if exact = exact && to-from >= kinds; exact {
				f.from, f.to = from, to
			}
		}
		f.own = [2]uint32{uint32(from), uint32(to)}
		all = append(all, f)
	})
	slices.SortStableFunc(all, func(a, b found) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return a.to - b.to
	})
	end := int64(0)
	for i, f := range all {
		if i == 0 || f.from != all[i-1].from || f.to != all[i-1].to {
			p.classes = append(p.classes, class{first: int64(f.from), end: int64(f.to)}) // of records, until assign
		}
		end += f.copies
		p.cells = append(p.cells, personCell{end: end, class: int32(len(p.classes) - 1), own: f.own})
		p.codes = append(p.codes, f.codes...)
	}
}

// within returns the parts of cliques that lie in attributes, by their numbers there.
func within(cliques []domain.Clique, attributes []int) (out []domain.Clique) {
	seen := map[string]bool{}
	for _, c := range cliques {
		var part domain.Clique
		for _, a := range c {
			if j := slices.Index(attributes, a); j >= 0 {
				part = append(part, j)
			}
		}
		slices.Sort(part)
		if len(part) > 0 && !seen[part.Key()] {
			seen[part.Key()] = true
			out = append(out, part)
		}
	}
	return out
}

// inside returns for each bin of the number of rows the cumulative shares of its numbers: the density in log m runs
// straight, on a log scale, from the middle of a bin to that of the next.
func (p *People) inside() [][]float64 {
	cuts, shares := p.e.Cuts, p.m.Marginal(domain.Clique{p.e.Rows}, nil)
	var x, y []float64
	for b, share := range shares {
		lo, hi := float64(cuts[b]), float64(cuts[b+1]-1)
		if b == len(shares)-1 {
			hi++
		}
		if share > 0 && (b < len(shares)-1 || b == 0) { // the last bin is of all who have so many rows and more
			x, y = append(x, math.Log((lo+hi)/2)), append(y, math.Log(share/(hi-lo+1)))
		}
	}
	density := func(m int64) float64 {
		at := math.Log(float64(m))
		if len(x) < 2 {
			return 1
		}
		i := min(max(sort.SearchFloat64s(x, at), 1), len(x)-1)
		slope := min(max((y[i]-y[i-1])/(x[i]-x[i-1]), -8), 4) // noise makes neighbours that no number of rows explains
		return math.Exp(y[i] + float64(slope*(at-x[i])))
	}
	sums := make([][]float64, len(shares))
	for b := range sums {
		last := cuts[b+1] - 1
		if b == len(sums)-1 {
			last++
		}
		sum := 0.0
		for m := cuts[b]; m <= last; m++ {
			sum += density(m)
			sums[b] = append(sums[b], sum)
		}
	}
	return sums
}

// cell returns the cell of person r, in order of classes.
func (p *People) cell(r int64) int {
	return sort.Search(len(p.cells), func(i int) bool { return p.cells[i].end > r })
}

// rowsOf returns the number of rows of person r, who is of the given cell. Numbers of one bin are spread as evenly as
// multiples of the golden ratio are.
func (p *People) rowsOf(r int64, cell int) int64 {
	b := p.codes[cell*len(p.e.Person)+slices.Index(p.e.Person, p.e.Rows)]
	sums := p.sums[b]
	_, u := math.Modf(p.offset + float64(uint64(r)*0x9e3779b97f4a7c15>>11)/(1<<53))
	k := sort.SearchFloat64s(sums, u*sums[len(sums)-1])
	return p.e.Cuts[b] + int64(min(k, len(sums)-1))
}

// number counts the rows of all persons, in order of classes and of positions.
func (p *People) number() {
	sum, cell := int64(0), 0
	for r := range p.n {
		if r%every == 0 {
			p.inOrder = append(p.inOrder, sum)
		}
		for p.cells[cell].end <= r {
			cell++
		}
		sum += p.rowsOf(r, cell)
	}
	p.inOrder = append(p.inOrder, sum)
	sum = 0
	r := p.scatter.row(0)
	for i := range p.n {
		if i%every == 0 {
			p.placed = append(p.placed, sum)
		}
		sum += p.rowsOf(r, p.cell(r))
		r = p.scatter.next(r)
	}
	p.placed = append(p.placed, sum)
}

// first returns the number of the first row of person r, in order of classes.
func (p *People) first(r int64) int64 {
	from := r / every * every
	sum, cell := p.inOrder[r/every], p.cell(from)
	for s := from; s < r; s++ {
		for p.cells[cell].end <= s {
			cell++
		}
		sum += p.rowsOf(s, cell)
	}
	return sum
}

// assign gives the rows of each class to its records: a systematic sample by weight.
func (p *People) assign(sorted []uint32) {
	rng := rand.New(rand.NewPCG(p.seed, streamPeople))
	last := make([]int64, len(p.classes)) // person behind the last of each
	for _, c := range p.cells {
		last[c.class] = c.end
	}
	for i := range p.classes {
		c := &p.classes[i]
		records := sorted[c.first:c.end]
		c.first = 0
		if i > 0 {
			c.first = p.classes[i-1].end
		}
		if c.end = p.inOrder[len(p.inOrder)-1]; last[i] < p.n {
			c.end = p.first(last[i])
		}
		total := 0.0
		for _, r := range records {
			total += p.m.Weights[r]
		}
		scale, u, sum, filled := float64(c.end-c.first)/total, rng.Float64(), 0.0, c.first
		for _, r := range records {
			sum += p.m.Weights[r]
			if end := min(c.end, c.first+int64(math.Ceil(float64(sum*scale)-u))); end > filled {
				p.donors, p.ends = append(p.donors, r), append(p.ends, end)
				filled = end
			}
		}
		if filled < c.end {
			p.donors, p.ends = append(p.donors, records[len(records)-1]), append(p.ends, c.end)
		}
	}
	if p.support == nil {
		return
	}
	for i, c := range p.cells { // the records of just such persons, if others do not go with them
		if c.own[0] < c.own[1] {
			p.cells[i].own[1] = sorted[c.own[0]]
		}
	}
}

// Len returns the number of persons.
func (p *People) Len() int64 { return p.n }

// Rows returns the number of rows of all persons.
func (p *People) Rows() int64 {
	if p.n == 0 {
		return 0
	}
	return p.placed[len(p.placed)-1]
}

// First returns how many rows stand before those of the person at position i; i may be Len.
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
	own   [2]uint32
	class int
	first int64 // number of its first row, in order of classes
	Rows  int64
}

// At returns the person at position i.
func (p *People) At(i int64) Person {
	r := p.scatter.row(i)
	c := p.cell(r)
	k := len(p.e.Person)
	return Person{p, p.codes[c*k : (c+1)*k], p.cells[c].own, int(p.cells[c].class), p.first(r), p.rowsOf(r, c)}
}

// Read writes the codes of row j of the person to dst, one for each attribute of the model.
func (q *Person) Read(j int64, dst []domain.Code) {
	p := q.p
	for k, a := range p.e.Person {
		dst[a] = q.codes[k]
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
		dst[a] = p.m.code(q.own[1], a)
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

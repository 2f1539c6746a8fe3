package oneway

import (
	"math"
	"slices"
	"strconv"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/summation"
	"github.com/dapple-dp/dapple/internal/model/population"
)

const (
	// Values with fewer counts than this many standard deviations of their noise are merged.
	rareSigmas = 3
	// The same of numbers and times, whose neighbours are alike, so that merging them loses little and saves cells: 6 to
	// 40 are within 2 % on adult14. A list of fewer numbers than longList is taken for names.
	rareSigmasOrdered = 12
	longList          = 30
	// Values of a long list are names, too, if neighbours have no more in common than any two values. Of products and their
	// categories, numbers without an order, half were dealt to others' categories: .20 in place of .07 at ε = 1.
	mostApart = .5 // von Neumann's ratio: 0 if neighbours are alike, 1 if they have nothing in common

	wideGap = 4 // of the codes of a column, the part that a gap between rare values is wide from

	rareShare  = .05  // of the merged mass, spread evenly: with .02 one in 70 values of .5 to 5 % of few people vanished
	leastShare = 1e-9 // of any merged code
)

// Merged is the domain after values too rare to tell from noise were merged with their neighbours, in the order of
// the domain: each code has one value, or several that take part in the same exclusions.
type Merged struct {
	Codes  query.Recoding
	Sizes  []int
	Base   [][]float64 // distribution over the merged codes of each attribute
	Within [][]float64 // share of every original value in its merged code
	Never  domain.Exclusions
}

// Merge reads the one-way estimates; units is their total.
func Merge(oneWays []Table, units float64, d *domain.Domain) *Merged {
	m := &Merged{}
	never := d.Exclusions()
	for a, one := range oneWays {
		m.add(one, units, rareLimit(d, a, one), func(v int) string {
			if one.Own != nil && one.Own[v] {
				return strconv.Itoa(v)
			}
			return signature(never, a, domain.Code(v))
		})
	}
	m.Never = m.exclusions(never)
	return m
}

// rareLimit returns the counts below which a value of attribute a is merged.
func rareLimit(d *domain.Domain, a int, one Table) float64 {
	if a == RowsAttribute(d) {
		return rareSigmasRowCounts * one.Sigma
	}
	least := rareSigmasOrdered * one.Sigma
	if x := Attribute(d, a); !ordered(x, len(one.Counts)) || !one.Learned && (x == nil || x.Cuts == nil && x.FloatCuts == nil) && apart(one.Counts, least) > mostApart {
		return rareSigmas * one.Sigma
	}
	return least
}

// apart returns von Neumann's ratio of the counts of values, each at most the given number: whether neighbours are alike shows
// in those that may be merged, and a few frequent values would hide it.
func apart(counts []float64, most float64) float64 {
	var sum, squares, apart float64
	for v, x := range counts {
		x = min(x, most)
		sum, squares = sum+x, squares+x*x
		if v > 0 {
			d := x - min(counts[v-1], most)
			apart += d * d
		}
	}
	return apart / 2 / max(squares-sum*sum/float64(len(counts)), 1e-9)
}

// ordered reports whether the values of an attribute of so many codes are numbers or times, so that neighbours are alike.
func ordered(x *domain.Attribute, codes int) bool {
	if x == nil {
		return codes >= longList
	}
	if len(x.Cuts) > 1 || len(x.FloatCuts) > 1 {
		return true
	}
	return codes >= longList && x.Type != domain.String && x.Type != domain.Bool
}

// Attribute returns the domain's declaration of attribute a, or nil without one.
func Attribute(d *domain.Domain, a int) *domain.Attribute {
	if d == nil || a >= len(d.Attributes) {
		return nil
	}
	return &d.Attributes[a]
}

// add merges the values of one attribute that have fewer counts than least; kind tells values apart that must not be
// merged.
func (m *Merged) add(one Table, units, least float64, kind func(v int) string) {
	p := population.Nearest(one.Counts, units)
	codes, within := make([]domain.Code, len(p)), make([]float64, len(p))
	var base []float64
	var rare []int
	sum := 0.0
	for v, x := range p {
		if one.Counts[v] < least {
			rare = append(rare, v)
			sum += x
			continue
		}
		codes[v], within[v] = domain.Code(len(base)), 1
		base = append(base, x)
	}
	if len(rare) > 0 {
		floor, sigma := rareShare*max(sum, one.Sigma)/float64(len(rare)), one.Sigma/float64(len(rare))
		if one.shrunk { // and is not put far out here
			floor, sigma = leastShare*units, 0
		}
		var pools [][]int
		for _, values := range alike(rare, kind) {
			pools = append(pools, neighbours(values, p, least, rareSigmas*one.Sigma)...)
		}
		for _, pool := range pools {
			if one.shrunk && m.join(pool, p, codes, within, base, units, least, kind) {
				continue
			}
			sum := 0.0
			for _, v := range pool {
				codes[v] = domain.Code(len(base))
				within[v] = p[v] + floor
				sum += p[v]
			}
			normaliseAt(within, pool)
			base = append(base, max(sum, sigma*float64(len(pool))))
		}
	}
	Normalise(base)
	for v, x := range base {
		base[v] = max(x, leastShare)
	}
	m.Codes, m.Sizes = append(m.Codes, codes), append(m.Sizes, len(base))
	m.Base, m.Within = append(m.Base, base), append(m.Within, within)
}

// join adds values that together hold next to nothing to the code next to them, if that is of their kind: on their own
// the noise of pairs would put records far out.
func (m *Merged) join(pool []int, p []float64, codes []domain.Code, within, base []float64, units, least float64, kind func(v int) string) bool {
	sum := 0.0
	for _, v := range pool {
		sum += p[v]
	}
	if sum >= least {
		return false
	}
	for _, v := range []int{pool[0] - 1, pool[len(pool)-1] + 1} {
		if v < 0 || v >= len(p) || within[v] == 0 || kind(v) != kind(pool[0]) {
			continue
		}
		group := slices.Clone(pool)
		for w := range p {
			if within[w] > 0 && codes[w] == codes[v] { // and those that have joined it
				group = append(group, w)
			}
		}
		for _, w := range group {
			codes[w], within[w] = codes[v], p[w]+leastShare*units
		}
		normaliseAt(within, group)
		base[codes[v]] += sum
		return true
	}
	return false
}

// neighbours cuts values in order into groups of at least the given number of counts, but for the last where all
// have less. Beside a wide gap a group has enough: the first values and the last ones are no neighbours.
func neighbours(values []int, counts []float64, least, enough float64) [][]int {
	var out [][]int
	sum, from := 0.0, 0
	gap := func(i int) bool { return values[i]-values[i-1] > len(counts)/wideGap } // before value i
	for i, v := range values {
		sum += counts[v]
		if sum >= least || i+1 < len(values) && gap(i+1) && sum >= enough {
			out, sum, from = append(out, values[from:i+1]), 0, i+1
		}
	}
	switch {
	case from == len(values):
	case len(out) == 0:
		out = append(out, values)
	case gap(from) && sum >= enough:
		out = append(out, values[from:])
	default: // the rest joins the last group
		last := out[len(out)-1]
		out[len(out)-1] = values[from-len(last):]
	}
	return out
}

// Normalise divides x by its sum.
func Normalise(x []float64) {
	sum := summation.InOrder(x)
	for i := range x {
		x[i] /= sum
	}
}

func normaliseAt(x []float64, at []int) {
	sum := 0.0
	for _, i := range at {
		sum += x[i]
	}
	for _, i := range at {
		x[i] /= sum
	}
}

// alike groups values of one kind, in order of their first.
func alike(values []int, kind func(v int) string) [][]int {
	var groups [][]int
	at := map[string]int{}
	for _, v := range values {
		k := kind(v)
		if _, ok := at[k]; !ok {
			at[k] = len(groups)
			groups = append(groups, nil)
		}
		groups[at[k]] = append(groups[at[k]], v)
	}
	return groups
}

// signature lists the exclusions in which a value takes part.
func signature(x domain.Exclusions, a int, v domain.Code) string {
	var s []byte
	for _, e := range x {
		if i := slices.Index(e.Clique, a); i >= 0 && slices.Contains(e.Codes[i], v) {
			s = append(s, '1')
		} else {
			s = append(s, '0')
		}
	}
	return string(s)
}

// exclusions returns x in merged codes, which hold exactly the records that x holds.
func (m *Merged) exclusions(x domain.Exclusions) domain.Exclusions {
	var out domain.Exclusions
	for _, e := range x {
		n := domain.Exclusion{Clique: e.Clique}
		for i, a := range e.Clique {
			var codes []domain.Code
			for _, v := range e.Codes[i] {
				codes = append(codes, m.Codes[a][v])
			}
			slices.Sort(codes)
			n.Codes = append(n.Codes, slices.Compact(codes))
		}
		out = append(out, n)
	}
	return out
}

// ExcludedCliques returns the cliques of the exclusions, each once, that have at most maxCells cells.
func (m *Merged) ExcludedCliques(maxCells float64) []domain.Clique {
	var out []domain.Clique
	for _, e := range m.Never {
		known := slices.ContainsFunc(out, e.Clique.Equal)
		if n, err := e.Clique.Cells(m.Sizes); !known && err == nil && float64(n) <= maxCells {
			out = append(out, e.Clique)
		}
	}
	return out
}

// matchSweeps is the number of sweeps of unlinked over the bases of its attributes.
const matchSweeps = 20

// Unlinked returns the table of c in counts when only the bases and the exclusions inside c are known.
func (m *Merged) Unlinked(c domain.Clique, units float64) []float64 {
	x := m.Independent(c, units)
	excluded := false
	m.Never.Cells(c, m.Sizes, func(cell int) { x[cell], excluded = 0, true })
	if !excluded {
		return x
	}
	strides := c.Strides(m.Sizes)
	for range matchSweeps {
		for i, a := range c {
			size := m.Sizes[a]
			sum := make([]float64, size)
			for cell, w := range x {
				sum[cell/strides[i]%size] += w
			}
			for cell := range x {
				if v := cell / strides[i] % size; sum[v] > 0 {
					x[cell] *= units * m.Base[a][v] / sum[v]
				}
			}
		}
	}
	return x
}

// Independent returns units · Π base over the attributes of c, as a table of c.
func (m *Merged) Independent(c domain.Clique, units float64) []float64 {
	out := []float64{units}
	for _, a := range c {
		next := make([]float64, 0, len(out)*m.Sizes[a])
		for _, x := range out {
			for _, p := range m.Base[a] {
				next = append(next, x*p)
			}
		}
		out = next
	}
	return out
}

// Universe returns the population of all possible merged records, else independent.
func (m *Merged) Universe(units float64) *population.Model {
	p := &population.Model{Sizes: m.Sizes, Weights: m.Independent(domain.All(len(m.Sizes)), units), StructuralZeros: m.Never}
	if len(m.Never) > 0 {
		p.Exclude()
		ScaleTo(p.Weights, units)
	}
	return p
}

// Of returns the merged codes of the values of some attributes; nil if none are merged.
func (m *Merged) Of(c domain.Clique) [][]domain.Code {
	out, some := make([][]domain.Code, len(c)), false
	for i, a := range c {
		if m.Sizes[a] < len(m.Codes[a]) || !slices.IsSorted(m.Codes[a]) {
			out[i], some = m.Codes[a], true
		}
	}
	if !some {
		return nil
	}
	return out
}

// Alone says of every value of attribute a whether it has a code of its own.
func (m *Merged) Alone(a int) []bool {
	members, out := make([]int, m.Sizes[a]), make([]bool, len(m.Codes[a]))
	for _, c := range m.Codes[a] {
		members[c]++
	}
	for v, c := range m.Codes[a] {
		out[v] = members[c] == 1
	}
	return out
}

// ScaleTo makes the weights sum to units.
func ScaleTo(weights []float64, units float64) {
	sum := summation.InOrder(weights)
	if f := units / sum; !math.IsInf(f, 0) && !math.IsNaN(f) {
		for i := range weights {
			weights[i] *= f
		}
	}
}

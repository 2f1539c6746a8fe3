package rake

import (
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/population"
)

const (
	// Values with fewer counts than this many standard deviations of their noise are merged.
	rareSigmas = 3
	// The same of numbers and times, whose neighbours are alike, so that merging them loses little and saves cells: 6 to
	// 40 are within 2 % on adult14. A list of fewer numbers than longList is taken for names.
	rareSigmasOrdered = 12
	longList          = 30

	rareShare  = .02  // of the merged mass, spread evenly so that no value vanishes
	leastShare = 1e-9 // of any merged code
)

// merged is the domain after values too rare to tell from noise were merged with their neighbours, in the order of
// the domain: each code has one value, or several that take part in the same exclusions.
type merged struct {
	codes  query.Recoding
	sizes  []int
	base   [][]float64 // distribution over the merged codes of each attribute
	within [][]float64 // share of every original value in its merged code
	never  domain.Exclusions
}

// merge reads the one-way estimates; units is their total.
func merge(oneWays []oneWay, units float64, d *domain.Domain) *merged {
	m := &merged{}
	never := d.Exclusions()
	for a, one := range oneWays {
		x := attribute(d, a)
		m.add(one, units, rareLimit(d, a, one), func(v int) string {
			if one.learned && x.Null && v == len(one.counts)-1 {
				return "NULL" // which is beside no value
			}
			return signature(never, a, domain.Code(v))
		})
	}
	m.never = m.exclusions(never)
	return m
}

// rareLimit returns the counts below which a value of attribute a is merged.
func rareLimit(d *domain.Domain, a int, one oneWay) float64 {
	if a == rowsAttribute(d) {
		return rareSigmasRowCounts * one.sigma
	}
	if ordered(attribute(d, a), len(one.counts)) {
		return rareSigmasOrdered * one.sigma
	}
	return rareSigmas * one.sigma
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

// attribute returns the domain's declaration of attribute a, or nil if there is none.
func attribute(d *domain.Domain, a int) *domain.Attribute {
	if d == nil || a >= len(d.Attributes) {
		return nil
	}
	return &d.Attributes[a]
}

// add merges the values of one attribute that have fewer counts than least; kind tells values apart that must not be
// merged.
func (m *merged) add(one oneWay, units, least float64, kind func(v int) string) {
	p := project(one.counts, units)
	codes, within := make([]domain.Code, len(p)), make([]float64, len(p))
	var base []float64
	var rare []int
	sum := 0.0
	for v, x := range p {
		if one.counts[v] < least {
			rare = append(rare, v)
			sum += x
			continue
		}
		codes[v], within[v] = domain.Code(len(base)), 1
		base = append(base, x)
	}
	if len(rare) > 0 {
		floor, sigma := rareShare*max(sum, one.sigma)/float64(len(rare)), one.sigma/float64(len(rare))
		if one.shrunk { // and is not put far out here
			floor, sigma = leastShare*units, 0
		}
		var pools [][]int
		for _, values := range alike(rare, kind) {
			pools = append(pools, neighbours(values, p, least)...)
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
	normalise(base)
	for v, x := range base {
		base[v] = max(x, leastShare)
	}
	m.codes, m.sizes = append(m.codes, codes), append(m.sizes, len(base))
	m.base, m.within = append(m.base, base), append(m.within, within)
}

// join adds values that together hold next to nothing to the code next to them, if that is of their kind: on their own
// the noise of pairs would put records far out.
func (m *merged) join(pool []int, p []float64, codes []domain.Code, within, base []float64, units, least float64, kind func(v int) string) bool {
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
// have less.
func neighbours(values []int, counts []float64, least float64) [][]int {
	var out [][]int
	sum, from := 0.0, 0
	for i, v := range values {
		if sum += counts[v]; sum >= least {
			out, sum, from = append(out, values[from:i+1]), 0, i+1
		}
	}
	switch {
	case from == len(values):
	case len(out) == 0:
		out = append(out, values)
	default: // the rest joins the last group
		last := out[len(out)-1]
		out[len(out)-1] = values[from-len(last):]
	}
	return out
}

func normalise(x []float64) {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
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
func (m *merged) exclusions(x domain.Exclusions) domain.Exclusions {
	var out domain.Exclusions
	for _, e := range x {
		n := domain.Exclusion{Clique: e.Clique}
		for i, a := range e.Clique {
			var codes []domain.Code
			for _, v := range e.Codes[i] {
				codes = append(codes, m.codes[a][v])
			}
			slices.Sort(codes)
			n.Codes = append(n.Codes, slices.Compact(codes))
		}
		out = append(out, n)
	}
	return out
}

// excludedCliques returns the cliques of the exclusions, each once, that have at most maxCells cells.
func (m *merged) excludedCliques(maxCells float64) []domain.Clique {
	var out []domain.Clique
	for _, e := range m.never {
		known := slices.ContainsFunc(out, e.Clique.Equal)
		if n, err := e.Clique.Cells(m.sizes); !known && err == nil && float64(n) <= maxCells {
			out = append(out, e.Clique)
		}
	}
	return out
}

// matchSweeps is the number of sweeps of unlinked over the bases of its attributes.
const matchSweeps = 20

// unlinked returns the table of c in counts when only the bases and the exclusions inside c are known.
func (m *merged) unlinked(c domain.Clique, units float64) []float64 {
	x := m.independent(c, units)
	excluded := false
	m.never.Cells(c, m.sizes, func(cell int) { x[cell], excluded = 0, true })
	if !excluded {
		return x
	}
	strides := c.Strides(m.sizes)
	for range matchSweeps {
		for i, a := range c {
			size := m.sizes[a]
			sum := make([]float64, size)
			for cell, w := range x {
				sum[cell/strides[i]%size] += w
			}
			for cell := range x {
				if v := cell / strides[i] % size; sum[v] > 0 {
					x[cell] *= units * m.base[a][v] / sum[v]
				}
			}
		}
	}
	return x
}

// independent returns units · Π base over the attributes of c, as a table of c.
func (m *merged) independent(c domain.Clique, units float64) []float64 {
	out := []float64{units}
	for _, a := range c {
		next := make([]float64, 0, len(out)*m.sizes[a])
		for _, x := range out {
			for _, p := range m.base[a] {
				next = append(next, x*p)
			}
		}
		out = next
	}
	return out
}

// universe returns the population of all possible merged records, else independent.
func (m *merged) universe(units float64) *population.Model {
	p := &population.Model{Sizes: m.sizes, Weights: m.independent(domain.All(len(m.sizes)), units), StructuralZeros: m.never}
	if len(m.never) > 0 {
		p.Exclude()
		scaleTo(p.Weights, units)
	}
	return p
}

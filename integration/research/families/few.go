package families

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Few lists tables of few people for their columns, whose strong pairs noise hides: answers to a survey that follow hidden
// factors, readings that each follow the one before, and blocks of alike columns among lists, rare counts and others.
func Few() []Family {
	return []Family{{"survey", survey}, {"chain", chain}, {"blocks", blocks}, {"rare target", rareTarget}}
}

// survey has 28 columns: 25 answers of 6 values, five to each hidden factor, and sex, education and age, which they follow a little.
func survey(units int, seed uint64) *Table {
	b := newBuilder(units, seed)
	factors := make([][5]float64, units)
	for r := range factors {
		common := b.rng.NormFloat64()
		for k := range factors[r] {
			factors[r][k] = .4*common + .9165*b.rng.NormFloat64()
		}
	}
	for i := range 25 {
		load, shift := .5+.35*b.rng.Float64(), 1.2*b.rng.Float64()-.6
		if b.rng.IntN(4) == 0 {
			load = -load
		}
		b.add(fmt.Sprint("answer", i), 6, func(r int) int {
			return clamp(3+shift*1.5+1.5*(load*factors[r][i/5]+math.Sqrt(1-load*load)*b.rng.NormFloat64()), 6)
		})
	}
	b.add("sex", 2, func(r int) int { return clamp(1+.3*factors[r][0]+b.rng.NormFloat64(), 2) })
	b.add("education", 6, func(r int) int { return clamp(3+.3*factors[r][1]+b.rng.NormFloat64(), 6) })
	b.add("age", 12, func(r int) int { return clamp(3*math.Exp(.2*factors[r][2]+.5*b.rng.NormFloat64()), 12) })
	return b.table("survey")
}

// chain has 20 columns of 5 to 12 values, each with a correlation of .6 to .9 to the one before.
func chain(units int, seed uint64) *Table {
	b := newBuilder(units, seed)
	hidden := make([]float64, units)
	for r := range hidden {
		hidden[r] = b.rng.NormFloat64()
	}
	for i := range 20 {
		k, close := 5+i*3%8, .6+.3*b.rng.Float64()
		b.add(fmt.Sprint("reading", i), k, func(r int) int {
			hidden[r] = close*hidden[r] + math.Sqrt(1-close*close)*b.rng.NormFloat64()
			return clamp(float64(k)*(.5+hidden[r]/4.5), k)
		})
	}
	return b.table("chain")
}

// blocks has 24 columns in blocks of four that follow a hidden number: an amount, a count that is mostly 0, a list whose order says
// nothing, and a flag.
func blocks(units int, seed uint64) *Table {
	b := newBuilder(units, seed)
	for i := range 6 {
		hidden := make([]float64, units)
		for r := range hidden {
			hidden[r] = b.rng.NormFloat64()
		}
		amount, list := 8+i*2, 5+i
		order := b.rng.Perm(list)
		b.add(fmt.Sprint("amount", i), amount, func(r int) int {
			return clamp(float64(amount)*(.5+(.85*hidden[r]+.53*b.rng.NormFloat64())/4.5), amount)
		})
		b.add(fmt.Sprint("count", i), 7, func(r int) int { return clamp(1.5*(.8*hidden[r]+.6*b.rng.NormFloat64()-.3), 7) })
		b.add(fmt.Sprint("list", i), list, func(r int) int {
			return order[clamp(float64(list)*(.5+(.8*hidden[r]+.6*b.rng.NormFloat64())/4.5), list)]
		})
		b.add(fmt.Sprint("flag", i), 2, func(r int) int { return clamp(hidden[r]+.7*b.rng.NormFloat64()+.2, 2) })
	}
	return b.table("blocks")
}

// rareTarget has 14 columns of 2 to 20 values that follow three hidden numbers, and a target that 1 % of the people have, the last.
func rareTarget(units int, seed uint64) *Table {
	b := newBuilder(units, seed)
	hidden, risk := make([][3]float64, units), make([]float64, units)
	for r := range hidden {
		for k := range hidden[r] {
			hidden[r][k] = b.rng.NormFloat64()
		}
	}
	weights := map[int]float64{0: 3, 3: 2, 5: 6, 7: 2, 9: -2}
	for i, k := range []int{2, 2, 3, 4, 5, 6, 8, 10, 12, 16, 2, 3, 4, 20} {
		var load [3]float64
		for j := range load {
			load[j] = .6 * b.rng.NormFloat64()
		}
		b.add(fmt.Sprint("c", i), k, func(r int) int {
			x := b.rng.NormFloat64()
			for j, h := range hidden[r] {
				x += load[j] * h
			}
			v := clamp(float64(k)*(.5+math.Erf(x/1.9)/2), k)
			risk[r] += 1.2 * weights[i] * (float64(v)/float64(k-1) - .5)
			return v
		})
	}
	b.add("target", 2, func(r int) int {
		if risk[r]+math.Log(1/b.rng.Float64()-1) > 9.3 {
			return 1
		}
		return 0
	})
	return b.table("rare target")
}

// Strength says what averages over all pairs do not show.
type Strength struct {
	// Kept is the mean |rank correlation| of the d strongest pairs of d columns, as a part of their mean in the table.
	Kept    float64
	Largest float64 // error of a rank correlation
	Rare    float64 // part of the values of .1 to 1 % of the people that are half to twice as frequent; 1 if the table has none
}

// Strength compares the table's rank correlations and rare values with the ones of marginals, in any unit. Codes are taken to be in order.
func (t *Table) Strength(other func(domain.Clique) []float64) Strength {
	var s Strength
	type pair struct{ was, is float64 }
	var pairs []pair
	rare, found := 0., 0.
	for a := range t.Sizes {
		for b := range a {
			c := domain.Clique{b, a}
			p := pair{rankCorrelation(t.Shares(c), t.Sizes[a]), rankCorrelation(other(c), t.Sizes[a])}
			s.Largest = max(s.Largest, math.Abs(p.was-p.is))
			pairs = append(pairs, p)
		}
		sum, now := 0., other(domain.Clique{a})
		for _, n := range now {
			sum += n
		}
		for v, was := range t.Shares(domain.Clique{a}) {
			if was >= leastRare && was <= mostRare {
				rare++
				if is := now[v] / sum; is >= was/2 && is <= 2*was {
					found++
				}
			}
		}
	}
	slices.SortStableFunc(pairs, func(x, y pair) int { return cmp.Compare(math.Abs(y.was), math.Abs(x.was)) })
	was, is := 0., 0.
	for _, p := range pairs[:min(len(t.Sizes), len(pairs))] {
		was, is = was+math.Abs(p.was), is+math.Abs(p.is)
	}
	s.Kept, s.Rare = is/max(was, 1e-9), 1
	if rare > 0 {
		s.Rare = found / rare
	}
	return s
}

const leastRare, mostRare = .001, .01

// rankCorrelation returns Spearman's correlation of the two columns of a table, whose second column has k values; 0 if one is constant.
func rankCorrelation(counts []float64, k int) float64 {
	rows, columns := make([]float64, len(counts)/k), make([]float64, k)
	for i, n := range counts {
		rows[i/k] += n
		columns[i%k] += n
	}
	sum := 0.
	x, y := middleRanks(rows), middleRanks(columns)
	for i, n := range counts {
		sum += n * x[i/k] * y[i%k]
	}
	square := func(n, x []float64) (s float64) {
		for i := range n {
			s += n[i] * x[i] * x[i]
		}
		return s
	}
	if s := square(rows, x) * square(columns, y); s > 0 {
		return sum / math.Sqrt(s)
	}
	return 0
}

// middleRanks returns the mean rank of each of consecutive values, less the mean of all.
func middleRanks(counts []float64) []float64 {
	out, below := make([]float64, len(counts)), 0.
	for v, n := range counts {
		out[v] = below + n/2
		below += n
	}
	for v := range out {
		out[v] -= below / 2
	}
	return out
}

package families

import "fmt"

// Link says how the second column of a strong pair follows from the first.
type Link int

// The links.
const (
	Functional Link = iota // a rearrangement, but for 1 record in 50
	Correlated             // both follow a hidden number, with a correlation of .8
)

// Sparse is a wide table of independent columns, but for a few strong pairs.
type Sparse struct {
	Columns int
	Strong  []Link
}

// Pair returns the columns of strong pair i.
func (s Sparse) Pair(i int) (first, second int) { return 2 * i, s.Columns - 1 - 2*i }

// Make returns the table: columns of 2 to 12 values, every other one with most records in one value.
func (s Sparse) Make(units int, seed uint64) *Table {
	b := newBuilder(units, seed)
	const strongSize = 6
	role := map[int]int{} // of a column in a strong pair: its number from 1, negative for the second
	for i := range s.Strong {
		first, second := s.Pair(i)
		role[first], role[second] = i+1, -i-1
	}
	hidden := make([][]float64, len(s.Strong))
	for i, link := range s.Strong {
		if link == Correlated {
			hidden[i] = make([]float64, units)
			for r := range hidden[i] {
				hidden[i][r] = b.rng.NormFloat64()
			}
		}
	}
	// correlation between two columns that follow a hidden number is the square of how closely each does
	const close, apart = .8944, .4472
	normal := func(i int) func(int) int {
		return func(r int) int {
			x := close*hidden[i][r] + apart*b.rng.NormFloat64()
			return clamp(strongSize*(.5+x/4), strongSize)
		}
	}
	for a := range s.Columns {
		name := fmt.Sprintf("c%03d", a)
		draw := b.zipf(2+a*7%11, .5+float64(a%2)*1.5)
		size := 2 + a*7%11
		i := max(role[a], -role[a]) - 1
		switch {
		case role[a] == 0:
			b.add(name, size, func(int) int { return draw() })
		case s.Strong[i] == Correlated:
			b.add(name, strongSize, normal(i))
		case role[a] > 0:
			draw := b.zipf(strongSize, .5)
			b.add(name, strongSize, func(int) int { return draw() })
		default:
			first, _ := s.Pair(i)
			from, noise := b.columns[first], b.zipf(strongSize, 0)
			b.add(name, strongSize, func(r int) int {
				if b.rng.Float64() < .02 {
					return noise()
				}
				return (int(from[r])*5 + 2) % strongSize
			})
		}
	}
	return b.table(fmt.Sprintf("%d columns, %d strong pairs", s.Columns, len(s.Strong)))
}

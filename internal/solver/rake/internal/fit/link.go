package fit

import (
	"math"

	"github.com/dapple-dp/dapple/internal/solver/rake/internal/oneway"
)

// linkOf returns the table of two ordered columns whose normal scores have a normal distribution, with the
// correlation nearest to the correlation of the table of counts, whose noise has standard deviation sigma. Its margins are the
// margins of guess, an estimate of the same table. It is nil if independence explains the table nearly as well.
//
// The correlation is known far better than the cells: if it explains them, noise does not spread records over cells
// that two strongly linked columns leave empty.
func linkOf(counts, guess []float64, shape []int, sigma float64) []float64 {
	rows, columns := make([]float64, shape[0]), make([]float64, shape[1])
	sum := 0.0
	for i, x := range guess {
		x = max(x, 0)
		sum += x
		rows[i/shape[1]] += x
		columns[i%shape[1]] += x
	}
	if sum == 0 {
		return nil
	}
	inside, ends := scoresWithin(rows, sum), scoresBetween(columns, sum)
	out := make([]float64, len(counts))
	distance := func(angle float64) float64 {
		r, rest := math.Sincos(angle)
		for i, n := range rows {
			cells := out[i*len(columns):][:len(columns)]
			clear(cells)
			for _, x := range inside[i] {
				below := 0.0
				for j := range cells {
					upTo := math.Erfc((r*x-ends[j])/rest/math.Sqrt2) / 2
					cells[j] += n / scorePoints * (upTo - below)
					below = upTo
				}
			}
		}
		d := 0.0
		for i, x := range counts {
			d += (x - out[i]) * (x - out[i])
		}
		return d
	}
	none, best, angle := distance(0), math.Inf(1), 0.0
	for a := -mostAngle; a <= mostAngle; a += mostAngle / 8 {
		if d := distance(a); d < best {
			best, angle = d, a
		}
	}
	for step := mostAngle / 16; step > 1e-3; step /= 2 {
		for _, a := range []float64{angle - step, angle + step} {
			if math.Abs(a) < mostAngle+.05 {
				if d := distance(a); d < best {
					best, angle = d, a
				}
			}
		}
	}
	if none-best < leastExplained*leastExplained*sigma*sigma {
		return nil
	}
	distance(angle)
	return out
}

const (
	scorePoints    = 6   // of a row, at which columns are looked up
	mostAngle      = 1.5 // arc sine of the largest correlation
	leastExplained = 5   // the least gain, in standard deviations of noise
)

// scoresWithin returns normal scores inside each of consecutive ranges with these counts.
func scoresWithin(counts []float64, sum float64) [][scorePoints]float64 {
	out, below := make([][scorePoints]float64, len(counts)), 0.0
	for i, n := range counts {
		for k := range out[i] {
			out[i][k] = oneway.NormalScore(min(max((below+n*(float64(k)+.5)/scorePoints)/sum, 1e-9), 1-1e-9))
		}
		below += n
	}
	return out
}

// scoresBetween returns the normal scores at the ends of such ranges; the last is +Inf.
func scoresBetween(counts []float64, sum float64) []float64 {
	out, below := make([]float64, len(counts)), 0.0
	for i, n := range counts {
		below += n
		out[i] = oneway.NormalScore(min(below/sum, 1))
	}
	out[len(out)-1] = math.Inf(1)
	return out
}

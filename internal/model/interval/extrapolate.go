package interval

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/solver"
)

const (
	neighbours = 50 // tables of similar size that a table without a score is compared with
	quantile   = .9 // of their distances, which it is held to have
)

// distance is the size of a table and its distance from the model, counts.
type distance struct {
	cells int64
	far   float64
}

// distances lists the distances of tables of two and of three attributes, by their number of cells.
func distances(sizes []int, tables []solver.TableUncertainty) (out [4][]distance) {
	for _, t := range tables {
		if n, err := t.Clique.Cells(sizes); err == nil && len(t.Clique) < len(out) {
			out[len(t.Clique)] = append(out[len(t.Clique)], distance{n, t.Distance})
		}
	}
	for _, list := range out {
		slices.SortStableFunc(list, func(a, b distance) int { return int(min(max(a.cells-b.cells, -1), 1)) })
	}
	return out
}

// unscreened is the assumed distance of the interaction of so many attributes whose fitted table has no score: the
// distance that only a tenth of the tables of about as many cells exceeded. If no table of that width has a score,
// narrower tables are used instead, and all units without those either.
func (v *Intervals) unscreened(width int, fitted []float64) *solver.TableUncertainty {
	far := v.units
	for ; width >= 2; width-- {
		if width < len(v.screened) && len(v.screened[width]) > 0 {
			far = similar(v.screened[width], int64(len(fitted)))
			break
		}
	}
	return assumed(far, fitted)
}

// similar returns the quantile of the distances of the tables whose cells are nearest to the given number.
func similar(list []distance, cells int64) float64 {
	at, _ := slices.BinarySearchFunc(list, cells, func(d distance, n int64) int { return int(min(max(d.cells-n, -1), 1)) })
	from := min(max(at-neighbours/2, 0), max(len(list)-neighbours, 0))
	var far []float64
	for _, d := range list[from:min(from+neighbours, len(list))] {
		far = append(far, d.far)
	}
	slices.Sort(far)
	return far[int(math.Ceil(quantile*float64(len(far))))-1]
}

// assumed is an interaction of the given L1 distance, counts, with cells around the fitted ones: half of
// Σ.8·√variance would be its total variation.
func assumed(far float64, fitted []float64) *solver.TableUncertainty {
	sum := 1e-9
	for _, b := range fitted {
		sum += math.Pow(max(b, 0), .75)
	}
	k := far / (.8 * sum)
	return &solver.TableUncertainty{Clique: domain.Clique{}, Scale: k * k, Growth: 1}
}

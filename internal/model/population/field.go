package population

import "math/rand/v2"

// Field is a log-linear model carried by a population: a record z has the weight
//
//	w(z) ∝ Π_a Base[a][z_a] · exp(Σ_A θ_A(z_A)),  A over Tables,
//
// and 0 if a structural zero contains z. The initial records with weight are possible.
//
// The tables may overlap in any way, since nothing is ever summed over the universe: the population is either all of
// a small universe, and then exact, or a sample, and then renewed when its weights degenerate.
type Field struct {
	Model  *Model
	Base   [][]float64 // for each attribute a distribution over its codes, all above 0
	Tables []*Table

	index   [2][]int32 // of the last clusters whose index is not kept: of the present one and of pending
	pending *cluster   // whose factors the weights are not multiplied by yet
	sums    sums
}

// Stop holds the stopping criteria of raking. All fields but Factors and Swept are required.
type Stop struct {
	Sweeps        int             // at most so many sweeps
	Tolerance     float64         // the largest L1 change of a table in a sweep, counts
	Rejuvenations int             // at most so many renewals of the population
	Factors       float64         // none begins once they have multiplied so many factors; 0: any number, see RenewalCost
	Effective     float64         // renew where (Σw)²/(S·Σw²) falls below, in the first half of the sweeps; 0.6
	Least         float64         // renew where it falls below later, when few sweeps are left to fit new records in; 0.3
	Swept         func(sweep int) // hears of every sweep that is done, from 1; nil: nobody does
}

// Raked is the result of raking.
type Raked struct {
	Sweeps        int
	Change        float64 // the last sweep's largest L1 change of a table, counts
	Rejuvenations int
	Factors       float64 // that renewals have multiplied
}

// Rake fits the potentials of all tables and the weights by iterative scaling: each table in turn gets the cells that
// solve its ridge equation. Potentials start at their present values; a sampled population's must be the ones
// that the records were drawn with.
//
// Tables are raked in clusters, and balanced with those inside them after every sweep. Cost of a sweep: about 2 ns per
// record and cluster of a sample, 2 ns per cell and cluster of a universe, and 2 ns per cell of a cluster or table that is
// read and written: see Work.
func (f *Field) Rake(stop Stop, rng *rand.Rand) Raked {
	clusters, overlaps := f.clusters(), newOverlaps(f.Model.Sizes, f.Tables)
	var done Raked
	renew := func(effective float64) bool {
		least := stop.Effective
		if done.Sweeps > stop.Sweeps/2 {
			least = stop.Least
		}
		if effective >= least || done.Rejuvenations >= stop.Rejuvenations || stop.Factors > 0 && done.Factors >= stop.Factors {
			return false
		}
		done.Factors += f.RenewalCost() * float64(f.Rejuvenate(rng))
		done.Rejuvenations++
		for _, b := range clusters {
			b.index = nil
		}
		return true
	}
	for done.Sweeps < stop.Sweeps {
		done.Sweeps++
		done.Change = 0
		for _, b := range clusters {
			if renew(f.sum(b)) {
				f.sum(b)
			}
			done.Change = max(done.Change, b.solve(innerSweeps))
			f.multiply(b)
		}
		for i := range overlaps {
			overlaps[i].balance()
		}
		if stop.Swept != nil {
			stop.Swept(done.Sweeps)
		}
		if done.Change < stop.Tolerance {
			break
		}
	}
	if b := f.pending; b != nil {
		renew(f.sums.add(make([]float64, len(b.mass)), b.at, f.Model.Weights, f.take()))
	}
	return done
}

// clusters returns the clusters of the tables.
func (f *Field) clusters() []*cluster {
	list := newClusters(f.Model.Sizes, f.Tables, clusterCells)
	kept := 0
	for _, b := range list {
		if f.Model.Columns == nil {
			b.whole = NewProjection(f.Model.Sizes, f.Model.all(), b.clique)
			continue
		}
		kept += 4 * f.Model.Len()
		b.keep = kept <= indexBytes
	}
	return list
}

// indexBytes is the most memory for the cells of records that clusters keep from sweep to sweep.
const indexBytes = 128 << 20

// PlaceCost is what it takes to find the place of a record in a table, in factors that are multiplied.
const PlaceCost = 2

// RenewalCost returns how many factors a renewal multiplies for a record that it draws: Σ over tables of the sizes of their
// attributes, and PlaceCost for each.
func (f *Field) RenewalCost() float64 {
	sum := 0
	for _, t := range f.Tables {
		for _, k := range t.shape {
			sum += k + PlaceCost
		}
	}
	return float64(max(1, sum))
}

// sum sets the mass of a cluster. It returns the share of the records that equal weights would need for the same variance
// (1 for a universe, which is exact anyway).
func (f *Field) sum(b *cluster) (effective float64) {
	if b.whole != nil {
		b.whole.Sum(b.mass, f.Model.Weights)
		return 1
	}
	b.at = f.locate(b)
	return f.sums.add(b.mass, b.at, f.Model.Weights, f.take())
}

// multiply multiplies the weights by the factors of a cluster: weights of a sample in the pass that sums the next cluster.
func (f *Field) multiply(b *cluster) {
	if b.whole != nil {
		b.whole.Multiply(f.Model.Weights, b.mass)
		return
	}
	f.pending = b
}

// take returns what is pending, and nothing is any more.
func (f *Field) take() factors {
	b := f.pending
	if f.pending = nil; b == nil {
		return factors{}
	}
	return factors{b.at, b.mass}
}

// locate returns the cell of every record in the table of the cluster.
func (f *Field) locate(b *cluster) []int32 {
	switch {
	case b.index != nil:
	case b.keep:
		b.index = f.Model.locate(b.clique, nil)
	default:
		f.index[0], f.index[1] = f.index[1], f.Model.locate(b.clique, f.index[0])
		return f.index[1]
	}
	return b.index
}

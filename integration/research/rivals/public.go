package rivals

import (
	"math"
	"math/rand/v2"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
)

// PMW-pub is MWEM from a public table: the model begins as the table's distribution and keeps to its records.
//
// Source: Liu, Vietri, Steinke, Ullman, Wu 2021, "Leveraging Public Data for Practical Private Query Release", whose rounds
// measure marginals with Gaussian noise, as here.
// Events and cost: as MWEM, in as many rounds as have less noise than the public table has sampling error, since a
// count that is known better from the table only harms. A record that the table lacks is never learned, whatever the budget.
var pmwPub = Algorithm{
	Name: "pmw-pub", Summary: "mwem that begins at a public table and keeps to its records (needs a public table)",
	Dense: true, Measures: true, Linear: true,
	public: func(s *setup, rows []float64) error {
		s.logits = make([]float64, len(rows))
		for z, n := range rows {
			s.logits[z] = math.Log(n)
		}
		s.fromPublic = true
		return nil
	},
	schedule: scheduleMWEM, run: runMWEM,
}

// PAP is MWEM on a problem that public rows reduce: of the cells with the same public rows one is asked, cells without any
// are not, and of the records that lie in the same cells asked the model has one, a public one if there is any.
//
// Source: Bassily, Cheu, Moran, Nikolov, Ullman, Wu 2020, "Private Query Release Assisted by Public Data": a reduction of
// queries and universe for any algorithm, with an error that is larger by at most what the public rows miss. Privacy never
// depends on them.
// Events and cost: as MWEM on linear queries.
var pap = Algorithm{
	Name: "pap", Summary: "mwem on the cells and records that a public table tells apart (needs a public table)",
	Dense: true, Measures: true, public: reduce,
	schedule: scheduleMWEM, run: runMWEM,
}

// reduce leaves one cell of those with the same public rows, and one record of those in the same cells left. Sets are
// compared by sums of random numbers of 64 bits, which are public.
func reduce(s *setup, rows []float64) error {
	rng := rand.New(rand.NewPCG(s.Seed, 0x706170))
	labels := make([]uint64, len(rows))
	for z, n := range rows {
		if n > 0 {
			labels[z] = rng.Uint64()
		}
	}
	var kept []query.Marginal
	known, inCells := map[uint64]bool{0: true}, make([]uint64, len(rows))
	for _, m := range s.workload.Marginals {
		cellOf := cells(s.workload.Sizes, m.Clique)
		n, err := m.Clique.Cells(s.workload.Sizes)
		if err != nil {
			return err
		}
		sums, names := make([]uint64, n), make([]uint64, n)
		for z, x := range labels {
			sums[cellOf[z]] += x
		}
		var list [][]float64
		for c, sum := range sums {
			if known[sum] || n == 1 {
				continue
			}
			known[sum], names[c] = true, rng.Uint64()
			row := make([]float64, n)
			row[c] = 1
			list = append(list, row)
		}
		if len(list) == 0 {
			continue
		}
		queries, err := query.NewLinear(list)
		if err != nil {
			return err
		}
		kept = append(kept, query.Marginal{Clique: m.Clique, Weight: m.Weight, Queries: queries})
		for z := range inCells {
			inCells[z] += names[cellOf[z]]
		}
	}
	if len(kept) > 0 {
		s.workload.Marginals = kept
	}
	s.logits = s.representatives(inCells, rows)
	return nil
}

// representatives returns logits: 0 for one possible record of each class, −Inf for others.
func (s *setup) representatives(class []uint64, rows []float64) []float64 {
	possible := domain.NewSupport(s.workload.Sizes, s.never)
	record := make([]domain.Code, len(s.workload.Sizes))
	logits, first := make([]float64, len(class)), map[uint64]int{}
	for z, c := range class {
		logits[z] = math.Inf(-1)
		if len(s.never) > 0 {
			for a, rest := len(record)-1, z; a >= 0; a-- {
				record[a], rest = domain.Code(rest%s.workload.Sizes[a]), rest/s.workload.Sizes[a]
			}
			if !possible.Possible(record) {
				continue
			}
		}
		if at, known := first[c]; !known || rows[at] == 0 && rows[z] > 0 {
			first[c] = z
		}
	}
	for _, z := range first {
		logits[z] = 0
	}
	return logits
}

// cells returns the cell of a clique in which each record of the universe lies.
func cells(sizes []int, clique domain.Clique) []int32 {
	strides, k := make([]int, len(sizes)), 1
	for i, a := range clique {
		strides[a] = clique.Strides(sizes)[i]
	}
	for _, n := range sizes {
		k *= n
	}
	out := make([]int32, k)
	block := k
	for a, n := range sizes {
		block /= n
		if strides[a] == 0 {
			continue
		}
		for z := range out {
			out[z] += int32(z / block % n * strides[a])
		}
	}
	return out
}

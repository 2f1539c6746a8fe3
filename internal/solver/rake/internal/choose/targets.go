package choose

import (
	"maps"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/lists"
	"github.com/dapple-dp/dapple/internal/kit/summation"
	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/internal/model/marginal"
	"github.com/dapple-dp/dapple/solver"
)

// Targets are the tables that the workload makes worth measuring: its one-, two- and three-way
// marginals and those inside wider ones, and in a small universe wider ones of few cells.
type Targets struct {
	Sizes   []int
	Covered []bool    // whether the workload holds the attribute
	Weight  []float64 // of each attribute: Σ over target tables that hold it
	Pairs   []Target
	Triples []Target
	Wide    []Target // of more columns
}

// Target is a table with its weights in the workload.
type Target struct {
	Clique domain.Clique
	Own    float64 // of the table as an answer in its own right; 0 for a pair that only triples need
	within float64 // own, plus the weights of the triples around it
	times  float64 // how many targets it stands for in a forecast; 0: itself
}

// LargestTable is the most cells of a table that is measured. The attributes of larger ones stay linked
// through others.
const LargestTable = 1 << 20

// Wider tables than triples are targets if they have few cells, in a universe of few cells: in others the descent is slow
// and tables of four columns are not found by their scores. Between leastWideNoise and mostWideNoise, as a part of the units in one
// release of all, they may be larger. With less noise that release, by dpam, is nearer, and with more noise smaller tables tell more:
// at .15 to .25 dpam errs by 5 and 2 % less where all columns depend on all others or on two, by 9 % more on chains and stars, by 64 %
// more on a parity of columns of four values; at .05 to .1 by 10 and 8 % less, and by 3 % less to 5 % more.
const (
	wideCells, wideUniverse       = 64, 1 << 16
	largeWideCells, largeUniverse = 1 << 15, 1 << 20
	leastWideNoise, mostWideNoise = .1, 3
)

// wideLimits returns the most cells of wider tables and of their universe, from public figures alone.
func wideLimits(p solver.Problem) (table int64, universe float64) {
	if noise := ReleaseNoise(p); noise > leastWideNoise && noise <= mostWideNoise && len(p.Domain.Exclusions()) == 0 {
		return largeWideCells, largeUniverse
	}
	return wideCells, wideUniverse
}

// ReleaseNoise is the noise of a marginal in one Gaussian release of the workload's maximal marginals: their mean number of cells
// times the standard deviation of a cell, as a part of the units; +Inf if the cells cannot be counted.
func ReleaseNoise(p solver.Problem) float64 {
	w := p.Workload.Maximal()
	_, cells, err := w.Cells()
	if err != nil {
		return math.Inf(1)
	}
	each := float64(p.Neighbouring.UnitChanges()) / float64(len(w.Marginals))
	return float64(cells) * math.Sqrt(each) / (max(p.Units, 1) * solver.GaussianMu(p.Epsilon, p.Delta))
}

// NewTargets reads the workload. Marginals inside others are answered with them.
func NewTargets(p solver.Problem) Targets {
	w := p.Workload.Maximal()
	t := Targets{Sizes: w.Sizes, Covered: make([]bool, len(w.Sizes)), Weight: make([]float64, len(w.Sizes))}
	pairs, triples, wide := index{}, index{}, index{}
	most, universe := wideLimits(p)
	small := dense.Cells(t.Sizes) <= universe
	for _, m := range w.Marginals {
		for _, a := range m.Clique {
			t.Covered[a] = true
		}
		switch len(m.Clique) {
		case 0, 1:
			for _, a := range m.Clique {
				t.Weight[a] += m.Weight
			}
		case 2:
			pairs.add(m.Clique, m.Weight, m.Weight)
		default:
			parts := m.Weight // of the parts as answers in their own right, unless the table itself is a target
			if n, err := m.Clique.Cells(t.Sizes); small && len(m.Clique) > 3 && err == nil && n <= most {
				parts = 0
				wide.add(m.Clique, m.Weight, 0)
			}
			for _, c := range marginal.Subsets(m.Clique, 3) {
				triples.add(c, parts, m.Weight)
			}
			for k := 4; small && k <= len(m.Clique); k++ {
				for _, c := range marginal.Subsets(m.Clique, k) {
					wide.add(c, parts, m.Weight)
				}
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(triples)) { // sums have one order
		x := triples[key]
		for _, c := range marginal.Subsets(x.Clique, 2) {
			pairs.add(c, 0, x.within)
		}
	}
	t.Pairs, t.Triples = pairs.list(t.Sizes, LargestTable), triples.list(t.Sizes, LargestTable)
	t.Wide = wide.list(t.Sizes, most)
	for _, list := range [][]Target{t.Pairs, t.Triples, t.Wide} {
		for _, x := range list {
			for _, a := range x.Clique {
				t.Weight[a] += x.Own
			}
		}
	}
	return t
}

// index collects targets by clique.
type index map[string]*Target

func (x index) add(c domain.Clique, own, within float64) {
	t := x[c.Key()]
	if t == nil {
		t = &Target{Clique: c}
		x[c.Key()] = t
	}
	t.Own += own
	t.within += within
}

// list returns the targets of at most so many cells, in the order of their cliques.
func (x index) list(sizes []int, most int64) []Target {
	var out []Target
	for _, t := range x {
		if n, err := t.Clique.Cells(sizes); err == nil && n <= most {
			out = append(out, *t)
		}
	}
	slices.SortFunc(out, func(a, b Target) int { return a.Clique.Compare(b.Clique) })
	return out
}

// capped returns a cap on targets of a list; one of a forecast stands for several.
func capped(list []Target, most int) int {
	if len(list) > 0 && list[0].times > 1 {
		return max(min(most, 1), int(float64(most)/list[0].times))
	}
	return most
}

// Thin returns at most the given number of triples, and the pairs inside if there are more than three times as many,
// each standing for so many as there are of them.
func (t Targets) Thin(most int) Targets {
	for _, list := range []*[]Target{&t.Triples, &t.Wide} {
		if all := *list; len(all) > most {
			*list = Regular(all, most)
			standFor(*list, len(all))
		}
	}
	if all := t.Pairs; len(all) > 3*most {
		inside := map[string]bool{}
		for _, x := range t.Triples {
			for _, pair := range marginal.Subsets(x.Clique, 2) {
				inside[pair.Key()] = true
			}
		}
		t.Pairs = slices.DeleteFunc(slices.Clone(all), func(x Target) bool { return !inside[x.Clique.Key()] })
		if len(t.Pairs) == 0 {
			t.Pairs = Regular(all, 3*most)
		}
		standFor(t.Pairs, len(all))
	}
	return t
}

// standFor makes targets stand for so many, in equal parts.
func standFor(list []Target, all int) {
	for i := range list {
		list[i].times = float64(all) / float64(len(list))
	}
}

// Regular returns n elements, evenly spread over the list.
func Regular[T any](all []T, n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = all[i*len(all)/n]
	}
	return out
}

// Attributes returns the one-way tables to measure: tables of covered attributes with a choice.
func (t Targets) Attributes() []domain.Clique {
	var out []domain.Clique
	for a, k := range t.Sizes {
		if t.Covered[a] && k > 1 {
			out = append(out, domain.Clique{a})
		}
	}
	return out
}

// Cliques returns the cliques of targets.
func Cliques(list []Target) []domain.Clique {
	return lists.Of(list, func(x Target) domain.Clique { return x.Clique })
}

// CellsOf returns the cells of each target clique.
func CellsOf(sizes []int, cliques []domain.Clique) []int64 {
	out := make([]int64, len(cliques))
	for i, c := range cliques {
		out[i], _ = c.Cells(sizes) // a target is countable
	}
	return out
}

// SumCells returns the sum of numbers of cells.
func SumCells(cells []int64) int64 {
	return summation.InOrder(cells)
}

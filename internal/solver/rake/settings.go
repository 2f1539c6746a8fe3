package rake

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/summation"
	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/choose"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/fit"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/oneway"
	"github.com/dapple-dp/dapple/solver"
)

// Caps on public sizes, decided before anything is read. A whole universe of 1.8 million cells (8 columns): total variation −5 %
// at ε = 1, −11 % at 3, largest cell error −30 %, for four times the time.
const (
	wholeUniverse   = 4_000_000 // cells up to which the population is the universe and the fit entropic descent
	bytesPerCell    = 96        // of a solve on a whole universe
	measuredTriples = 600
)

// settings are the public choices of a run. Sources of the figures: ablations on adult7 and adult14.
type settings struct {
	total, trees, oneWays, firstScores, pairs, secondScores, final dp.Share // sum to at most 1, with …
	cycles                                                         []dp.Share

	triples, wide int // scored
	fit.Options
}

// firstOfWide is the part of the pairs alone if wider tables are scored, or if noise is low: at ε = 10 tables of three of 8 columns err
// by 4 to 15 % less than with half. With .25 in place of .5 tables of four binary columns err by 9 and
// 16 % less at ε = 1 and 10 (40 hidden kinds of 50,000 people).
const firstOfWide = .25

// rakedPart is the weight of the raked fit beside the descended one. One shrinks each cell by its prior, the other
// all by stopping early, so that their errors differ and the mean has less: total variation −5 % on adult7 at ε = 1,
// −2 % at 10, −3 % at .1; .3 to .5 are alike. Tables of few cells shrink little either way, and gain nothing: −1 to
// +7 % on 16 binary columns.
const (
	rakedPart  = .4
	rakedCells = 30 // mean cells per table from which on a mean of two fits is worth a second fit
	// With wider tables, up to so many cells the part grows with them: tables of four of 8 columns of 4 values err by 6 % less for it at
	// ε = .1 where each column depends on all others (3 runs), and by 4 % more where each follows the one before (4 runs).
	rakedWideCells = 100
)

// shareUnits is the denominator of all shares.
const shareUnits = 100_000

// newSettings derives the choices from public figures alone.
func newSettings(p solver.Problem, t choose.Targets) settings {
	noise := relativeNoise(p, t, p.Units)
	s := settings{Options: fit.Options{Whole: fitsWhole(p)}}
	s.setFit(noise)
	s.wide = scoredWide(p, t)
	if cells := cellsPerTable(t); s.Whole && cells >= rakedCells {
		s.Raked = rakedPart
		if s.wide > 0 {
			s.Raked *= min(1, cells/rakedWideCells)
		}
	}
	scores, firstPart := scoreShare(p, len(t.Pairs)), .7
	switch {
	case s.Whole && noise >= 1:
		// If noise hides most cells, a second screening finds little: measure the pairs at once, with more precise
		// scores.
		scores, firstPart = .03, .9
	case s.wide > 0:
		scores, firstPart = leastScoreShare, firstOfWide
	case s.Whole:
		scores, firstPart = .03, .5
		if noise < .5 { // not NaN
			scores, firstPart = max(leastScoreShare, .06*noise), min(.5, firstOfWide+2*noise)
		}
	}
	oneWays, law := oneWayShare, choose.LawOf(budgetOf(p))
	if s.wide > 0 {
		oneWays = wideOneWayShare
	} else if s.Whole {
		oneWays = min(wholeOneWayShare, wideOneWayShare+noisyColumn*columnNoise(p, t))
	} else if law.Laplace() {
		oneWays = laplaceOneWayShare
	}
	oneWays = max(oneWays, noisyOneWayShare(noise))
	if oneway.RowsAttribute(p.Domain) >= 0 {
		oneWays *= oneway.RowCountsShare
	}
	if len(t.Pairs) == 0 {
		oneWays, scores = 1, 0
	}
	second := scores
	if law.Laplace() {
		second, firstPart = 0, 1
	} else if s.triples = scoredTriples(p, t); s.triples > usuallyScored {
		second = mostScoreShare
	}
	if s.wide > 0 {
		second = max(second, min(wideShare, scoreShare(p, len(t.Pairs)+s.triples+s.wide)))
	}
	left := int64(shareUnits)
	allocate := func(part float64) dp.Share {
		n := min(int64(math.Floor(part*shareUnits)), left)
		left -= n
		return dp.ShareOf(n, shareUnits)
	}
	if p.Neighbouring == dp.AddRemove {
		s.total = allocate(max(totalShare(p), skewedShare(t, oneWays)))
	}
	oneWays = min(oneWays, float64(left)/shareUnits)
	trees := treePart(len(oneway.Learned(p.Domain, t.Attributes())), len(t.Attributes())) * oneWays
	parts := cycleShares(p, t, trees)
	for _, part := range parts {
		s.cycles = append(s.cycles, allocate(part))
	}
	s.trees = allocate(trees - summation.Pairwise(parts))
	s.oneWays, s.firstScores, s.secondScores = allocate(oneWays-trees), allocate(scores), allocate(second)
	rest := float64(left) / shareUnits
	if s.pairs = allocate(rest * firstPart); firstPart == 1 {
		return s
	}
	s.final = allocate(1)
	return s
}

// setFit makes those choices of the fit that no release depends on, by the relative noise of a public or released
// number of units: on a whole universe whose cells are learned well, a prior that gives scores less weight. With it at a noise of .2 to
// .4 tables of three of dense columns and chains err by 2 to 10 % more, and Adult's 7 by 2 %. Without it at .08 the largest error of these
// is a quarter more.
func (s *settings) setFit(noise float64) {
	s.Deviation = .8
	if s.Whole && noise < .1 {
		s.Deviation = 1.2
	}
}

// A round of scores gets the share at which the standard deviation of a table's score is scoreNoise of the planned units,
// within leastScoreShare and fewScoreShare: pairs are many and units few in wide tables, and a strong pair must stand out
// of the noise. Of 465 pairs and 10,000 units at ε = 1 that is 2.5 %. Of 2,800 people in 28 columns the strongest pairs keep .56 of
// their correlation with .12 at most, .38 with .05, and .53 with .25, which costs tables: triples err by .159, .164 and .161.
const leastScoreShare, mostScoreShare, fewScoreShare, scoreNoise = .01, .05, .12, .08

// mostLaplaceScores is the most of a round of scores with Laplace noise, which grows with their number and not its root.
const mostLaplaceScores = .2

// scoreShare returns the share of the budget of a round of scores of so many tables.
func scoreShare(p solver.Problem, tables int) float64 {
	law := choose.LawOf(budgetOf(p))
	share := law.Spend(law.Distances(tables), precisionOf(scoreNoise, p)) / law.Budget
	if law.Laplace() {
		return min(share, mostLaplaceScores)
	}
	return min(max(share, leastScoreShare), fewScoreShare)
}

// budgetOf returns the budget of a run, less what little the ledger takes for discreteness and rounding.
func budgetOf(p solver.Problem) dp.Budget {
	if p.Delta == 0 {
		return dp.Budget{Neighbouring: p.Neighbouring, Accounting: dp.Pure, Capacity: float64(p.Epsilon)}
	}
	mu := solver.GaussianMu(p.Epsilon, p.Delta)
	return dp.Budget{Neighbouring: p.Neighbouring, Accounting: dp.GaussianOnly, Capacity: mu * mu / 2}
}

// precisionOf returns the precision of noise of a part of the planned units.
func precisionOf(noise float64, p solver.Problem) float64 {
	noise *= max(p.Units, 1)
	return 1 / (noise * noise)
}

// scoredTriples returns how many triples are scored: more than usual if they have few cells, and noise allows. A triple of independent
// pairs has nothing but its own score to be found by. With mostScoreShare the standard deviation of its noise is tripleNoise of the
// planned units.
func scoredTriples(p solver.Problem, t choose.Targets) int {
	if p.Delta == 0 {
		return 0
	}
	if len(t.Triples) <= usuallyScored || choose.SumCells(choose.CellsOf(t.Sizes, choose.Cliques(t.Triples))) > mostScoredCells {
		return min(len(t.Triples), usuallyScored)
	}
	return min(len(t.Triples), max(scorable(p, mostScoreShare, tripleNoise)-len(t.Pairs), usuallyScored), mostScored)
}

// scoredWide returns how many tables of more than three columns are scored beside pairs and triples, in the same way.
func scoredWide(p solver.Problem, t choose.Targets) int {
	if len(t.Wide) == 0 || p.Delta == 0 || !fitsWhole(p) {
		return 0
	}
	return min(len(t.Wide), max(scorable(p, wideShare, wideNoise)-len(t.Pairs)-scoredTriples(p, t), 0), mostScored)
}

// MeasuresAll reports whether a run scores each marginal of the workload, also marginals of more than WidestTable columns. It does not if
// combinations are excluded: a descent on many residuals is slow at that.
func MeasuresAll(p solver.Problem) bool {
	t, all := choose.NewTargets(p), map[string]bool{}
	for _, x := range slices.Concat(t.Pairs, t.Triples, t.Wide) {
		all[x.Clique.Key()] = x.Own > 0
	}
	return len(p.Domain.Exclusions()) == 0 && scoredWide(p, t) == len(t.Wide) && !slices.ContainsFunc(p.Workload.Maximal().Cliques(), func(c domain.Clique) bool { return len(c) > 1 && !all[c.Key()] })
}

// ReleaseNoise is the noise of one release of the whole workload, as a part of the units.
func ReleaseNoise(p solver.Problem) float64 { return choose.ReleaseNoise(p) }

// scorable returns how many scores have noise of the given standard deviation, of the planned units, at a share of the budget.
func scorable(p solver.Problem, share, noise float64) int {
	noise *= solver.GaussianMu(p.Epsilon, p.Delta) * max(p.Units, 1)
	return int(min(share*noise*noise/float64(query.DistanceL2Squared(p.Neighbouring, 1)), math.MaxInt32))
}

const (
	usuallyScored, mostScored = 2000, 10_000
	mostScoredCells           = 4 << 20 // of all triples
	tripleNoise               = .13
	// A parity of .8 of the planned units is found at this noise still. Tables without one err by 1 to 2 % more for the share.
	wideShare, wideNoise = .04, .2
)

// oneWayShare and wholeOneWayShare are the part of the one-ways, of a sampled population and of a whole universe. .16 to .25
// are alike on adult7 and adult14; where bins are learned, .3 moves Pair Trends of five tables by −.0013 to .0025 (8 runs).
// With .24 in place of .22, one-ways of samples err by 4 to 12 % less at ε = 1 (adult14, a schedule of 300,000 flights, 60
// columns × 100,000, near-deterministic pairs), wider tables by 0 to 2.6 % less, and pairs of columns of 100 values by 1.5 %
// more. On tables of 2^d cells the noise of a triple has the variance A/a + B/b in the parts a of one-ways and b of pairs,
// with A = 3d/64 and B = 3d(d−1)/128: least at a : b = 27 : 73 for 16 columns and 23 : 77 for 23.
const oneWayShare, wholeOneWayShare = .24, .22

// wideOneWayShare is the same where wider tables are scored, as one-ways are a smaller part of these. With .12 in place of .22 tables of
// four of 12 binary columns of 40 kinds err by 3 to 7 % less at ε = .1 to 10, of 8 columns of 4 values by 5 % less at ε = .1, and of
// Adult's 7 by 2 % less at ε = 1 (2 to 4 runs). With .08 a parity of four at ε = .1 leaves other tables 5 % further off.
const wideOneWayShare = .12

// noisyColumn is by how much the share of one-ways of a whole universe grows with the noise of its widest column, from wideOneWayShare to
// wholeOneWayShare. Tables of three of 8 to 11 columns of 2 to 6 values err by 2 to 6 % less at ε = .3 to 10 with the former. At ε = .1,
// and of a column of 1,000 values at ε = 10, they err by up to 11 % less with the latter.
const noisyColumn = 5

// laplaceOneWayShare is the same of Laplace noise, with which few pairs are bought: on 36 columns × 20,000 at ε = 1, .24 misses 12 %
// more than .4, and .15 30 % more; on adult14 .15 misses 4 % more, and .24 as much.
const laplaceOneWayShare = .4

// treePart is the part of the one-ways' share that trees of differences get: an attribute whose bins are learned gets
// as much as treeWeight others. However many are learned, something is left for the others.
func treePart(learned, attributes int) float64 {
	if learned == 0 {
		return 0
	}
	w := treeWeight * float64(learned)
	part := w / (w + float64(attributes-learned))
	if learned < attributes {
		part = min(part, 1-leastPart)
	}
	return part
}

const (
	treeWeight = 3
	leastPart  = .001 // of what trees, cycles and one-ways get, for each of them: of 333 columns one gets it anyway
)

// cycleShares returns the part of each cycle in what trees and cycles get: each counts as an attribute of few values, and
// one that is released gets something however many trees there are.
func cycleShares(p solver.Problem, t choose.Targets, trees float64) []float64 {
	list := oneway.Learned(p.Domain, t.Attributes())
	out, weight := make([]float64, len(oneway.Cycles)), treeWeight*float64(len(list))
	for i, c := range oneway.Cycles {
		out[i] = float64(len(c.Of(p.Domain, list)))
		weight += out[i]
	}
	for i, n := range out {
		if n > 0 {
			out[i] = trees * max(n/weight, leastPart)
		}
	}
	return out
}

// totalShare is what keeps the noise of the number of units to a tenth of them, where .01 does not: the shares of
// all values are released counts over that number. Where even a tenth of the budget does not, little else does.
func totalShare(p solver.Problem) float64 {
	law := choose.LawOf(budgetOf(p))
	return min(max(.01, law.Spend(law.Number(), precisionOf(.1, p))/law.Budget), .1)
}

// skewedShare is what the number of units gets beside so much for the columns. An error of the number moves the shares of all skewed
// columns, and of tables of them, one way; beside .01 it is as large as all others if columns have few values. Tables of three of 7 to
// 14 columns of 2 or 4 values, one of them that of 90 to 97 %, err by 3 to 65 % less with it (ε = .1 to 10, 18 cases of 6 seeds).
func skewedShare(t choose.Targets, oneWays float64) float64 {
	cells := 0.0
	for _, c := range t.Attributes() {
		cells += math.Pow(float64(t.Sizes[c[0]]), 3)
	}
	return min(mostSkewedShare, 36*oneWays/max(cells, 1))
}

// maxOneWayShare is the most that noise alone makes of the share of the one-ways, mostSkewedShare what few values do of the number.
const maxOneWayShare, mostSkewedShare = .4, .06

// noisyOneWayShare is the least share of the one-ways at the given relative noise: where noise drowns the cells of wider
// tables, those cannot be learned, and one-ways still can. With the share of oneWayShare alone, four of eight made-up
// tables (1,000 to 50,000 people, ε = .1) had 15 to 41 % more total variation than independent columns have that get
// all of the budget. The best of the shares tried there (2 or 3 seeds each) was .3 or .5 at a noise of 5, and .5 to .9
// at 9 to 60, .9 where columns were all but independent; smoothing has since made do with a fifth less. The line stays
// below most of them and ends at maxOneWayShare, since a planning number of units that is a hundred times too low makes the
// noise a hundred times too high.
func noisyOneWayShare(noise float64) float64 {
	if !(noise > 1) { // or NaN: no target is as wide as the workload
		return 0
	}
	return min(.04+.24*math.Log10(noise), maxOneWayShare)
}

func fitsWhole(p solver.Problem) bool {
	cells := dense.Cells(p.Workload.Sizes)
	return cells <= wholeUniverse && cells*bytesPerCell <= float64(p.Memory())
}

// cellsPerTable returns the mean number of cells of the tables to measure.
func cellsPerTable(t choose.Targets) float64 {
	cells := append(choose.CellsOf(t.Sizes, choose.Cliques(t.Pairs)), choose.CellsOf(t.Sizes, choose.Cliques(t.Triples))...)
	return float64(choose.SumCells(cells)) / float64(max(1, len(cells)))
}

// relativeNoise is the noise of a measured table as a share of the units, were all target tables
// measured alike: (mean cells per table)·√tables/(units·μ).
func relativeNoise(p solver.Problem, t choose.Targets, units float64) float64 {
	law, cells, tables := choose.LawOf(budgetOf(p)), 0.0, 0.0
	for _, x := range slices.Concat(t.Pairs, t.Triples) {
		if (x.Own > 0 || len(x.Clique) == 3) && !law.Laplace() || len(x.Clique) == 2 && law.Laplace() { // which pairs alone get
			n, _ := x.Clique.Cells(t.Sizes) // a target is countable
			cells += float64(n)
			tables++
		}
	}
	return noiseOf(law, cells/tables, tables) / max(units, 1)
}

// columnNoise is the same of the column with most values, were all columns measured and nothing else.
func columnNoise(p solver.Problem, t choose.Targets) float64 {
	most := 0.0
	for _, c := range t.Attributes() {
		most = max(most, float64(t.Sizes[c[0]]))
	}
	return noiseOf(choose.LawOf(budgetOf(p)), most, float64(len(t.Attributes()))) / max(p.Units, 1)
}

// noiseOf is the noise of a table with so many cells, if all of the budget goes to so many tables.
func noiseOf(law choose.Law, cells, tables float64) float64 {
	return cells / math.Sqrt(law.Raise(tables*law.Spend(law.Number(), 1), law.Budget))
}

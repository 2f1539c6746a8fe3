package solver

import (
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
)

// Curator is everything that an algorithm may ask of private data. Selecting and measuring charge the ledger, then
// draw; a request beyond what remains is refused before any draw. Each (stage, round) may be used once. An algorithm
// that needs less declares an interface with fewer methods.
//
// A share is a share of the ledger's capacity, and noise is calibrated so that the exact charge is at most that
// share.
type Curator interface {
	// Budget returns the relation, the ledger's kind and its capacity: all public.
	Budget() dp.Budget
	// Total returns the number of units: exact and free under Replace, noisy and charged under AddRemove.
	Total(stage string, share dp.Share) (query.Total, error)
	// Measure releases several marginals in one event. Marginal i receives the part
	// precision[i]/Σprecision of the event's precision; nil means equal parts.
	Measure(stage string, round int, cliques []domain.Clique, precision []float64, share dp.Share) ([]query.Measurement, error)
	// MeasureQueries releases all answers to a workload, of marginals and linear queries, in one event with noise of
	// one variance.
	MeasureQueries(stage string, round int, w query.Workload, share dp.Share) ([]query.Measurement, error)
	// SelectBlock selects a marginal of the workload and a sign for each of its cells, jointly with
	// probability ∝ 2^−cells·exp(Σ sign·(count − model)/b). model is in counts. share is the share of one round.
	SelectBlock(stage string, round int, w query.Workload, model query.Answers, share dp.Share) (query.Block, error)
	// SelectCell selects a cell and a sign with probability ∝ exp(score/b) over the scores count − model
	// and their complements (AddRemove: (n − count) − (total − model)) or negations (Replace).
	SelectCell(stage string, round int, w query.Workload, model query.Answers, total float64, share dp.Share) (query.Cell, error)
	// Residuals releases marginals on merged codes, centred along every axis; see package rake.
	Residuals(stage string, round int, cliques []domain.Clique, merge query.Recoding, precision []float64, share dp.Share) ([]query.Measurement, error)
	// Scores releases the distances of marginals on merged codes from public tables; see package rake.
	Scores(stage string, round int, cliques []domain.Clique, merge query.Recoding, bases query.Answers, share dp.Share) (query.Scores, error)
	// Trees releases trees of differences over the codes that records have, one for each attribute whose bins are
	// learned; see package rake.
	Trees(stage string, round int, cliques []domain.Clique, shapes []query.TreeShape, total float64, precision []float64, share dp.Share) ([]query.Tree, error)
	// Coarsen makes all later requests refer to coarser codes of records; it costs nothing. Until then, attributes
	// whose bins are learned can only be measured by Trees.
	Coarsen(stage string, codes query.Recoding) error
	// MaxError releases the largest |count − model| over all cells.
	MaxError(stage string, w query.Workload, model query.Answers, share dp.Share) (query.MaxError, error)
	// MeanDistance releases the mean over the marginals of Σ|count − model|, in counts.
	MeanDistance(stage string, w query.Workload, model query.Answers, share dp.Share) (query.MeanDistance, error)
}

// Published has the mechanisms of methods as they were published, which no built-in method asks for. Curators of runs
// have it; a method asks whether its Curator is a Published.
type Published interface {
	// MeasureVariance is Measure with a given noise variance (counts²) in place of a share.
	MeasureVariance(stage string, round int, cliques []domain.Clique, variance float64) ([]query.Measurement, error)
	// LaplaceMaxCell selects the largest of ±(count − model) with discrete Laplace noise of the given
	// scale, in counts, on each.
	LaplaceMaxCell(stage string, round int, w query.Workload, model query.Answers, scale float64) (query.Cell, error)
	// FirstAbove returns the first cell, starting at answer number from and wrapping around once, whose |count −
	// model| is above a threshold, in counts; Marginal is −1 without such a cell. Only the search as a whole is charged.
	FirstAbove(stage string, round int, w query.Workload, model query.Answers, from int, threshold float64, share dp.Share) (query.Cell, error)
	// Keep returns true with probability exp(−max(0, threshold − score)/b − 1/20), for the score that SelectCell gives a
	// cell with its sign.
	Keep(stage string, round int, w query.Workload, model query.Answers, cell query.Cell, total, threshold float64, share dp.Share) (bool, error)
	// Votes releases how many records vote for each candidate, if the records of a cell of the universe vote for its choice.
	Votes(stage string, round int, choice []int32, candidates int, share dp.Share) (query.Measurement, error)
}

// Access is one planned kind of access to private data, from which the ledger's events can be computed
// before anything is read. A run makes exactly the accesses that its solver planned: a request of another stage, kind, share,
// noise, clique or precision than the next planned one of its stage is refused before the draw. Where an access of a stage
// is Adaptive, the stage may be asked for anything that its share of the budget pays for.
type Access struct {
	Stage string
	Kind  dp.Kind
	Count int      // number of events of this kind; in rounds 1..Count if above 1
	Share dp.Share // of the capacity, for each of the Count events; zero if the noise is given
	// Noise is the variance (Gaussian, counts²) or scale (Laplace, counts) if it is given instead.
	Noise float64
	// Marginals is the number of marginals one event measures; 0 for selections and totals.
	Marginals int
	// Cliques are the marginals that one event measures; nil: the workload's maximal ones.
	Cliques []domain.Clique
	// Precision is each marginal's part of the event's precision; nil means equal parts.
	Precision []float64
	// Coordinates is the number of noisy numbers that one event draws; if it is Adaptive, the most that it can draw.
	Coordinates int64
	// Worst: the one number released is the largest error of the workload's answers.
	Worst bool
	// Distances is the number of marginals if the one number released is their mean distance from a model; else 0.
	Distances int
	// Keeps: the Exponential events are keep tests, each of one answer.
	Keeps bool
	// Adaptive: the request depends on earlier releases. Its share is the most that it takes; its sensitivity and noise are
	// known only when it is made. The statement is then about all runs that the plan allows.
	Adaptive bool
}

// Adaptive reports whether some access depends on earlier releases.
func Adaptive(accesses []Access) bool {
	return slices.ContainsFunc(accesses, func(a Access) bool { return a.Adaptive })
}

// Coordinates returns the number of noisy numbers that the accesses draw together.
func Coordinates(accesses []Access) int64 {
	n := int64(0)
	for _, a := range accesses {
		n += a.Coordinates * int64(a.Count)
	}
	return n
}

package rake

import (
	"cmp"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/internal/solver/rake/internal/place"
	"github.com/dapple-dp/dapple/solver"
)

// Solve makes the accesses of Accesses and returns the fitted model, whose weights sum to the released
// or public number of units: a population of 300,000 to 1,000,000 records, fewer
// (at least 30,000) of fewer than 5,000 units or if many columns make renewals costly, or all cells of a small universe.
// Result.Measurements holds the one-way tables, the only ones released on the original codes; Result.TV is predicted.
//
// It fails if Accesses does, and if the curator does. Equal problems and answers give equal models.
func Solve(p solver.Problem, c Curator) (*solver.Result, error) {
	r, err := newRun(p, c, c.Budget())
	if err != nil {
		return nil, err
	}
	stages := r.stages()
	for i, measure := range stages { // total, one-ways, pairs and a first fit, pairs and triples and the last one
		p.Progress.Report("measure", i, len(stages))
		if err := measure(); err != nil {
			return nil, err
		}
	}
	p.Progress.Report("measure", len(stages), len(stages))
	merged, err := r.fit.Model()
	if err != nil {
		return nil, err
	}
	values := place.New(p.Domain, r.tables, r.rng)
	m := values.Undo(merged)
	if err := r.fit.FollowPublic(m); err != nil {
		return nil, err
	}
	m.StructuralZeros = p.Domain.Exclusions()
	values.MeetRowCounts(m)
	values.MeetGaps(m, r.fit.Counts)
	values.Couple(m)
	test := r.fit.Test(m)
	return &solver.Result{Model: m, Total: r.total, Measurements: r.ones.Released, RMSE: math.NaN(), Bins: slices.Concat(r.ones.Bins, r.ones.Taken),
		TV: r.tables.Predict(), Fit: test, Uncertainty: r.tables.Uncertainty(), Iterations: r.fit.Iterations, Status: test.StatusOf(solver.Converged),
		Public: cmp.Or(r.fit.Used, p.Public.Use(0))}, nil
}

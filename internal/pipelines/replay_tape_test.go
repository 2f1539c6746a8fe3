package pipelines

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/solver"
)

// tape repeats the private answers of an earlier run: the curator is asked and charged as always,
// and then its answer is exchanged. Whatever still differs between two tables reached the output by
// another way than through the curator. The requests must equal the earlier run's.
type tape struct {
	curator solver.Curator // not embedded: a method that the tape lacks does not compile
	method  solver.Method
	asked   []string
	answers []any
	next    int
	foul    string // the first request that was another one
}

var playing = &tape{}

// rewind plays from the beginning what was recorded.
func (c *tape) rewind() { c.next = 0 }

// ended says what is wrong with a replay.
func (c *tape) ended() string {
	if c.foul == "" && c.next != len(c.asked) {
		return "fewer requests than recorded"
	}
	return c.foul
}

// exchange records a request with its answer, or returns the recorded one.
func exchange[T any](c *tape, answer T, err error, request ...any) (T, error) {
	if err != nil {
		return answer, err
	}
	text := fmt.Sprintf("%v", request)
	if c.next == len(c.asked) {
		c.asked, c.answers = append(c.asked, text), append(c.answers, deepCopy(answer))
	} else if c.asked[c.next] != text && c.foul == "" {
		c.foul = fmt.Sprintf("request %d differs", c.next)
	}
	recorded, ok := c.answers[c.next].(T)
	if !ok {
		return answer, errors.New("another kind of request than recorded")
	}
	c.next++
	return deepCopy(recorded), nil
}

// deepCopy keeps what a method does to its answers out of the record.
func deepCopy[T any](answer T) T {
	switch a := any(answer).(type) {
	case []query.Measurement:
		a = slices.Clone(a)
		for i := range a {
			a[i].Values = slices.Clone(a[i].Values)
		}
		return any(a).(T)
	case []query.Tree:
		a = slices.Clone(a)
		for i := range a {
			a[i].Nodes = slices.Clone(a[i].Nodes)
		}
		return any(a).(T)
	case query.Scores:
		a.Values = slices.Clone(a.Values)
		return any(a).(T)
	}
	return answer
}

func (c *tape) Budget() dp.Budget { return c.curator.Budget() }

func (c *tape) Total(stage string, share dp.Share) (query.Total, error) {
	a, err := c.curator.Total(stage, share)
	recorded, err := exchange(c, a, err, stage, share)
	if a.Variance == 0 && a.Units != recorded.Units && c.foul == "" {
		c.foul = "the number of units, which is public, differs"
	}
	return recorded, err
}

func (c *tape) Measure(stage string, round int, cliques []domain.Clique, precision []float64, share dp.Share) ([]query.Measurement, error) {
	a, err := c.curator.Measure(stage, round, cliques, precision, share)
	return exchange(c, a, err, stage, round, cliques, precision, share)
}

func (c *tape) MeasureQueries(stage string, round int, w query.Workload, share dp.Share) ([]query.Measurement, error) {
	a, err := c.curator.MeasureQueries(stage, round, w, share)
	return exchange(c, a, err, stage, round, share)
}

func (c *tape) SelectBlock(stage string, round int, w query.Workload, model query.Answers, share dp.Share) (query.Block, error) {
	a, err := c.curator.SelectBlock(stage, round, w, model, share)
	return exchange(c, a, err, stage, round, model, share)
}

func (c *tape) SelectCell(stage string, round int, w query.Workload, model query.Answers, total float64, share dp.Share) (query.Cell, error) {
	a, err := c.curator.SelectCell(stage, round, w, model, total, share)
	return exchange(c, a, err, stage, round, model, total, share)
}

func (c *tape) MaxError(stage string, w query.Workload, model query.Answers, share dp.Share) (query.MaxError, error) {
	a, err := c.curator.MaxError(stage, w, model, share)
	return exchange(c, a, err, stage, model, share)
}

func (c *tape) MeanDistance(stage string, w query.Workload, model query.Answers, share dp.Share) (query.MeanDistance, error) {
	a, err := c.curator.MeanDistance(stage, w, model, share)
	return exchange(c, a, err, stage, w.Cliques(), model, share)
}

func (c *tape) Residuals(stage string, round int, cliques []domain.Clique, merge query.Recoding, precision []float64, share dp.Share) ([]query.Measurement, error) {
	a, err := c.curator.Residuals(stage, round, cliques, merge, precision, share)
	return exchange(c, a, err, stage, round, cliques, merge, precision, share)
}

func (c *tape) Scores(stage string, round int, cliques []domain.Clique, merge query.Recoding, bases query.Answers, share dp.Share) (query.Scores, error) {
	a, err := c.curator.Scores(stage, round, cliques, merge, bases, share)
	return exchange(c, a, err, stage, round, cliques, merge, bases, share)
}

func (c *tape) Trees(stage string, round int, cliques []domain.Clique, shapes []query.TreeShape, total float64, precision []float64, share dp.Share) ([]query.Tree, error) {
	a, err := c.curator.Trees(stage, round, cliques, shapes, total, precision, share)
	return exchange(c, a, err, stage, round, cliques, shapes, total, precision, share)
}

func (c *tape) Coarsen(stage string, codes query.Recoding) error {
	err := c.curator.Coarsen(stage, codes)
	_, err = exchange(c, 0, err, stage, codes)
	return err
}

func init() {
	solver.Register(solver.Method{
		Name:       "tape",
		Accounting: func(e dp.Epsilon, d dp.Delta) dp.Accounting { return playing.method.Accounting(e, d) },
		Accesses: func(p solver.Problem) ([]solver.Access, error) {
			if playing.method.Accesses == nil {
				return nil, errors.New("no run is replayed")
			}
			p.Criteria, p.ErrorShare = solver.Criteria{}, dp.Share{} // Register has left them their part, of this method as of the one that plays
			return playing.method.Accesses(p)
		},
		Solve: func(ctx context.Context, p solver.Problem, c solver.Curator) (*solver.Result, error) {
			share := p.ErrorShare
			playing.curator, p.Criteria, p.ErrorShare = c, solver.Criteria{}, dp.Share{}
			r, err := playing.method.Solve(ctx, p, playing)
			if accesses, _ := playing.method.Accesses(p); err != nil || slices.ContainsFunc(accesses, func(a solver.Access) bool { return a.Noise > 0 }) {
				return r, err
			}
			p.ErrorShare = share
			return r, solver.MeasureError(p, r, playing) // Register does not measure again
		},
		Learns: true,
	})
}

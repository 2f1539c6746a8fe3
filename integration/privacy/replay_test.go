package privacy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

// TestReplayNeighbours records a run of each algorithm on a random table X, and replays it on a neighbour
// X' with the recorded releases: the calls, their arguments and their events are the same, the model is
// the same, and what each call reads from X and X' differs by at most what its event declares.
// 200 pairs per relation and algorithm (nightly 2000); nothing is left to chance once they are drawn.
func TestReplayNeighbours(t *testing.T) {
	sizes := []int{3, 2, 4, 2}
	cliques := []domain.Clique{{0, 1}, {1, 2, 3}, {0, 3}, {2}}
	for _, n := range relations {
		for _, m := range []method{throughDPAM, throughBlock, throughCell, throughRake, throughPublishedDPAM, throughPublishedDPFW} {
			t.Run(n.String()+"/"+m.name, func(t *testing.T) {
				t.Parallel()
				rng := rand.New(rand.NewPCG(dptest.Seed(t), uint64(n)))
				pairs, calls, used := dptest.Size(200, 2000), 0, 0.0
				for i := range pairs {
					x := randomTable(rng, sizes)
					if n == dp.Replace && len(x.records) == 0 {
						x = x.with([][]domain.Code{corner(sizes)})
					}
					y := neighbour(rng, n, x)
					p, kind := problem(sizes, cliques, n, []dp.Epsilon{1, 15}[rng.IntN(2)], 1e-6, 4), m.kinds[i%len(m.kinds)]
					if kind == dp.Pure {
						p.Delta = 0
					}
					record, err := replay(t, m, p, kind, x, y)
					must.Need(t, err == nil, "pair %d: %v", i, err)
					for _, c := range record {
						change, declared := changeOf(c, x, y)
						must.Hold(t, change <= declared, "pair %d: %s round %d changes by %g, declared %g", i, c.Request.Method, c.Request.Round, change, declared)
						if declared > 0 {
							used = max(used, change/declared)
						}
					}
					calls += len(record)
				}
				// the grid takes a little of centred tables
				must.Hold(t, used >= .9999, "no pair attains a declared sensitivity: largest %g of it", used)
				dptest.Figure(t, "%s, %v: %d pairs, %d calls, largest change %.3g of the declared one", m.name, n, pairs, calls, used)
			})
		}
	}
}

// replay runs m on x, and again on the releases of that run with another table behind the curator.
func replay(t testing.TB, m method, p solver.Problem, kind dp.Accounting, x, y table) ([]mechanism.Call, error) {
	ledger := newLedger(t, params(p, kind))
	c, record := newCurator(t, x, ledger, 1)
	first, err := m.solve(p, c)
	if err != nil {
		return nil, err
	}
	frozen, left := mechanism.Replay(ledger.Budget(), record.Calls)
	second, err := m.solve(p, frozen)
	if err != nil {
		return nil, err
	}
	if left() > 0 {
		return nil, fmt.Errorf("%d recorded calls were not made again", left())
	}
	if !reflect.DeepEqual(first.Model, second.Model) {
		return nil, fmt.Errorf("another model from the same releases")
	}
	other, again := newCurator(t, y, newLedger(t, params(p, kind)), 2)
	for _, call := range record.Calls {
		if err := ask(other, call.Request); err != nil {
			return nil, fmt.Errorf("the neighbour refuses a call: %w", err)
		}
	}
	for i := range record.Calls {
		if !reflect.DeepEqual(record.Calls[i].Event, again.Calls[i].Event) {
			return nil, fmt.Errorf("call %d is another event on the neighbour", i)
		}
	}
	return record.Calls, nil
}

// ask makes a recorded request again.
func ask(c *mechanism.Curator, r mechanism.Request) (err error) {
	switch r.Method {
	case mechanism.Total:
		_, err = c.Total(r.Stage, r.Share)
	case mechanism.Measure:
		_, err = c.Measure(r.Stage, r.Round, r.Cliques, r.Precision, r.Share)
	case mechanism.MeasureVariance:
		_, err = c.MeasureVariance(r.Stage, r.Round, r.Cliques, r.Noise)
	case mechanism.MeasureQueries:
		_, err = c.MeasureQueries(r.Stage, r.Round, r.Workload, r.Share)
	case mechanism.FirstAbove:
		_, err = c.FirstAbove(r.Stage, r.Round, r.Workload, r.Model, r.From, r.Noise, r.Share)
	case mechanism.Keep:
		_, err = c.Keep(r.Stage, r.Round, r.Workload, r.Model, r.Cell, r.Total, r.Noise, r.Share)
	case mechanism.Votes:
		_, err = c.Votes(r.Stage, r.Round, r.Choice, r.Candidates, r.Share)
	case mechanism.LaplaceMaxCell:
		_, err = c.LaplaceMaxCell(r.Stage, r.Round, r.Workload, r.Model, r.Noise)
	case mechanism.SelectBlock:
		_, err = c.SelectBlock(r.Stage, r.Round, r.Workload, r.Model, r.Share)
	case mechanism.SelectCell:
		_, err = c.SelectCell(r.Stage, r.Round, r.Workload, r.Model, r.Total, r.Share)
	case mechanism.MaxError:
		_, err = c.MaxError(r.Stage, r.Workload, r.Model, r.Share)
	case mechanism.Residuals:
		_, err = c.Residuals(r.Stage, r.Round, r.Cliques, r.Merge, r.Precision, r.Share)
	case mechanism.Trees:
		_, err = c.Trees(r.Stage, r.Round, r.Cliques, r.Shapes, r.Total, r.Precision, r.Share)
	case mechanism.Coarsen:
		err = c.Coarsen(r.Stage, r.Merge)
	case mechanism.Scores:
		_, err = c.Scores(r.Stage, r.Round, r.Cliques, r.Merge, r.Model, r.Share)
	default:
		panic("privacy: a call that these algorithms do not make")
	}
	return err
}

// changeOf returns by how much what a call reads changes from x to y, in the norm of its event, and what
// the event declares. It knows the scores from their definitions, not from the code that draws.
func changeOf(c mechanism.Call, x, y table) (change, declared float64) {
	units := float64(y.Units() - x.Units())
	switch c.Request.Method {
	case mechanism.Total:
		return math.Abs(units), float64(c.Event.L1) + float64(c.Event.L2Squared) // a square of 0 or 1
	case mechanism.Measure, mechanism.MeasureVariance:
		for _, q := range c.Request.Cliques {
			sum := 0.0
			for _, d := range difference(q, x, y) {
				if c.Event.Kind == dp.DiscreteGaussian {
					d *= d
				}
				sum += math.Abs(d)
			}
			change = max(change, sum)
		}
		return change, float64(c.Event.L1) + float64(c.Event.L2Squared)
	case mechanism.MaxError:
		return math.Abs(largestError(c.Request, y) - largestError(c.Request, x)), float64(c.Event.L1) + float64(c.Event.L2Squared)
	case mechanism.Scores:
		return scoresChange(c, x, y), float64(c.Event.L1+dp.L1(c.Event.L2Squared)) * float64(len(c.Event.Scales))
	case mechanism.Residuals:
		return residualsChange(c, x, y), 1
	case mechanism.Trees:
		return treesChange(c, x, y), 1
	case mechanism.SelectBlock: // signs turn every change both ways
		for _, m := range c.Request.Workload.Marginals {
			sum := 0.0
			for _, d := range difference(m.Clique, x, y) {
				sum += math.Abs(d)
			}
			change = max(change, 2*sum)
		}
		return change, float64(c.Event.Range)
	}
	opposite := units // a cell's other score is the count of everybody else; of a noisy maximum, its negative
	if c.Request.Method == mechanism.LaplaceMaxCell {
		opposite = 0
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, m := range c.Request.Workload.Marginals {
		for _, d := range difference(m.Clique, x, y) {
			low, high = min(low, d, opposite-d), max(high, d, opposite-d)
		}
	}
	return high - low, float64(c.Event.Range)
}

// scoresChange returns the squared change of all distances together.
func scoresChange(c mechanism.Call, x, y table) (sum float64) {
	r := c.Request
	for i, q := range r.Cliques {
		d := 0.0
		for _, t := range []table{x, y} {
			d = -d
			for cell, n := range r.Merge.Merge(q, t.sizes, t.Marginal(q)) {
				d += math.Abs(float64(n) - r.Model[i][cell])
			}
		}
		sum += power(c, math.Round(d*1e9)/1e9) // distances of whole records: float64 rounding is not a change
	}
	return math.Round(sum*1e6) / 1e6
}

// power returns what a change of one number adds to the norm of an event.
func power(c mechanism.Call, d float64) float64 {
	if c.Event.Kind == dp.DiscreteLaplace {
		return math.Abs(d)
	}
	return d * d
}

// residualsChange returns the largest change of a centred marginal in the norm of its event, as a part of what that declares for it.
func residualsChange(c mechanism.Call, x, y table) (most float64) {
	r := c.Request
	for i, q := range r.Cliques {
		from, to := r.Merge.Merge(q, x.sizes, x.Marginal(q)), r.Merge.Merge(q, y.sizes, y.Marginal(q))
		d := make([]float64, len(from))
		for cell := range d {
			d[cell] = float64(to[cell] - from[cell])
		}
		sizes, sum := r.Merge.Sizes(x.sizes), 0.0
		if c.Event.Kind == dp.DiscreteGaussian { // Laplace noise is charged as if it were released before centring
			d = centre(d, q, sizes)
		}
		for _, v := range d {
			sum += power(c, v)
		}
		declared := float64(c.Event.L2Squared)
		if c.Event.Sensitivities != nil {
			declared, _ = c.Event.Sensitivities[i].Float64()
		}
		most = max(most, math.Round(sum/declared*1e9)/1e9)
	}
	return most
}

// centre subtracts, along every axis of a row-major table, the mean of each line.
func centre(d []float64, q domain.Clique, sizes []int) []float64 {
	stride := 1
	for i := len(q) - 1; i >= 0; i-- {
		k := sizes[q[i]]
		for first := range d {
			if first/stride%k > 0 {
				continue
			}
			mean := 0.0
			for v := range k {
				mean += d[first+v*stride] / float64(k)
			}
			for v := range k {
				d[first+v*stride] -= mean
			}
		}
		stride *= k
	}
	return d
}

func difference(c domain.Clique, x, y table) []float64 {
	from := x.Marginal(c)
	d := make([]float64, len(from))
	for i, n := range y.Marginal(c) {
		d[i] = float64(n - from[i])
	}
	return d
}

func largestError(r mechanism.Request, t table) float64 {
	most := 0.0
	for i, m := range r.Workload.Marginals {
		for c, n := range t.Marginal(m.Clique) {
			most = max(most, math.Abs(float64(n)-r.Model[i][c]))
		}
	}
	return math.Ceil(math.Round(most*(1<<accountant.ScoreGridBits)) / (1 << accountant.ScoreGridBits))
}

// TestReplaySeesPeeking: an algorithm that decides by the table itself when to stop is found at once.
func TestReplaySeesPeeking(t *testing.T) {
	sizes := []int{3, 2}
	x := table{sizes: sizes, records: [][]domain.Code{{0, 0}, {1, 1}, {2, 0}}}
	private := &x // what the algorithm should not know
	peeking := method{"peeking", nil, func(p solver.Problem, c solver.Curator) (*solver.Result, error) {
		for round := 1; round <= 2+int(private.Units())%2; round++ {
			if _, err := c.(solver.Published).MeasureVariance("measure", round, []domain.Clique{{0}}, 1e6); err != nil {
				return nil, err
			}
		}
		return &solver.Result{}, nil
	}}
	p := problem(sizes, []domain.Clique{{0, 1}}, dp.AddRemove, 1, 1e-6, 1)
	c, record := newCurator(t, x, newLedger(t, params(p, dp.ZCDP)), 1)
	must.Value(peeking.solve(p, c))(t)
	y := x.with(nil, 0)
	private = &y
	frozen, left := mechanism.Replay(c.Budget(), record.Calls)
	_, err := peeking.solve(p, frozen)
	must.Hold(t, err != nil || left() != 0, "a run that depends on its table looks like one that does not")
}

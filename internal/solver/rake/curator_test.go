package rake

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

// records is a coded private table, column by column.
type records struct {
	sizes   []int
	columns [][]domain.Code
}

func (r records) len() int { return len(r.columns[0]) }

func (r records) marginal(c domain.Clique) []float64 {
	m := population.Model{Sizes: r.sizes, Columns: r.columns, Weights: slices.Repeat([]float64{1}, r.len())}
	return m.Marginal(c, nil)
}

// linked returns n records in which every attribute follows a hidden number between 0 and 1.
func linked(n int, sizes []int, rng *rand.Rand) records {
	r := records{sizes: sizes, columns: make([][]domain.Code, len(sizes))}
	for range n {
		hidden := rng.Float64()
		for a, k := range sizes {
			x := hidden + .25*rng.NormFloat64()
			r.columns[a] = append(r.columns[a], domain.Code(min(max(int(x*float64(k)), 0), k-1)))
		}
	}
	return r
}

// curator answers with ordinary Gaussian or Laplace noise, checks every request against the contract, and keeps
// what it was asked. It protects nobody.
type curator struct {
	t      *testing.T
	data   records
	w      query.Workload
	budget dp.Budget
	rng    *rand.Rand
	spent  float64
	asked  []solver.Access
	log    []any
	replay []any
}

func newCurator(t *testing.T, data records, p solver.Problem, capacity float64, seed uint64) *curator {
	c := &curator{t: t, data: data, w: p.Workload, rng: rand.New(rand.NewPCG(seed, 7)),
		budget: dp.Budget{Neighbouring: p.Neighbouring, Accounting: dp.GaussianOnly, Capacity: capacity}}
	if p.Delta == 0 {
		c.budget.Accounting = dp.Pure
	}
	return c
}

// solved solves a problem with all of its budget.
func solved(t *testing.T, p solver.Problem, data records, seed uint64) *solver.Result {
	t.Helper()
	return must.Value(Solve(p, newCurator(t, data, p, budgetOf(p).Capacity, seed)))(t)
}

func (c *curator) pure() bool { return c.budget.Accounting == dp.Pure }

// part returns what a number of precision 1 takes of the capacity, by its sensitivities, and precision the factor of precisions at which
// numbers that take so much together take a charge.
func (c *curator) part(squared, l1, precision float64) float64 {
	if c.pure() {
		return l1 * math.Sqrt(2*precision)
	}
	return squared * precision / 2
}

func (c *curator) precision(taken, charge float64) float64 {
	if c.pure() {
		return charge / taken * charge / taken
	}
	return charge / taken
}

// noise returns a draw of the given variance.
func (c *curator) noise(variance float64) float64 {
	if c.pure() {
		return math.Sqrt(variance/2) * (c.rng.ExpFloat64() - c.rng.ExpFloat64())
	}
	return math.Sqrt(variance) * c.rng.NormFloat64()
}

func (c *curator) Budget() dp.Budget { return c.budget }

// charge notes an access and returns its part of the capacity.
func (c *curator) charge(stage string, share dp.Share, marginals, coordinates int) float64 {
	for _, a := range c.asked {
		must.Hold(c.t, a.Stage != stage, "stage %q asked twice", stage)
	}
	kind := dp.DiscreteGaussian
	if c.pure() {
		kind = dp.DiscreteLaplace
	}
	c.asked = append(c.asked, solver.Access{Stage: stage, Kind: kind, Count: 1, Share: share,
		Marginals: marginals, Coordinates: int64(coordinates)})
	x := share.Float() * c.budget.Capacity
	c.spent += x
	must.Hold(c.t, c.spent <= c.budget.Capacity*(1+1e-12), "overspent")
	return x
}

// answer draws, or in a replay returns the recorded answer to the same question.
func answer[T any](c *curator, draw func() T, question ...any) (T, error) {
	at := len(c.log) / 2
	var none T
	if c.replay == nil {
		c.log = append(c.log, question, draw())
	} else {
		if 2*at >= len(c.replay) || !reflect.DeepEqual(question, c.replay[2*at]) {
			return none, errors.New("the question depends on more than the answers")
		}
		c.log = append(c.log, question, c.replay[2*at+1])
	}
	return clone(c.log[2*at+1].(T)), nil
}

// clone keeps the caller's work in place off the recording.
func clone[T any](x T) T {
	if ms, ok := any(x).([]query.Measurement); ok {
		ms = slices.Clone(ms)
		for i := range ms {
			ms[i].Values = slices.Clone(ms[i].Values)
		}
		return any(ms).(T)
	}
	return x
}

func (c *curator) Total(stage string, share dp.Share) (query.Total, error) {
	if c.budget.Neighbouring == dp.Replace {
		return query.Total{Units: float64(c.data.len())}, nil
	}
	v := 1 / c.precision(c.part(1, 1, 1), c.charge(stage, share, 0, 1))
	return answer(c, func() query.Total {
		return query.Total{Units: float64(c.data.len()) + c.noise(v), Variance: v}
	}, stage)
}

// counts returns the merged marginal and its sizes, and checks that the workload holds the clique.
func (c *curator) counts(clique domain.Clique, merge query.Recoding) ([]float64, []int) {
	must.Hold(c.t, slices.ContainsFunc(c.w.Marginals, func(m query.Marginal) bool { return m.Clique.Contains(clique) }), "clique %v is outside the workload", clique)
	h := merge.Merge(clique, c.data.sizes, whole(c.data.marginal(clique)))
	out := make([]float64, len(h))
	for i, x := range h {
		out[i] = float64(x)
	}
	return out, population.Shape(merge.Sizes(c.data.sizes), clique)
}

func (c *curator) Residuals(stage string, round int, cliques []domain.Clique, merge query.Recoding, precision []float64, share dp.Share) ([]query.Measurement, error) {
	must.Hold(c.t, round == 1 && len(cliques) != 0 && len(precision) == len(cliques),
		"stage %q round %d: %d cliques, %d precisions", stage, round, len(cliques), len(precision))
	tables, shapes, sum, cells := make([][]float64, len(cliques)), make([][]int, len(cliques)), 0.0, 0
	for i, clique := range cliques {
		tables[i], shapes[i] = c.counts(clique, merge)
		cells += len(tables[i])
		must.Hold(c.t, !slices.Contains(shapes[i], 1) && precision[i] > 0, "stage %q clique %v: sizes %v, precision %g", stage, clique, shapes[i], precision[i])
		sensitivity, kept := residual(c.budget.Neighbouring, shapes[i])
		sum += c.part(sensitivity, float64(c.budget.Neighbouring.UnitChanges()), kept*precision[i])
	}
	charge := c.charge(stage, share, len(cliques), cells)
	return answer(c, func() []query.Measurement {
		out := make([]query.Measurement, len(cliques))
		for i, h := range tables {
			u := precision[i] * c.precision(sum, charge)
			_, kept := residual(c.budget.Neighbouring, shapes[i])
			for j := range h {
				h[j] += c.noise(1 / (u * kept))
			}
			population.Center(h, shapes[i])
			out[i] = query.Measurement{Clique: cliques[i], Values: h, Variance: 1 / u}
		}
		return out
	}, stage, cliques, merge, precision, share)
}

func residual(n dp.Neighbouring, shape []int) (sensitivity, kept float64) {
	sensitivity, _ = query.ResidualL2Squared(n, shape).Float64()
	kept, _ = query.ResidualShare(shape).Float64()
	return sensitivity, kept
}

func (c *curator) Trees(stage string, round int, cliques []domain.Clique, shapes []query.TreeShape, total float64, precision []float64, share dp.Share) ([]query.Tree, error) {
	must.Hold(c.t, round == 1 && len(cliques) != 0 && len(shapes) == len(cliques) && len(precision) == len(cliques),
		"stage %q round %d: %d cliques, %d shapes, %d precisions", stage, round, len(cliques), len(shapes), len(precision))
	sum, cells := 0.0, 0
	for i, s := range shapes {
		squared := float64(s.L2Squared(c.budget.Neighbouring))
		l1 := squared
		if c.budget.Neighbouring == dp.Replace {
			l1 -= 2
		}
		sum += c.part(squared, l1, precision[i])
		cells += s.Codes()
	}
	charge := c.charge(stage, share, len(cliques), cells)
	return answer(c, func() []query.Tree {
		out := make([]query.Tree, len(cliques))
		for i, s := range shapes {
			h := whole(c.data.marginal(cliques[i]))
			up, null := s.Cumulative(h)
			tree := query.Tree{Shape: s, Variance: 1 / (precision[i] * c.precision(sum, charge))}
			s.Descend(total, tree.Variance, func(level, index int) float64 {
				y := float64(s.Difference(up, null, level, index)) + c.noise(tree.Variance)
				tree.Nodes = append(tree.Nodes, query.TreeNode{Level: level, Index: index, Difference: y})
				return y
			})
			out[i] = tree
		}
		return out
	}, stage, cliques, shapes, total, precision, share)
}

func (c *curator) Coarsen(stage string, codes query.Recoding) error {
	data := records{sizes: codes.Sizes(c.data.sizes), columns: slices.Clone(c.data.columns)}
	for a, to := range codes {
		if to != nil {
			data.columns[a] = make([]domain.Code, c.data.len())
			for i, v := range c.data.columns[a] {
				data.columns[a][i] = to[v]
			}
		}
	}
	c.data = data
	_, err := answer(c, func() int { return 0 }, stage, codes)
	return err
}

func (c *curator) Scores(stage string, round int, cliques []domain.Clique, merge query.Recoding, bases query.Answers, share dp.Share) (query.Scores, error) {
	must.Hold(c.t, round == 1 && len(cliques) != 0 && len(bases) == len(cliques), "stage %q round %d: %d cliques, %d bases", stage, round, len(cliques), len(bases))
	m, unit := float64(len(cliques)), float64(c.budget.Neighbouring.UnitChanges())
	v := 1 / c.precision(c.part(m*unit*unit, m*unit, 1), c.charge(stage, share, 0, len(cliques)))
	kept := make(query.Answers, len(bases))
	for i := range bases {
		kept[i] = slices.Clone(bases[i])
	}
	return answer(c, func() query.Scores {
		s := query.Scores{Variance: v}
		for i, clique := range cliques {
			h, _ := c.counts(clique, merge)
			distance := c.noise(v)
			for j, x := range h {
				distance += math.Abs(x - bases[i][j])
			}
			s.Values = append(s.Values, distance)
		}
		return s
	}, stage, cliques, merge, kept, share)
}

// problem returns the problem of all marginals up to the given width.
func problem(sizes []int, width int, n dp.Neighbouring) solver.Problem {
	return solver.Problem{Workload: query.AllMarginals(sizes, width, 10_000), Neighbouring: n, Epsilon: 1, Delta: 1e-9,
		Units: 10_000, Seed: 5, MemoryLimit: 1 << 31}
}

// sampled makes the run use a sampled population: no universe fits a limit of one byte.
func sampled(p solver.Problem) solver.Problem {
	p.MemoryLimit = 1
	return p
}

// tv returns the mean total variation between the model and the data over the workload.
func tv(m *population.Model, data records, w query.Workload) float64 {
	sum, total := 0.0, m.Total()
	for _, x := range w.Marginals {
		h := data.marginal(x.Clique)
		for c, g := range m.Marginal(x.Clique, nil) {
			sum += math.Abs(g/total-h[c]/float64(data.len())) / 2 / float64(len(w.Marginals))
		}
	}
	return sum
}

func whole(table []float64) []int64 {
	out := make([]int64, len(table))
	for i, x := range table {
		out[i] = int64(x)
	}
	return out
}

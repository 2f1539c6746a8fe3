package solvertest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/solver"
)

// Curator answers like the real one, with float noise from an ordinary generator: its laws are the laws of
// the real one up to rounding, its privacy is none. It refuses to overspend and to answer a (stage,
// round) twice, and remembers what it was asked.
type Curator struct {
	table  *Table
	budget dp.Budget
	rng    *rand.Rand
	spent  float64
	asked  []solver.Access
	log    []exchange
	replay []exchange
	used   map[string]bool
	exact  map[string]query.Answers
}

// exchange is one question and its answer.
type exchange struct {
	question []any
	answer   any
}

// NewCurator returns a curator of the table. Equal seeds give equal noise.
func NewCurator(t *Table, b dp.Budget, seed uint64) *Curator {
	return &Curator{table: t, budget: b, rng: rand.New(rand.NewPCG(seed, 0xdab)), used: map[string]bool{}, exact: map[string]query.Answers{}}
}

// Replay returns a curator that gives c's answers again, and an error at the first question that
// differs from the one c was asked.
func (c *Curator) Replay() *Curator {
	r := NewCurator(c.table, c.budget, 0)
	r.replay = c.log
	return r
}

// Asked returns the accesses made so far in the form in which solvers plan them.
func (c *Curator) Asked() []solver.Access { return c.asked }

// Spent returns the charged part of the capacity.
func (c *Curator) Spent() float64 { return c.spent / c.budget.Capacity }

// Budget returns the public side of the ledger.
func (c *Curator) Budget() dp.Budget { return c.budget }

func (c *Curator) pure() bool { return c.budget.Accounting == dp.Pure }

// ask records the access, refuses what the real curator would refuse, and draws or replays the answer.
func ask[T any](c *Curator, round int, a solver.Access, charge float64, draw func() T, question ...any) (T, error) {
	var none T
	key := fmt.Sprint(a.Stage, "/", round)
	if c.used[key] {
		return none, errors.New("solvertest: stage and round were used before")
	}
	c.used[key] = true
	if c.spent += charge; c.spent > c.budget.Capacity*(1+1e-9) {
		return none, errors.New("solvertest: budget exhausted")
	}
	at := len(c.asked) - 1 // the stage is one of the last
	for at >= 0 && c.asked[at].Stage != a.Stage {
		at--
	}
	if at >= 0 {
		c.asked[at].Count++
		c.asked[at].Coordinates = max(c.asked[at].Coordinates, a.Coordinates)
	} else {
		a.Count = 1
		c.asked = append(c.asked, a)
	}
	question = append(question, a.Stage, round)
	if c.replay == nil {
		answer := draw()
		c.log = append(c.log, exchange{question, answer})
		return answer, nil
	}
	at = len(c.log)
	if at >= len(c.replay) || !reflect.DeepEqual(question, c.replay[at].question) {
		return none, fmt.Errorf("solvertest: question %d, of stage %s, depends on more than the answers", at, a.Stage)
	}
	c.log = append(c.log, c.replay[at])
	return c.replay[at].answer.(T), nil
}

// tables returns the workload of the cliques' marginals.
func tables(sizes []int, cliques []domain.Clique) query.Workload {
	w := query.Workload{Sizes: sizes}
	for _, c := range cliques {
		w.Marginals = append(w.Marginals, query.Marginal{Clique: c, Weight: 1})
	}
	return w
}

// answers returns the exact answers to the workload.
func (c *Curator) answers(w query.Workload) query.Answers {
	key := ""
	for _, m := range w.Marginals {
		key += m.Clique.Key() + "/" + m.Queries.Fingerprint() + "/"
	}
	if c.exact[key] != nil {
		return c.exact[key]
	}
	p := dense.PlanOf(w)
	a, _ := p.NewAnswers()
	dense.NewOracle(p).Eval(c.table.Counts, a)
	c.exact[key] = a
	return a
}

// errors returns count − model for every cell.
func (c *Curator) errors(w query.Workload, model query.Answers) (e query.Answers) {
	for i, h := range c.answers(w) {
		d := make([]float64, len(h))
		for j := range h {
			d[j] = h[j] - model[i][j]
		}
		e = append(e, d)
	}
	return e
}

// Coarsen answers solver.Curator.
func (c *Curator) Coarsen(_ string, codes query.Recoding) error {
	merged := NewTable(codes.Sizes(c.table.Sizes)...)
	record := make([]domain.Code, len(merged.Sizes))
	all := domain.All(len(record))
	for z, n := range c.table.Counts {
		for a := len(record) - 1; a >= 0; a-- {
			record[a], z = domain.Code(z%c.table.Sizes[a]), z/c.table.Sizes[a]
			if codes[a] != nil {
				record[a] = codes[a][record[a]]
			}
		}
		merged.Counts[all.Cell(merged.Sizes, record)] += n
	}
	c.table, c.exact = merged, map[string]query.Answers{}
	return nil
}

// noise returns a draw of the ledger's additive noise with the given variance.
func (c *Curator) noise(variance float64) float64 {
	if !c.pure() {
		return math.Sqrt(variance) * c.rng.NormFloat64()
	}
	x := math.Sqrt(variance/2) * c.rng.ExpFloat64()
	if c.rng.IntN(2) == 0 {
		return -x
	}
	return x
}

// variance returns the variance of a number of sensitivity d under the part charge of the capacity.
func (c *Curator) variance(d, charge float64) float64 {
	if c.pure() {
		return 2 * (d / charge) * (d / charge)
	}
	return d * d / (2 * charge)
}

func (c *Curator) additive() dp.Kind {
	if c.pure() {
		return dp.DiscreteLaplace
	}
	return dp.DiscreteGaussian
}

func clone(a query.Answers) query.Answers {
	out := make(query.Answers, len(a))
	for i := range a {
		out[i] = append([]float64(nil), a[i]...)
	}
	return out
}

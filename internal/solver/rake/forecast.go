package rake

import (
	"cmp"
	"errors"
	"math"
	"math/bits"
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/baseline"
	"github.com/dapple-dp/dapple/internal/model/marginal"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/choose"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/oneway"
	"github.com/dapple-dp/dapple/solver"
)

// Forecast is the expected result of a run, before it.
type Forecast struct{ run *run }

// Predict goes through the stages of a solve with the answers of a table like the pattern, without noise and
// without fits: it predicts the error that a run on such a table would predict for itself. A nil pattern means a
// typical table. It costs a tenth of a second at most, and no privacy: everything in it is public.
func Predict(p solver.Problem, b dp.Budget, like *solver.Pattern) (*Forecast, error) {
	return newForecast(p, b, like, forecastTriples)
}

func newForecast(p solver.Problem, b dp.Budget, like *solver.Pattern, most int) (*Forecast, error) {
	if like == nil {
		like = &solver.Pattern{}
	}
	c := &expectedAnswers{budget: b, like: like}
	r, err := newRun(p, c, b)
	if err != nil {
		return nil, err
	}
	if like.Model != nil && !slices.Equal(like.Model.Sizes, r.targets.Sizes) {
		return nil, errors.New("rake: the pattern has columns of other sizes than the domain")
	}
	c.run, r.targets, r.setBases = r, r.targets.Thin(most), c.setBases
	if like.Bins > 0 {
		r.binScale = math.Sqrt(r.law.Raise(like.Bins, b.Capacity)) // the bins of the run whose errors are asked of
	}
	for _, measure := range r.stages() {
		if err := measure(); err != nil {
			return nil, err
		}
	}
	return &Forecast{r}, nil
}

// TV returns the expected average total variation over the maximal marginals of the workload.
func (f *Forecast) TV() float64 {
	if list := f.run.problem.Workload.Maximal().Cliques(); !slices.ContainsFunc(list, func(c domain.Clique) bool { return len(c) > 1 }) {
		return f.Of(list)
	}
	return f.run.tables.Predict()
}

// Of returns the expected average total variation over the given marginals of one to three columns.
func (f *Forecast) Of(cliques []domain.Clique) float64 { return f.run.tables.PredictOf(cliques) }

// forecastTriples is the number of triples of a forecast, with the pairs inside: a regular sample of a longer list.
const forecastTriples = 150

// expectedAnswers answers like a model, or like a typical table.
type expectedAnswers struct {
	run    *run
	budget dp.Budget
	like   *solver.Pattern
}

const (
	// A triple adds to its pairs this part of their distances …
	tripleStrength = .05
	// … and this part of the scatter of its counts: a model's counts know how far columns are linked …
	modelScatter = .75
	// … and in a typical table it is this part of 20,000 units. Of fewer it is more, as they show less of links.
	tripleScatter, scatterUnits, scatterPower, mostScatter = .4, 20_000, -.35, .9
)

// precision returns the factor of precisions that take so much, in a release of a share.
func (c *expectedAnswers) precision(taken float64, share dp.Share) float64 {
	return c.run.law.Raise(taken, share.Float()*c.run.law.Budget)
}

// Budget implements Curator.
func (c *expectedAnswers) Budget() dp.Budget { return c.budget }

// Total implements Curator.
func (c *expectedAnswers) Total(_ string, share dp.Share) (query.Total, error) {
	return query.Total{Units: cmp.Or(c.like.Units, c.run.problem.Units), Variance: 1 / c.precision(c.run.law.Spend(c.run.law.Number(), 1), share)}, nil
}

// Residuals implements Curator. Of pairs and triples it returns the noise alone.
func (c *expectedAnswers) Residuals(stage string, _ int, cliques []domain.Clique, _ query.Recoding, precision []float64, share dp.Share) ([]query.Measurement, error) {
	out, sum := make([]query.Measurement, len(cliques)), 0.0
	for i, q := range cliques {
		sum += c.run.law.Spend(choose.NewCandidate(c.run.law, c.run.targets.Sizes, choose.Target{Clique: q}).Cost, precision[i])
	}
	for i, q := range cliques {
		if stage != stageOneWays { // precisions are precisions of cells
			out[i] = query.Measurement{Clique: q, Variance: 1 / precision[i]}
			continue
		}
		shares := c.shares(q[0])
		for v, p := range shares {
			shares[v] = c.run.total.Units * (p - 1/float64(len(shares)))
		}
		out[i] = query.Measurement{Clique: q, Values: shares, Variance: 1 / (precision[i] * c.precision(sum, share))}
	}
	return out, nil
}

// Trees implements Curator.
func (c *expectedAnswers) Trees(_ string, _ int, cliques []domain.Clique, shapes []query.TreeShape, total float64, precision []float64, share dp.Share) ([]query.Tree, error) {
	out, sum := make([]query.Tree, len(cliques)), 0.0
	for i, s := range shapes {
		sum += c.run.law.Spend(c.run.law.Tree(s), precision[i])
	}
	for i, s := range shapes {
		out[i] = query.Tree{Shape: s, Variance: 1 / (precision[i] * c.precision(sum, share))}
		out[i].Nodes = c.nodes(cliques[i][0], s, total)
	}
	return out, nil
}

// Coarsen implements Curator.
func (c *expectedAnswers) Coarsen(string, query.Recoding) error { return nil }

// Scores implements Curator: distances from what the first screening knows, and then what the first releases leave of them.
func (c *expectedAnswers) Scores(stage string, _ int, cliques []domain.Clique, _ query.Recoding, bases query.Answers, share dp.Share) (query.Scores, error) {
	n := c.run.total.Units
	out := query.Scores{Variance: 1 / c.precision(c.run.law.Spend(c.run.law.Distances(len(cliques)), 1), share)}
	for i, q := range cliques {
		scatter, score := 0.0, 0.0
		for _, b := range bases[i] {
			scatter += min(.8*math.Sqrt(b), 2*b)
		}
		switch {
		case stage == stageFirstScores:
			score = math.Hypot(c.far(q, bases[i]), scatter)
		case len(q) == 2:
			p := c.run.tables.ByPair[q.Key()]
			score = 2 * p.Expected(p.Precision, n)
		default:
			part := min(mostScatter, tripleScatter*math.Pow(n/scatterUnits, scatterPower))
			if c.like.Model != nil {
				part = modelScatter
			}
			score = scatter * part
			for _, pair := range marginal.Subsets(q, 2) {
				p := c.run.tables.ByPair[pair.Key()]
				score = math.Hypot(score, math.Hypot(2*p.Expected(p.Precision, n), tripleStrength*c.far(pair, p.Base)))
			}
		}
		out.Values = append(out.Values, score)
	}
	return out, nil
}

func (c *expectedAnswers) shares(a int) []float64 {
	switch k := c.run.targets.Sizes[a]; {
	case c.like.Model != nil:
		return c.table(domain.Clique{a})
	case c.like.Same > 0:
		return baseline.NearlyConstant(k, c.like.Same)
	default:
		return baseline.Shares(k, a)
	}
}

// far returns the distance in counts of a pair from independent columns, whose table is base.
func (c *expectedAnswers) far(pair domain.Clique, base []float64) float64 {
	if c.like.Same > 0 {
		base := c.run.tables.Merged.Base
		return c.run.total.Units * baseline.PairDistance(baseline.EffectiveOf(base[pair[0]]), baseline.EffectiveOf(base[pair[1]]), 3*pair[0]+pair[1])
	}
	if c.like.Model == nil {
		sizes := c.run.targets.Sizes
		return c.run.total.Units * baseline.PairDistance(baseline.Effective(sizes[pair[0]], pair[0]), baseline.Effective(sizes[pair[1]], pair[1]), 3*pair[0]+pair[1])
	}
	sum := 0.0
	if c.knows(pair) {
		for i, x := range c.counts(pair) {
			sum += math.Abs(x - base[i])
		}
		return sum
	}
	one, two := c.shares(pair[0]), c.shares(pair[1])
	for i, x := range c.table(pair) {
		sum += c.run.total.Units * math.Abs(x-one[i/len(two)]*two[i%len(two)])
	}
	return sum * c.finer(pair)
}

// knows reports whether the pattern has the codes of this run: bins are learned again.
func (c *expectedAnswers) knows(q domain.Clique) bool {
	return c.like.Model != nil && !slices.ContainsFunc(q, func(a int) bool { return c.run.ones.List[a].Learned || c.run.problem.Domain.BinsOf(a) >= 0 })
}

// finer returns what a pair's distance from independence grows by if bins are learned anew, and hold records more or less
// evenly than the pattern's.
func (c *expectedAnswers) finer(pair domain.Clique) float64 {
	var was, is [2]float64
	for i, a := range pair {
		was[i], is[i] = baseline.EffectiveOf(c.shares(a)), baseline.EffectiveOf(c.run.tables.Merged.Base[a])
	}
	return baseline.PairDistance(is[0], is[1], 0) / max(baseline.PairDistance(was[0], was[1], 0), 1e-9)
}

// table returns the pattern's marginal as parts of 1.
func (c *expectedAnswers) table(q domain.Clique) []float64 {
	table := c.like.Model.Marginal(q, nil)
	oneway.Normalise(table)
	return table
}

// nodes returns the differences of a tree over the values of attribute a: the pattern's, whose runs are even. Without
// runs all values are alike, as learned bins are, and none is NULL.
func (c *expectedAnswers) nodes(a int, s query.TreeShape, total float64) (nodes []query.TreeNode) {
	level := 0
	if s.Null {
		level, nodes = 1, []query.TreeNode{{Difference: total}}
	}
	if c.like.Same > 0 { // the least value is the one
		for width := 1 << bits.Len(uint(s.Values-1)); width > 1; width, level = width/2, level+1 {
			nodes = append(nodes, query.TreeNode{Level: level, Difference: total * c.like.Same})
		}
		return nodes
	}
	if c.like.Runs == nil || len(c.like.Runs[a]) == 0 {
		return nodes
	}
	if s.Null {
		shares := c.shares(a)
		null := total * shares[len(shares)-1]
		nodes[0].Difference -= 2 * null
		total -= null
	}
	p := oneway.ProfileOf(c.like.Runs[a], s.Values)
	for width := 1 << bits.Len(uint(s.Values-1)); width > 1; width, level = width/2, level+1 {
		last := -1
		for _, run := range c.like.Runs[a] { // a node inside a run is even
			if at := run.From / width; at > last {
				from := at * width
				middle, to := min(from+width/2, s.Values), min(from+width, s.Values)
				nodes = append(nodes, query.TreeNode{Level: level, Index: at, Difference: total / max(p.Total(), 1e-9) * (p.Between(from, middle) - p.Between(middle, to))})
				last = at
			}
		}
	}
	return nodes
}

// counts returns a table on merged codes at the second screening: the model's, or one of independent columns.
func (c *expectedAnswers) counts(q domain.Clique) []float64 {
	m := c.run.tables.Merged
	if !c.knows(q) {
		return m.Independent(q, c.run.total.Units)
	}
	cells, _ := q.Cells(m.Sizes) // a target is countable
	out, from, to := make([]float64, cells), q.Strides(c.like.Model.Sizes), q.Strides(m.Sizes)
	for i, x := range c.table(q) {
		cell := 0
		for j, a := range q {
			cell += to[j] * int(m.Codes[a][i/from[j]%c.like.Model.Sizes[a]])
		}
		out[cell] += x * c.run.total.Units
	}
	return out
}

// setBases gives triples their tables; pairs keep the tables of the first screening.
func (c *expectedAnswers) setBases(list []*choose.Candidate) {
	for _, x := range list {
		if len(x.Clique) > 2 {
			x.SetBase(c.counts(x.Clique))
		}
	}
}

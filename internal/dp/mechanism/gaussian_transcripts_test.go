package mechanism

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/solver/rake"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// transcripts runs Rake once for every sequence of bins that its releases can fall into.
type transcripts struct {
	t     *testing.T
	run   gaussianRun
	gates []*gate
	walk
	last  [][]statistic      // of each table: the statistics of the last release
	final gaussian           // the last release
	first *accountant.Ledger // of the first run
	used  dptest.Used        // the loss of a single release, of its charge
	bins  map[move]law       // laws of bins
}

func newTranscripts(t *testing.T, r gaussianRun, tables [][]int64) *transcripts {
	x := &transcripts{t: t, run: r, walk: walk{tables: len(tables)}, bins: map[move]law{}}
	for _, cells := range tables {
		x.gates = append(x.gates, newGate(table{r.sizes, cells}, Params{Sizes: r.sizes, Ledger: r.newLedger(t), Root: root(t)}))
	}
	return x
}

// explore visits every transcript with its probabilities on all tables, and charges every run to a ledger
// of its own, which must hold it.
func (x *transcripts) explore(visit func(all law, last [][]statistic)) (count int) {
	for {
		var charged *accountant.Ledger
		charged, x.depth, x.last = x.run.newLedger(x.t), 0, nil
		c := &Curator{budget: charged.Budget(), answer: func(r Request) (Release, error) { return x.answer(charged, r) }}
		_, err := rake.Solve(x.run.problem(), c)
		must.Do(x.t, err)
		if x.first == nil {
			x.first = charged
		}
		visit(x.reached(), x.last)
		if count++; !x.advance() {
			return count
		}
	}
}

func (x *transcripts) answer(l *accountant.Ledger, r Request) (Release, error) {
	if r.Method == Total && x.run.relation == dp.Replace {
		return Release{Total: query.Total{Units: float64(x.gates[0].counts.Units())}}, nil
	}
	must.Need(x.t, x.last == nil, "%s after the last release", r.Method)
	if r.Stage == "final" {
		p := x.plan(r)
		x.checkCharge(r, p)
		x.last, x.final = nil, p
		for _, g := range x.gates {
			x.last = append(x.last, g.statistics(x.t, r, p.event))
		}
		return p.release(r, make([]float64, len(x.last[0]))), l.Charge(p.event)
	}
	if x.atEnd() {
		x.path = append(x.path, x.enumerate(r))
	}
	s := x.next()
	return s.releases[s.at], l.Charge(s.event)
}

// gaussian is a planned release of independent normal statistics.
type gaussian struct{ event accountant.Event }

func (x *transcripts) plan(r Request) gaussian {
	p := must.Value(x.gates[0].plan(r))(x.t)
	return gaussian{event: p.event.At(r.Stage, r.Round)}
}

// deviation returns the standard deviation of statistic s.
func (p gaussian) deviation(s int) float64 { return math.Sqrt(p.event.Variance(s)) }

// checkCharge compares what one release loses after the given prefix, Σ shift²/(2σ²) between the first table
// and each neighbour, with what it is charged: fractions both.
func (x *transcripts) checkCharge(r Request, p gaussian) {
	charged := exactLoss(x.t, p.event, x.run.kind)
	first := x.gates[0].statistics(x.t, r, p.event)
	for _, g := range x.gates[1:] {
		loss := p.distance2(first, g.statistics(x.t, r, p.event))
		must.Need(x.t, loss.Quo(loss, big.NewRat(2, 1)).Cmp(charged) <= 0, "stage %q loses %s, charged %s", r.Stage, loss.FloatString(30), charged.FloatString(30))
		x.used.Of(high.Rat(loss), high.Rat(charged))
	}
}

// distance2 returns the squared distance of two tables' statistics in standard deviations.
func (p gaussian) distance2(a, b []statistic) *big.Rat {
	sum := new(big.Rat)
	for s := range a {
		if d := b[s].n - a[s].n; d != 0 {
			square := new(big.Rat).SetFloat64(d)
			square.Mul(square, square).Quo(square, big.NewRat(int64(a[s].cells), 1))
			sum.Add(sum, square.Quo(square, p.event.Scales[s]))
		}
	}
	return sum
}

// enumerate lists what a release can be once every statistic is rounded to its bin.
func (x *transcripts) enumerate(r Request) step {
	p := x.plan(r)
	x.checkCharge(r, p)
	bins := len(x.run.edges) + 1
	centre := x.gates[0].statistics(x.t, r, p.event)
	count := int(math.Pow(float64(bins), float64(len(centre))))
	b := step{event: p.event, before: x.reached()}
	for i := range count {
		values := make([]float64, len(centre))
		for s := range values {
			values[s] = centre[s].value() + p.deviation(s)*x.run.middle(digit(i, bins, s))
		}
		b.releases = append(b.releases, p.release(r, values))
	}
	for _, g := range x.gates {
		all := law{dptest.Sure()}
		for s, own := range g.statistics(x.t, r, p.event) {
			var next law
			for _, m := range x.binLaw(p, s, own.n-centre[s].n, own.cells) { // digit s of a release's number
				for _, before := range all {
					next = append(next, before.And(m))
				}
			}
			all = next
		}
		b.laws = append(b.laws, all)
	}
	return b
}

// digit returns digit s of i in the given base.
func digit(i, base, s int) int {
	for range s {
		i /= base
	}
	return i % base
}

// middle returns a point inside bin i, in standard deviations.
func (r gaussianRun) middle(i int) float64 {
	e := r.edges
	switch i {
	case 0:
		return e[0] - .6
	case len(e):
		return e[len(e)-1] + .6
	}
	return (e[i-1] + e[i]) / 2
}

// move is all that the law of bins around a table's statistic depends on, for another table: what the statistic differs
// by, and the noise.
type move struct {
	by    float64
	cells int
	scale string
	whole bool
}

// binLaw returns the probabilities of the bins around a statistic, for a table on which it is more by n/√cells. Edges are
// at multiples of σ in float64; noise on whole counts has its discrete law. Elsewhere it is the normal one, from which
// noise of at least 2^30 grid steps differs by less than 2^-60.
func (x *transcripts) binLaw(p gaussian, s int, by float64, cells int) law {
	scale := p.event.Scales[s]
	m := move{by, cells, scale.RatString(), p.event.GridBits == 0 && scale.IsInt()}
	if x.bins[m] != nil {
		return x.bins[m]
	}
	deviation := high.Of(0).Sqrt(high.Rat(scale))
	shift := high.Quo(high.Of(by), high.Of(0).Sqrt(high.Of(float64(cells))))
	below := func(edge float64) *big.Float {
		return high.Normal(high.Sub(high.Of(edge), high.Quo(shift, deviation)))
	}
	if m.whole {
		noise := dptest.DiscreteGaussian(scale)
		below = func(edge float64) *big.Float {
			return high.Sub(high.Of(1), noise.From(int64(math.Ceil(edge*p.deviation(s)-by))))
		}
	}
	var all law
	before := high.Of(0)
	for _, e := range x.run.edges {
		sum := below(e)
		all = append(all, dptest.MassOf(high.Sub(sum, before)))
		before = sum
	}
	x.bins[m] = append(all, dptest.MassOf(high.Sub(high.Of(1), before)))
	return x.bins[m]
}

// statistic is n/√cells, n a multiple of 2^-36.
type statistic struct {
	n     float64
	cells int
}

func (s statistic) value() float64 { return s.n / math.Sqrt(float64(s.cells)) }

// statistics returns the independent normal statistics that a release consists of: a total, each
// distance, and of each centred table of binary attributes its one contrast.
func (g *gate) statistics(t *testing.T, r Request, e accountant.Event) (out []statistic) {
	t.Helper()
	if r.Method == Total {
		return []statistic{{float64(g.counts.Units()), 1}}
	}
	tables := must.Value(g.merged(r))(t)
	for i := range r.Cliques {
		counts := tables.counts(i)
		switch r.Method {
		case Scores:
			d := distanceOf(counts, 0, r.Model[i], e.GridBits)
			out = append(out, statistic{float64(d.counts) + math.Ldexp(float64(d.steps), -e.GridBits), 1})
		case Residuals:
			sum := 0.0
			for c, w := range contrast(len(counts)) {
				sum += math.Copysign(1, w) * float64(counts[c])
			}
			out = append(out, statistic{sum, len(counts)})
		default:
			t.Fatalf("%s is no Gaussian release of Rake", r.Method)
		}
	}
	return out
}

// contrast returns the unit vector that centring a table of the given cells, binary along every axis,
// projects on.
func contrast(cells int) []float64 {
	w := make([]float64, cells)
	for c := range w {
		w[c] = 1 / math.Sqrt(float64(cells))
		for b := c; b > 0; b &= b - 1 {
			w[c] = -w[c]
		}
	}
	return w
}

// release returns the release whose statistics have the given values.
func (p gaussian) release(r Request, values []float64) Release {
	switch r.Method {
	case Total:
		return Release{Total: query.Total{Units: values[0], Variance: p.event.Variance(0)}}
	case Scores:
		return Release{Scores: query.Scores{Values: values, Variance: p.event.Variance(0)}}
	}
	release := Release{}
	for i, c := range r.Cliques {
		w := contrast(1 << len(c))
		m := query.Measurement{Clique: c, Values: make([]float64, len(w)), Variance: p.event.Variance(i) / float64(len(w))}
		for z := range w {
			m.Values[z] = values[i] * w[z]
		}
		release.Measurements = append(release.Measurements, m)
	}
	return release
}

// TestContrast: centring a binary table is the projection on its contrast.
func TestContrast(t *testing.T) {
	for _, shape := range [][]int{{2}, {2, 2}, {2, 2, 2}} {
		counts := []int64{7, 1, 0, 4, 9, 2, 2, 5}[:1<<len(shape)]
		w, sum := contrast(len(counts)), 0.0
		for c, n := range counts {
			sum += w[c] * float64(n)
		}
		for c, want := range lessMeans(counts, shape) {
			if math.Abs(sum*w[c]-want) > 1e-12 {
				t.Errorf("%s: cell %d is %g, want %g", fmt.Sprint(shape), c, sum*w[c], want)
			}
		}
	}
}

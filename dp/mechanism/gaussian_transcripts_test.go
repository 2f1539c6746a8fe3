package mechanism

import (
	"fmt"
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/solver/rake"
)

// transcripts runs Rake once for every sequence of bins that its releases can fall into.
type transcripts struct {
	t     *testing.T
	run   gaussianRun
	gates []*gate
	path  []binned
	depth int
	last  [][]float64        // of each table: the means of the last release in standard deviations
	first *accountant.Ledger // of the first run
	used  float64            // largest loss of a single release, as a part of its charge
}

// binned is a call of the current run, with all that it can return.
type binned struct {
	event    accountant.Event
	releases []Release
	laws     [][]float64 // by table: the logarithm of the probability of each release
	at       int
}

func newTranscripts(t *testing.T, r gaussianRun, tables [][]int64) *transcripts {
	x := &transcripts{t: t, run: r}
	for _, cells := range tables {
		x.gates = append(x.gates, newGate(table{r.sizes, cells}, Params{Sizes: r.sizes, Ledger: r.newLedger(t), Root: root(t)}))
	}
	return x
}

// explore visits every transcript with its probabilities on all tables, and charges every run to a ledger
// of its own, which must hold it.
func (x *transcripts) explore(visit func(logp []float64, last [][]float64)) (count int) {
	for {
		var charged *accountant.Ledger
		charged, x.depth, x.last = x.run.newLedger(x.t), 0, nil
		c := &Curator{budget: charged.Budget(), answer: func(r Request) (Release, error) { return x.answer(charged, r) }}
		if _, err := rake.Solve(x.run.problem(), c); err != nil {
			x.t.Fatal(err)
		}
		if x.first == nil {
			x.first = charged
		}
		logp := make([]float64, len(x.gates))
		for i := range logp {
			for _, s := range x.path {
				logp[i] += s.laws[i][s.at]
			}
		}
		visit(logp, x.last)
		if count++; !x.advance() {
			return count
		}
	}
}

func (x *transcripts) advance() bool {
	for len(x.path) > 0 {
		s := &x.path[len(x.path)-1]
		if s.at++; s.at < len(s.releases) {
			return true
		}
		x.path = x.path[:len(x.path)-1]
	}
	return false
}

func (x *transcripts) answer(l *accountant.Ledger, r Request) (Release, error) {
	if r.Method == Total && x.run.relation == dp.Replace {
		return Release{Total: query.Total{Units: float64(x.gates[0].counts.Units())}}, nil
	}
	if x.last != nil {
		x.t.Fatalf("%s after the last release", r.Method)
	}
	if r.Stage == "final" {
		p := x.plan(r)
		x.checkCharge(r, p)
		x.last = make([][]float64, len(x.gates))
		for i, g := range x.gates {
			for s, mean := range g.means(x.t, r, p.event) {
				x.last[i] = append(x.last[i], mean/p.deviation(s))
			}
		}
		return p.release(r, make([]float64, len(x.last[0]))), l.Charge(p.event)
	}
	if x.depth == len(x.path) {
		x.path = append(x.path, x.enumerate(r))
	}
	s := &x.path[x.depth]
	x.depth++
	return s.releases[s.at], l.Charge(s.event)
}

// gaussian is a planned release of independent normal statistics.
type gaussian struct{ event accountant.Event }

func (x *transcripts) plan(r Request) gaussian {
	p, err := x.gates[0].plan(r)
	if err != nil {
		x.t.Fatal(err)
	}
	return gaussian{event: p.event.At(r.Stage, r.Round)}
}

// deviation returns the standard deviation of statistic s.
func (p gaussian) deviation(s int) float64 { return math.Sqrt(p.event.Variance(s)) }

// checkCharge compares what one release loses after the given prefix, Σ shift²/(2σ²) between the first table
// and each neighbour, with what it is charged.
func (x *transcripts) checkCharge(r Request, p gaussian) {
	charged := loss(x.t, p.event, x.run.kind)
	first := x.gates[0].means(x.t, r, p.event)
	for _, g := range x.gates[1:] {
		sum := 0.0
		for s, mean := range g.means(x.t, r, p.event) {
			d := (mean - first[s]) / p.deviation(s)
			sum += d * d / 2
		}
		if !(sum <= charged*(1+1e-9)) {
			x.t.Fatalf("stage %q loses %g, charged %g", r.Stage, sum, charged)
		}
		x.used = max(x.used, sum/charged)
	}
}

// enumerate lists what a release can be once every statistic is rounded to its bin.
func (x *transcripts) enumerate(r Request) binned {
	p := x.plan(r)
	x.checkCharge(r, p)
	bins := len(x.run.edges) + 1
	centre := x.gates[0].means(x.t, r, p.event)
	count := int(math.Pow(float64(bins), float64(len(centre))))
	b := binned{event: p.event}
	for i := range count {
		values := make([]float64, len(centre))
		for s := range values {
			values[s] = centre[s] + p.deviation(s)*x.run.middle(digit(i, bins, s))
		}
		b.releases = append(b.releases, p.release(r, values))
	}
	for _, g := range x.gates {
		law, single := make([]float64, count), make([][]float64, len(centre))
		for s, mean := range g.means(x.t, r, p.event) {
			single[s] = p.binLaw(s, x.run.edges, centre[s], mean)
		}
		for i := range law {
			for s := range single {
				law[i] += math.Log(single[s][digit(i, bins, s)])
			}
		}
		b.laws = append(b.laws, law)
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

// binLaw returns the probabilities of the bins around centre of a statistic with the given mean: exactly
// where noise is on whole counts, and elsewhere by the normal law, from which noise of at least 2^30 grid
// steps differs by less than 2^-60.
func (p gaussian) binLaw(s int, edges []float64, centre, mean float64) []float64 {
	below := func(edge float64) float64 { return normal((edge - mean) / p.deviation(s)) }
	if p.event.GridBits == 0 && p.event.Scales[s].IsInt() {
		pmf, reach := pmfOf(p.event, p.event.Scales[s])
		below = func(edge float64) (sum float64) {
			for y := -reach; y <= reach && mean+y < edge; y++ {
				sum += pmf(y)
			}
			return sum
		}
	}
	law, before := make([]float64, 0, len(edges)+1), 0.0
	for _, e := range edges {
		sum := below(centre + e*p.deviation(s))
		law = append(law, sum-before)
		before = sum
	}
	return append(law, 1-before)
}

// means returns the means of the independent normal statistics that a release consists of: a total, each
// distance, and of each centred table of binary attributes its one contrast.
func (g *gate) means(t *testing.T, r Request, e accountant.Event) (out []float64) {
	t.Helper()
	if r.Method == Total {
		return []float64{float64(g.counts.Units())}
	}
	tables, err := g.merged(r)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Cliques {
		counts := tables.counts(i)
		switch r.Method {
		case Scores:
			d := distanceOf(counts, r.Model[i], e.GridBits)
			out = append(out, float64(d.counts)+math.Ldexp(float64(d.steps), -e.GridBits))
		case Residuals:
			sum := 0.0
			for c, w := range contrast(len(counts)) {
				sum += w * float64(counts[c])
			}
			out = append(out, sum)
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

package mechanism

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/internal/noise"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// screenings are a request for residuals and one for scores, on the small workload.
func screenings() []Request {
	w, model := small()
	share := dp.ShareOf(1, 20)
	return []Request{
		{Method: Residuals, Stage: "residuals", Round: 1, Cliques: w.Cliques(), Precision: []float64{1, 2, 3}, Share: share},
		{Method: Scores, Stage: "scores", Round: 1, Cliques: w.Cliques(), Model: model, Share: share},
	}
}

// TestScreeningsChargeBeforeTheyDraw exhausts a ledger of each kind that admits them: then both are refused
// before counts are read or a stream is opened.
func TestScreeningsChargeBeforeTheyDraw(t *testing.T) {
	for _, l := range []*accountant.Ledger{zcdp(t, dp.AddRemove), gdp(t, dp.AddRemove), pure(t, dp.AddRemove)} {
		refuseExhausted(t, l, screenings())
	}
}

// TestScreeningsAreCharged: one event each, at its stage and round, within its share and nearly all of it, for as
// many coordinates as numbers are released.
func TestScreeningsAreCharged(t *testing.T) {
	for _, n := range relations {
		for _, l := range []*accountant.Ledger{zcdp(t, n), gdp(t, n), pure(t, n)} {
			g, kind := testGate(t, []int64{3, 0, 7, 1}, l), dp.DiscreteGaussian
			if l.Params().Accounting == dp.Pure {
				kind = dp.DiscreteLaplace
			}
			sum := new(big.Rat)
			for i, r := range screenings() {
				release := must.Value(g.answer(r))(t)
				e := l.Events()[i]
				charged := must.Value(e.Loss(l.Params().Accounting))(t)
				sum.Add(sum, charged)
				used := charged.Quo(charged, new(big.Rat).Mul(l.Capacity(), r.Share.Rat()))
				must.Hold(t, used.Cmp(big.NewRat(1, 1)) <= 0 && used.Cmp(big.NewRat(9999, 10_000)) >= 0,
					"%v %s: %s of the share is charged", n, r.Method, used.FloatString(6))
				drawn := int64(len(release.Scores.Values))
				for _, m := range release.Measurements {
					drawn += int64(len(m.Values))
				}
				must.Hold(t, e.Kind == kind && e.Coordinates == drawn && e.Stage == r.Stage && e.Round == r.Round && e.Neighbouring == n,
					"%v %s: event %+v for %d numbers", n, r.Method, e, drawn)
			}
			must.Hold(t, l.Spent().Cmp(sum) == 0, "%v: spent %v, events %v", n, l.Spent(), sum)
		}
	}
}

// TestReservedCoordinates: a GDP ledger refuses more noisy numbers than it has paid for, before any draw.
func TestReservedCoordinates(t *testing.T) {
	for i, need := range []int64{8, 3} {
		for _, reserved := range []int64{need - 1, need} {
			l := ledger(t, accountant.Params{Accounting: dp.GaussianOnly, Epsilon: 1, Delta: 1e-6, Coordinates: reserved})
			g := testGate(t, []int64{3, 0, 7, 1}, l)
			if reserved < need {
				g.counts = forbidden{t}
			}
			if _, err := g.answer(screenings()[i]); (err != nil) != (reserved < need) {
				t.Errorf("%s of %d numbers, %d reserved: %v", screenings()[i].Method, need, reserved, err)
			}
		}
	}
}

// TestScreeningsOnce uses a stage and round of one method again with the other.
func TestScreeningsOnce(t *testing.T) {
	l := zcdp(t, dp.AddRemove)
	g := testGate(t, []int64{3, 0, 7, 1}, l)
	for i, r := range screenings() {
		must.Value(g.answer(r))(t)
		spent := l.Spent()
		other := screenings()[1-i]
		other.Stage, other.Round = r.Stage, r.Round
		for _, second := range []Request{r, other} {
			_, err := g.answer(second)
			must.Hold(t, err != nil && l.Spent().Cmp(spent) == 0, "%s after %s: %v", second.Method, r.Method, err)
		}
	}
}

// TestScreeningsBindTheirStreams: equal calls repeat their draw; other counts, bases, precisions, merges or shares
// open another stream.
func TestScreeningsBindTheirStreams(t *testing.T) {
	run := func(cells []int64, change func(*Request)) (opened []string, released [][32]byte) {
		g := testGate(t, cells, zcdp(t, dp.AddRemove))
		open := g.open
		g.open = func(stage string, round int, inputs [32]byte) noise.Source {
			opened = append(opened, stage+string(inputs[:]))
			return open(stage, round, inputs)
		}
		for _, r := range screenings() {
			change(&r)
			release := must.Value(g.answer(r))(t)
			released = append(released, release.Digest())
		}
		return opened, released
	}
	cells := []int64{3, 0, 7, 1}
	base, released := run(cells, func(*Request) {})
	same, again := run(cells, func(*Request) {})
	must.Hold(t, slices.Equal(base, same) && slices.Equal(released, again), "a retry on equal integers draws anew")
	for name, c := range map[string]struct {
		cells  []int64
		change func(*Request)
	}{
		"one unit more": {[]int64{3, 0, 8, 1}, func(*Request) {}},
		"other counts":  {[]int64{4, 0, 7, 0}, func(*Request) {}},
		"another share": {cells, func(r *Request) { r.Share.Den++ }},
		"other arguments": {cells, func(r *Request) {
			if r.Method == Residuals {
				r.Precision[0] *= 1.01
			} else {
				r.Model[0][0] += 1e-5
			}
		}},
		"merged codes": {cells, func(r *Request) { r.Merge = query.Recoding{{1, 0}, nil} }},
	} {
		opened, _ := run(c.cells, c.change)
		for i, r := range screenings() {
			must.Hold(t, opened[i] != base[i], "%s, %s: same stream", r.Method, name)
		}
	}
}

// TestScreeningsRefuse makes each error on a table of conspicuous counts: it names none, charges nothing and reads
// nothing.
func TestScreeningsRefuse(t *testing.T) {
	sizes := []int{2, 1 << 11, 1 << 10, 3}
	base := func() Request {
		return Request{Method: Residuals, Stage: "s", Cliques: []domain.Clique{{0, 3}, {3}}, Precision: []float64{1, 1}, Share: dp.ShareOf(1, 2)}
	}
	scores := func() Request {
		return Request{Method: Scores, Stage: "s", Cliques: []domain.Clique{{0, 3}, {3}}, Model: query.Answers{make([]float64, 6), make([]float64, 3)}, Share: dp.ShareOf(1, 2)}
	}
	one := query.Recoding{nil, nil, nil, {0, 0, 0}}
	for name, c := range map[string]struct {
		request Request
		change  func(*Request)
	}{
		"zero precision":     {base(), func(r *Request) { r.Precision[1] = 0 }},
		"NaN precision":      {base(), func(r *Request) { r.Precision[1] = math.NaN() }},
		"infinite precision": {base(), func(r *Request) { r.Precision[1] = math.Inf(1) }},
		"no share":           {base(), func(r *Request) { r.Share = dp.Share{Den: 1} }},
		"over the budget":    {base(), func(r *Request) { r.Share = dp.ShareOf(3, 2) }},
		"no attribute":       {base(), func(r *Request) { r.Cliques[1] = domain.Clique{} }},
		"one code":           {base(), func(r *Request) { r.Merge = one }},
		"too large":          {base(), func(r *Request) { r.Cliques[1] = domain.Clique{1, 2} }},
		"NaN base":           {scores(), func(r *Request) { r.Model[0][5] = math.NaN() }},
		"large base":         {scores(), func(r *Request) { r.Model[0][5] = -1 << 41 }},
		"no share of scores": {scores(), func(r *Request) { r.Share = dp.Share{Den: 1} }},
		"too large to score": {scores(), func(r *Request) { r.Cliques[1] = domain.Clique{1, 2} }},
	} {
		l := zcdp(t, dp.AddRemove)
		g := newGate(forbidden{t}, Params{Sizes: sizes, Ledger: l, Root: root(t), Recorder: &Recorder{}})
		c.change(&c.request)
		_, err := g.answer(c.request)
		must.Hold(t, err != nil && l.Spent().Sign() == 0 && !strings.ContainsAny(err.Error(), "\n"), "%s: %v", name, err)
	}
	for name, c := range map[string]struct {
		request Request
		change  func(*Request)
	}{
		"no cliques":             {base(), func(r *Request) { r.Cliques, r.Precision = nil, nil }},
		"another precision":      {base(), func(r *Request) { r.Precision = []float64{1} }},
		"another domain":         {base(), func(r *Request) { r.Merge = query.Recoding{nil} }},
		"another attribute":      {base(), func(r *Request) { r.Merge = query.Recoding{nil, nil, nil, {0, 1}} }},
		"gaps":                   {base(), func(r *Request) { r.Merge = query.Recoding{nil, nil, nil, {0, 2, 2}} }},
		"more codes than before": {base(), func(r *Request) { r.Merge = query.Recoding{nil, nil, nil, {0, 7, 1}} }},
		"another base":           {scores(), func(r *Request) { r.Model = r.Model[:1] }},
		"base of another size":   {scores(), func(r *Request) { r.Model[1] = r.Model[1][:2] }},
		"unmerged base":          {scores(), func(r *Request) { r.Merge = one }},
		"outside the domain":     {scores(), func(r *Request) { r.Cliques[1] = domain.Clique{4} }},
	} {
		g := newGate(forbidden{t}, Params{Sizes: sizes, Ledger: zcdp(t, dp.AddRemove), Root: root(t)})
		c.change(&c.request)
		func() {
			defer func() {
				must.Hold(t, recover() != nil, "%s: no panic", name)
			}()
			_, _ = g.answer(c.request)
		}()
	}
}

// TestScreeningsReplay records both methods, then replays them without data: equal releases to equal requests, and
// a changed argument is refused.
func TestScreeningsReplay(t *testing.T) {
	g := testGate(t, []int64{3, 0, 7, 1}, gdp(t, dp.Replace))
	ask := func(c *Curator, merge query.Recoding, nudge float64) (m []query.Measurement, s query.Scores, err error) {
		w, bases := small()
		bases[0][0] += nudge
		if m, err = c.Residuals("pairs", 1, w.Cliques(), merge, []float64{1, 2, 3}, dp.ShareOf(1, 4)); err != nil {
			return nil, query.Scores{}, err
		}
		s, err = c.Scores("look", 1, w.Cliques(), nil, bases, dp.ShareOf(1, 4))
		return m, s, err
	}
	swap := query.Recoding{{1, 0}, nil}
	m, s, err := ask(g.curator(), swap, 0)
	must.Do(t, err)
	want := Release{Measurements: m, Scores: s}.Digest()
	m[0].Values[0]++ // callers may work in place
	s.Values[0]++
	swap[0][0], swap[0][1] = 0, 1
	for range 2 {
		frozen, left := Replay(g.curator().Budget(), g.recorder.Calls)
		m, s, err := ask(frozen, query.Recoding{{1, 0}, nil}, 0)
		must.Hold(t, err == nil && left() == 0 && (Release{Measurements: m, Scores: s}).Digest() == want, "replay: %v, %d calls left", err, left())
		m[0].Values[0]++
		s.Values[0]++
	}
	for _, other := range []struct {
		merge query.Recoding
		nudge float64
	}{{nil, 0}, {query.Recoding{{0, 1}, nil}, 0}, {query.Recoding{{1, 0}, nil}, 1e-9}} {
		frozen, left := Replay(g.curator().Budget(), g.recorder.Calls)
		_, _, err := ask(frozen, other.merge, other.nudge)
		must.Hold(t, err != nil && left() != 0, "%v: a changed request was answered", other)
	}
}

// TestResidualsUseMergedCodes: with the noise of a fixed stream, releases differ by the centred counts.
func TestResidualsUseMergedCodes(t *testing.T) {
	sizes, merge := []int{3, 2}, query.Recoding{{0, 1, 0}, nil}
	release := func(cells []int64) query.Measurement {
		g := newGate(table{sizes, cells}, Params{Sizes: sizes, Ledger: zcdp(t, dp.AddRemove), Root: root(t)})
		open := g.open
		g.open = func(string, int, [32]byte) noise.Source { return open("fixed", 0, [32]byte{}) }
		m := must.Value(g.curator().Residuals("s", 1, []domain.Clique{{0, 1}}, merge, []float64{1}, dp.ShareOf(1, 2)))(t)
		return m[0]
	}
	a, b := release([]int64{5, 1, 0, 4, 2, 2}), release(make([]int64, 6))
	for z, want := range lessMeans([]int64{7, 3, 0, 4}, []int{2, 2}) {
		got := a.Values[z] - b.Values[z]
		must.Hold(t, math.Abs(got-want) <= 1e-9, "cell %d: centred count %g, want %g", z, got, want)
	}
	must.Hold(t, len(a.Values) == 4 && a.Clique.Equal(domain.Clique{0, 1}), "%v of %d cells", a.Clique, len(a.Values))
}

// TestResidualVariance: the reported variance is c·σ², and 1/variance is in the ratio of the precisions.
func TestResidualVariance(t *testing.T) {
	for _, n := range relations {
		l := gdp(t, n)
		g := testGate(t, []int64{3, 0, 7, 1}, l)
		release := must.Value(g.answer(screenings()[0]))(t)
		m, e := release.Measurements, l.Events()[0]
		for i, c := range []float64{.5, .5, .25} {
			want := c * e.Variance(i)
			must.Hold(t, math.Abs(m[i].Variance/want-1) <= 1e-12, "%v marginal %d: variance %g, want %g", n, i, m[i].Variance, want)
			ratio := m[0].Variance / m[i].Variance
			must.Hold(t, math.Abs(ratio/float64(1+i)-1) <= 1e-4, "%v marginal %d: precision is %g of the first", n, i, ratio)
		}
	}
}

package mechanism

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/internal/noise"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// requests is one request for each method, all valid on a zCDP ledger.
func requests() []Request {
	w, model := small()
	share := dp.ShareOf(1, 20)
	return []Request{
		{Method: Total, Stage: "total", Share: share},
		{Method: Measure, Stage: "measure", Round: 1, Cliques: w.Cliques(), Precision: []float64{1, 2, 3}, Share: share},
		{Method: MeasureVariance, Stage: "variance", Round: 1, Cliques: w.Cliques(), Noise: 50},
		{Method: MeasureQueries, Stage: "queries", Round: 1, Workload: linear(), Share: share},
		{Method: SelectBlock, Stage: "block", Round: 1, Workload: w, Model: model, Share: share},
		{Method: SelectCell, Stage: "cell", Round: 1, Workload: w, Model: model, Total: 2.5, Share: share},
		{Method: LaplaceMaxCell, Stage: "laplace", Round: 1, Workload: w, Model: model, Noise: 60},
		{Method: MaxError, Stage: "max", Workload: w, Model: model, Share: share},
		{Method: Accept, Stage: "accept", Workload: w, Model: model, Limits: []float64{1, 2, 3}, Share: share},
		{Method: MeanDistance, Stage: "distance", Workload: w, Model: model, Share: share},
		{Method: FirstAbove, Stage: "above", Round: 1, Workload: w, Model: model, From: 3, Noise: 5, Share: share},
		{Method: Votes, Stage: "votes", Round: 1, Choice: []int32{2, 0, 1, 2}, Candidates: 3, Share: share},
		{Method: Keep, Stage: "keep", Round: 1, Workload: w, Model: model, Cell: query.Cell{Marginal: 1, Cell: 1, Sign: -1}, Total: 2.5, Noise: 4, Share: share},
	}
}

// forbidden fails the test when counts are read.
type forbidden struct{ t *testing.T }

func (f forbidden) Units() int64 { f.t.Error("counts were read"); return 0 }
func (f forbidden) Marginal(c domain.Clique) []int64 {
	f.t.Error("counts were read")
	return make([]int64, 1<<len(c))
}

// TestChargeBeforeDraw exhausts a ledger: then every method is refused before counts are read or a
// stream is opened, and charges nothing.
func TestChargeBeforeDraw(t *testing.T) {
	refuseExhausted(t, zcdp(t, dp.AddRemove), requests())
}

// refuseExhausted spends all of a ledger and wants the requests refused, uncharged and unrecorded.
func refuseExhausted(t *testing.T, l *accountant.Ledger, requests []Request) {
	must.Value(testGate(t, []int64{1, 2, 3, 4}, l).curator().Total("all", dp.ShareOf(1, 1)))(t)
	spent, events := l.Spent(), len(l.Events())
	g := testGate(t, nil, l)
	g.counts = forbidden{t}
	g.open = func(string, int, [32]byte) noise.Source { t.Error("a stream was opened"); return nil }
	for _, r := range requests {
		_, err := g.answer(r)
		must.Hold(t, errors.As(err, new(accountant.ErrExhausted)), "%s: %v, want ErrExhausted", r.Method, err)
	}
	must.Hold(t, l.Spent().Cmp(spent) == 0 && len(l.Events()) == events && len(g.recorder.Calls) == 0, "a refused request was charged or recorded")
}

// kinds is what each request is charged as on a zCDP ledger, and how many noisy numbers it draws.
var kinds = map[Method]struct {
	kind        dp.Kind
	coordinates int64
}{
	Total: {dp.DiscreteGaussian, 1}, Measure: {dp.DiscreteGaussian, 8}, MeasureVariance: {dp.DiscreteGaussian, 8},
	MeasureQueries: {dp.DiscreteGaussian, 9},
	SelectBlock:    {dp.BlockExponential, 0}, SelectCell: {dp.Exponential, 0}, LaplaceMaxCell: {dp.LaplaceMax, 0},
	MaxError: {dp.DiscreteGaussian, 1}, Accept: {dp.DiscreteGaussian, 1}, FirstAbove: {dp.AboveThreshold, 0},
	Keep: {dp.Exponential, 0}, Votes: {dp.DiscreteGaussian, 3}, MeanDistance: {dp.DiscreteGaussian, 1},
}

// TestEveryDrawIsCharged compares the ledger with the recorded calls: each is one event of its kind at
// its stage and round, within its share.
func TestEveryDrawIsCharged(t *testing.T) {
	for _, n := range relations {
		for name, l := range map[string]*accountant.Ledger{"zCDP": zcdp(t, n), "pure": pure(t, n), "GDP": gdp(t, n)} {
			g := testGate(t, []int64{3, 0, 7, 1}, l)
			kind := l.Params().Accounting
			want := new(big.Rat)
			for _, r := range requests() {
				selects := r.Method == SelectBlock || r.Method == SelectCell || r.Method == LaplaceMaxCell || r.Method == FirstAbove || r.Method == Keep
				if _, err := g.answer(r); (err != nil) != (kind == dp.GaussianOnly && selects || kind == dp.Pure && r.Method == MeasureQueries) {
					t.Errorf("%v %s %s: %v", n, name, r.Method, err)
				}
			}
			for _, c := range g.recorder.Calls {
				if c.Request.Method == Total && n == dp.Replace {
					continue
				}
				loss := must.Value(c.Event.Loss(kind))(t)
				want.Add(want, loss)
				part := new(big.Rat).Mul(l.Capacity(), big.NewRat(1, 20))
				must.Hold(t, c.Request.Noise != 0 && c.Request.Method != FirstAbove && c.Request.Method != Keep || loss.Cmp(part) <= 0,
					"%v %s %s: charge %s above its share", n, name, c.Request.Method, loss.FloatString(12))
				wantKind := kinds[c.Request.Method]
				if kind == dp.Pure && wantKind.kind == dp.DiscreteGaussian {
					wantKind.kind = dp.DiscreteLaplace
				}
				must.Hold(t, c.Event.Kind == wantKind.kind && c.Event.Coordinates == wantKind.coordinates,
					"%v %s %s: charged as %v of %d coordinates", n, name, c.Request.Method, c.Event.Kind, c.Event.Coordinates)
				must.Hold(t, c.Event.Stage == c.Request.Stage && c.Event.Round == c.Request.Round,
					"%v %s %s: event at %q, %d", n, name, c.Request.Method, c.Event.Stage, c.Event.Round)
			}
			must.Hold(t, l.Spent().Cmp(want) == 0, "%v %s: ledger %s, calls %s", n, name, l.Spent(), want)
		}
	}
}

// TestOnce uses each stage and round twice: the second use is refused and free.
func TestOnce(t *testing.T) {
	for _, n := range relations {
		l := zcdp(t, n)
		g := testGate(t, []int64{3, 0, 7, 1}, l)
		for _, r := range requests() {
			must.Value(g.answer(r))(t)
			spent := l.Spent()
			again := Request{Method: MeasureVariance, Stage: r.Stage, Round: r.Round, Cliques: []domain.Clique{{0}}, Noise: 1e6}
			for _, second := range []Request{r, again} {
				_, err := g.answer(second)
				must.Hold(t, err != nil && l.Spent().Cmp(spent) == 0, "%v: %s after %s at the same stage and round: %v", n, second.Method, r.Method, err)
			}
		}
	}
}

// TestStreamIsBound records what streams are bound to: equal calls on equal counts repeat their draw,
// one unit more changes the stream of every method, and so do another model and another scale.
func TestStreamIsBound(t *testing.T) {
	run := func(cells []int64, nudge float64, noisier int64) (opened []string, released [][32]byte) {
		l := zcdp(t, dp.AddRemove)
		g := testGate(t, cells, l)
		open := g.open
		g.open = func(stage string, round int, inputs [32]byte) noise.Source {
			opened = append(opened, stage+string(inputs[:]))
			return open(stage, round, inputs)
		}
		for _, r := range requests() {
			for i := range r.Model {
				r.Model[i][0] += nudge
			}
			r.Share.Den *= noisier
			r.Noise *= float64(noisier)
			release := must.Value(g.answer(r))(t)
			released = append(released, release.Digest())
		}
		return opened, released
	}
	base, released := run([]int64{3, 0, 7, 1}, 0, 1)
	same, again := run([]int64{3, 0, 7, 1}, 0, 1)
	more, _ := run([]int64{3, 0, 8, 1}, 0, 1)
	moved, _ := run([]int64{3, 0, 7, 1}, 1e-5, 1)
	scaled, _ := run([]int64{3, 0, 7, 1}, 0, 2)
	must.Need(t, len(base) == len(requests()), "%d streams for %d requests", len(base), len(requests()))
	for i, r := range requests() {
		must.Hold(t, base[i] == same[i] && released[i] == again[i], "%s: a retry on equal counts draws anew", r.Method)
		if base[i] == more[i] && r.Method != MaxError && r.Method != Accept { // the largest error may stay the same integer
			t.Errorf("%s: one unit more, same stream", r.Method)
		}
		if r.Model != nil && r.Method != MaxError && r.Method != Accept && r.Method != MeanDistance && base[i] == moved[i] { // these are whole counts
			t.Errorf("%s: another model, same stream", r.Method)
		}
		must.Hold(t, base[i] != scaled[i], "%s: another scale, same stream", r.Method)
	}
}

// TestStreamIsBoundToCliques: equal counts of other attributes are other inputs.
func TestStreamIsBoundToCliques(t *testing.T) {
	opened := func(r Request) (at [32]byte) {
		g := testGate(t, []int64{3, 2, 2, 1}, zcdp(t, dp.AddRemove)) // both attributes: 5 and 3
		open := g.open
		g.open = func(stage string, round int, inputs [32]byte) noise.Source {
			at = inputs
			return open(stage, round, inputs)
		}
		must.Value(g.answer(r))(t)
		return at
	}
	share, model := dp.ShareOf(1, 2), query.Answers{{1, 2}}
	for _, m := range []Method{Measure, MeasureVariance, SelectBlock, SelectCell, LaplaceMaxCell, FirstAbove, Keep, Residuals, Scores} {
		var at [2][32]byte
		for a := range at {
			r := Request{Method: m, Stage: "s", Share: share}
			switch m {
			case SelectBlock, SelectCell, LaplaceMaxCell, FirstAbove, Keep:
				r.Workload = query.Workload{Sizes: []int{2, 2}, Marginals: []query.Marginal{{Clique: domain.Clique{a}, Weight: 1}}}
				r.Model, r.Cell.Sign = model, 1
			default:
				r.Cliques, r.Precision = []domain.Clique{{a}}, []float64{1}
			}
			if m == Scores {
				r.Model = model
			}
			if m == LaplaceMaxCell || m == MeasureVariance {
				r.Noise = 100
			}
			at[a] = opened(r)
		}
		must.Hold(t, at[0] != at[1], "%s: another attribute, same stream", m)
	}
}

// TestErrorsHoldNoCounts makes every kind of refusal on a table of conspicuous counts.
func TestErrorsHoldNoCounts(t *testing.T) {
	const canary = 918273645
	w, model := small()
	bad := requests()
	for i := range bad {
		bad[i].Share, bad[i].Noise, bad[i].Round = dp.Share{Den: 1}, math.NaN(), 9
	}
	nan := model[0][0]
	for _, x := range []float64{math.NaN(), math.Inf(1), 1 << 41} {
		model[0][0] = x
		bad = append(bad, Request{Method: SelectBlock, Stage: "s", Workload: w, Model: cloneAnswers(model), Share: dp.ShareOf(1, 2)})
	}
	model[0][0] = nan
	bad = append(bad,
		Request{Method: SelectCell, Stage: "s", Workload: w, Model: model, Total: math.NaN(), Share: dp.ShareOf(1, 2)},
		Request{Method: Measure, Stage: "s", Cliques: w.Cliques(), Precision: []float64{1, 0, 1}, Share: dp.ShareOf(1, 2)},
		Request{Method: Measure, Stage: "s", Cliques: w.Cliques(), Precision: []float64{1, math.Inf(1), 1}, Share: dp.ShareOf(1, 2)},
		Request{Method: MeasureVariance, Stage: "s", Cliques: w.Cliques(), Noise: 1e300},
		Request{Method: Measure, Stage: "s", Cliques: w.Cliques(), Share: dp.ShareOf(2, 1)},
	)
	for _, l := range []*accountant.Ledger{zcdp(t, dp.AddRemove), pure(t, dp.AddRemove), gdp(t, dp.AddRemove)} {
		g := testGate(t, []int64{canary, canary, canary, canary}, l)
		for _, r := range bad {
			_, err := g.answer(r)
			if err == nil {
				t.Errorf("%v: %s of a bad request was answered", l.Params().Accounting, r.Method)
				continue
			}
			for _, digits := range []string{"918273", "1836547", "3673094"} { // the count, twice and four times
				must.Hold(t, !strings.Contains(err.Error(), digits), "%s: %v", r.Method, err)
			}
		}
		if l.Spent().Sign() != 0 {
			t.Errorf("%v: bad requests were charged", l.Params().Accounting)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	l := zcdp(t, dp.AddRemove)
	full := Params{Sizes: square, Ledger: l, Root: root(t)}
	counts := table{square, []int64{1, 2, 3, 4}}
	must.Passes(New(counts, full))(t)
	for name, p := range map[string]Params{
		"sizes":  {Ledger: l, Root: root(t)},
		"ledger": {Sizes: square, Root: root(t)},
		"root":   {Sizes: square, Ledger: l},
	} {
		must.Fails(New(counts, p))(t, "", "a curator without %s", name)
	}
	must.Fails(New(table{square, []int64{MaxUnits, 1, 0, 0}}, full))(t, "", "more units than scores have room for")
}

// The mark is made once, after the first charge and before the first draw; if it fails, nothing is drawn.
func TestBeforeNoise(t *testing.T) {
	sizes := []int{2}
	ledger, calls, refused := zcdp(t, dp.AddRemove), 0, errors.New("refused")
	recorder := &Recorder{}
	c, err := New(table{sizes, []int64{3, 4}}, Params{Sizes: sizes, Ledger: ledger, Root: root(t), Recorder: recorder, BeforeNoise: func() error {
		calls++
		must.Hold(t, ledger.Spent().Sign() != 0, "the mark came before the charge")
		if calls == 1 {
			return refused
		}
		return nil
	}})
	must.Do(t, err)
	for i, stage := range []string{"a", "b", "c"} {
		_, err := c.Total(stage, dp.ShareOf(1, 10))
		must.Hold(t, errors.Is(err, refused) == (i == 0) && (i <= 0 || err == nil), "stage %s: %v", stage, err)
	}
	must.Hold(t, calls == 2 && len(recorder.Calls) == 2, "%d marks and %d draws, want 2 of each", calls, len(recorder.Calls))
}

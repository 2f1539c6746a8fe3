package mechanism

import (
	"math"
	"math/big"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/solver/rake"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

// gaussianRun is a run of Rake on binary attributes, all of whose releases are Gaussian. Its grid is too
// fine to be enumerated, and need not be: every release but the last is rounded to a few bins before the
// algorithm sees it. That is post-processing, so that the run with bins may lose no more than is claimed,
// and its law covers finitely many transcripts. The last release is not rounded: what it adds to a
// transcript's loss is a normal law, known in closed form.
type gaussianRun struct {
	name     string
	sizes    []int
	clique   domain.Clique // the workload: this marginal and all inside it
	relation dp.Neighbouring
	kind     dp.Accounting
	edges    []float64 // of the bins, in standard deviations from what the first table has
	tight    float64   // least part of the claimed loss that the worst pair uses
}

// Bins of one standard deviation keep 88 % of what a normal release tells, halves 64 %.
var (
	halves   = []float64{0}
	quarters = []float64{-1, 0, 1}
	sixths   = []float64{-1.5, -.75, 0, .75, 1.5}
)

func gaussianRuns() (runs []gaussianRun) {
	cube := []int{2, 2, 2}
	for _, n := range relations {
		for _, kind := range []dp.Accounting{dp.ZCDP, dp.GaussianOnly} {
			pairs := quarters
			if dptest.Nightly() {
				pairs = sixths
			}
			if testing.Short() && (n != dp.Replace || kind != dp.GaussianOnly) {
				continue
			}
			runs = append(runs, gaussianRun{"pairs", square, domain.Clique{0, 1}, n, kind, pairs, .8})
			if n == dp.Replace && kind == dp.GaussianOnly && !testing.Short() || dptest.Nightly() { // 8,192 transcripts a table, twice that with a total
				runs = append(runs, gaussianRun{"triples", cube, domain.Clique{0, 1, 2}, n, kind, halves, .5})
			}
		}
	}
	return runs
}

// bases are tables whose neighbourhoods are explored: nobody, one unit, cells above and below the
// threshold of merging, a strong pair, a triple.
func (r gaussianRun) bases() [][]int64 {
	if len(r.sizes) == 3 {
		all := [][]int64{{9, 8, 7, 9, 8, 9, 10, 6}, {30, 4, 6, 28, 5, 25, 31, 3}}
		return all[1-dptest.Size(0, 1):]
	}
	return [][]int64{{0, 0, 0, 0}, {1, 0, 0, 0}, {30, 2, 3, 25}, {12, 13, 11, 12}, {40, 5, 4, 1}}
}

func (r gaussianRun) problem() solver.Problem {
	return solver.Problem{
		Workload:     query.AllMarginals(r.sizes, len(r.clique), 1<<len(r.sizes)),
		Neighbouring: r.relation, Epsilon: 4, Delta: 1e-3, Units: 50, MemoryLimit: 1 << 28, Rounds: 20,
	}
}

// newLedger opens a ledger as package synth does for an adaptive plan.
func (r gaussianRun) newLedger(t *testing.T) *accountant.Ledger {
	p := r.problem()
	planned := must.Value(rake.Accesses(p))(t)
	a := accountant.Params{Neighbouring: r.relation, Accounting: r.kind, Epsilon: p.Epsilon, Delta: p.Delta}
	if r.kind == dp.GaussianOnly {
		a.Coordinates = solver.Coordinates(planned)
	}
	l := ledger(t, a)
	for _, access := range planned {
		must.Do(t, l.Allocate(access.Stage, access.Share))
	}
	return l
}

// TestGaussianRuns computes the losses of whole runs of Rake, through the real plan, allocated shares,
// calibrations, merging and fits, between tables and all their neighbours, over the tree of all transcripts
// of binned releases. It compares them with everything that the accountant says. No false alarms.
func TestGaussianRuns(t *testing.T) {
	for _, r := range gaussianRuns() {
		t.Run(r.relation.String()+"/"+r.kind.String()+"/"+r.name, func(t *testing.T) {
			t.Parallel()
			bases := r.bases()
			if testing.Short() {
				bases = bases[len(bases)-1:]
			}
			var worst gaussianLoss
			for _, base := range bases {
				tables := [][]int64{base}
				tables = append(tables, dptest.Neighbours(r.relation, base)...)
				worst.add(r.losses(t, tables))
			}
			worst.report(t, r)
		})
	}
}

// transcript is a complete run: its probability on each table, and what the last release adds to the loss of each.
type transcript struct {
	law
	last []*dptest.Noise
}

// losses explores the transcripts of a group of tables and compares the first with each other one, both ways.
func (r gaussianRun) losses(t *testing.T, tables [][]int64) (worst gaussianLoss) {
	x := newTranscripts(t, r, tables)
	pairs := make([]mixture, 2*len(tables))
	sums := make([]*dptest.Losses, 2*len(tables))
	for i := range sums {
		sums[i] = dptest.NewLosses(nil)
	}
	var all []transcript
	known := map[string]*dptest.Noise{}
	worst.transcripts = x.explore(func(p law, last [][]statistic) {
		run := transcript{p, make([]*dptest.Noise, len(tables))}
		for j := 1; j < len(tables); j++ {
			mu := 0.0
			if last != nil {
				mu2 := x.final.distance2(last[0], last[j])
				run.last[j] = movedNormal(known, mu2)
				mu, _ = mu2.Float64()
				mu = math.Sqrt(mu)
			}
			sums[2*j].AddThen(p[0], p[j], run.last[j])
			sums[2*j+1].AddThen(p[j], p[0], run.last[j])
			forth, back := partOf(p[0], p[j], mu), partOf(p[j], p[0], mu)
			pairs[2*j], pairs[2*j+1] = append(pairs[2*j], forth), append(pairs[2*j+1], back)
		}
		all = append(all, run)
	})
	worst.single = x.used
	most := hockey{}
	for i := 2; i < len(pairs); i++ {
		worst.pairs++
		worst.compare(t, x.first, sums[i])
		most.find(r, x.first, pairs[i], i)
	}
	worst.confirm(r, x.first, all, most)
	return worst
}

func movedNormal(known map[string]*dptest.Noise, mu2 *big.Rat) *dptest.Noise {
	if mu2.Sign() == 0 {
		return nil
	}
	key := mu2.RatString()
	if known[key] == nil {
		known[key] = dptest.MovedNormal(mu2)
	}
	return known[key]
}

// part is a transcript: its probability on the one table, its loss against the other, and the shift of
// the last release in standard deviations.
type part struct{ p, loss, mu float64 }

func partOf(p, q dptest.Mass, mu float64) part {
	probability, _ := p.P.Float64()
	loss, _ := high.Sub(p.Log, q.Log).Float64()
	return part{probability, loss, mu}
}

// mixture is the law of the loss of a pair of tables, in float64: good enough to find the pair and the ε at which a
// hockey stick uses most of its claim. It is computed in high precision there.
type mixture []part

// delta returns the hockey-stick divergence: of a transcript and a normal law moved by mu,
// Φ(−s/mu + mu/2) − exp(s)·Φ(−s/mu − mu/2) with s = epsilon − loss.
func (m mixture) delta(epsilon float64) (sum float64) {
	for _, x := range m {
		s := epsilon - x.loss
		switch {
		case x.mu > 0:
			sum += x.p * (normal(x.mu/2-s/x.mu) - math.Exp(s)*normal(-x.mu/2-s/x.mu))
		case s < 0:
			sum -= x.p * math.Expm1(s)
		}
	}
	return sum
}

// claim returns the δ(ε) that a ledger's whole capacity implies.
func (r gaussianRun) claim(l *accountant.Ledger, epsilon float64) float64 {
	loss, _ := l.Capacity().Float64() // rho, or μ²/2
	if r.kind == dp.GaussianOnly {
		return accountant.GDPDeltaCeil(math.Sqrt(2*loss), dp.Epsilon(epsilon))
	}
	return accountant.RhoDeltaCeil(loss, dp.Epsilon(epsilon))
}

// hockey names the pair, and the ε of a grid, where a hockey stick uses most of its claim; and the pair at the
// stated ε.
type hockey struct {
	pair, statedPair      int
	part, stated, epsilon float64
}

func (h *hockey) find(r gaussianRun, l *accountant.Ledger, m mixture, pair int) {
	for e := .25; e <= 4; e += .25 {
		if part := m.delta(e) / r.claim(l, e); part > h.part {
			h.part, h.epsilon, h.pair = part, e, pair
		}
	}
	s := l.Statement(accountant.Adaptive)
	if part := m.delta(s.AchievedEpsilon) / s.Delta; part > h.stated {
		h.stated, h.statedPair = part, pair
	}
}

// gaussianLoss is what the worst pairs lose, each as a part of its claim.
type gaussianLoss struct {
	transcripts, pairs       int
	single                   dptest.Used // of one release after its prefix
	kl, renyi, delta, stated dptest.Used
}

func (w *gaussianLoss) add(o gaussianLoss) {
	w.transcripts, w.pairs = w.transcripts+o.transcripts, w.pairs+o.pairs
	for i, u := range []*dptest.Used{&w.single, &w.kl, &w.renyi, &w.delta, &w.stated} {
		u.Join([]dptest.Used{o.single, o.kl, o.renyi, o.delta, o.stated}[i])
	}
}

// compare takes the claims from a ledger that one of the runs was charged to: all have the same shares. rho, or μ²/2, is
// what the divergence of order α is at most α times of.
func (w *gaussianLoss) compare(t *testing.T, l *accountant.Ledger, losses *dptest.Losses) {
	t.Helper()
	p, _ := losses.Total()
	off := high.Sub(p, high.Of(1))
	must.Need(t, off.Sign() == 0 || off.MantExp(nil) <= -150, "the transcripts have probability 1 + %s", off.Text('g', 3))
	claim := high.Rat(l.Capacity())
	w.kl.Of(losses.Divergence(), claim)
	for i, alpha := range dptest.Orders {
		w.renyi.Of(losses.Renyi(i), high.Mul(claim, high.Of(alpha)))
	}
}

// confirm computes in high precision what hockey found.
func (w *gaussianLoss) confirm(r gaussianRun, l *accountant.Ledger, all []transcript, most hockey) {
	delta := func(pair int, epsilon float64) *big.Float {
		sum := dptest.NewLosses([]float64{epsilon})
		for _, x := range all {
			p, q := x.law[0], x.law[pair/2]
			if pair%2 == 1 {
				p, q = q, p
			}
			sum.AddThen(p, q, x.last[pair/2])
		}
		return sum.Delta(0)
	}
	if most.pair > 0 {
		w.delta.Of(delta(most.pair, most.epsilon), high.Of(r.claim(l, most.epsilon)))
	}
	if most.statedPair > 0 {
		s := l.Statement(accountant.Adaptive)
		w.stated.Of(delta(most.statedPair, s.AchievedEpsilon), high.Of(s.Delta))
	}
}

func (w gaussianLoss) report(t *testing.T, r gaussianRun) {
	t.Helper()
	for name, part := range map[string]dptest.Used{"divergence": w.kl, "Rényi": w.renyi, "δ(ε)": w.delta, "δ at the stated ε": w.stated} {
		must.Hold(t, !part.Exceeds(), "%s of the worst pair is %v of the claim", name, part)
	}
	must.Hold(t, w.kl.Float64() >= r.tight, "the worst pair uses %v of the claim: too little to see an error", w.kl)
	dptest.Figure(t, "rake, %s, %v, %v: %d transcripts, %d pairs; used of the claim: single releases %v; runs: divergence %v, Rényi %v, δ(ε) %v, δ at the stated ε %v",
		r.name, r.relation, r.kind, w.transcripts, w.pairs, w.single, w.kl, w.renyi, w.delta, w.stated)
}

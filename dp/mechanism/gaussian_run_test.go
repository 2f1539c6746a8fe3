package mechanism

import (
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/dptest"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/solver/rake"
)

// gaussianRun is a run of Rake on binary attributes, all of whose releases are Gaussian. Its grid is too
// fine to be enumerated, and need not be: every release but the last is rounded to a few bins before the
// algorithm sees it. That is post-processing, so that the run with bins may lose no more than is claimed,
// and its law is that of finitely many transcripts. The last release is not rounded: what it adds to a
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
			runs = append(runs, gaussianRun{"pairs", square, domain.Clique{0, 1}, n, kind, pairs, .85})
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
	planned, err := rake.Accesses(p)
	if err != nil {
		t.Fatal(err)
	}
	a := accountant.Params{Neighbouring: r.relation, Accounting: r.kind, Epsilon: p.Epsilon, Delta: p.Delta}
	if r.kind == dp.GaussianOnly {
		a.Coordinates = solver.Coordinates(planned)
	}
	l := ledger(t, a)
	for _, access := range planned {
		if err := l.Allot(access.Stage, access.Share); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// TestGaussianRuns computes the losses of whole runs of Rake, through the real plan, allotted shares,
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

// losses explores the transcripts of a group of tables and compares the first with each other one, both ways.
func (r gaussianRun) losses(t *testing.T, tables [][]int64) (worst gaussianLoss) {
	x := newTranscripts(t, r, tables)
	pairs := make([]mixture, 2*len(tables))
	worst.transcripts = x.explore(func(logp []float64, last [][]float64) {
		for j := 1; j < len(tables); j++ {
			mu2 := 0.0
			if last != nil {
				for s := range last[0] {
					d := last[j][s] - last[0][s]
					mu2 += d * d
				}
			}
			pairs[2*j] = append(pairs[2*j], part{math.Exp(logp[0]), logp[0] - logp[j], math.Sqrt(mu2)})
			pairs[2*j+1] = append(pairs[2*j+1], part{math.Exp(logp[j]), logp[j] - logp[0], math.Sqrt(mu2)})
		}
	})
	worst.single = x.used
	for _, m := range pairs[2:] {
		worst.pairs++
		worst.compare(t, r, x.first, m)
	}
	return worst
}

// part is a transcript: its probability on the one table, its loss against the other, and the shift of
// the last release in standard deviations.
type part struct{ p, loss, mu float64 }

// mixture is the law of the loss of a pair of tables.
type mixture []part

// renyi returns the divergence of order alpha; 1 is Kullback–Leibler.
func (m mixture) renyi(alpha float64) (sum float64) {
	for _, x := range m {
		if alpha == 1 {
			sum += x.p * (x.loss + x.mu*x.mu/2)
		} else {
			sum += x.p * math.Exp((alpha-1)*x.loss+alpha*(alpha-1)*x.mu*x.mu/2)
		}
	}
	if alpha == 1 {
		return sum
	}
	return math.Log(sum) / (alpha - 1)
}

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

// gaussianLoss is what the worst pairs lose, each as a part of its claim.
type gaussianLoss struct {
	transcripts, pairs       int
	single                   float64 // of one release after its prefix
	kl, renyi, delta, stated float64
}

func (w *gaussianLoss) add(o gaussianLoss) {
	w.transcripts, w.pairs = w.transcripts+o.transcripts, w.pairs+o.pairs
	w.kl, w.renyi = max(w.kl, o.kl), max(w.renyi, o.renyi)
	w.delta, w.stated, w.single = max(w.delta, o.delta), max(w.stated, o.stated), max(w.single, o.single)
}

// compare takes the claims from a ledger that one of the runs was charged to: all have the same shares.
func (w *gaussianLoss) compare(t *testing.T, r gaussianRun, l *accountant.Ledger, m mixture) {
	total := 0.0
	for _, x := range m {
		total += x.p
	}
	if math.Abs(total-1) > 1e-9 {
		t.Fatalf("the transcripts have probability %g", total)
	}
	loss, _ := l.Capacity().Float64() // rho, or μ²/2: the divergence of order α is at most α times it in both
	w.kl = max(w.kl, m.renyi(1)/loss)
	for _, alpha := range []float64{1.5, 2, 4, 8} {
		w.renyi = max(w.renyi, m.renyi(alpha)/(alpha*loss))
	}
	for e := .25; e <= 4; e += .25 {
		claim := accountant.RhoDeltaCeil(loss, dp.Epsilon(e))
		if r.kind == dp.GaussianOnly {
			claim = accountant.GDPDeltaCeil(math.Sqrt(2*loss), dp.Epsilon(e))
		}
		w.delta = max(w.delta, m.delta(e)/claim)
	}
	s := l.Statement(accountant.Adaptive)
	w.stated = max(w.stated, m.delta(s.AchievedEpsilon)/s.Delta)
}

func (w gaussianLoss) report(t *testing.T, r gaussianRun) {
	t.Helper()
	const margin = 1 + 1e-9 // of float64 sums
	for name, part := range map[string]float64{"divergence": w.kl, "Rényi": w.renyi, "δ(ε)": w.delta, "δ at the stated ε": w.stated} {
		if !(part <= margin) {
			t.Errorf("%s of the worst pair is %g of the claim", name, part)
		}
	}
	if w.kl < r.tight {
		t.Errorf("the worst pair uses %g of the claim: too little to see an error", w.kl)
	}
	dptest.Figure(t, "rake, %s, %v, %v: %d transcripts, %d pairs; used of the claim: single releases %.3f; runs: divergence %.3f, Rényi %.3f, δ(ε) %.3f, δ at the stated ε %.3f",
		r.name, r.relation, r.kind, w.transcripts, w.pairs, w.single, w.kl, w.renyi, w.delta, w.stated)
}

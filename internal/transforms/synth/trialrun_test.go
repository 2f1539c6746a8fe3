package synth

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/model/modelfile"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/solver"
)

// trialRun is a finished run of a trial.
type trialRun struct {
	ledger   *accountant.Ledger
	planned  []solver.Access
	calls    []mechanism.Call
	artifact []byte
}

// run makes a release of a table as Solve does.
func (x *trial) run(table *counts.Table) (*trialRun, error) {
	seed := x.seed
	if !seed.Usable() {
		seed = mechanism.NewSeed()
	}
	ledger, planned, err := openLedger(x.method, x.problem, nil)
	if err != nil {
		return nil, err
	}
	recorder := &mechanism.Recorder{}
	curator, err := mechanism.New(coarsening{table}, mechanism.Params{Sizes: x.problem.Domain.RecordSizes(), Ledger: ledger,
		Root: mechanism.NewRoot(seed, [32]byte{1}, table.Digest()), Recorder: recorder})
	if err != nil {
		return nil, err
	}
	run := &trialRun{ledger: ledger, planned: planned}
	run.artifact, err = x.release(run, curator)
	run.calls = recorder.Calls
	return run, err
}

// release solves, checks criteria, and encodes what a job keeps.
func (x *trial) release(run *trialRun, curator *mechanism.Curator) ([]byte, error) {
	result, err := x.method.Solve(context.Background(), x.problem, curator)
	if err != nil {
		return nil, fmt.Errorf("solve: %w", err)
	}
	d, err := x.problem.Domain.WithBins(result.Bins)
	if err != nil {
		return nil, err
	}
	if len(x.problem.Criteria.Limits) > 0 {
		w, model, limits := x.problem.Criteria.Ask(result)
		met, err := curator.Accept(solver.CriteriaStage, w, model, limits, x.problem.Criteria.Share)
		if err != nil {
			return nil, err
		}
		result.Accepted = &met
	}
	a := &Artifact{RunID: "r", Method: x.method.Name, Result: result, Statement: run.ledger.Statement(schedule(run.planned, run.ledger.Events()))}
	file := modelfile.File{Domain: *d, Method: a.Method, Guarantee: a.Statement.Guarantee(d.PrivacyID), Units: result.Total.Units,
		Cliques: refined(x.problem.Workload, d.Sizes()), Model: result.Model}
	if a.Model, err = file.Encode(); err != nil {
		return nil, err
	}
	return a.Encode()
}

// replay makes the release again from the recorded answers, without data.
func (x *trial) replay(run *trialRun) ([]byte, error) {
	frozen, left := mechanism.Replay(run.ledger.Budget(), run.calls)
	artifact, err := x.release(run, frozen)
	if err == nil && left() > 0 {
		err = fmt.Errorf("%d recorded requests were not made again", left())
	}
	return artifact, err
}

// charged fails unless charges add up to what the ledger holds, within its capacity, and plans to all of it at most.
func (r *trialRun) charged() error {
	shares, sum := new(big.Rat), new(big.Rat)
	for _, a := range r.planned {
		if a.Noise == 0 {
			shares.Add(shares, new(big.Rat).Mul(a.Share.Rat(), big.NewRat(int64(a.Count), 1)))
		}
	}
	for _, c := range r.calls {
		loss, err := lossOf(c, r.ledger.Params().Accounting)
		if err != nil {
			return err
		}
		sum.Add(sum, loss)
	}
	switch {
	case shares.Cmp(big.NewRat(1, 1)) > 0:
		return fmt.Errorf("planned shares add up to %s", shares.FloatString(12))
	case sum.Cmp(r.ledger.Spent()) != 0:
		return fmt.Errorf("%s spent of %s charged", r.ledger.Spent().FloatString(12), sum.FloatString(12))
	case sum.Cmp(r.ledger.Capacity()) > 0:
		return errors.New("more is charged than the ledger has")
	}
	return nil
}

// lossOf returns what a call charged.
func lossOf(c mechanism.Call, kind dp.Accounting) (*big.Rat, error) {
	if c.Event.Scales == nil {
		return new(big.Rat), nil
	}
	return c.Event.Loss(kind)
}

// truth is a private table and its exact numbers, from their definitions.
type truth struct {
	counts mechanism.Counts
	bits   int // counts are in steps of 2^-bits
	sizes  []int
}

func (x *trial) truth(table *counts.Table) *truth {
	d := x.problem.Domain
	return &truth{coarsening{table}, d.WeightBits(), d.RecordSizes()}
}

// coarsened returns the truth on the codes of learned bins.
func (t *truth) coarsened(codes query.Recoding) *truth {
	return &truth{t.counts.(coarsening).Coarsen(codes), t.bits, codes.Sizes(t.sizes)}
}

// each calls visit with every request that was answered from counts, and the truth of both tables then.
func each(calls []mechanism.Call, a, b *truth, visit func(c mechanism.Call, a, b *truth) error) error {
	for _, c := range calls {
		if c.Request.Method == mechanism.Coarsen {
			a, b = a.coarsened(c.Request.Merge), b.coarsened(c.Request.Merge)
			continue
		}
		if err := visit(c, a, b); err != nil {
			return fmt.Errorf("%s of stage %q, round %d: %w", c.Request.Method, c.Request.Stage, c.Request.Round, err)
		}
	}
	return nil
}

// marginal returns the counts of units in the cells of c.
func (t *truth) marginal(c domain.Clique) []*big.Rat {
	counted := t.counts.Marginal(c)
	out := make([]*big.Rat, len(counted))
	for i, n := range counted {
		out[i] = big.NewRat(n, 1<<t.bits)
	}
	return out
}

// merged returns the marginal of c on merged codes, row-major, and its shape.
func (t *truth) merged(c domain.Clique, merge query.Recoding) (cells []*big.Rat, shape []int) {
	codes, n := make([][]int, len(c)), 1
	for i, a := range c {
		most := 0
		for v := range t.sizes[a] {
			code := v
			if merge != nil && merge[a] != nil {
				code = int(merge[a][v])
			}
			codes[i], most = append(codes[i], code), max(most, code)
		}
		shape = append(shape, most+1)
		n *= most + 1
	}
	for range n {
		cells = append(cells, new(big.Rat))
	}
	for cell, x := range t.marginal(c) {
		to, stride := 0, 1
		for i := len(c) - 1; i >= 0; i-- {
			k := len(codes[i])
			to += codes[i][cell%k] * stride
			cell, stride = cell/k, stride*shape[i]
		}
		cells[to].Add(cells[to], x)
	}
	return cells, shape
}

// answers returns the exact answers to a workload.
func (t *truth) answers(w query.Workload) [][]*big.Rat {
	out := make([][]*big.Rat, len(w.Marginals))
	for i, m := range w.Marginals {
		h := t.marginal(m.Clique)
		if out[i] = h; m.Queries == nil {
			continue
		}
		out[i] = nil
		for q := range m.Queries.Queries() {
			sum := new(big.Rat)
			for cell, x := range h {
				v := new(big.Rat).SetFloat64(m.Queries.Value(q, cell))
				sum.Add(sum, v.Mul(v, x))
			}
			out[i] = append(out[i], sum)
		}
	}
	return out
}

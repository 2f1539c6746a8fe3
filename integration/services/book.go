package services

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/internal/release/book"
	"github.com/dapple-dp/dapple/pipelines"
)

// CheckBook runs a request with a budget book in dir, an object store: it is charged and named, plan says what is left, what
// does not fit is refused, and of charges at once none is lost or entered twice. lose makes some answers of writes get lost
// from then on.
func CheckBook(t *testing.T, c pipelines.Config, dir string, lose func()) {
	t.Helper()
	ctx := t.Context()
	var output bytes.Buffer
	ledger := pipelines.LedgerConfig{Dir: dir, Create: "shop", Epsilon: 3 * c.Epsilon, Delta: c.Delta, PrivacyID: "customer", Input: c.Input}
	if err := pipelines.ValidateLedger(ctx, ledger); err != nil {
		t.Fatal(err)
	}
	if err := pipelines.Ledger(ctx, &output, ledger); err != nil {
		t.Fatal(err)
	}
	c.Ledger = dir
	lose()
	r, err := pipelines.ValidateRun(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	res, err := pipelines.Run(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	if b := res.Privacy.Book; b == nil || b.DataSet != "shop" || !strings.Contains(strings.Join(res.Written.Notes, "\n"), "this run is charged") {
		t.Errorf("the statement names the book %+v; notes %v", b, res.Written.Notes)
	}
	p, err := pipelines.ValidatePlan(ctx, pipelines.PlanConfig{Config: pipelines.Config{Domain: c.Domain, Epsilon: c.Epsilon, Delta: c.Delta, Method: c.Method, Ledger: dir}})
	if err != nil {
		t.Fatal(err)
	}
	if plan, err := p.Plan(); err != nil || !strings.Contains(strings.Join(plan.Notes, "\n"), "then there is room for") {
		t.Errorf("plan says %v, %v", plan.Notes, err)
	}
	if _, err := pipelines.ValidatePlan(ctx, pipelines.PlanConfig{Config: pipelines.Config{Domain: c.Domain, Epsilon: 3 * c.Epsilon, Delta: c.Delta, Method: c.Method, Ledger: dir}}); !pipelines.IsRequest(err) {
		t.Errorf("a run of all that there was: %v", err)
	}
	lose()
	chargeAtOnce(ctx, t, dir, c)
}

// chargeAtOnce enters ten runs at once, each twice.
func chargeAtOnce(ctx context.Context, t *testing.T, dir string, c pipelines.Config) {
	t.Helper()
	l, err := accountant.NewLedger(accountant.Params{Accounting: dp.GaussianOnly, Epsilon: c.Epsilon / 10, Delta: c.Delta, Coordinates: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	errs := make([]error, 20)
	for i := range errs {
		all.Go(func() {
			b, err := book.Open(ctx, dir)
			if err == nil {
				err = b.Charge(ctx, fmt.Sprint("key ", i/2), fmt.Sprint("run-", i/2), c.Input, l.Run())
			}
			errs[i] = err
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			t.Errorf("charging: %v", err)
		}
	}
	b, err := book.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]int{}
	for _, s := range b.Standing() {
		keys[s.Key]++
	}
	for key, n := range keys {
		if n != 1 {
			t.Errorf("%s is charged %d times", key, n)
		}
	}
	if len(keys) != 11 {
		t.Errorf("%d charges stand, want that of the run and ten", len(keys))
	}
}

package services

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/pipelines"
	"github.com/dapple-dp/dapple/internal/release/book"
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
	checkFound(ctx, t, c, dir)
}

// checkFound runs a request whose domain is found, under two run IDs and again, with a book beside that in dir: each finding and each
// release is an entry of its own. The check of the book finds a release that is not entered.
func checkFound(ctx context.Context, t *testing.T, c pipelines.Config, dir string) {
	t.Helper()
	var said strings.Builder
	declared := c.Output
	c.Ledger, c.Output, c.Domain, c.PrivacyID, c.Method, c.Epsilon, c.Delta, c.Overwrite = dir+"-found", c.Output+"-found", "", "customer", "", 6, 1e-4, true
	ledger := pipelines.LedgerConfig{Dir: c.Ledger, Create: "found", Epsilon: 15, Delta: 1e-2, PrivacyID: "customer", Input: c.Input}
	if err := pipelines.Ledger(ctx, &said, ledger); err != nil {
		t.Fatal(err)
	}
	for i, id := range []string{"a", "a", "b"} {
		c.RunID = id
		r, err := pipelines.ValidateFind(ctx, c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = pipelines.RunFound(ctx, r); err != nil {
			t.Fatal(err)
		}
		b, err := book.Open(ctx, c.Ledger)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(b.Standing()); n != 2+2*(i/2) {
			t.Errorf("after launch %d, of run %s: %d charges", i+1, id, n)
		}
	}
	if err := pipelines.Ledger(ctx, &said, pipelines.LedgerConfig{Dir: c.Ledger, Check: []string{c.Output}}); err != nil || !strings.Contains(said.String(), c.Output+" is entry 4\n") {
		t.Errorf("checked: %v\n%s", err, said.String())
	}
	if err := pipelines.Ledger(ctx, &said, pipelines.LedgerConfig{Dir: c.Ledger, Check: []string{declared}}); err == nil || !strings.Contains(err.Error(), declared+": it is not entered in the book of found") {
		t.Errorf("a release that the book does not have: %v", err)
	}
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
				_, err = b.Charge(ctx, book.Payer{Key: fmt.Sprint("key ", i/2), Run: fmt.Sprint("run-", i/2), Input: c.Input}, l.Run())
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
		t.Errorf("%d charges stand, want the run's and ten", len(keys))
	}
}

package synth

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/release/book"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/internal/transforms/private"
	"github.com/dapple-dp/dapple/solver"
)

// newBook makes a budget book of the people of visits.
func newBook(t *testing.T, epsilon dp.Epsilon) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "people.book")
	terms := book.Terms{Name: "clinic", PrivacyID: visits().PrivacyID, Neighbouring: "add_remove", Epsilon: epsilon, Delta: 1e-8, Mixed: true, Inputs: []string{"visits.csv"}}
	must.Value(book.Create(t.Context(), dir, terms))(t)
	return dir
}

func charges(t *testing.T, dir string) []*book.Charge {
	t.Helper()
	b := must.Value(book.Open(t.Context(), dir))(t)
	return b.Standing()
}

// booked is newSolveFn of a run, with a book.
func booked(store StoreRef, dir, run string) *solveFn {
	f := newSolveFn(store)
	f.Params.Book, f.Params.RunID, f.Launch.ID = dir, run, "launch "+run
	return f
}

// Two pipelines under one book add up, and each is told its entry; a third that does not fit is refused in the words of the
// command.
func TestPipelinesUnderOneBook(t *testing.T) {
	dir, store := newBook(t, 1.6), StoreRef{Kind: "dir", Config: t.TempDir()}
	release := func(run string, launches int) error {
		var err error
		for range launches {
			pl, s := beam.NewPipelineWithRoot()
			model := Solve(s, stats(s, 20), SolveParams{Epsilon: 1, Delta: 1e-9, Method: "universe", RunID: run, Store: store, Book: dir})
			entries := transformtest.Capture[*Artifact](s, model.Artifacts(s))
			if err = transformtest.RunOn("prism", pl); err == nil {
				a := entries.Elements()[0]
				if b := charges(t, dir); a.Book == nil || a.Book.DataSet != "clinic" || a.Book.Entry < 1 || a.Book.Entry > len(b) {
					t.Errorf("run %s states %+v of %d charges", run, a.Book, len(b))
				}
			}
		}
		return err
	}
	for i, run := range []string{"monday", "tuesday"} {
		must.Do(t, release(run, 2))
		list := charges(t, dir)
		must.Hold(t, len(list) == i+1 && list[i].Run == run && list[i].Epsilon == 1, "after %s: %d charges", run, len(list))
	}
	if err := release("wednesday", 1); err == nil || !strings.Contains(err.Error(), "of "+dir+", the book of clinic, is spent: ε = 1.") || !strings.Contains(err.Error(), " by 2 runs; ε = 0.") {
		t.Errorf("a full book: %v", err)
	}
	must.Pass(t, release("monday", 1), "a release that is paid for, under a full book")
	left, err := filepath.Glob(filepath.Join(store.Config, "wednesday*"+DrawnSuffix))
	must.Hold(t, err == nil && len(left) <= 0 && len(charges(t, dir)) == 2, "after a refusal: drawn %v, %d charges (error %v)", left, len(charges(t, dir)), err)
}

// The charge is there before the draw: a method that fails without a draw finds none, one that fails after a draw finds it, and
// one that is refused has not drawn.
func TestChargedBeforeTheDraw(t *testing.T) {
	tb, seeds := table(t, 20), []mechanism.Seed{testSeed(t, 1)}
	for method, want := range map[string]int{"fails early": 0, "fails late": 1} {
		dir := newBook(t, 2)
		f := booked(StoreRef{}, dir, "run")
		f.Params.Method = method
		if _, err := process(f, seeds, []*counts.Table{tb}); err == nil || len(charges(t, dir)) != want {
			t.Errorf("%s: %d charges, want %d (error %v)", method, len(charges(t, dir)), want, err)
		}
	}
	for _, kept := range []bool{false, true} {
		store := StoreRef{}
		if kept {
			store = StoreRef{Kind: "dir", Config: t.TempDir()}
		}
		f := booked(store, newBook(t, .5), "run")
		f.Params.Method = "draws or fails"
		if _, err := process(f, seeds, []*counts.Table{tb}); err == nil || !strings.Contains(err.Error(), "is spent: ε = 0 of 0.5 by 0 runs") || drewWithoutPay.Load() {
			t.Errorf("a book without room: drawn %v, error %v", drewWithoutPay.Load(), err)
		}
	}
}

// A release that a book pays for is composed with others, so that it draws the noise whose losses add up best: a book for Gaussian
// noise takes one release of a single column after another.
func TestBookOfGaussianNoise(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "people.book")
	terms := book.Terms{Name: "clinic", PrivacyID: visits().PrivacyID, Neighbouring: "add_remove", Epsilon: 3, Delta: 1e-8, Inputs: []string{"visits.csv"}}
	must.Value(book.Create(t.Context(), dir, terms))(t)
	one := domain.Domain{PrivacyID: visits().PrivacyID, Attributes: visits().Attributes[:1]}
	for _, run := range []string{"monday", "tuesday"} {
		pl, s := beam.NewPipelineWithRoot()
		coded := private.Encode(s, transformtest.Create(s, transformtest.Chunk([][]string{{"F"}, {"M"}}, []string{"a", "b"})), &one, private.EncodeParams{})
		w := query.WithOrder(&one, query.Default(one.Sizes()))
		Solve(s, counts.Count(s, private.Bound(s, coded, private.BoundParams{}), w, counts.Params{}), SolveParams{Epsilon: 1, Delta: 1e-9, RunID: run, Book: dir})
		must.Pass(t, transformtest.RunOn("prism", pl))
	}
	list := charges(t, dir)
	must.Hold(t, len(list) == 2 && list[1].Accounting == dp.GaussianOnly.String(), "%d charges", len(list))
}

// An attempt that died between its charge and its release is tried again, and pays nothing. Without what it has kept, its run ID
// is refused; another one pays.
func TestPaidForOnce(t *testing.T) {
	dir, place := newBook(t, 4), t.TempDir()
	tb := []*counts.Table{table(t, 20)}
	if _, err := process(booked(StoreRef{Kind: "refusing", Config: place}, dir, "night"), []mechanism.Seed{testSeed(t, 1)}, tb); err == nil || len(charges(t, dir)) != 1 {
		t.Fatalf("the worker that lost its release: error %v, %d charges", err, len(charges(t, dir)))
	}
	for range 2 {
		if _, err := process(booked(StoreRef{Kind: "dir", Config: place}, dir, "night"), []mechanism.Seed{testSeed(t, 2)}, tb); err != nil || len(charges(t, dir)) != 1 {
			t.Errorf("the rerun: error %v, %d charges", err, len(charges(t, dir)))
		}
	}
	for _, store := range []StoreRef{{Kind: "dir", Config: t.TempDir()}, {}} {
		_, err := process(booked(store, dir, "night"), []mechanism.Seed{testSeed(t, 3)}, tb)
		if err == nil || !strings.Contains(err.Error(), "run night was charged before, by entry 1 of ") || len(charges(t, dir)) != 1 {
			t.Errorf("the run ID where nothing of it is kept: error %v, %d charges", err, len(charges(t, dir)))
		}
	}
	_, err := process(booked(StoreRef{Kind: "dir", Config: place}, dir, "next"), []mechanism.Seed{testSeed(t, 4)}, tb)
	must.Hold(t, err == nil && len(charges(t, dir)) == 2, "another run ID: error %v, %d charges", err, len(charges(t, dir)))
}

// A book of another unit or relation, and none, are refused before the draw; a run without ID before the pipeline is built.
func TestBooksRefused(t *testing.T) {
	tb, seeds := []*counts.Table{table(t, 20)}, []mechanism.Seed{testSeed(t, 1)}
	other := booked(StoreRef{}, newBook(t, 2), "other")
	other.Public.Domain.PrivacyID = "doctor"
	relation := booked(StoreRef{}, newBook(t, 2), "relation")
	relation.Params.Neighbouring = dp.Replace
	for want, f := range map[string]*solveFn{
		"the domain for all records of one doctor; they must protect the same unit":   other,
		"counts for add_remove: add-remove and replace guarantees cannot be combined": relation,
		"holds no budget book; `dapple ledger ":                                       booked(StoreRef{}, t.TempDir(), "none"),
	} {
		must.Fails(process(f, seeds, tb))(t, want)
	}
	must.Fail(t, (SolveParams{Epsilon: 1, Book: "b"}).Validate(), "RunID is required with a Book", "no run ID")
	_, err := os.Stat("b")
	must.Hold(t, errors.Is(err, os.ErrNotExist), "checking parameters made a book: %v", err)
}

// drewWithoutPay is set by a method that got a noisy answer.
var drewWithoutPay atomic.Bool

func init() {
	m := failing("draws or fails", true)
	m.Solve = func(_ context.Context, _ solver.Problem, c solver.Curator) (*solver.Result, error) {
		_, err := c.Total("total", dp.ShareOf(1, 1))
		drewWithoutPay.Store(err == nil)
		return nil, errors.Join(err, errors.New("no model"))
	}
	solver.Register(m)
}

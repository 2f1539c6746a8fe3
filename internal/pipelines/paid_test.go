package pipelines

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/release/book"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/discover"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// bookFor makes the budget book of a table of people.
func bookFor(t *testing.T, input string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "book")
	must.Do(t, Ledger(t.Context(), &strings.Builder{}, LedgerConfig{Dir: dir, Create: "people", Epsilon: 15, Delta: 1e-4, PrivacyID: "id", Input: input}))
	return dir
}

// paid returns how many findings and how many runs stand in a book.
func paid(t *testing.T, dir string) (findings, runs int) {
	t.Helper()
	b, faults := openLedger(t.Context(), dir)
	must.Need(t, len(faults) == 0, "%v", faults)
	for _, c := range b.Standing() {
		if strings.HasPrefix(c.Key, book.FoundKey("")) {
			findings++
		} else {
			runs++
		}
	}
	return findings, runs
}

// waitFor returns once a file of a pattern is there.
func waitFor(t *testing.T, pattern string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(200 * time.Microsecond) {
		if names, _ := filepath.Glob(pattern); len(names) > 0 {
			return
		}
	}
	t.Errorf("no %s", pattern)
}

// A run with an ID that found its domain and has finished is adopted by the same request, whatever the table: what a method rule
// makes of the domain once it is found decides nothing. Without a book, tables of few cells are answered without δ where they
// are declared.
func TestFinishedFindingsAreAdopted(t *testing.T) {
	for _, columns := range []int{1, 2, 4} {
		var table strings.Builder
		table.WriteString("id")
		for k := range columns {
			fmt.Fprintf(&table, ",c%d", k)
		}
		for i := range 4000 {
			fmt.Fprintf(&table, "\np%d", i)
			for k := range columns {
				fmt.Fprintf(&table, ",%s", []string{"blue", "red", "green"}[(i/(k+1))%3])
			}
		}
		dir := t.TempDir()
		c := Config{Input: filepath.Join(dir, "t.csv"), Output: filepath.Join(dir, "out"), PrivacyID: "id", Epsilon: .6, Delta: 1e-7, RunID: "night"}
		must.Do(t, os.WriteFile(c.Input, []byte(table.String()), 0o600))
		for again := range 2 {
			res, err := RunFound(t.Context(), mustFind(t, c))
			must.Need(t, err == nil && (res.Written.Adopted != "") == (again == 1), "%d columns, launch %d: %v", columns, again+1, err)
		}
	}
}

// TestEachReleaseIsPaid: a domain that was found is charged once, and each release that is drawn with it once more, whatever
// becomes of its run and whoever begins the next one. No two releases stand on one entry.
func TestEachReleaseIsPaid(t *testing.T) {
	input := peopleCSV(t, 4000)
	request := func() Config {
		return Config{Input: input, Output: filepath.Join(t.TempDir(), "out"), PrivacyID: "id", Epsilon: 3, Delta: 1e-6, DomainShare: .3, Ledger: bookFor(t, input), Overwrite: true}
	}
	t.Run("stopped after the draw, with other flags", func(t *testing.T) {
		c := request()
		findings := 1
		for i, marginals := range []int{3, 2, 1} {
			temp := t.TempDir()
			t.Setenv("TMPDIR", temp)
			c.Marginals = marginals
			ctx, stop := context.WithCancel(t.Context())
			r := mustFind(t, c)
			go func() {
				waitFor(t, filepath.Join(temp, "dapple-run-*", "*"+synth.DrawnSuffix))
				stop()
			}()
			if _, err := RunFound(ctx, r); err == nil && i < 2 {
				findings++ // it was not stopped in time, and what was found is gone
			}
			if f, r := paid(t, c.Ledger); f > findings || r != i+1 {
				t.Errorf("after %d runs that have drawn the book has %d findings and %d runs", i+1, f, r)
			}
		}
	})
	t.Run("two at once", func(t *testing.T) {
		c := request()
		first := make(chan error)
		go func() {
			r, err := ValidateFind(t.Context(), c)
			if err == nil {
				_, err = RunFound(t.Context(), r)
			}
			first <- err
		}()
		waitFor(t, filepath.Join(c.Output+".found", "*"+discover.FoundSuffix))
		d := c
		d.Marginals = 2
		_, err := RunFound(t.Context(), mustFind(t, d))
		must.Do(t, errors.Join(err, <-first))
		f, r := paid(t, c.Ledger)
		must.Hold(t, f >= 1 && f <= 2 && r == 2, "the book has %d findings and %d runs", f, r)
	})
	t.Run("killed after it has published", func(t *testing.T) {
		c := request()
		r := mustFind(t, c)
		must.Value(r.find(t.Context()))(t)
		kept, copies := filepath.Join(t.TempDir(), "kept"), t.TempDir()
		must.Do(t, os.CopyFS(kept, os.DirFS(r.dir)))
		for _, id := range []string{"A", "A", "B"} {
			err := os.CopyFS(r.dir, os.DirFS(kept))
			must.Need(t, err == nil || errors.Is(err, os.ErrExist), "%v", err)
			c.RunID = id
			must.Value(RunFound(t.Context(), mustFind(t, c)))(t)
			_ = os.RemoveAll(filepath.Join(copies, id))
			_ = os.RemoveAll(filepath.Join(copies, id+".release"))
			must.Do(t, errors.Join(os.CopyFS(filepath.Join(copies, id), os.DirFS(c.Output)), os.CopyFS(filepath.Join(copies, id+".release"), os.DirFS(c.Output+".release"))))
		}
		if f, r := paid(t, c.Ledger); f != 1 || r != 2 {
			t.Errorf("the book has %d findings and %d runs", f, r)
		}
		check := LedgerConfig{Dir: c.Ledger, Check: []string{filepath.Join(copies, "A"), filepath.Join(copies, "B")}}
		var text strings.Builder
		if err := Ledger(t.Context(), &text, check); err != nil || !strings.Contains(text.String(), "A is entry 2\n") || !strings.Contains(text.String(), "B is entry 3\n") {
			t.Errorf("%v\n%s", err, text.String())
		}
		// A statement that names the entry of another release.
		a, errA := os.ReadFile(filepath.Join(copies, "A.release", publish.PrivacyFile))
		other := filepath.Join(copies, "B.release", publish.PrivacyFile)
		b, errB := os.ReadFile(other)
		must.Do(t, errors.Join(errA, errB))
		entry := func(text []byte) string {
			_, rest, _ := strings.Cut(string(text), `"budget_book": {`)
			in, _, _ := strings.Cut(rest, "}")
			return in
		}
		must.Do(t, os.WriteFile(other, []byte(strings.Replace(string(b), entry(b), entry(a), 1)), 0o600))
		must.Fail(t, Ledger(t.Context(), &text, check), "it stands on entry 2, and so does "+check.Check[0], "two releases on one entry")
	})
}

// TestOrdersOfLaunches: launches of two runs in all orders, some by --again, where between two launches nothing is lost, or all but
// what was found, or all. A run ID is paid for once, whoever has found its domain, and once more by --again alone; a finding is paid
// for once. What is charged and lost is refused before anything is drawn.
func TestOrdersOfLaunches(t *testing.T) {
	input := peopleCSV(t, 700)
	type launch struct {
		id    string
		again bool
		lost  string // before it
	}
	var orders [][]launch
	for _, second := range []string{"A", "B", "B again"} {
		for _, third := range []string{"A", "B", "A again"} {
			for _, lost := range []string{"", "rows rows", "rows all", "all rows", "all all", " all"} {
				first, last, _ := strings.Cut(lost, " ")
				id2, again2, _ := strings.Cut(second, " ")
				id3, again3, _ := strings.Cut(third, " ")
				orders = append(orders, []launch{{"A", false, ""}, {id2, again2 != "", first}, {id3, again3 != "", last}})
			}
		}
	}
	for i, order := range orders {
		if os.Getenv("DAPPLE_NIGHTLY") == "" && i%5 != 1 {
			continue
		}
		c := Config{Input: input, Output: filepath.Join(t.TempDir(), "out"), PrivacyID: "id", Epsilon: 3, Delta: 1e-6, DomainShare: .3, Ledger: bookFor(t, input), Overwrite: true}
		kept, wants := filepath.Join(t.TempDir(), "found"), [2]int{}
		there, known, charged := "", false, map[string]bool{} // whose rows are there, whether a domain is
		for i, l := range order {
			if l.lost != "" {
				there = ""
				_, _ = os.RemoveAll(c.Output), os.RemoveAll(c.Output+".release")
			}
			if known = known && l.lost != "all"; known { // the launch before was killed after it had published
				must.Do(t, os.CopyFS(c.Output+".found", os.DirFS(kept)))
			}
			refused := charged[l.id] && there != l.id && !l.again
			if !refused && there != l.id {
				if !known {
					wants[0]++
				}
				wants[1]++
				there, known, charged[l.id] = l.id, true, true
			}
			c.RunID, c.Again = l.id, l.again
			r := mustFind(t, c)
			res, err := r.again(t.Context())
			if res == nil && err == nil && !refused {
				if _, err = r.find(t.Context()); err == nil {
					err = errors.Join(os.RemoveAll(kept), os.CopyFS(kept, os.DirFS(r.dir)))
				}
			}
			must.Do(t, err)
			_, err = RunFound(t.Context(), mustFind(t, c))
			said := err != nil && strings.Contains(err.Error(), "run "+l.id+" was charged before, by entry ") && strings.Contains(err.Error(), "--again")
			must.Hold(t, said == refused && (err == nil || said), "%v: launch %d: refused %v: %v", order, i+1, refused, err)
			findings, runs := paid(t, c.Ledger)
			must.Need(t, [2]int{findings, runs} == wants, "%v: after launch %d the book has %d findings and %d runs, want %v", order, i+1, findings, runs, wants)
			_ = os.RemoveAll(r.dir)
		}
	}
}

// heldRead is called where a table of the format below is read.
var heldRead atomic.Pointer[func() error]

// A table without records. A test decides when it is read, and how that ends.
func init() {
	table.RegisterFormat(table.Format{
		Name: "held", Extensions: []string{".held"},
		Each: func(context.Context, files.Info, *domain.Domain, schema.CSV, func(*domain.Chunk) error) error {
			return (*heldRead.Load())()
		},
		Describe: func(context.Context, files.Info, schema.CSV) ([]table.Column, schema.CSV, error) {
			return []table.Column{{Name: "id", Type: domain.String}, {Name: "age", Type: domain.Int64}}, schema.CSV{}, nil
		},
	})
}

// TestFindingThatDrewNothing: however a finding ends, alone or before a run, message and book agree: without noise the charge is
// taken back, the files go, and the same command begins anew; with noise it stays.
func TestFindingThatDrewNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		reads func(r *FindRequest, stop func()) error
		spent bool
	}{
		"an error of the table":   {func(*FindRequest, func()) error { return errors.New("a quote is open") }, false},
		"stopped before the draw": {func(_ *FindRequest, stop func()) error { stop(); return nil }, false},
		"its note is lost":        {func(r *FindRequest, _ func()) error { return os.Remove(filepath.Join(r.dir, "run.json")) }, false},
		"an error where a worker has drawn": {func(r *FindRequest, _ func()) error {
			return errors.Join(errors.New("lost"), worker(r, r.params.RunID, synth.DrawnSuffix, []byte("drawn")))
		}, true},
		"stopped where another one has drawn": {func(r *FindRequest, stop func()) error {
			defer stop()
			return worker(r, r.params.RunID, synth.DrawnSuffix, []byte("drawn"))
		}, true},
	} {
		for _, alone := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, alone %v", name, alone), func(t *testing.T) {
				input := filepath.Join(t.TempDir(), "people.held")
				must.Do(t, os.WriteFile(input, []byte("one"), 0o600))
				c := Config{Input: input, Output: filepath.Join(t.TempDir(), "out"), PrivacyID: "id", Epsilon: 3, Delta: 1e-6, Ledger: bookFor(t, input)}
				validate, begin := ValidateFind, func(ctx context.Context, r *FindRequest) error { _, err := RunFound(ctx, r); return err }
				if alone {
					validate, begin = ValidateInfer, func(ctx context.Context, r *FindRequest) error { _, err := Infer(ctx, r); return err }
				}
				r, err := validate(t.Context(), c)
				must.Do(t, err)
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				read := func() error {
					f, _ := paid(t, c.Ledger)
					must.Hold(t, f == 1, "%d findings are charged while the table is read", f)
					return tt.reads(r, stop)
				}
				heldRead.Store(&read)
				err = begin(ctx, r)
				said := "its charge in " + c.Ledger + " is taken back"
				if tt.spent {
					said = "noise had been drawn to find the domain: count"
				}
				must.Fail(t, err, said)
				f, _ := paid(t, c.Ledger)
				_, statErr := os.Stat(r.dir)
				must.Hold(t, (f == 1) == tt.spent && os.IsNotExist(statErr) != tt.spent, "%d findings are charged; %s: %v", f, r.dir, statErr)
				if tt.spent {
					return
				}
				read = func() error { return nil }
				if r, err = validate(t.Context(), c); err == nil {
					_, err = r.find(t.Context())
				}
				if f, _ := paid(t, c.Ledger); f != 1 || err != nil {
					t.Errorf("the same command again: %d findings are charged, %v", f, err)
				}
			})
		}
	}
}

// TestStore: a run that was stopped with a release that is paid for is finished from its store, by a machine without the first
// one's temporary files. A run that left nothing is refused, and charged again with Again alone.
func TestStore(t *testing.T) {
	input := peopleCSV(t, 4000)
	c := Config{Input: input, Output: filepath.Join(t.TempDir(), "out"), PrivacyID: "id", Epsilon: 1, Delta: 1e-6, Ledger: bookFor(t, input), RunID: "night", Store: filepath.Join(t.TempDir(), "store")}
	domain := filepath.Join(t.TempDir(), "people.yaml")
	must.Do(t, os.WriteFile(domain, []byte("privacy_id: id\ncolumns:\n  - {name: sex, type: STRING, values: [f, m], other: true}\n"), 0o600))
	c.Domain, c.PrivacyID = domain, ""
	begin := func(ctx context.Context) error {
		r, err := ValidateRun(ctx, c)
		if err == nil {
			_, err = Run(ctx, r)
		}
		return err
	}
	t.Setenv("TMPDIR", t.TempDir())
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		waitFor(t, filepath.Join(c.Store, "dapple-run-*", "*"+synth.ReleaseSuffix))
		stop()
	}()
	_ = begin(ctx) // it may publish before it is stopped
	t.Setenv("TMPDIR", t.TempDir())
	must.Do(t, begin(t.Context()))
	_, r := paid(t, c.Ledger)
	must.Hold(t, r == 1, "a run that was finished from its store is charged %d times", r)
	must.Do(t, errors.Join(os.RemoveAll(c.Output), os.RemoveAll(c.Output+".release"), os.RemoveAll(c.Store)))
	if err := begin(t.Context()); err == nil || !strings.Contains(err.Error(), "neither its release nor its files are to be found here") || !strings.Contains(err.Error(), "--again") {
		t.Errorf("a run of which nothing is found: %v", err)
	}
	c.Again = true
	must.Pass(t, begin(t.Context()))
	if _, r := paid(t, c.Ledger); r != 2 {
		t.Errorf("a run that was asked for again is charged %d times", r)
	}
}

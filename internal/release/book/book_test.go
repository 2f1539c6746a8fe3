package book_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/release/book"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

var terms = book.Terms{Name: "people", Neighbouring: "add_remove", Epsilon: 3, Delta: 1e-9, Inputs: []string{"people.csv"}}

func create(t *testing.T) *book.Book {
	t.Helper()
	b := must.Value(book.Create(t.Context(), filepath.Join(t.TempDir(), "people.book"), terms))(t)
	return b
}

func open(t *testing.T, dir string) *book.Book {
	t.Helper()
	b := must.Value(book.Open(t.Context(), dir))(t)
	return b
}

// enter charges a run to a book.
func enter(ctx context.Context, b *book.Book, key string, r accountant.Run) error {
	_, err := b.Charge(ctx, book.Payer{Key: key, Run: "run", Input: "people.csv"}, r)
	return err
}

// run is a run of an ε.
func run(epsilon dp.Epsilon) accountant.Run {
	l, err := accountant.NewLedger(accountant.Params{Accounting: dp.GaussianOnly, Epsilon: epsilon, Delta: 1e-9, Coordinates: 1000})
	if err != nil {
		panic(err)
	}
	return l.Run()
}

func TestBook(t *testing.T) {
	b, ctx := create(t), t.Context()
	must.Do(t, enter(ctx, b, "one", run(1)))
	other := open(t, b.Dir)
	err := enter(ctx, other, "one", run(1))
	must.Hold(t, err == nil && len(other.Standing()) == 1, "a retry: %d charges, %v", len(other.Standing()), err)
	must.Pass(t, enter(ctx, other, "two", run(2)))
	// b has not seen it; its next charge does.
	var full accountant.ErrExhausted
	if err := enter(ctx, b, "three", run(2.5)); !errors.As(err, &full) {
		// b knew of no second run: it tried, met entry 2 and read it
		t.Errorf("a charge that does not fit beside the others' charges: %v", err)
	}
	if back, err := b.Return(ctx, "two"); err != nil || !back {
		t.Errorf("returned %v, %v", back, err)
	}
	if back, err := b.Return(ctx, "two"); err != nil || back {
		t.Errorf("returned twice: %v, %v", back, err)
	}
	err = enter(ctx, b, "two", run(1))
	must.Hold(t, errors.Is(err, book.ErrReturned), "a run that was taken back began again: %v", err)
	must.Pass(t, enter(ctx, b, "three", run(2.5)), "what was taken back is not there")
	must.Pass(t, b.AddInput(ctx, "gs://bucket/people.csv"))
	again := open(t, b.Dir)
	if got := again.Inputs(); len(got) != 2 || len(again.Entries) != 6 || again.Sum.Runs() != 2 || again.SHA256() != b.SHA256() {
		t.Errorf("read again: %v, %d entries, %d runs", got, len(again.Entries), again.Sum.Runs())
	}
	must.Fails(book.Create(ctx, b.Dir, terms))(t, "holds a budget book already", "a second book")
	_, err = book.Open(ctx, t.TempDir())
	must.Hold(t, errors.Is(err, book.ErrNone), "no book: %v", err)
	bad := terms
	bad.Epsilon = -1
	dir := t.TempDir()
	must.Fails(book.Create(ctx, dir, bad))(t, "", "a book of ε = -1")
	left, _ := os.ReadDir(dir)
	must.Hold(t, len(left) <= 0, "a refused book left %v", left)
}

// A key stands for one draw: with another loss it is refused, whatever of the loss is another. A run with an ID is charged once,
// whoever launches it and however many do at once; once that is taken back it may be charged again.
func TestChargedOnce(t *testing.T) {
	b, ctx := create(t), t.Context()
	must.Do(t, enter(ctx, b, "one", run(1)))
	for name, change := range map[string]func(*accountant.Run){
		"ε":             func(r *accountant.Run) { r.Epsilon = .5 },
		"δ":             func(r *accountant.Run) { r.Delta = 1e-10 },
		"loss":          func(r *accountant.Run) { r.Loss = new(big.Rat).Quo(r.Loss, big.NewRat(2, 1)) },
		"noisy numbers": func(r *accountant.Run) { r.Coordinates-- },
		"values":        func(r *accountant.Run) { r.ValuesDelta = 1e-13 },
		"accounting":    func(r *accountant.Run) { r.Accounting = dp.ZCDP },
	} {
		r := run(1)
		change(&r)
		err := enter(ctx, b, "one", r)
		must.Hold(t, errors.As(err, new(*book.OtherLoss)), "the same key with another %s: %v", name, err)
	}
	launch := func(b *book.Book, i int) error {
		_, err := b.Charge(ctx, book.Payer{Key: fmt.Sprint("launch ", i), Once: book.RunKey("night", "out"), Run: "night"}, run(1))
		return err
	}
	books, errs := make([]*book.Book, 8), make([]error, 8)
	var all sync.WaitGroup
	for i := range books {
		books[i] = open(t, b.Dir)
	}
	for i := range books {
		all.Go(func() { errs[i] = launch(books[i], i) })
	}
	all.Wait()
	paid := slices.IndexFunc(errs, func(err error) bool { return err == nil })
	for i, err := range errs {
		var before *book.Paid
		must.Hold(t, i == paid || errors.As(err, &before) && before.Number == 2 && before.Run == "night", "launch %d, where %d is charged: %v", i, paid, err)
	}
	must.Pass(t, launch(open(t, b.Dir), paid), "the launch that is charged goes on")
	back, err := b.Return(ctx, fmt.Sprint("launch ", paid))
	must.Need(t, err == nil && back, "returned %v, %v", back, err)
	must.Pass(t, launch(b, 8), "a launch after the one that drew nothing")
	must.Equal(t, len(open(t, b.Dir).Standing()), 2, "charges stand")
	must.Hold(t, book.RunKey("a", "bc") != book.RunKey("ab", "c"), "two runs have one key")
}

// A finding is charged once, by its own step or by the step of a release with its Prior, and not without an ID. It and the release
// are parts of one budget.
func TestFindingAndRelease(t *testing.T) {
	b := create(t)
	p := accountant.Params{Accounting: dp.GaussianOnly, Epsilon: 1, Delta: 1e-9, Coordinates: 1000}
	prior := &accountant.Prior{Params: p, Share: dp.ShareOf(1, 10), Coordinates: 100}
	step := book.Step{Dir: b.Dir, RunID: "night", Epsilon: 1}
	must.Fail(t, step.Found(t.Context(), prior, true), "has no ID", "a finding without an ID")
	prior.ID = "one"
	_, rest, err := prior.Runs(900)
	for range 2 {
		err = errors.Join(err, step.Found(t.Context(), prior, true), step.Found(t.Context(), prior, false))
	}
	must.Do(t, err)
	_, _, err = step.Charge(t.Context(), rest)
	must.Do(t, err)
	list := open(t, b.Dir).Standing()
	must.Hold(t, len(list) == 2 && list[0].Key == "found-one" && list[1].Run == "night", "%d charges", len(list))
	spent := open(t, b.Dir).Sum.SpentEpsilon()
	must.Hold(t, spent <= 1.01, "both parts of ε = 1 spend %g", float64(spent))
}

// Of many runs at once exactly as many get in as fit one after the other, each once.
func TestRunsAtOnce(t *testing.T) {
	b := create(t)
	fits := 0
	for sum := open(t, b.Dir).Sum; sum.Charge(run(1)) == nil; {
		fits++
	}
	var all sync.WaitGroup
	errs := make([]error, 4*fits)
	books := make([]*book.Book, len(errs)) // all are opened before the first charge
	for i := range books {
		books[i] = open(t, b.Dir)
	}
	for i := range errs {
		all.Go(func() { // two attempts of each
			errs[i] = enter(t.Context(), books[i], fmt.Sprint("key-", i/2), run(1))
		})
	}
	all.Wait()
	in := map[string]bool{}
	for _, c := range open(t, b.Dir).Standing() {
		must.Hold(t, !in[c.Key], "%s is charged twice", c.Key)
		in[c.Key] = true
	}
	must.Hold(t, len(in) == fits, "%d of %d runs are charged", len(in), fits)
	for i, err := range errs {
		var full accountant.ErrExhausted
		must.Hold(t, in[fmt.Sprint("key-", i/2)] == (err == nil) && (err == nil || errors.As(err, &full)), "attempt %d: %v", i, err)
	}
}

// Processes are killed while they add charges. What they had been told is in stays in, and the book is whole.
func TestKilledWriters(t *testing.T) {
	if dir := os.Getenv("BOOK_OF_TEST"); dir != "" {
		write(dir)
	}
	tiny := terms
	tiny.Epsilon = 10
	b := must.Value(book.Create(t.Context(), filepath.Join(t.TempDir(), "b"), tiny))(t)
	said := map[string]bool{}
	for attempt := range 4 {
		before := len(said)
		ctx, kill := context.WithCancel(t.Context())
		cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestKilledWriters$") // CommandContext kills
		cmd.Env = append(os.Environ(), "BOOK_OF_TEST="+b.Dir)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		must.Do(t, err)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if len(said) == before {
				time.AfterFunc(time.Duration(37*attempt)*time.Millisecond, kill)
			}
			said[lines.Text()] = true
		}
		_ = cmd.Wait() // it was killed
		kill()
	}
	in := map[string]int{}
	for _, c := range open(t, b.Dir).Standing() {
		in[c.Key]++
	}
	for key := range said {
		must.Hold(t, in[key] == 1, "%s was entered, and is there %d times", key, in[key])
	}
	must.Hold(t, len(said) >= 4 && len(in) <= len(said)+4, "%d charges were told, %d are there: at most one of each process was not told", len(said), len(in))
}

// write adds charges until it is killed, and says each once it is in.
func write(dir string) {
	r := run(0.001)
	for i := 0; ; i++ {
		b, err := book.Open(context.Background(), dir)
		key := fmt.Sprintf("%d-%d", os.Getpid(), i)
		if err == nil {
			err = enter(context.Background(), b, key, r)
		}
		if err != nil {
			panic(err)
		}
		fmt.Println(key)
	}
}

// Every change of a book is found, but for entries that are cut off at its end.
func TestDamagedBooks(t *testing.T) {
	b := create(t)
	for _, key := range []string{"a", "b", "c"} {
		must.Do(t, enter(t.Context(), b, key, run(0.5)))
	}
	must.Value(b.Return(t.Context(), "b"))(t)
	name := func(dir string, n int) string { return filepath.Join(dir, fmt.Sprintf("entry-%06d.json", n)) }
	edit := func(n int, old, text string) func(string) error {
		return func(dir string) error {
			data, err := os.ReadFile(name(dir, n))
			if err == nil && !strings.Contains(string(data), old) {
				err = fmt.Errorf("no %s in %s", old, data)
			}
			if err != nil {
				return err
			}
			return os.WriteFile(name(dir, n), []byte(strings.Replace(string(data), old, text, 1)), 0o600)
		}
	}
	for what, change := range map[string]func(dir string) error{
		"larger capacity": edit(0, `"epsilon": 3`, `"epsilon": 9`),
		"smaller charge":  edit(2, `"epsilon": 0.5`, `"epsilon": 0.1`),
		"a blank":         edit(1, "{", "{ "),
		"an unknown key":  edit(1, "{", `{"more": 1,`),
		"cut short":       func(dir string) error { return os.Truncate(name(dir, 3), 40) },
		"no file":         func(dir string) error { return os.Remove(name(dir, 2)) },
		"no first file":   func(dir string) error { return os.Remove(name(dir, 0)) },
		"exchanged entries": func(dir string) error {
			return errors.Join(os.Rename(name(dir, 1), name(dir, 9)), os.Rename(name(dir, 2), name(dir, 1)), os.Rename(name(dir, 9), name(dir, 2)))
		},
		"another return":                 edit(4, `"return": "b"`, `"return": "x"`),
		"another charge taken back last": edit(4, `"return": "b"`, `"return": "a"`),
	} {
		dir := filepath.Join(t.TempDir(), "copy")
		must.Do(t, os.CopyFS(dir, os.DirFS(b.Dir)))
		must.Do(t, change(dir))
		must.Fails(book.Open(t.Context(), dir))(t, "is damaged at entry-00000", "%s", what)
	}
	// A file that is being written, or is nobody's, is no entry.
	for _, n := range []string{".new-123", "README"} {
		must.Do(t, os.WriteFile(filepath.Join(b.Dir, n), nil, 0o600))
	}
	got := open(t, b.Dir)
	must.Hold(t, got.Sum.Runs() == 2, "%d runs", got.Sum.Runs())
}

// A book tells whether it still has an entry whose number and hash somebody has kept.
func TestHolds(t *testing.T) {
	dir := t.TempDir()
	b := must.Value(book.Create(t.Context(), dir, book.Terms{Name: "us", Neighbouring: "add_remove", Epsilon: 3, Delta: 1e-9, Inputs: []string{"us.csv"}}))(t)
	var hashes []string
	for _, key := range []string{"a", "b", "c"} {
		must.Do(t, enter(t.Context(), b, key, run(.1)))
		hashes = append(hashes, b.SHA256())
	}
	must.Value(b.Return(t.Context(), "c"))(t)
	hashes = append(hashes, b.SHA256())
	for _, tt := range []struct {
		number int
		sum    string
		want   string
	}{{1, hashes[0], ""}, {2, hashes[1], ""}, {3, hashes[2], "nothing pays for it"}, {4, hashes[3], "nothing pays for it"}, {5, hashes[1], "its last entries are gone"}, {2, hashes[0], "another entry 2"}, {0, hashes[0], "names no entry"}, {1, "", "names no entry"}} {
		err := b.Holds(tt.number, tt.sum)
		must.Hold(t, (err == nil) == (tt.want == "") && (err == nil || strings.Contains(err.Error(), tt.want)),
			"entry %d, %s: error %v, want %q", tt.number, tt.sum, err, tt.want)
	}
}

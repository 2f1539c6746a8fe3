package pipelines

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/pipelines/internal/run"
	"github.com/dapple-dp/dapple/internal/request/progress"
	"github.com/dapple-dp/dapple/internal/solver/methods"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// people is a private table before it is coded: the rows of each customer, columns plan, age, active.
type people map[string][][3]string

// single returns the table with the first row of each customer alone.
func (p people) single() people {
	one := people{}
	for id, rows := range p {
		one[id] = rows[:1]
	}
	return one
}

// nasty returns rows of one unit: outliers, duplicates, values that cannot be used, many rows.
func nasty(rng *rand.Rand) (rows [][3]string) {
	n := []int{1, 1, 2, 30, 10_000}[rng.IntN(5)]
	if n == 10_000 && rng.IntN(5) > 0 {
		n = 1
	}
	pick := func(cells ...string) string { return cells[rng.IntN(len(cells))] }
	for i := range n {
		if i > 0 && rng.IntN(2) == 0 {
			rows = append(rows, rows[i-1])
			continue
		}
		rows = append(rows, [3]string{
			pick("basic", "pro", "", "trial", "\"quoted\"", "two\nlines", strings.Repeat("long", 500), "\x00"),
			pick("18", "98", "-5", "1e9", "NaN", "-0", "Inf", "", "forty", "99999999999999999999"),
			pick("true", "false", "maybe", ""),
		})
	}
	return rows
}

// write makes an input file of the rows in random order; of customers, with some that belong to nobody.
func (p people) write(t *testing.T, rng *rand.Rand, path string, customers bool) {
	t.Helper()
	var records [][]string
	for id, rows := range p {
		for _, r := range rows {
			records = append(records, []string{id, r[0], r[1], r[2]})
		}
	}
	for i := rng.IntN(3); i > 0 && customers; i-- {
		records = append(records, []string{"", "pro", "30", "true"})
	}
	rng.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	must.Do(t, w.WriteAll(append([][]string{{"customer", "plan", "age", "active"}}, records...)))
	must.Do(t, os.WriteFile(path, b.Bytes(), 0o666))
}

// replayed runs the whole pipeline with the tape, and returns every byte that it left behind, its closing
// words and its error.
func replayed(t *testing.T, c Config, p people, rng *rand.Rand) map[string]string {
	t.Helper()
	p.write(t, rng, c.Input, privacyID(t, c))
	must.Do(t, errors.Join(os.RemoveAll(c.Output), os.RemoveAll(c.Output+".release")))
	r := mustValidate(t, c)
	playing.method = r.Chosen
	playing.rewind()
	r.Chosen.Name = "tape"
	st := run.Staging{Dir: t.TempDir()}
	must.Do(t, st.Sign(context.Background(), run.Note{RunID: "replay"}))
	l := launch{runID: "replay", seed: 7, store: st.Ref()}
	l.output = r.output(l.runID, run.Staging{}, time.Time{})
	defer must.Value(l.output.begin(context.Background()))(t)()
	pl, s := beam.NewPipelineWithRoot()
	build(s, r, l)
	log := listen(t)
	left := map[string]string{"error": fmt.Sprint(execute(context.Background(), pl, c.Runner, progress.New(0, progress.Form{})))}
	left["log"] = log.lines()
	result, err := resultOf(context.Background(), r, l.output)
	if err != nil {
		left["not finished"] = err.Error()
		return left
	}
	var words bytes.Buffer
	must.Do(t, result.WriteText(&words))
	left["words"], left["status"] = words.String(), fmt.Sprint(result.Criteria())
	for _, dir := range []string{c.Output, c.Output + ".release", l.store.Config} {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			b, err := os.ReadFile(path)
			if strings.HasSuffix(filepath.Dir(path), synth.PartsSuffix) { // kept records, encrypted under keys that ended with the run
				return err
			}
			if strings.HasSuffix(filepath.Dir(path), ".launches") { // two random texts, drawn before anything is read
				left[filepath.Base(dir)+"/launch"] = fmt.Sprint(len(e.Name()), len(b))
				return err
			}
			left[filepath.Base(dir)+"/"+e.Name()] = string(b)
			return err
		})
		must.Do(t, err)
	}
	// The store's directory has another name in each run.
	store := filepath.Base(l.store.Config)
	for name, content := range left {
		if strings.HasPrefix(name, store) {
			delete(left, name)
			left["store"+name[len(store):]] = content
		}
	}
	return left
}

// privacyID reports whether a request's domain file names one: else every row is a unit.
func privacyID(t *testing.T, c Config) bool {
	t.Helper()
	b := must.Value(os.ReadFile(c.Domain))(t)
	return !bytes.Contains(b, []byte("privacy_id: none\n"))
}

// TestReplayOfWholeRuns runs pipelines of every method in turn on 10 random neighbours of each relation
// (nightly 200), and on a table of nobody, with the curator's answers frozen: requests, rows, row count,
// schema, names and contents of all files, statement, model, closing words, log, error and exit status are equal byte for
// byte, and under Replace the number of units is. Every third pair has no privacy ID, another third writes all rows of each. Methods that leave a part of the
// budget to it have criteria checked, whose answer does not pass through the tape: the second run is repeated until it gives
// the answer of the first. Either answer comes up in a third of the runs or more (the noise has a standard deviation of 100 units or
// more, and no table has 20), so that 60 runs miss it with probability 3e-11.
func TestReplayOfWholeRuns(t *testing.T) {
	pairs := dptest.Size(10, 200)
	if testing.Short() {
		pairs = 3
	}
	checked := 0
	for _, n := range []dp.Neighbouring{dp.AddRemove, dp.Replace} {
		rng := rand.New(rand.NewPCG(dptest.Seed(t), uint64(n)))
		c := shop(t, 0)
		c.Neighbouring, c.Format = n, "csv"
		names := slices.DeleteFunc(methods.Names(), func(name string) bool { return name == "tape" })
		for pair := range pairs {
			playing = &tape{}
			c.Method = names[pair%len(names)]
			c.ExpectedRows = 50_000
			text := shopDomain
			switch pair % 3 {
			case 1:
				text += "events: {person: [plan], rows: {max: 5}}\n"
			case 2:
				text = strings.Replace(shopDomain, "privacy_id: customer", "privacy_id: none", 1)
			}
			if replayPair(t, c, text, pair, rng) {
				checked++
			}
		}
		dptest.Figure(t, "%v: %d pairs of whole runs of %d methods, equal byte for byte", n, pairs, len(names))
	}
	must.Hold(t, checked != 0, "no run has criteria")
}

// replayPair runs a request over a domain on two random neighbours, and reports whether criteria were checked.
func replayPair(t *testing.T, c Config, text string, pair int, rng *rand.Rand) (checked bool) {
	t.Helper()
	must.Do(t, os.WriteFile(c.Domain, []byte(text), 0o666))
	x := people{}
	for i := range 2 + rng.IntN(6) {
		x[fmt.Sprint("c", i)] = nasty(rng)
	}
	if c.Neighbouring == dp.Replace { // the number of units is public: one for all pairs
		for i := range 8 {
			x[fmt.Sprint("c", i)] = nasty(rng)
		}
	}
	y := maps.Clone(x)
	switch {
	case c.Neighbouring == dp.Replace:
		y["c0"] = nasty(rng)
	case pair == 0:
		clear(y)
	case rng.IntN(2) == 0:
		delete(y, "c0")
	default:
		y["c9"] = nasty(rng)
	}
	if !privacyID(t, c) {
		x, y = x.single(), y.single()
	}
	c.Criteria = "age <= 0.5; plan, active <= 0.25"
	if _, err := ValidateRun(context.Background(), c); err != nil {
		c.Criteria = ""
	} else {
		checked = true
	}
	first, second := replayed(t, c, x, rng), replayed(t, c, y, rng)
	for tries := 1; tries < 60 && second["status"] != first["status"]; tries++ {
		second = replayed(t, c, y, rng)
	}
	fault := playing.ended()
	must.Hold(t, fault == "" && playing.next != 0, "%v pair %d, %s: %d requests, %s", c.Neighbouring, pair, c.Method, playing.next, fault)
	must.Need(t, len(first) >= 5 && first["error"] == "<nil>", "%v pair %d: a run left %d things, error %s", c.Neighbouring, pair, len(first), first["error"])
	if !maps.Equal(first, second) {
		for name := range first {
			must.Hold(t, first[name] == second[name], "%v pair %d: %s differs", c.Neighbouring, pair, name)
		}
	}
	return checked
}

// TestReplayHistories is TestReplayOfWholeRuns where rows of people have an order, in which many are tied or have no place.
func TestReplayHistories(t *testing.T) {
	const column = "{name: age, type: INT64, min: 18, max: 98, bins: 4, null: true}"
	ordered := strings.Replace(shopDomain, column, "{name: age, type: INT64, min: 18, max: 98, fallback: 18}", 1)
	must.Need(t, ordered != shopDomain, "the domain has another column")
	for _, n := range []dp.Neighbouring{dp.AddRemove, dp.Replace} {
		rng := rand.New(rand.NewPCG(dptest.Seed(t), 7+uint64(n)))
		pairs := dptest.Size(4, 60)
		for pair := range pairs {
			playing = &tape{}
			c := shop(t, 0)
			c.Neighbouring, c.Format, c.Method = n, "csv", "rake"
			events := []string{"events: {person: [plan], rows: {max: 5}, order: age}\n", "events: {rows: {max: 3}, order: age, strict: true, previous: [active]}\n"}
			replayPair(t, c, ordered+events[pair%2], pair, rng)
		}
		dptest.Figure(t, "%v: %d pairs of whole runs of histories, equal byte for byte", n, pairs)
	}
}

// TestNothingTimedIsReleased: no released file has a field for a time, a duration or a number of trials,
// which would depend on what was drawn.
func TestNothingTimedIsReleased(t *testing.T) {
	c := shop(t, 50)
	mustRun(t, c)
	// Names are printable: numbers of a model, whose bytes are random, make no such name by chance (1e-13 a run).
	timed := regexp.MustCompile(`(?i)"[ !#-~]*(time|duration|second|elapsed|trial|started|finished|created|retries|attempt)[ !#-~]*"\s*:`)
	read := 0
	for _, pattern := range []string{"_*.json", "_*.html", "_*.arrow"} {
		files := must.Value(filepath.Glob(filepath.Join(c.Output+".release", pattern)))(t)
		for _, name := range files {
			b := must.Value(os.ReadFile(name))(t)
			read++
			found := timed.Find(b)
			must.Hold(t, found == nil, "%s has the field %s", filepath.Base(name), found)
		}
	}
	must.Hold(t, read >= 2 && timed.MatchString(`{"solve_seconds": 3}`), "%d released files were read: the check is blind", read)
}

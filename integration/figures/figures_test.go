package figures

import (
	"encoding/json"
	"flag"
	"fmt"
	"html"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/program"
)

// machine runs the command on tables, and compares what it says with the truth.
type machine struct {
	t      *testing.T
	bin    string
	counts map[[2]string]*tally
	made   int      // releases
	by     string   // in the long test: how the release was made
	red    []string // families and kinds that fail

	rounded []float64 // of shares of the page: half widths that their digits leave out
}

// run runs the command in a directory; its standard output is returned.
func (m *machine) run(dir string, args ...string) string {
	m.t.Helper()
	cmd := exec.Command(m.bin, args...)
	cmd.Dir = dir
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	must.Need(m.t, err == nil, "dapple %s: %v\n%s", strings.Join(args, " "), err, errs.String())
	return string(out)
}

// release is run for synth. A run whose domain is to be found may find no column, which it says; then nothing is seen.
func (m *machine) release(dir string, found bool, args ...string) (said string, seen bool) {
	m.t.Helper()
	if found {
		cmd := exec.Command(m.bin, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil && strings.Contains(string(out), "no column could be found at this budget") {
			return "", false
		}
		if err == nil {
			return string(out), true
		}
		m.t.Fatalf("dapple %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return m.run(dir, args...), true
}

// DAPPLE_FAMILY=NAME tries the families with this name alone, by the long test too.
var (
	page = flag.Bool("page", false, "write README.md")
	many = flag.Int("seeds", 2, "tables of each family and ε, in the long test: of 4,000 people, then of 30,000")
)

// TestFigures: whatever table goes through the command, what it states of it is true, or within the error that it states. Tables are
// fixed; noise is not, and tally says how often chance fails the test.
func TestFigures(t *testing.T) {
	seeds, long := 1, nightly()
	epsilons, methods := []float64{1, 3}, []string{"auto"}
	if long {
		seeds, epsilons, methods = *many, []float64{.3, 1, 3, 10}, []string{"auto", "rake", "dpam", "dpfw"}
	} else if testing.Short() {
		t.Skip("missing: time for the command's runs, 30 s of CPU; make integration runs them")
	}
	bin := must.Value(program.Build("../..", t.TempDir()))(t)
	m := &machine{t: t, bin: bin, counts: map[[2]string]*tally{}}
	seed := uint64(20261129)
	for i, f := range families {
		if !strings.Contains(f.name, os.Getenv("DAPPLE_FAMILY")) {
			seed += uint64(seeds * len(epsilons)) // the others have the tables that they have in a whole run
			continue
		}
		for s := range seeds {
			for k, epsilon := range epsilons {
				seed++
				r := rand.New(rand.NewPCG(seed, uint64(s)))
				g := f.make(r, []int{4000, 30_000}[s%2])
				g.family = f.name
				list := methods
				if !long && k > 0 { // each family by one more method
					list = []string{[]string{"dpam", "rake", "dpfw"}[i%3]}
				}
				for _, method := range list {
					rake, pure := method == "rake", method == "dpam" && g.terms != nil // which take no linear queries
					if method == "auto" || g.answers == nil && rake || !rake && g.exact && g.persons == nil && (g.answers == nil || !pure) {
						m.table(g, epsilon, method)
					}
				}
				if (long || k == len(epsilons)-1 && i%2 == 0) && g.terms == nil && g.all == "" {
					m.table(g, epsilon, "")
				}
			}
		}
	}
	table := m.judge()
	t.Log(table)
	if *page {
		m.write("README.md", table)
	}
}

// TestRowsThatGoWithAColumn: where noise hides how many rows people have of whom a column says it, counts hold the truth by what noise
// hides; of the counts of values half held. None is called measured. Releases are apart.
func TestRowsThatGoWithAColumn(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for the command's runs, 15 s of CPU; make integration runs them")
	}
	m := &machine{t: t, bin: must.Value(program.Build("../..", t.TempDir()))(t), counts: map[[2]string]*tally{}}
	for seed := range uint64(32) {
		g, dir := goesWithRows.make(rand.New(rand.NewPCG(seed, 77)), 5000), t.TempDir()
		g.family = goesWithRows.name
		for name, text := range map[string]string{"t.csv": g.csv(), "d.yaml": g.yaml()} {
			must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		}
		m.made++
		m.run(dir, "synth", "t.csv", "--output=out", "--format=csv", "--epsilon=.3", "--delta=1e-9", "--domain=d.yaml", "--expected_rows=5000", "--method=rake", "--quiet")
		a, _ := m.query(dir, "SELECT kind, COUNT(*) FROM rows GROUP BY kind")
		for _, x := range a.Answers {
			m.interval(g.family, "counts", g.count(map[int]string{0: x.Group["kind"]}), x.Low, x.High, x.Group["kind"])
			must.Hold(t, x.From != "measured", "%s, seed %d: an answer that follows from what is assumed of rows is called measured", g.family, seed)
		}
	}
	t.Log(m.judge())
}

// table makes one release of a table, by a method, and compares its figures; without a method its domain is found.
func (m *machine) table(g *generated, epsilon float64, method string) {
	dir, found := m.t.TempDir(), method == ""
	m.by = ""
	for name, text := range map[string]string{"t.csv": g.csv(), "d.yaml": g.yaml(), "people.csv": g.all} {
		must.Do(m.t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	family := g.family
	args := slices.Concat([]string{"synth", "t.csv", "--output=out", "--format=csv", fmt.Sprintf("--epsilon=%g", epsilon), "--quiet"}, g.promise(), g.registry())
	if found {
		family += ", found"
		args = append(args, "--privacy_id=id")
	} else {
		args = append(args, "--domain=d.yaml", fmt.Sprintf("--expected_rows=%d", g.people()), "--method="+method)
	}
	m.made++
	closing, seen := m.release(dir, found, args...)
	if !seen {
		return
	}
	if lines := strings.Split(strings.TrimSuffix(closing, "\n"), "\n"); len(lines) > 8 || slices.ContainsFunc(lines, func(l string) bool { return len([]rune(l)) > 160 }) {
		m.t.Errorf("%s: the last lines are %d:\n%s", family, len(lines), closing)
	}
	page := must.Value(os.ReadFile(filepath.Join(dir, "out.release", "_report.html")))(m.t)
	if found {
		m.total(g, family, dir)
		m.found(g, family, dir)
		return
	}
	said := m.statement(dir)
	if said.Rows < 10 { // noise hides that there is anybody
		return
	}
	if nightly() {
		if m.by = " by " + said.Method; epsilon < 1 {
			m.by += ", ε < 1"
		}
	}
	m.answers(g, family, dir)
	if g.answers != nil {
		return
	}
	m.means(g, family, dir, string(page))
	m.shares(g, family, dir)
	m.conditions(g, family, dir)
	m.total(g, family, dir)
	if strings.Contains(g.family, "wild") || strings.Contains(g.family, "codes") || strings.Contains(g.family, "tails") || g.idle > 0 {
		return // values of a cell of several, or shares of people who have no row
	}
	largest, tv := m.marginals(g, family, dir, said)
	m.pageShares(g, family, string(page))
	m.summary(g, family, closing, string(page), said, largest, tv)
	m.errors(g, family, dir, epsilon, method, string(page), said)
}

// answered is what query says, as it says it to programs.
type answered struct {
	Answers []struct {
		Group            map[string]string
		Value, Low, High float64
		From             string
	}
}

func (m *machine) query(dir, sql string) (a answered, ok bool) {
	cmd := exec.Command(m.bin, "query", "out", sql, "--json=-")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil { // noise hides the answer, which is an answer too
		return a, false
	}
	must.Do(m.t, json.Unmarshal(out, &a))
	return a, true
}

// weight is what a row counts for: a person's rows count as one person's where people are counted.
func (g *generated) total() float64 { return float64(len(g.columns[0].texts)) }

// total compares the number of people and of rows.
func (m *machine) total(g *generated, family, dir string) {
	if a, ok := m.query(dir, "SELECT COUNT(*) FROM rows"); ok {
		m.interval(family, "counts of all", g.total(), a.Answers[0].Low, a.Answers[0].High, "COUNT(*)")
	}
}

var meanOnPage = regexp.MustCompile(`mean (-?[0-9.]+) ± ([0-9.]+)`)

// means compares the means of the page with the table's, and with query's.
func (m *machine) means(g *generated, family, dir, page string) {
	for i := range g.columns {
		c := &g.columns[i]
		if strings.Contains(c.declared, "STRING") || strings.Contains(c.declared, "BOOL") || strings.Contains(c.declared, "DATE") || strings.Contains(c.declared, "TIME") || strings.Contains(g.family, "wild") {
			continue
		}
		sum, n := 0.0, 0.0
		for r := range c.texts {
			if x := c.number(r); !math.IsNaN(x) {
				sum, n = sum+x, n+1
			}
		}
		_, card, ok := strings.Cut(page, `<bdi>`+html.EscapeString(c.name)+`</bdi>`)
		for ok && !strings.Contains(card[:min(len(card), 300)], "mean ") {
			_, card, ok = strings.Cut(card, `<bdi>`+html.EscapeString(c.name)+`</bdi>`)
		}
		said := meanOnPage.FindStringSubmatch(card[:min(len(card), 300)])
		a, known := m.query(dir, "SELECT AVG("+c.name+") FROM rows")
		if said == nil || !known {
			must.Hold(m.t, !known && said == nil, "%s, %s: the page has a mean and query has none, or the reverse", family, c.name)
			continue
		}
		mean, _ := strconv.ParseFloat(said[1], 64)
		half, _ := strconv.ParseFloat(said[2], 64)
		m.interval(family, "means of the page", sum/n, mean-half, mean+half, c.name)
		m.interval(family, "means of query", sum/n, a.Answers[0].Low, a.Answers[0].High, c.name)
		must.Hold(m.t, math.Abs(mean-a.Answers[0].Value) <= .06*half+1e-9,
			"%s, %s: the page says %g ± %g, and query %g", family, c.name, mean, half, a.Answers[0].Value)
	}
}

// bin is how query names a cell of several numbers, or dates, whose texts are in their order.
var bin = regexp.MustCompile(`^\[([^,]+), ([^,]+)(\)|\])$`)

// in reports whether row r of a column belongs to a group: its text, or a cell of numbers.
func (c *column) in(r int, group string) bool {
	m := bin.FindStringSubmatch(group)
	if m == nil {
		return c.texts[r] == group
	}
	low, err := strconv.ParseFloat(m[1], 64)
	if x := c.texts[r]; err != nil {
		return m[1] <= x && (x < m[2] || x == m[2] && m[3] == "]")
	}
	high, _ := strconv.ParseFloat(m[2], 64)
	x := c.number(r)
	return low <= x && (x < high || x == high && m[3] == "]")
}

// count returns how many rows are in the groups, by columns.
func (g *generated) count(where map[int]string) (n float64) {
	for r := range g.columns[0].texts {
		if !slices.ContainsFunc([]int{0, 1, 2, 3, 4}, func(i int) bool { group, ok := where[i]; return ok && !g.columns[i].in(r, group) }) {
			n++
		}
	}
	return n
}

// shares compares the counts of all groups of a column, and of two, that query answers.
func (m *machine) shares(g *generated, family, dir string) {
	if strings.Contains(g.family, "wild") { // its values are not all in the range
		return
	}
	text := func(label string) string {
		if label == "NULL" {
			return ""
		}
		return label
	}
	for i := range g.columns[:min(5, len(g.columns))] { // which count looks at
		a, _ := m.query(dir, fmt.Sprintf("SELECT %[1]s, COUNT(*) FROM rows GROUP BY %[1]s", g.columns[i].name))
		for _, x := range a.Answers {
			truth := g.count(map[int]string{i: text(x.Group[g.columns[i].name])})
			m.interval(family, "counts of single values"+some(truth), truth, x.Low, x.High, g.columns[i].name+" "+x.Group[g.columns[i].name])
		}
	}
	x, y := g.columns[0].name, g.columns[1].name
	a, _ := m.query(dir, fmt.Sprintf("SELECT %[1]s, %[2]s, COUNT(*) FROM rows GROUP BY %[1]s, %[2]s", x, y))
	for _, c := range a.Answers {
		truth := g.count(map[int]string{0: text(c.Group[x]), 1: text(c.Group[y])})
		m.interval(family, "counts of pairs"+some(truth), truth, c.Low, c.High, c.Group[x]+" "+c.Group[y])
	}
}

// conditions compares means of a column under conditions on another, where both are numbers.
func (m *machine) conditions(g *generated, family, dir string) {
	if !strings.HasPrefix(g.family, "diagonal") {
		return
	}
	for _, top := range []float64{3, 8, 13} {
		sum, n := 0.0, 0.0
		for r := range g.columns[0].texts {
			if g.columns[0].number(r) <= top {
				sum, n = sum+g.columns[1].number(r), n+1
			}
		}
		if a, ok := m.query(dir, fmt.Sprintf("SELECT AVG(high) FROM rows WHERE low <= %g", top)); ok {
			m.interval(family, "means under conditions", sum/n, a.Answers[0].Low, a.Answers[0].High, fmt.Sprintf("low <= %g", top))
		}
	}
}

// errors compares what the release and the plan say of the average total variation with what evaluate measures, and that with
// the rows themselves.
func (m *machine) errors(g *generated, family, dir string, epsilon float64, method, page string, statement said) {
	var plan struct {
		TV *float64 `json:"average_tv"`
	}
	err := json.Unmarshal([]byte(m.run(dir, slices.Concat([]string{"plan", "d.yaml", "--method=" + method, fmt.Sprintf("--epsilon=%g", epsilon), fmt.Sprintf("--expected_rows=%d", g.people()), "--json=-"}, g.promise())...)), &plan)
	var compared struct {
		Real struct {
			Widths []struct {
				TV float64 `json:"average_tv"`
			}
		}
	}
	if err == nil {
		err = json.Unmarshal([]byte(m.run(dir, append([]string{"evaluate", "d.yaml", "t.csv", "out", "--json=-"}, g.registry()...)...)), &compared)
	}
	must.Do(m.t, err)
	widths := compared.Real.Widths
	truth, said := widths[len(widths)-1].TV, statement.Error
	if g.exact && g.persons == nil {
		own := m.drawn(g, dir)
		must.Hold(m.t, math.Abs(own-truth) <= 1e-6, "%s: evaluate says that rows are off by %g, and they are by %g", family, truth, own)
	}
	// Drawing rows adds an error of its own to the error of the model: at most one row a cell.
	const drawn = .002
	if x := said.Average; x > 0 && said.Measured != nil && g.persons == nil {
		noise := 4 * said.Measured.SD
		m.within(family, "errors of the statement", truth, x, noise+drawn, 2, fmt.Sprintf("ε = %g", epsilon))
		if strings.Contains(page, "Usefulness: good") && truth > .05+2*noise+drawn { // of 8 standard deviations: by chance in 1 of 10^15 releases
			m.t.Errorf("%s, ε = %g: the rows are called good, and are off by %g", family, epsilon, truth)
		}
	}
	switch what := fmt.Sprintf("ε = %g", epsilon); {
	case plan.TV == nil || g.persons != nil:
	case easier(g):
		m.interval(family, "forecasts of plan for easier tables", truth, 0, 3**plan.TV+drawn, what)
	default:
		m.within(family, "forecasts of plan", truth, *plan.TV, drawn, 3, what)
	}
}

// within counts whether the truth is said to within a factor, as most must be: a forecast is of the mean, and the truth of one
// draw. None may be wrong by six times the factor, in the long test: nobody has computed how often chance makes it so.
func (m *machine) within(family, kind string, truth, said, noise, factor float64, what string) {
	m.interval(family, kind, truth, said/factor-noise, said*factor+noise, what)
	if factor *= 6; nightly() && (said/factor-noise > truth || truth > said*factor+noise) {
		m.t.Errorf("%s, %s: %s: %g is said, and the rows are off by %g", family, what, kind, said, truth)
	}
}

// easier reports whether most cells of a table are empty, as its columns hardly vary or follow from each other: plan says that it predicts
// more than such a table errs.
func easier(g *generated) bool {
	return slices.Contains([]string{"rare outcomes", "NULLs", "zeros and tails", "functions", "diagonal", "copies", "copies but for 1 %"}, g.family)
}

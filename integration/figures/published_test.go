package figures

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/internal/io/parquetio"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// said is what a statement says of its figures.
type said struct {
	Method string
	Delta  float64
	Units  struct {
		Count float64
		SD    float64 `json:"standard_deviation"`
	}
	Rows  float64
	Error struct {
		MaxCell  float64 `json:"max_cell_bound_95"`
		Average  float64 `json:"average_tv_estimate"`
		Shares   float64 `json:"shares_95"`
		Answers  int
		Most     float64 `json:"max_answer_bound_95"`
		Measured *struct {
			Noisy     float64 `json:"average_tv_with_noise"`
			SD        float64 `json:"standard_deviation"`
			Predicted float64 `json:"average_tv_predicted"`
		} `json:"average_tv_measured"`
	}
}

// statement reads a release's statement.
func (m *machine) statement(dir string) (s said) {
	b, err := os.ReadFile(filepath.Join(dir, "out.release", "_privacy.json"))
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	must.Do(m.t, err)
	return s
}

// source opens a file of a release.
func (m *machine) source(dir, name string) (parquetio.Source, bool) {
	f, err := os.Open(filepath.Join(dir, "out.release", name))
	if os.IsNotExist(err) {
		return nil, false
	}
	must.Do(m.t, err)
	m.t.Cleanup(func() { f.Close() })
	return f, true
}

// cells returns which label of a column each row has, -1 for none.
func (c *column) cells(labels []string) []int {
	at, out := map[string]int{}, make([]int, len(c.texts))
	for r, text := range c.texts {
		i, ok := at[text]
		if !ok {
			i = slices.IndexFunc(labels, func(label string) bool { return c.in(r, label) })
			if text == "" {
				i = slices.Index(labels, "NULL")
			}
			at[text] = i
		}
		out[r] = i
	}
	return out
}

// table counts people by the cells of several columns, the last one fastest: each row of a person is a part of one.
func (g *generated) table(names []string, labels [][]string) []float64 {
	rows := make([]float64, g.people())
	for _, p := range g.persons {
		rows[p]++
	}
	at, size := make([]int, len(g.columns[0].texts)), 1
	for i, name := range names {
		c := &g.columns[slices.IndexFunc(g.columns, func(c column) bool { return c.name == name })]
		for r, k := range c.cells(labels[i]) {
			if k < 0 || at[r] < 0 {
				at[r] = -1
			} else {
				at[r] = at[r]*len(labels[i]) + k
			}
		}
		size *= len(labels[i])
	}
	out := make([]float64, size)
	for r, k := range at {
		if k < 0 {
			continue
		}
		if out[k]++; g.persons != nil {
			out[k] += 1/rows[g.persons[r]] - 1
		}
	}
	return out
}

// published is a table of _marginals.parquet.
type published struct {
	names  []string
	labels [][]string // of each column's cells
	rows   [5][]float64
}

// The rows of a published table.
const (
	fitted = iota
	fittedError
	noisy
	noisyError
	fittedHigh
)

// unescaped splits a text at its commas, and takes the backslashes away.
func unescaped(s string) []string {
	const comma, slash = "\x00", "\x01"
	s = strings.NewReplacer(`\\`, slash, `\,`, comma).Replace(s)
	list := strings.Split(s, ", ")
	for i := range list {
		list[i] = strings.NewReplacer(comma, ",", slash, `\`).Replace(list[i])
	}
	return list
}

// published reads _marginals.parquet.
func (m *machine) published(dir string) (list []published) {
	src, ok := m.source(dir, "_marginals.parquet")
	must.Need(m.t, ok, "there is no _marginals.parquet")
	columns := []parquetio.Figures{{Name: "marginal", Words: []string{}}, {Name: "cell", Words: []string{}}}
	for _, name := range []string{"fitted", "fitted_standard_error", "noisy", "standard_error", "fitted_high"} {
		columns = append(columns, parquetio.Figures{Name: name, Numbers: []float64{}})
	}
	columns = must.Value(parquetio.ReadFigures(src, "_marginals.parquet", columns))(m.t)
	for i, text := range columns[0].Words {
		if i == 0 || text != columns[0].Words[i-1] {
			names := unescaped(text)
			list = append(list, published{names: names, labels: make([][]string, len(names))})
		}
		x := &list[len(list)-1]
		for k, label := range unescaped(columns[1].Words[i]) {
			if !slices.Contains(x.labels[k], label) {
				x.labels[k] = append(x.labels[k], label)
			}
		}
		for k := range x.rows {
			x.rows[k] = append(x.rows[k], columns[2+k].Numbers[i])
		}
	}
	return list
}

// marginals compares _marginals.parquet with the table, and returns the largest error of a share of one column and the mean total
// variation of the widest tables under the model.
func (m *machine) marginals(g *generated, family, dir string, s said) (largest, tv float64) {
	list, width, tables, sigmas := m.published(dir), 0, 0.0, 1.96
	if s.Delta == 0 { // Laplace noise
		sigmas = -math.Log(.05) / math.Sqrt2
	}
	list = slices.DeleteFunc(list, func(x published) bool { // the number of a person's rows, and what the row before had
		return slices.ContainsFunc(x.names, func(name string) bool {
			return !slices.ContainsFunc(g.columns, func(c column) bool { return c.name == name })
		})
	})
	for _, x := range list {
		width = max(width, len(x.names))
	}
	for at, x := range list {
		if at%(1+len(list)/300) > 0 { // of wide tables
			continue
		}
		counts, off := g.table(x.names, x.labels), 0.0
		kind := "_marginals of " + map[int]string{1: "one column", 2: "pairs", 3: "triples"}[len(x.names)]
		for i, n := range counts {
			truth, share, what := n/float64(g.people()), x.rows[fitted][i], fmt.Sprintf("%v %d", x.names, i)
			off += math.Abs(truth-share) / 2
			if len(x.names) == 1 {
				largest = max(largest, math.Abs(truth-share))
			}
			if half := 1.96 * x.rows[fittedError][i]; !math.IsNaN(half) {
				m.interval(family, kind+some(n), truth, share-half, x.rows[fittedHigh][i], what)
			}
			if half := sigmas * x.rows[noisyError][i]; !math.IsNaN(half) && g.persons == nil {
				m.interval(family, "noisy answers", n/s.Units.Count, x.rows[noisy][i]-half, x.rows[noisy][i]+half, what)
			}
		}
		if len(x.names) == width {
			tv, tables = tv+off, tables+1
		}
	}
	return largest, tv / tables
}

// empty ends the kind of figures of cells that nobody is in: their intervals begin at 0 and hold by construction.
const empty = ", empty cells"

// some tells cells that nobody is in from others.
func some(n float64) string {
	if n == 0 {
		return empty
	}
	return ""
}

// answers compares _answers.parquet with the truth of the queries of the workload.
func (m *machine) answers(g *generated, family, dir string) {
	src, ok := m.source(dir, "_answers.parquet")
	if !ok {
		return
	}
	list := must.Value(parquetio.ReadFigures(src, "_answers.parquet", []parquetio.Figures{{Name: "id", Words: []string{}}, {Name: "value", Numbers: []float64{}},
		{Name: "low", Numbers: []float64{}}, {Name: "high", Numbers: []float64{}}}))(m.t)
	for i, id := range list[0].Words {
		truth, ok := g.answers[id]
		must.Need(m.t, ok, "%s: there is no query %s", family, id)
		m.interval(family, "_answers", truth, list[2].Numbers[i], list[3].Numbers[i], "query "+id)
	}
	must.Hold(m.t, len(list[0].Words) == len(g.answers), "%s: %d answers to %d queries", family, len(list[0].Words), len(g.answers))
}

var (
	sharesOnTerminal = regexp.MustCompile(`(?:shares of single columns are|every measured share is) right to ± ([0-9.e+-]+) points`)
	missOnTerminal   = regexp.MustCompile(`miss ([0-9.]+) % of the`)
	tagOfPage        = regexp.MustCompile(`<[^>]*>`)
	peopleOnPage     = regexp.MustCompile(`([0-9][0-9,]*) ± ([0-9][0-9,.e+]*)\s+rows written`)
	bestOnPage       = regexp.MustCompile(`Shares of single columns are right to ± ([0-9.]+) %`)
	wrongOnPage      = regexp.MustCompile(`are wrong for ([0-9.]+) % of the`)
)

// words returns a page's text.
func words(page string) string {
	return strings.ReplaceAll(html.UnescapeString(tagOfPage.ReplaceAllString(page, " ")), "\u00a0", " ")
}

// number reads the first number of a pattern in a text, as a share.
func percent(re *regexp.Regexp, text string) (float64, bool) {
	found := re.FindStringSubmatch(text)
	if found == nil {
		return 0, false
	}
	x, err := strconv.ParseFloat(found[1], 64)
	return x / 100, err == nil
}

// summary compares what the terminal and the page say of the whole release with the truth and with each other.
func (m *machine) summary(g *generated, family, closing, page string, s said, largest, tv float64) {
	text := words(page)
	if x, ok := percent(sharesOnTerminal, closing); ok {
		m.interval(family, "shares on the terminal", largest, 0, x, "the largest error of a share")
		if y, ok := percent(bestOnPage, text); ok && math.Abs(x-y) > .051*x {
			m.t.Errorf("%s: shares of single columns are right to %.2g %% on the terminal and to %.2g %% on the page", family, 100*x, 100*y)
		}
	}
	if x, ok := percent(bestOnPage, text); ok {
		m.interval(family, "shares on the card", largest, 0, x, "the largest error of a share")
	}
	if x, ok := percent(missOnTerminal, closing); ok {
		if y, ok := percent(wrongOnPage, text); ok && math.Abs(x-y) > .006*x+1e-9 || math.Abs(x-s.Error.Average) > .06*x {
			m.t.Errorf("%s: tables miss %.3g on the terminal, %.3g on the page and %.3g in the statement", family, x, y, s.Error.Average)
		}
	}
	if people := peopleOnPage.FindStringSubmatch(text); people != nil && s.Units.SD > 0 {
		n, _ := strconv.ParseFloat(strings.ReplaceAll(people[1], ",", ""), 64)
		half, _ := strconv.ParseFloat(strings.ReplaceAll(people[2], ",", ""), 64)
		m.interval(family, "people on the page", float64(g.people()), n-half, n+half, "people")
		must.Hold(m.t, math.Abs(n-s.Units.Count) <= 1 && math.Abs(half-max(1, 1.96*s.Units.SD)) <= max(.6, .006*half),
			"%s: the page says %g ± %g people, and the statement %g with %g", family, n, half, s.Units.Count, s.Units.SD)
	}
	if s.Error.Measured == nil || g.persons != nil {
		return
	}
	noise := 4*s.Error.Measured.SD + .002
	// Of 8 standard deviations: by chance in 1 of 10^15 releases. How often it is chance that calls rows poor, nobody has computed.
	for word, ok := range map[string]bool{"good": tv < .05*2+2*noise, "fair": tv < .1*2+2*noise, "poor": !nightly() || s.Error.Average > .1 || tv > .02 || largest > .02} {
		must.Hold(m.t, !strings.Contains(text, "Usefulness: "+word) || ok, "%s: the rows are called %s, and the model is off by %g", family, word, tv)
	}
	m.within(family, "errors of the model", tv, s.Error.Average, noise, 2, s.Method)
}

var shareOnPage = regexp.MustCompile(`<tr><th scope="row"><bdi>([^<]*)</bdi></th><td>([0-9.]+)\s%</td><td>±\s([0-9.]+)</td></tr>`)

// pageShares compares the shares that the page lists by column: its last digit is rounded.
func (m *machine) pageShares(g *generated, family, page string) {
	for i := range g.columns {
		c := &g.columns[i]
		_, card, _ := strings.Cut(page, "values of "+html.EscapeString(c.name)+`"`)
		card, _, _ = strings.Cut(card, "</table>")
		for _, row := range shareOnPage.FindAllStringSubmatch(strings.ReplaceAll(card, "\u00a0", " "), -1) {
			label := html.UnescapeString(row[1])
			truth := g.table([]string{c.name}, [][]string{{label}})[0] / float64(g.people())
			share, _ := strconv.ParseFloat(row[2], 64)
			half, _ := strconv.ParseFloat(row[3], 64)
			_, decimals, _ := strings.Cut(row[2], ".")
			rounded := math.Pow10(-2 - len(decimals)) // both by half of their last digit
			if half > 0 {
				m.rounded = append(m.rounded, 100*rounded/half)
			}
			m.interval(family, "shares of the page"+some(truth), truth, (share-half)/100-rounded, (share+half)/100+rounded, c.name+" "+label)
		}
	}
}

// drawn returns the mean total variation of the widest tables between the rows that were written and the table, by this package's
// own sums over both, for tables of up to three columns with a cell a value.
func (m *machine) drawn(g *generated, dir string) float64 {
	files, err := filepath.Glob(filepath.Join(dir, "out", "*.csv"))
	must.Need(m.t, err == nil && len(files) == 1, "%d files: %v", len(files), err)
	f := must.Value(os.Open(files[0]))(m.t)
	defer f.Close()
	list := must.Value(csv.NewReader(f).ReadAll())(m.t)
	cells, rows, given := map[string]float64{}, g.total(), g.given()
	for r := range g.columns[0].texts {
		key := ""
		for _, c := range given {
			key += "," + c.texts[r]
		}
		cells[key] += 1 / rows
	}
	for _, row := range list[1:] {
		cells[","+strings.Join(row[:len(given)], ",")] -= 1 / float64(len(list)-1)
	}
	off := 0.0
	for _, x := range cells {
		off += math.Abs(x) / 2
	}
	return off
}

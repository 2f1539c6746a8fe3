package evaluate

import (
	"cmp"
	_ "embed" // the page's template
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/lists"
	"github.com/dapple-dp/dapple/internal/release/report/page"
)

//go:embed evaluate.html
var pageText string

var pageTemplate = page.Parse(pageText)

// listedItems is how many pairs and marginals the page lists.
const listedItems = 20

// view is what the template is given.
type view struct {
	*Report
	Facts   []page.Fact
	Columns []column
	Pairs   *pairs
	Worst   []worstMarginal
}

// column is a column of the two tables: a picture and figures.
type column struct {
	page.Bars
	Score   string
	Metric  string
	Moments string
	Figures []figure
}

// figure is one figure of both tables.
type figure struct{ Name, Real, Synthetic string }

// pairs shows how far the association of each pair of columns is off.
type pairs struct {
	Heat   page.Heat
	Scored string // which pairs have a score, if some have none
	All    []pairLoss
}

type pairLoss struct {
	Columns, TV, Real, Synthetic, Score string
	loss                                float64 // of the association
}

type worstMarginal struct {
	page.Bars
	TV string
}

// WriteHTML writes the report as one self-contained page. Banner is on every screenful of it and on every printed page.
func (r *Report) WriteHTML(w io.Writer) error {
	v := view{Report: r, Facts: r.Real.facts(), Columns: r.Real.columns(), Pairs: r.Real.pairs()}
	for _, m := range r.Real.Worst[:min(len(r.Real.Worst), listedItems)] {
		v.Worst = append(v.Worst, worstMarginal{Bars: m.bars(), TV: share(m.TV)})
	}
	if err := page.Write(w, pageTemplate, page.Head{Title: "Synthetic beside true table (not private)", Banner: r.NotPrivate}, v); err != nil {
		return fmt.Errorf("evaluate: %w", err)
	}
	return nil
}

// Figures are the figures of marginals of one width, for the page.
func (k Width) Figures() []string {
	return []string{strconv.Itoa(k.K), thousands(k.Marginals), thousands(int(k.Cells)), share(k.AverageTV), share(k.LargestTV), share(k.LargestCell)}
}

// scored is a score for the page.
func scored(s Score) string {
	if !s.Defined() {
		return "–"
	}
	return strconv.FormatFloat(float64(s), 'f', 3, 64)
}

func (c *Comparison) facts() (list []page.Fact) {
	add := func(term, text, more string) { list = append(list, page.Fact{Term: term, Text: text, More: more}) }
	add("Synthetic rows", thousands(c.SyntheticRows), "true rows: "+thousands(c.TrueRows))
	if p := c.People; p != nil {
		add("Synthetic people", thousands(p.Synthetic), fmt.Sprintf("with %.2f rows each; true: %s with %.2f",
			each(c.SyntheticRows, p.Synthetic), thousands(p.True), each(c.TrueRows, p.True)))
	}
	if v := c.Values; v != nil {
		by := "by SDMetrics " + v.SDMetrics
		add("Column shapes", scored(v.Shapes.Average), by)
		if !v.Trends.Average.Defined() {
			by = "no pair is related enough to count"
		}
		add("Pair trends", scored(v.Trends.Average), by)
	}
	for _, k := range c.Widths {
		add(fmt.Sprintf("%d-way total variation", k.K), share(k.AverageTV), "at most "+share(k.LargestTV))
	}
	return list
}

// columns are the pictures of all columns, lowest score first.
func (c *Comparison) columns() (list []column) {
	if c.Values == nil {
		return nil
	}
	shapes := map[string]Item{}
	for _, item := range c.Values.Shapes.Items {
		shapes[item.Columns[0]] = item
	}
	for _, of := range c.Values.Columns {
		item := shapes[of.Name]
		list = append(list, column{Bars: of.bars(), Score: scored(item.Score), Metric: item.Metric, Moments: of.moments(), Figures: of.figures()})
	}
	slices.SortStableFunc(list, func(x, y column) int {
		return cmp.Compare(shapes[x.Name].Score.orElse(2), shapes[y.Name].Score.orElse(2))
	})
	return list
}

var twoSeries = []string{"true", "synthetic", "points"}

// bars is the picture of a column.
func (c *Column) bars() page.Bars {
	b := page.Bars{Name: c.Name, Series: twoSeries, Paired: true}
	h := c.Histogram
	if h == nil {
		for _, f := range c.Frequent {
			b.Cells = append(b.Cells, page.Bar{Label: f.Value, Share: f.Synthetic, Other: f.Real})
		}
		return b
	}
	b.Ordered = true
	n := len(h.Real)
	b.Ticks = []string{c.label(h.Edges[0]), c.label(h.Edges[n] - h.Step)}
	for i := range n {
		label, last := c.label(h.Edges[i]), c.label(h.Edges[i+1]-h.Step)
		if last != label {
			label += " to " + last
		}
		b.Cells = append(b.Cells, page.Bar{Label: label, Share: h.Synthetic[i], Other: h.Real[i]})
	}
	if n, m := float64(c.Real.Nulls), float64(c.Synthetic.Nulls); n > 0 || m > 0 {
		b.Cells = append(b.Cells, page.Bar{Label: "NULL", Share: m, Other: n, Apart: true})
	}
	return b
}

// label writes a number of a column's histogram: dates and times as such.
func (c *Column) label(x float64) string {
	if c.exact != nil {
		return c.exact(x)
	}
	if t, ok := domain.ParseType(c.Type); ok && (c.SDType == kindNames[datetime] || t == domain.Time) {
		a := domain.Attribute{Type: t}
		return string(a.AppendNative(nil, int64(math.Round(x))))
	}
	if c.Type == domain.Int64.String() && math.Abs(x) < 10000 { // it may be a year
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return plainNumber(x, 4)
}

// moments says mean and standard deviation of numbers in both tables.
func (c *Column) moments() string {
	r, s := &c.Real, &c.Synthetic
	if !r.Mean.Defined() || !s.Mean.Defined() || c.SDType != kindNames[numerical] {
		return ""
	}
	return fmt.Sprintf("Mean: true %s, synthetic %s. Standard deviation: true %s, synthetic %s.", digits(r.Mean), digits(s.Mean), digits(r.SD), digits(s.SD))
}

// plainNumber writes a number with so many significant digits, with commas and without an exponent unless it is tiny or huge.
func plainNumber(x float64, n int) string {
	if m := math.Abs(x); m >= math.Pow10(n-1) && m < 1e15 {
		return page.Count(x)
	}
	return strconv.FormatFloat(x, 'g', n, 64)
}

// figures are the summaries of both tables.
func (c *Column) figures() (list []figure) {
	add := func(name, x, y string) { list = append(list, figure{name, x, y}) }
	r, s := &c.Real, &c.Synthetic
	add("distinct values", thousands(r.Distinct), thousands(s.Distinct))
	if r.Nulls > 0 || s.Nulls > 0 {
		add("NULL", page.Percent(float64(r.Nulls), 2), page.Percent(float64(s.Nulls), 2))
	}
	if r.Zeros > 0 || s.Zeros > 0 {
		add("zero", page.Percent(float64(r.Zeros), 2), page.Percent(float64(s.Zeros), 2))
	}
	for i := 0; i < min(len(r.Quantiles), len(s.Quantiles)); i++ {
		q := r.Quantiles[i]
		add("quantile "+strconv.FormatFloat(q.P, 'g', -1, 64), q.Text, s.Quantiles[i].Text)
	}
	if c.Histogram != nil {
		for _, f := range c.Frequent {
			add("value "+f.Value, page.Percent(f.Real, 2), page.Percent(f.Synthetic, 2))
		}
	}
	return list
}

func digits(s Score) string {
	if !s.Defined() {
		return "–"
	}
	return plainNumber(float64(s), 5)
}

// pairs shows how far the associations of pairs are off; nil without pairs.
func (c *Comparison) pairs() *pairs {
	if c.Values == nil || len(c.Values.Trends.Items) == 0 {
		return nil
	}
	property, names := c.Values.Trends, []string(nil)
	for _, of := range c.Values.Columns { // derived columns too
		names = append(names, of.Name)
	}
	at := map[string]int{}
	p := &pairs{Heat: page.Heat{Title: "Pairs of columns: how far their association is off", Names: names, Values: make([][]float64, len(names)), None: "not defined", Top: darkLoss}}
	for i, name := range names {
		at[name] = i
		p.Heat.Values[i] = slices.Repeat([]float64{math.NaN()}, len(names))
	}
	scores := 0
	for _, item := range farthest(property.Items) {
		if item.Score.Defined() {
			scores++
		}
		l := lossOf(item)
		i, j := at[item.Columns[0]], at[item.Columns[1]]
		p.Heat.Values[i][j], p.Heat.Values[j][i] = l.loss, l.loss
		if item.TV.Defined() || !math.IsNaN(l.loss) {
			p.All = append(p.All, l)
		}
	}
	if n := len(property.Items); scores < n {
		p.Scored = fmt.Sprintf("%d of %d pairs have a score of SDMetrics: those with |r| > %v or Cramér's V > %v in the true table.", scores, n, correlated, associated)
	}
	return p
}

// darkLoss is the loss of the darkest shade: half of what association can be.
const darkLoss = .5

// lossOf is how far the association of a pair is off, or if that is not known 1 less its score.
func lossOf(item Item) pairLoss {
	l := pairLoss{Columns: strings.Join(shortened(item.Columns), " × "), TV: scored(item.TV), Score: scored(item.Score), Real: "–", Synthetic: "–", loss: 1 - float64(item.Score)}
	if a := item.Association; a != nil {
		l.Real, l.Synthetic, l.loss = scored(a.Real), scored(a.Synthetic), math.Abs(float64(a.Real)-float64(a.Synthetic))
	}
	return l
}

// shortened cuts names that are listed together.
func shortened(names []string) []string {
	return lists.Of(names, func(n string) string { return page.Short(n, 40) })
}

// bars is the picture of a marginal's most different cells.
func (m *Marginal) bars() page.Bars {
	b := page.Bars{Name: strings.Join(shortened(m.Columns), " × "), Series: twoSeries, Paired: true}
	for _, c := range m.Largest {
		b.Cells = append(b.Cells, page.Bar{Label: strings.Join(shortened(c.Labels), ", "), Share: c.Synthetic, Other: c.Real})
	}
	return b
}

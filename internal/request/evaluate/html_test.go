package evaluate

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/pagetest"
)

// TestHTML: the page is well-formed whatever names and values hold, says that it is not private before anything else and
// in print, and has a picture of each column and of the worst marginals.
func TestHTML(t *testing.T) {
	d := &domain.Domain{}
	for i, text := range pagetest.Hostile[2:] {
		a := domain.Attribute{Name: text, Type: domain.String, Values: []string{"a" + text, "b" + text}, Null: true}
		if i%2 == 1 {
			a = domain.Attribute{Name: text, Type: domain.Int64, Cuts: []int64{0, 1, 2, 3}, Resolution: 1, Null: true}
		}
		d.Attributes = append(d.Attributes, a)
	}
	table := func(shift int) *Table {
		rows := &domain.Chunk{Rows: 60, Columns: make([]domain.Column, d.Len())}
		for a := range d.Attributes {
			col := domain.Column{Form: domain.Ints, Nulls: make([]bool, rows.Rows)}
			if len(d.Attributes[a].Values) > 0 {
				col.Form, col.Dict = domain.Dictionary, d.Attributes[a].Values
			}
			for r := range rows.Rows {
				col.Ints = append(col.Ints, int64((r*(a+shift)/3+shift)%2))
				col.Nulls[r] = r%7 == shift
			}
			rows.Columns[a] = col
		}
		b := NewBuilder(d)
		b.Add(rows)
		return b.Table()
	}
	report := must.Value(Compare(context.Background(), Tables{Real: table(1), Synthetic: table(2), Holdout: table(3)}, query.AllMarginals(d.Sizes(), 2, 100), d))(t)
	report.Real.People = &People{True: 30, Synthetic: 20, Changing: [2]int{3, 0}, RowsMax: 9, RowsPerson: Share{TV: .0125}, SamePerson: Share{.25, .5}, NextRow: Share{.0625, .75}}
	var b bytes.Buffer
	must.Do(t, report.WriteHTML(&b))
	text := pagetest.WellFormed(t, b.Bytes())
	banner, rest := strings.Index(b.String(), `class="not-private"`), strings.Index(b.String(), "<header")
	must.Hold(t, banner >= 0 && banner <= rest && strings.Count(text, Banner) >= 2, "the page does not begin and end with the banner")
	for _, want := range []string{"with 3.00 rows each; true: 30 with 2.00", "true 3, synthetic 0", "0.01250", "0.25000", "0.50000", "0.06250", "0.75000"} {
		must.Hold(t, strings.Contains(text, want), "people: the page lacks %s", want)
	}
	must.Equal(t, strings.Count(b.String(), `<figure class="card">`), d.Len()+min(listedItems, len(report.Real.Worst)))
	for _, bad := range []string{"ZgotmplZ", "NaN", "e+0"} {
		must.Hold(t, !strings.Contains(text, bad), "the page says %s", bad)
	}
	if dir := os.Getenv("DAPPLE_PAGES"); dir != "" {
		must.Do(t, os.WriteFile(dir+"/evaluate.html", b.Bytes(), 0o600))
	}
}

// Pairs without a score are not listed as lowest, and the page says which have one.
func TestPairsWithoutAScore(t *testing.T) {
	c := &Comparison{Values: &Values{Columns: []Column{{Name: "a"}, {Name: "b"}, {Name: "c"}}}}
	c.Values.Trends = Property{Average: undefined, Items: []Item{{Columns: []string{"a", "b"}, TV: undefined, Score: undefined}, {Columns: []string{"a", "c"}, TV: undefined, Score: undefined}}}
	p := c.pairs()
	must.Hold(t, len(p.All) == 0 && strings.HasPrefix(p.Scored, "0 of 2 pairs have a score of SDMetrics: those with |r| > 0.5") && p.Heat.Legend()[8].Text == "not defined",
		"got %+v", p)
	for _, f := range c.facts() {
		must.Hold(t, f.Term != "Pair trends" || f.More == "no pair is related enough to count", "got %+v", f)
	}
	c.Values.Trends.Items[0].Score, c.Values.Trends.Items[1].Score = .5, .75
	p = c.pairs()
	must.Hold(t, p.Scored == "" && len(p.All) == 2 && p.All[0].Score == "0.500", "all scored: %+v", p)
}

// TestHistograms: whole numbers of up to 64 values have a bar each, more of them bars of equally many, and years have no
// marks between thousands.
func TestHistograms(t *testing.T) {
	whole := func(from, to, step int) (x []float64) {
		for v := from; v <= to; v += step {
			x = append(x, float64(v))
		}
		return x
	}
	for _, c := range []struct {
		name        string
		x, y        []float64
		bins        int
		first, last string
	}{
		{"0 and 1", []float64{0, 0, 1}, []float64{1, 1}, 2, "0", "1"},
		{"years", whole(1980, 1987, 1), whole(1979, 1986, 1), 9, "1979", "1987"},
		{"hundreds", whole(0, 6300, 100), []float64{50}, 64, "0", "6300"},
		{"ages", whole(0, 95, 1), whole(0, 95, 1), 48, "0 to 1", "94 to 95"},
		{"one value", []float64{7, 7}, nil, 1, "7", "7"},
		{"fractions", []float64{0, .5, 1}, []float64{.25}, 32, "0 to 0.03125", "0.9688 to 1"},
	} {
		of := Column{Name: c.name, Type: "INT64", SDType: "numerical", Histogram: newHistogram(c.x, c.y, len(c.x), max(len(c.y), 1))}
		if c.name == "fractions" {
			of.Type = "FLOAT64"
		}
		cells := of.bars().Cells
		sum := 0.0
		for _, b := range cells {
			sum += b.Other
		}
		must.Hold(t, len(cells) == c.bins && cells[0].Label == c.first && cells[len(cells)-1].Label == c.last && math.Abs(sum-1) <= 1e-9,
			"%s: %d bars from %q to %q of %g in all", c.name, len(cells), cells[0].Label, cells[len(cells)-1].Label, sum)
	}
}

// TestWorseThanShuffled: a table is said to be worse than shuffled rows where it is, and nowhere else.
func TestWorseThanShuffled(t *testing.T) {
	p := &People{SamePerson: Share{.3, .2}, NextRow: Share{.1, .2}}
	e := p.Errors()
	must.Hold(t, e[2].Worse && !e[3].Worse, "%+v", e)
}

// TestPairs: all pairs that are known are listed by their total variation, whatever their score.
func TestPairs(t *testing.T) {
	c := &Comparison{Values: &Values{Columns: []Column{{Name: "a"}, {Name: "b"}, {Name: "c"}}}}
	c.Values.Trends = Property{Items: []Item{
		{Columns: []string{"a", "b"}, TV: .01, Score: .3, Association: &Association{.9, .88}},
		{Columns: []string{"a", "c"}, TV: .2, Score: undefined, Association: &Association{.354, .145}},
		{Columns: []string{"b", "c"}, TV: undefined, Score: undefined, Association: &Association{undefined, .1}},
	}}
	p := c.pairs()
	must.Hold(t, len(p.All) == 2 && p.All[0].Columns == "a × c" && p.All[0].TV == "0.200" && p.All[1].Score == "0.300" && p.Heat.Values[2][0] >= .2, "%+v", p)
}

func TestScoreInJSON(t *testing.T) {
	text, err := json.Marshal([]Score{0.25, undefined})
	must.Need(t, err == nil && string(text) == "[0.25,null]", "Marshal = %s, %v", text, err)
	var back []Score
	err = json.Unmarshal(text, &back)
	must.Hold(t, err == nil && back[0] == 0.25 && !back[1].Defined(), "Unmarshal = %v, %v", back, err)
}

package evaluate

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
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
	report, err := Compare(context.Background(), Tables{Real: table(1), Synthetic: table(2), Holdout: table(3)}, query.AllMarginals(d.Sizes(), 2, 100), d, Options{})
	if err != nil {
		t.Fatal(err)
	}
	report.Real.People = &People{True: 30, Synthetic: 20, Changing: [2]int{3, 0}, RowsMax: 9, RowsPerson: Share{TV: .0125}, SamePerson: Share{.25, .5}, NextRow: Share{.0625, .75}}
	var b bytes.Buffer
	if err := report.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	text := pagetest.WellFormed(t, b.Bytes())
	banner, rest := strings.Index(b.String(), `class="not-private"`), strings.Index(b.String(), "<header")
	if banner < 0 || banner > rest || strings.Count(text, Banner) < 2 {
		t.Error("the page does not begin and end with the banner")
	}
	for _, want := range []string{"with 3.00 rows each; true: 30 with 2.00", "true 3, synthetic 0", "0.01250", "0.25000", "0.50000", "0.06250", "0.75000"} {
		if !strings.Contains(text, want) {
			t.Errorf("people: the page lacks %s", want)
		}
	}
	if got, want := strings.Count(b.String(), `<figure class="card">`), d.Len()+min(listedItems, len(report.Real.Worst)); got != want {
		t.Errorf("%d pictures, want %d", got, want)
	}
	for _, bad := range []string{"ZgotmplZ", "NaN", "e+0"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page says %s", bad)
		}
	}
	if dir := os.Getenv("DAPPLE_PAGES"); dir != "" {
		if err := os.WriteFile(dir+"/evaluate.html", b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Pairs without a score are not listed as lowest, and the page says which have one.
func TestPairsWithoutAScore(t *testing.T) {
	c := &Comparison{Values: &Values{Columns: []Column{{Name: "a"}, {Name: "b"}, {Name: "c"}}}}
	c.Values.Trends = Property{Average: undefined, Items: []Item{{Columns: []string{"a", "b"}, Score: undefined}, {Columns: []string{"a", "c"}, Score: undefined}}}
	p := c.pairs(nil)
	if len(p.Low) != 0 || !strings.HasPrefix(p.Scored, "0 of 2 pairs have a score: those with |r| > 0.5") || p.Heat.Legend()[8].Text != "no score" {
		t.Errorf("got %+v", p)
	}
	for _, f := range c.facts() {
		if f.Term == "Pair trends" && f.More != "no pair is related enough to count" {
			t.Errorf("got %+v", f)
		}
	}
	c.Values.Trends.Items[0].Score, c.Values.Trends.Items[1].Score = .5, .75
	if p := c.pairs(nil); p.Scored != "" || len(p.Low) != 2 || p.Low[0].Score != "0.500" {
		t.Errorf("all scored: %+v", p)
	}
}

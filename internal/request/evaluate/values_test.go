package evaluate

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// valuesOf reads texts as a column of the attribute.
func valuesOf(a domain.Attribute, cells ...string) *values {
	v, col := newValues(&a), textColumn(cells)
	for i := range cells {
		v.add(&col, i)
	}
	return v
}

// textColumn holds the cells; "?" is NULL.
func textColumn(cells []string) domain.Column {
	col := domain.Column{Form: domain.Text, Offsets: []uint32{0}}
	for _, s := range cells {
		col.Bytes = append(col.Bytes, s...)
		col.Offsets = append(col.Offsets, uint32(len(col.Bytes)))
		col.Nulls = append(col.Nulls, s == "?")
	}
	return col
}

func TestValuesAreWhatIsWritten(t *testing.T) {
	nan := math.NaN()
	for _, test := range []struct {
		attr  domain.Attribute
		cells []string
		want  []float64
	}{
		{domain.Attribute{Type: domain.Int64}, []string{"2.0", "-3", "2.5", "?", "1e2", "x"}, []float64{2, -3, nan, nan, 100, nan}},
		{domain.Attribute{Type: domain.Float64}, []string{".5", "NaN", "inf", "1e400", "-0"}, []float64{.5, nan, nan, nan, 0}},
		{domain.Attribute{Type: domain.Numeric, Scale: 0}, []string{"9.999", "$5"}, []float64{9.999, nan}},
		{domain.Attribute{Type: domain.Date}, []string{"1970-01-11", "1970-13-01"}, []float64{10, nan}},
		{domain.Attribute{Type: domain.Time}, []string{"00:00:01"}, []float64{1e6}},
	} {
		got := valuesOf(test.attr, test.cells...).numbers
		for i, x := range test.want {
			must.Hold(t, got[i] == x || math.IsNaN(got[i]) && math.IsNaN(x), "%s %q is %v, want %v", test.attr.Type, test.cells[i], got[i], x)
		}
	}
	b := valuesOf(domain.Attribute{Type: domain.Bool}, "TRUE", "?", "0", "yes", "maybe")
	got := strings.Join(b.texts, " ")
	must.Hold(t, got == "true false" && slices.Equal(b.codes, []domain.Code{1, 0, 2, 1, 0}), "BOOL: %v of %s", b.codes, got)
	n := valuesOf(domain.Attribute{Type: domain.Int64, Values: []string{"1"}}, "1", "+01", "1.0", "7")
	if got := strings.Join(n.texts, " "); got != "1 7" || !slices.Equal(n.codes, []domain.Code{1, 1, 1, 2}) {
		t.Errorf("INT64: %v of %s", n.codes, got)
	}
}

// Numbers are read with their digits, whatever the domain's scale, and have the cells that they had.
func TestFinerReadsTheDigits(t *testing.T) {
	d := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "x", Type: domain.Numeric, Scale: 1, Cuts: []int64{0, 15, 100}, Resolution: 5, Null: true},
	}}
	f := finer(d)
	must.Need(t, d.Attributes[0].Scale == 1 && f.Attributes[0].Scale == 9, "scale %d, was %d", f.Attributes[0].Scale, d.Attributes[0].Scale)
	for text, want := range map[string]float64{"1.49999": 1.49999, "1.5": 1.5, "-2": -2, "12345.678": 12345.678} {
		code, _ := domain.NewEncoder(d).FromString(0, text)
		fine, _ := domain.NewEncoder(f).FromString(0, text)
		native, _ := f.Attributes[0].ParseNative(text)
		if code != fine || inOnes(&f.Attributes[0], native) != want {
			t.Errorf("%s: cell %d and %v, want cell %d and %v", text, fine, inOnes(&f.Attributes[0], native), code, want)
		}
	}
}

// A person's values follow the row that is kept.
func TestBuilderKeepsValuesBesideCells(t *testing.T) {
	d := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "x", Type: domain.Int64, Cuts: domain.EqualCuts(0, 9999, 10000), Resolution: 1, Null: true},
	}}
	for _, id := range []string{"", "id"} {
		d.PrivacyID = id
		b := NewBuilder(d)
		r := rand.New(rand.NewPCG(1, 2))
		for range 30 {
			chunk := domain.Chunk{Rows: 30, Columns: []domain.Column{{Form: domain.Ints}}, ID: domain.Column{Form: domain.Ints}}
			for range chunk.Rows {
				chunk.Columns[0].Ints = append(chunk.Columns[0].Ints, r.Int64N(10000))
				chunk.ID.Ints = append(chunk.ID.Ints, r.Int64N(350))
			}
			b.Add(&chunk)
		}
		table := b.Table()
		must.Hold(t, len(table.values[0].numbers) == table.Rows, "%d values of %d rows", len(table.values[0].numbers), table.Rows)
		for r, x := range table.values[0].numbers {
			code := table.Columns[0][r]
			must.Need(t, float64(code) == x, "row %d: value %v, cell %d", r, x, code)
		}
	}
}

// Against sums over all pairs of thresholds and all cells.
func TestScoresByBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		x, y := make([]float64, 1+r.IntN(20)), make([]float64, 1+r.IntN(20))
		for i := range x {
			x[i] = float64(r.IntN(6))
		}
		for i := range y {
			y[i] = float64(r.IntN(6))
		}
		largest := 0.0
		for at := range 6 {
			largest = max(largest, math.Abs(below(x, at)-below(y, at)))
		}
		slices.Sort(x)
		slices.Sort(y)
		got := float64(kolmogorov(x, y))
		must.Need(t, math.Abs(got-(1-largest)) <= 1e-12, "KS of %v and %v: %v, want %v", x, y, got, 1-largest)
		first, second := categories{n: 4, other: []domain.Code{0}}, categories{n: 3, other: []domain.Code{0}}
		cells := [4][3]float64{}
		for range 60 {
			a, b := domain.Code(r.IntN(4)), domain.Code(r.IntN(3))
			first.truth, second.truth = append(first.truth, a), append(second.truth, b)
			cells[a][b]++
		}
		p := cross(first, second)
		chi2 := 0.0
		for a := range 4 {
			for b := range 3 {
				row, column := cells[a][0]+cells[a][1]+cells[a][2], cells[0][b]+cells[1][b]+cells[2][b]+cells[3][b]
				e := row * column / 60
				chi2 += (cells[a][b] - e) * (cells[a][b] - e) / e
			}
		}
		if got, want := p.cramer(0), math.Sqrt(chi2/60/2); math.Abs(got-want) > 1e-9 {
			t.Fatalf("Cramér's V %v, want %v", got, want)
		}
	}
}

func below(x []float64, at int) float64 {
	n := 0.0
	for _, v := range x {
		if v <= float64(at) {
			n++
		}
	}
	return n / float64(len(x))
}

// Tables of many texts are counted in a map; the scores are the same.
func TestSparseIsDense(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	codes := func(n int) (list []domain.Code) {
		for range 500 {
			list = append(list, domain.Code(r.IntN(n)))
		}
		return list
	}
	first, second := categories{truth: codes(50), other: codes(50), n: 50}, categories{truth: codes(40), other: codes(40), n: 40}
	p := cross(first, second)
	first.n = denseCells
	wide := cross(first, second)
	must.Need(t, wide.cells != nil && p.cells == nil, "the wide table is counted in an array, or the narrow one in a map")
	of := func(p contingency) Score { return similarity(p.counts[0], p.counts[1], 500, 500) }
	must.Hold(t, of(p) == of(wide) && math.Abs(p.cramer(0)-wide.cramer(0)) <= 1e-12,
		"similarity %v and %v, V %v and %v", of(p), of(wide), p.cramer(0), wide.cramer(0))
}

func TestColumnsDescribe(t *testing.T) {
	a := domain.Attribute{Name: "x", Type: domain.Int64}
	got, _ := compareNumbers(valuesOf(a, "0", "0", "3", "?", "9"), valuesOf(a, "3", "3"))
	must.Hold(t, got.Real.Rows == 5 && got.Real.Nulls == .2 && got.Real.Distinct == 3 && got.Real.Mean == 3 && got.Real.Zeros == .4, "true: %+v", got.Real)
	want := math.Sqrt(18)
	must.Hold(t, math.Abs(float64(got.Real.SD)-want) <= 1e-12 && got.Synthetic.SD == 0, "sd %v and %v, want %v and 0", got.Real.SD, got.Synthetic.SD, want)
	q := got.Real.Quantiles
	must.Hold(t, q[0].Value == 0 && q[4].Value == 0 && q[5].Value == 3 && q[8].Value == 9 && q[8].Text == "9", "quantiles %v", q)
	must.List(t, got.Frequent, []Frequent{{"3", .2, 1}, {"0", .4, 0}, {"9", .2, 0}}, "frequent")
	s := domain.Attribute{Name: "s", Type: domain.String, Values: []string{"a", "c"}}
	truth := valuesOf(s, "a", "b", "a", "?")
	text, _ := compareCategories(truth, matched(truth, valuesOf(s, "c", "a")))
	must.List(t, text.Frequent, []Frequent{{"a", .5, .5}, {"c", 0, .5}, {Undeclared, .25, 0}}, "frequent")
	must.Hold(t, text.Real.Nulls == .25 && text.Real.Distinct == 2 && text.Synthetic.Distinct == 2 && text.Histogram == nil,
		"texts: %+v and %+v", text.Real, text.Synthetic)
}

// A fare that stays in its learned bin and a day that leaves it, but neither leaves its equal bin.
func TestMarginalsInTheBinsOfTheRelease(t *testing.T) {
	d := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "fare", Type: domain.Numeric, Scale: 1, Cuts: []int64{0, 10_000}, Resolution: 5, Learned: 2, Null: true},
		{Name: "day", Type: domain.Date, Cuts: []int64{0, 999}, Resolution: 1, Learned: 2, Null: true},
		{Name: "sex", Type: domain.String, Values: []string{"f", "m"}, HasFallback: true},
	}}
	all := []domain.Run{{From: 0, Share: 1}}
	learned, err := d.WithBins([]domain.LearnedBins{{Attribute: 0, Starts: []int{0, 1000}, Runs: all}, {Attribute: 1, Starts: []int{0, 300}, Runs: all}})
	must.Do(t, err)
	renamed := *learned
	renamed.Attributes = slices.Clone(learned.Attributes)
	renamed.Attributes[1].Name = "date"
	for name, c := range map[string]struct {
		released *domain.Domain
		tv       float64
	}{"of the release": {learned, 1. / 9}, "of another table": {&renamed, 0}, "not known": {nil, 0}} {
		cells := binned(d, c.released)
		tableOf := func(fares, days []string) *Table {
			b := NewBuilder(cells)
			b.Add(&domain.Chunk{Rows: 3, Columns: []domain.Column{textColumn(fares), textColumn(days), textColumn([]string{"f", "m", "m"})}})
			return b.Table()
		}
		truth := tableOf([]string{"1.5", "600", "?"}, []string{"1970-01-11", "1971-02-05", "?"})
		moved := tableOf([]string{"300", "600", "?"}, []string{"1970-01-11", "1970-01-11", "?"})
		r := must.Value(Compare(t.Context(), Tables{Real: truth, Synthetic: moved}, query.AllMarginals(cells.Sizes(), 1, 10_000), cells))(t)
		w := r.Real.Widths[0]
		must.Hold(t, math.Abs(w.AverageTV-c.tv) <= 1e-9 && w.Cells == 3+3+2, "bins %s: %+v", name, w)
	}
}

// TestOtherIsOneValue: what the domain does not declare and the value that rows have for it are one.
func TestOtherIsOneValue(t *testing.T) {
	s := domain.Attribute{Name: "s", Type: domain.String, Values: []string{"a"}, Other: true, OtherValue: "rest"}
	truth := valuesOf(s, "a", "b", "c", "b")
	got, _ := compareCategories(truth, matched(truth, valuesOf(s, "rest", "a", "rest", "rest")))
	must.List(t, got.Frequent, []Frequent{{"rest", .75, .75}, {"a", .25, .25}}, "frequent")
}

// TestAnyTwoNumbers: whatever two numbers a column has, of any type and size, they are compared, every form can be written, and
// the histogram tells them apart.
func TestAnyTwoNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	ends := []int64{0, 1, -1, 17, 1 << 52, 1<<53 - 1, 1 << 53, 1<<53 + 1, 1<<53 + 2, 1<<62 + 1, 12345678901234567, math.MaxInt64 - 1, math.MinInt64 + 1, math.MinInt64}
	whole := func() int64 {
		x := ends[r.IntN(len(ends))]
		if r.IntN(3) == 0 {
			x += r.Int64N(5) - 2 // which may wrap
		}
		if r.IntN(4) == 0 {
			x = int64(r.Uint64())
		}
		return x
	}
	fractions := []float64{0, .1, .3, 1, 1e-300, 5e-324, 1e300, math.MaxFloat64, -math.MaxFloat64, 1 << 53, 1e17}
	for range 150 {
		x, y := whole(), whole()
		if r.IntN(3) == 0 {
			y = x + 1
		}
		a := domain.Attribute{Name: "x", Type: domain.Int64, Resolution: 1, Null: true, Cuts: []int64{min(x, y), max(x, y)}}
		third := strconv.FormatInt(whole(), 10) // often out of the range
		comparesTwo(t, a, strconv.FormatInt(x, 10), strconv.FormatInt(y, 10), third, x != y)
		whole := a
		whole.Type, whole.Scale, whole.FloatCuts = domain.Numeric, r.IntN(10), nil
		comparesTwo(t, whole, strconv.FormatInt(x/1e9, 10), strconv.FormatInt(x/1e9, 10)+".5", third, false)
		u := fractions[r.IntN(len(fractions))]
		v := fractions[r.IntN(len(fractions))]
		if r.IntN(2) == 0 {
			v = math.Nextafter(u, 0)
		}
		a = domain.Attribute{Name: "x", Type: domain.Float64, Null: true, FloatCuts: []float64{min(u, v) - 1, max(u, v) + 1}}
		third = strconv.FormatFloat(fractions[r.IntN(len(fractions))], 'g', -1, 64)
		comparesTwo(t, a, strconv.FormatFloat(u, 'g', -1, 64), strconv.FormatFloat(v, 'g', -1, 64), third, u != v)
	}
}

// comparesTwo compares a column of two numbers with itself, with one of them alone, with a third number, and with NULL alone; and each of
// these with all.
func comparesTwo(t *testing.T, a domain.Attribute, x, y, third string, differ bool) {
	t.Helper()
	list := []*values{valuesOf(a, x, y), valuesOf(a, x), valuesOf(a, third), valuesOf(a, "?")}
	for i, truth := range list {
		for _, other := range list {
			v := must.Value(compareValues(t.Context(), []*values{truth, truth}, []*values{other, other}))(t)
			c := &v.Columns[0]
			if h := c.Histogram; i == 0 && differ && (slices.Max(h.Real) > .5 || c.Real.Distinct != 2) {
				t.Errorf("%s and %s of %v: shares %v of bins from %v", x, y, a.Type, h.Real, h.Edges)
			}
			report := &Report{Real: Comparison{TrueRows: 2, SyntheticRows: 1, Values: v}}
			err := errors.Join(report.WriteJSON(io.Discard), report.WriteText(io.Discard))
			must.Need(t, err == nil, "%s, %s and %s of %v: %v", x, y, third, a.Type, err)
			c.bars()
			must.Hold(t, !strings.Contains(fmt.Sprint(c.figures()), "NaN"), "%s, %s and %s of %v: %v", x, y, third, a.Type, c.figures())
		}
	}
}

package evaluate

import (
	"context"
	"encoding/json"
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
)

func TestColumnScoresByHand(t *testing.T) {
	for _, row := range []struct {
		name string
		of   func(x, y []int32) Score
		x, y []int32
		want Score
	}{
		// distribution functions 1/4, 3/4, 1 and 1/2, 1/2, 1
		{"KS", ksComplement, []int32{1, 2, 1}, []int32{2, 0, 2}, 0.75},
		{"KS apart", ksComplement, []int32{5, 0}, []int32{0, 3}, 0},
		{"KS equal shares", ksComplement, []int32{1, 2}, []int32{10, 20}, 1},
		// shares 1/4, 1/2, 1/4 and 1/2, 0, 1/2
		{"TV", tvComplement, []int32{1, 2, 1}, []int32{2, 0, 2}, 0.5},
		{"TV apart", tvComplement, []int32{5, 0}, []int32{0, 3}, 0},
		{"KS of nothing", ksComplement, []int32{0, 0}, []int32{1, 2}, undefined},
		{"TV of nothing", tvComplement, []int32{1, 2}, []int32{0, 0}, undefined},
	} {
		if got := row.of(row.x, row.y); got != row.want && (got.Defined() || row.want.Defined()) {
			t.Errorf("%s: got %v, want %v", row.name, got, row.want)
		}
	}
}

// NULLs are left out of shapes: by hand, with ages 0, 1, 1, NULL against 0, 1 and with married false,
// true, NULL, NULL against false, true.
func TestShapesLeaveNullsOut(t *testing.T) {
	d := people()
	truth := newTable(d, []domain.Code{0, 0, 0, 0}, []domain.Code{0, 1, 1, 0}, []domain.Code{1, 1, 2, 0}, []domain.Code{1, 4, 2, 1})
	other := newTable(d, []domain.Code{0, 0, 0, 0}, []domain.Code{2, 1, 1, 2})
	got := shapes(truth, other, d)
	want := []Item{
		{Columns: []string{"sex"}, Metric: "cell_tv", Score: 0.5},       // 1/2, 1/2, 0 and 1/2, 0, 1/2
		{Columns: []string{"age"}, Metric: "cell_ks", Score: 1 - 1./6},  // 1/3 and 1/2
		{Columns: []string{"married"}, Metric: "cell_tv", Score: 1},     // 1/2, 1/2
		{Columns: []string{"height"}, Metric: "cell_ks", Score: 1 - .5}, // 3/4, 1, 1 and 1/2, 1/2, 1
	}
	for i, w := range want {
		g := got.Items[i]
		if g.Columns[0] != w.Columns[0] || g.Metric != w.Metric || !near(float64(g.Score), float64(w.Score)) {
			t.Errorf("shapes[%d] = %+v, want %+v", i, g, w)
		}
	}
	if average := (0.5 + 5./6 + 1 + 0.5) / 4; !near(float64(got.Average), average) {
		t.Errorf("average = %v, want %v", got.Average, average)
	}
}

// bruteCorrelation is Pearson's coefficient of plain numbers.
func bruteCorrelation(x, y []float64) float64 {
	n := float64(len(x))
	var sx, sy, sxx, syy, sxy float64
	for i := range x {
		sx, sy = sx+x[i], sy+y[i]
		sxx, syy, sxy = sxx+x[i]*x[i], syy+y[i]*y[i], sxy+x[i]*y[i]
	}
	return (n*sxy - sx*sy) / math.Sqrt((n*sxx-sx*sx)*(n*syy-sy*sy))
}

func TestTrends(t *testing.T) {
	d := people()
	truth, other := randomTable(d, 600, 0.1, 1), randomTable(d, 250, 0.7, 2)
	got, err := trends(context.Background(), truth, other, d)
	if err != nil {
		t.Fatal(err)
	}
	ages, heights := []float64{9.5, 29.5, 49.5, 70}, []float64{1.25, 1.625, 2} // the last bin is closed
	r := func(table *Table) float64 {
		var x, y []float64
		for i := range table.Rows {
			if age := table.Columns[1][i]; age < 4 {
				x, y = append(x, ages[age]), append(y, heights[table.Columns[3][i]])
			}
		}
		return bruteCorrelation(x, y)
	}
	for _, item := range got.Items {
		c := domain.Clique{d.Index(item.Columns[0]), d.Index(item.Columns[1])}
		tv, _ := bruteTV(bruteShares(truth, d, c), bruteShares(other, d, c))
		metric, want := "cell_tv", 1-tv
		if c.Equal(domain.Clique{1, 3}) {
			metric, want = "cell_correlation", 1-math.Abs(r(truth)-r(other))/2
		}
		if item.Metric != metric || !near(float64(item.Score), want) {
			t.Errorf("%v: got %s %v, want %s %v", item.Columns, item.Metric, item.Score, metric, want)
		}
	}
	if len(got.Items) != 6 {
		t.Errorf("%d pairs, want 6", len(got.Items))
	}
}

// A constant column has no correlation; the pair is left out of the average.
func TestConstantColumnHasNoTrend(t *testing.T) {
	d := people()
	truth := newTable(d, []domain.Code{0, 1, 0, 0}, []domain.Code{0, 1, 0, 1}, []domain.Code{0, 1, 0, 2})
	got, err := trends(context.Background(), truth, truth, d)
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range got.Items {
		if item.Score.Defined() != (item.Metric == "cell_tv") {
			t.Errorf("%v %s: score %v", item.Columns, item.Metric, item.Score)
		}
	}
	if got.Average != 1 {
		t.Errorf("average = %v, want 1", got.Average)
	}
}

// A pair of columns whose table is too large for an array is counted in a map, with the same result.
func TestContingencyOfLargeTables(t *testing.T) {
	const size = 2000
	values := make([]string, size)
	for i := range values {
		values[i] = "v" + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676))
	}
	d := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "a", Type: domain.String, Values: values}, {Name: "b", Type: domain.String, Values: values}}}
	truth, other := randomTable(d, 5000, 0.9, 1), randomTable(d, 4000, 0.5, 2)
	var s scratch
	pair := domain.Clique{0, 1}
	x, y := s.count(truth, other, pair)
	want := 1 - difference(x, y, truth.Rows, other.Rows).tv
	if got := contingencySimilarity(truth, other, pair, &scratch{}); !near(float64(got), want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestScoreInJSON(t *testing.T) {
	text, err := json.Marshal([]Score{0.25, undefined})
	if err != nil || string(text) != "[0.25,null]" {
		t.Fatalf("Marshal = %s, %v", text, err)
	}
	var back []Score
	if err := json.Unmarshal(text, &back); err != nil || back[0] != 0.25 || back[1].Defined() {
		t.Errorf("Unmarshal = %v, %v", back, err)
	}
}

package publish

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/release/report"
	"github.com/dapple-dp/dapple/internal/release/workload"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
	"github.com/dapple-dp/dapple/solver"
)

// TestAnswersOf: queries that a program made have numbers and columns in place of the entry of a file; the page shows the first; and
// the same release has the same bytes.
func TestAnswersOf(t *testing.T) {
	d := &domain.Domain{Attributes: []domain.Attribute{{Name: "a", Values: []string{"x", "y"}}, {Name: "b", Values: []string{"u", "v", "w"}}}}
	w := query.Workload{Sizes: []int{2, 3}}
	for range 8 {
		parity := must.Value(query.Parity(w.Sizes, domain.Clique{0, 1}))(t)
		prefixes := must.Value(query.Prefixes(w.Sizes, 1, 3))(t)
		w.Marginals = append(w.Marginals, parity, query.Marginal{Clique: domain.Clique{1}, Weight: 1}, prefixes)
	}
	r := &solver.Result{Model: &population.Model{Sizes: w.Sizes, Weights: []float64{1, 2, 3, 4, 5, 6}}, Total: query.Total{Units: 42}, RMSE: 3, Answers: &solver.Answers{Queries: 24, Variance: 16}}
	f := answersOf(d, w, []workload.Name{{ID: "7", Text: "parity: [a, b]"}, {ID: "9", Text: "prefixes: b", Column: "b"}}, r)
	for i, want := range []string{"7 parity: [a, b] -6", "9.1 prefixes: b, up to u 10", "9.2 prefixes: b, up to v 24", "4 query of a, b -6", "5.1 query of b 10"} {
		must.Equal(t, fmt.Sprint(f[0].Words[i], " ", f[1].Words[i], " ", f[2].Numbers[i]), want, "row %d", i)
	}
	var once, twice bytes.Buffer
	for _, b := range []*bytes.Buffer{&once, &twice} {
		must.Value(parquetio.WriteFigures(b, answersOf(d, w, nil, r)))(t)
	}
	must.Hold(t, bytes.Equal(once.Bytes(), twice.Bytes()), "one release has two files of answers")
	page, err := ReadAnswers(bytes.NewReader(once.Bytes()), "answers")
	must.Hold(t, err == nil && page.Of == 24 && len(page.List) == mostAnswers && page.List[0].Query == "query of a, b" && page.List[0].From == "measured",
		"%+v, %v", page, err)
	must.Fails(ReadAnswers(bytes.NewReader(once.Bytes()[:20]), "answers"))(t, "", "half a file is read")
	w.Marginals = w.Marginals[1:2]
	got := answersOf(d, w, nil, r)
	must.Hold(t, got == nil, "no query has the answers %v", got)
}

// TestEveryFactIsStated: whatever a run tells of itself changes its statement.
func TestEveryFactIsStated(t *testing.T) {
	frame := query.Frame{Domain: domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{{Name: "a", Values: []string{"x", "y"}}}}, Workload: query.AllMarginals([]int{2}, 1, 10)}
	a := &synth.Artifact{Result: &solver.Result{Model: &population.Model{Sizes: []int{2}, Weights: []float64{1, 2}}, Total: query.Total{Units: 3}}}
	stated := func(told report.Told) string {
		p := must.Value((&Description{Public: frame, Told: told}).Statement(a))(t)
		return string(must.Value(p.JSON())(t))
	}
	facts := reflect.TypeFor[report.Told]()
	for i := range facts.NumField() {
		var told report.Told
		switch f := reflect.ValueOf(&told).Elem().Field(i).Addr().Interface().(type) {
		case *string:
			*f = "said"
		case *bool:
			*f = true
		case *[]string:
			*f = []string{"a: said"}
		case *map[string]string:
			*f = map[string]string{"name": "said"}
		case **report.Found:
			*f = &report.Found{ID: "said"}
		default:
			t.Fatalf("%s is of a type that this test does not know", facts.Field(i).Name)
		}
		if stated(told) == stated(report.Told{}) {
			t.Errorf("%s is in no statement", facts.Field(i).Name)
		}
	}
}

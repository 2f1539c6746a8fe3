package evaluate_test

import (
	"context"
	"fmt"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/request/evaluate"
)

func ExampleCompare() {
	d := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "sex", Type: domain.String, Values: []string{"F", "M"}},
		{Name: "married", Type: domain.Bool, Values: []string{"false", "true"}},
	}}
	truth := &evaluate.Table{Sizes: d.Sizes(), Rows: 4, Columns: [][]domain.Code{{0, 0, 1, 1}, {0, 1, 1, 1}}}
	synthetic := &evaluate.Table{Sizes: d.Sizes(), Rows: 2, Columns: [][]domain.Code{{0, 1}, {0, 1}}}
	report, err := evaluate.Compare(context.Background(), evaluate.Tables{Real: truth, Synthetic: synthetic},
		query.AllMarginals(d.Sizes(), 2, 100), d)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, w := range report.Real.Widths {
		fmt.Printf("%d-way: average TV %g\n", w.K, w.AverageTV)
	}
	// Output:
	// 1-way: average TV 0.125
	// 2-way: average TV 0.25
}

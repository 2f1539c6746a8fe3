package evaluate

import (
	"context"
	"fmt"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
)

// BenchmarkCompare compares 14 columns of the sizes of UCI Adult on all marginals of up to 3 columns
// and 10,000 cells.
func BenchmarkCompare(b *testing.B) {
	d := &domain.Domain{}
	for i, size := range []int{74, 9, 100, 16, 16, 7, 15, 6, 5, 2, 50, 40, 99, 42} {
		a := domain.Attribute{Name: fmt.Sprint("c", i), Type: domain.String, Values: make([]string, size)}
		for v := range a.Values {
			a.Values[v] = fmt.Sprint(v)
		}
		d.Attributes = append(d.Attributes, a)
	}
	w := query.AllMarginals(d.Sizes(), 3, 10000)
	for _, rows := range []int{50000, 500000} {
		tables := Tables{Real: randomTable(d, rows, 0.5, 1), Synthetic: randomTable(d, rows, 0.6, 2)}
		b.Run(fmt.Sprintf("rows=%d/marginals=%d", rows, len(w.Marginals)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Compare(context.Background(), tables, w, d, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

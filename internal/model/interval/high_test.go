package interval

import (
	"math"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/miss"
)

// TestTripleHighs: each cell of a triple without answers may have its share of the people whom noise hides in a cell of a pair.
func TestTripleHighs(t *testing.T) {
	pair, c := domain.Clique{0, 1}, domain.Clique{0, 1, 2}
	v := &Intervals{sizes: []int{2, 2, 2}, units: 8, misses: map[string]*miss.Table{pair.Key(): miss.New(pair, nil, make([]float64, 4), 100, false)}}
	fitted := slices.Repeat([]float64{1}, 8)
	for i, x := range v.Highs(c, fitted, v.StandardErrors(c, fitted, nil), nil) {
		if want := 1 + sigmas95*math.Sqrt(75)/2; math.Abs(x-want) > 1e-9 {
			t.Errorf("cell %d: up to %g, want %g", i, x, want)
		}
	}
}

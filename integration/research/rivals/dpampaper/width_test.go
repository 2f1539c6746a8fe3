package dpampaper

import (
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/solvertest"
)

// TestWidth: one cell over k has width E|N(0, k)| = √(2k/π) exactly; the triples of ten binary
// attributes have 35.7 ± .5 (50 draws). Fixed seeds; both tolerances are above 4 standard errors.
func TestWidth(t *testing.T) {
	one := dense.NewOracle(dense.NewPlan([]int{10, 10}, []domain.Clique{{}}))
	got, se := widthOf(one, 4000, 1)
	must.Hold(t, math.Abs(got-math.Sqrt(200/math.Pi)) <= .4 && se <= .1, "width of one cell %g ± %g, want %g", got, se, math.Sqrt(200/math.Pi))
	sizes := solvertest.Tree10().Sizes
	triples := dense.NewOracle(dense.NewPlan(sizes, query.AllMarginals(sizes, 3, 8).Maximal().Cliques()))
	got, se = widthOf(triples, 200, 1)
	must.Hold(t, math.Abs(got-35.7) <= 3 && se <= .6, "width of triples %g ± %g, want 35.7", got, se)
}

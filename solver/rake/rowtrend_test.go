package rake

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
)

// manyRows returns people of whom one in four has more rows than the one before, up to a thousand. The share of the first of
// three kinds of rows, which is returned for each bin, is share of the logarithm of the number of rows; a person shows one row.
func manyRows(t *testing.T, share func(log float64) float64) (d *domain.Domain, data records, exact []float64) {
	t.Helper()
	d, err := (&domain.Domain{PrivacyID: "who", Attributes: []domain.Attribute{
		{Name: "kind", Type: domain.String, Values: []string{"a", "b", "c"}, HasFallback: true},
		{Name: "place", Type: domain.String, Values: []string{"x", "y"}, HasFallback: true},
	}}).WithEvents(nil, nil, domain.EqualRatioCuts(1000), 1000)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	cuts := d.Attributes[2].Cuts
	data = records{sizes: d.Sizes(), columns: make([][]domain.Code, 3)}
	for range 50_000 {
		m := min(int64(math.Pow(1-rng.Float64(), -1/1.3)), 1000)
		b := len(cuts) - 2
		for cuts[b] > m {
			b--
		}
		kind := domain.Code(0)
		if rng.Float64() > share(math.Log(middleRows(cuts, b))) {
			kind = 1 + domain.Code(rng.IntN(2))
		}
		data.columns[0], data.columns[1] = append(data.columns[0], kind), append(data.columns[1], domain.Code(rng.IntN(2)))
		data.columns[2] = append(data.columns[2], domain.Code(b))
	}
	for b := range len(cuts) - 1 {
		exact = append(exact, share(math.Log(middleRows(cuts, b))))
	}
	return d, data, exact
}

// What people with many rows do follows from how it changes with the number of rows: a share that rises, one that steps up,
// and one that is the same for all, on a universe and on a sample. Without trends they are off by .068, .019 and .004 on
// the universe, and .101, .037 and .035 on the sample. Fixed seeds: no false alarms.
func TestRowTrends(t *testing.T) {
	for name, x := range map[string]struct {
		share func(log float64) float64
		limit float64
	}{
		"rises":    {func(log float64) float64 { return .2 + .06*log }, .045},
		"steps up": {func(log float64) float64 { return map[bool]float64{true: .6, false: .2}[log > math.Log(27)] }, .016},
		"the same": {func(float64) float64 { return .3 }, .02},
	} {
		d, data, exact := manyRows(t, x.share)
		for _, size := range []string{"universe", "sample"} {
			p := problem(d.Sizes(), 2, dp.AddRemove)
			p.Domain = d
			if size == "sample" {
				p = sampled(p)
			}
			off := 0.0
			const runs = 4
			for seed := range uint64(runs) {
				result, err := Solve(p, newCurator(t, data, p, .02, seed))
				if err != nil {
					t.Fatal(err)
				}
				counts := result.Model.Marginal(domain.NewClique(0, 2), nil)
				for b := len(exact) - 8; b < len(exact)-2; b++ { // 60 to 700 rows
					all := 0.0
					for v := range 3 {
						all += counts[v*len(exact)+b]
					}
					off += math.Abs(counts[b]/all-exact[b]) / 6 / runs
				}
			}
			if !(off <= x.limit) {
				t.Errorf("%s, %s: shares of people with many rows are off by %.3f, want at most %.3f", name, size, off, x.limit)
			}
		}
	}
}

// Shares are given to bins that have some, and to cells that have counts; sums of bins stay.
func TestMoveShares(t *testing.T) {
	rowsFirst := []float64{5, 5, 0, 1, 3, 4}
	rowsLast := []float64{5, 1, 5, 3, 0, 4}
	shares := [][]float64{{.6, .2, .2}, nil}
	moveShares(rowsFirst, shares, true)
	moveShares(rowsLast, shares, false)
	for i, want := range []float64{7.5, 2.5, 0, 1, 3, 4} {
		if math.Abs(rowsFirst[i]-want) > 1e-9 || math.Abs(rowsLast[i%3*2+i/3]-want) > 1e-9 {
			t.Fatalf("counts %v and %v, want %g in cell %d", rowsFirst, rowsLast, want, i)
		}
	}
}

// The weights solve the covariances, and the determinant is theirs: by hand, 2.25·2.25 − 1 without a slope.
func TestWeigh(t *testing.T) {
	x := &trend{codes: []int{0, 1}, places: []float64{0, 1}}
	logDet, weights := x.weigh(&trendLaw{own: .25, from: 9}, []float64{2.25, 1}, []float64{1, 1})
	if math.Abs(math.Exp(logDet)-(2.25*2.25-1)) > 1e-12 || math.Abs(weights.AtVec(0)-1) > 1e-12 || math.Abs(weights.AtVec(1)) > 1e-12 {
		t.Errorf("determinant %g, weights %v", math.Exp(logDet), weights.RawVector().Data)
	}
	if logDet, weights := x.weigh(&trendLaw{from: 9}, []float64{1, 1}, []float64{-2, 0}); !math.IsInf(logDet, 1) || weights.AtVec(0) != 0 {
		t.Errorf("no covariances: determinant %g, weights %v", math.Exp(logDet), weights.RawVector().Data)
	}
}

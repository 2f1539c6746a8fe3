package rake

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/solver"
)

func randomCandidates(n int, rng *rand.Rand) []*candidate {
	list := make([]*candidate, n)
	for i := range list {
		sizes := []int{2 + rng.IntN(9), 2 + rng.IntN(9)}
		c := newCandidate(dp.AddRemove, sizes, target{clique: domain.Clique{0, 1}, within: .5 + 3*rng.Float64()})
		base := make([]float64, sizes[0]*sizes[1])
		for j := range base {
			base[j] = math.Exp(2 + 3*rng.NormFloat64())
		}
		c.setBase(base)
		c.setScore(3000*rng.Float64(), 10_000)
		list[i] = c
	}
	return list
}

func TestCandidateCost(t *testing.T) {
	c := newCandidate(dp.AddRemove, []int{2, 2, 2}, target{clique: domain.Clique{0, 1, 2}})
	if math.Abs(c.cost-1./64) > 1e-15 {
		t.Errorf("2×2×2: cost %g, want 1/64", c.cost)
	}
	c = newCandidate(dp.Replace, []int{2, 2}, target{clique: domain.Clique{0, 1}})
	if math.Abs(c.cost-1./4) > 1e-15 { // Δ² = 1, c = 1/4
		t.Errorf("2×2 under Replace: cost %g, want 1/4", c.cost)
	}
}

// TestPriorMeetsTheScore: under the prior the expected L1 distance is .8·Σ√v, and error(0) half of it.
func TestPriorMeetsTheScore(t *testing.T) {
	for _, c := range randomCandidates(30, rand.New(rand.NewPCG(1, 1))) {
		want := max(c.score, 200) / 2
		if got := c.error(0); math.Abs(got-want) > 1e-6*want {
			t.Errorf("error %g without measurement, score %g", got, c.score)
		}
		for _, u := range []float64{1e-6, 1e-4, 1e-2} {
			h := u * 1e-4
			numeric := (c.error(u-h) - c.error(u+h)) / (2 * h)
			if got := c.slope(u); math.Abs(got-numeric) > 1e-5*numeric {
				t.Errorf("slope %g at %g, numerically %g", got, u, numeric)
			}
		}
	}
}

func TestWaterfillIsOptimal(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, budget := range []float64{1e-6, 1e-3, 1, 1e3} {
		list := randomCandidates(25, rng)
		waterfill(list, budget)
		spent, price := 0.0, 0.0
		for _, c := range list {
			spent += c.cost * c.precision
			if c.precision > 0 {
				price = max(price, c.weight*c.slope(c.precision)/c.cost)
			}
		}
		if math.Abs(spent-budget) > 1e-9*budget {
			t.Errorf("budget %g: spent %g", budget, spent)
		}
		for i, c := range list { // one price, to the precision of the tabulated curves
			at := c.weight * c.slope(c.precision) / c.cost
			if c.precision > 0 && at < .9*price || c.precision == 0 && at > 1.1*price {
				t.Errorf("budget %g candidate %d: price %g at precision %g, others %g", budget, i, at, c.precision, price)
			}
		}
	}
}

func TestWaterfillOfEmptyTables(t *testing.T) {
	list := randomCandidates(2, rand.New(rand.NewPCG(3, 1)))
	for _, c := range list {
		c.setBase(make([]float64, len(c.base)))
		c.setScore(10, 100)
	}
	waterfill(list, 1)
	if list[0].precision != 0 || list[0].selectable() {
		t.Errorf("precision %g for a table without counts", list[0].precision)
	}
}

// TestShrink: one strong pair among hundreds of weak ones stays strong, noise among weak ones goes, and what is left of
// either has the standard deviation that is said: 99 % of 40,000 scores are within 3.5 of them (normal errors: 99.95 %).
func TestShrink(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	beyond, n := 0, 0
	for range 100 {
		truth, scores := make([]float64, 400), make([]float64, 400)
		for i := range truth {
			truth[i] = 300 + 20*rng.Float64()
			if i == 7 {
				truth[i] = 6000
			}
			scores[i] = truth[i] + 1000*rng.NormFloat64()
		}
		mean, deviation := shrink(scores, 1e6)
		if mean[7] < .5*scores[7] && scores[7] > 5000 {
			t.Errorf("a strong pair of %.0f became %.0f", scores[7], mean[7])
		}
		weak := 0.0
		for i := range truth {
			if i != 7 {
				weak += math.Abs(mean[i]-truth[i]) / 399
			}
			if n++; math.Abs(mean[i]-truth[i]) > 3.5*deviation[i] {
				beyond++
			}
		}
		if weak > 300 { // of 800 before
			t.Errorf("weak pairs are off by %.0f on average", weak)
		}
	}
	if beyond > n/100 {
		t.Errorf("%d of %d scores are further off than 3.5 of their standard deviations", beyond, n)
	}
	if got, _ := shrink([]float64{-5, 1}, 0); got[0] != 0 || got[1] != 1 {
		t.Errorf("without noise: %v", got)
	}
}

// TestProject checks the conditions of the nearest point: p = max(y − t, 0) with one t, and Σp = total.
func TestProject(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for range 500 {
		y := make([]float64, 1+rng.IntN(10))
		for i := range y {
			y[i] = 50 * rng.NormFloat64()
		}
		total := 1 + 100*rng.Float64()
		p, sum, threshold := project(y, total), 0.0, math.Inf(-1)
		for i, x := range p {
			sum += x
			if x > 0 {
				threshold = y[i] - x
			}
		}
		for i, x := range p {
			if math.Abs(x-max(y[i]-threshold, 0)) > 1e-9 || math.Abs(sum-total) > 1e-9*total {
				t.Fatalf("y %v total %g: %v", y, total, p)
			}
		}
	}
}

// rareDomain has two attributes with rare values and one without.
func rareDomain() ([]oneWay, *merged) {
	ones := []oneWay{
		{counts: []float64{500, 10, 480, 5, 5}, sigma: 20},
		{counts: []float64{400, 600}, sigma: 20},
		{counts: []float64{-30, 990, 40}, sigma: 20},
	}
	return ones, merge(ones, 1000, nil)
}

func TestMerge(t *testing.T) {
	_, m := rareDomain()
	if !slices.Equal(m.sizes, []int{3, 2, 2}) {
		t.Fatalf("sizes %v", m.sizes)
	}
	want := query.Recoding{{0, 2, 1, 2, 2}, {0, 1}, {1, 0, 1}}
	for a := range want {
		if !slices.Equal(m.codes[a], want[a]) {
			t.Errorf("attribute %d: codes %v, want %v", a, m.codes[a], want[a])
		}
		base, within := 0.0, make([]float64, m.sizes[a])
		for _, p := range m.base[a] {
			base += p
		}
		for v, c := range m.codes[a] {
			within[c] += m.within[a][v]
			if m.within[a][v] <= 0 {
				t.Errorf("attribute %d value %d vanished", a, v)
			}
		}
		for _, s := range append(within, base) {
			if math.Abs(s-1) > 1e-9 {
				t.Errorf("attribute %d: sums %v and %g, want 1", a, within, base)
			}
		}
	}
}

// TestNeighbours: rare values join those next to them, up to the limit, and never one of another kind.
func TestNeighbours(t *testing.T) {
	counts := []float64{5, 4, 100, 1, 2, 9, 30, 3, 1}
	one := oneWay{counts: counts, sigma: 1}
	kind := func(v int) string { return map[bool]string{true: "never with x"}[v == 4] }
	m := &merged{}
	m.add(one, 155, 10, kind)
	// Of 0, 1, 3, 5, 7, 8 in order: 5+4+1 counts are enough, and so are 9+3, which the last joins.
	if want := []domain.Code{2, 2, 0, 2, 4, 3, 1, 3, 3}; !slices.Equal(m.codes[0], want) {
		t.Errorf("codes %v, want %v", m.codes[0], want)
	}
	for _, tt := range []struct {
		counts []float64
		want   [][]int
	}{{[]float64{1, 2}, [][]int{{0, 1}}}, {[]float64{9, 1, 9}, [][]int{{0}, {1, 2}}}, {nil, nil}} {
		values := make([]int, len(tt.counts))
		for v := range values {
			values[v] = v
		}
		if got := neighbours(values, tt.counts, 9); !slices.EqualFunc(got, tt.want, slices.Equal) {
			t.Errorf("%v: groups %v, want %v", tt.counts, got, tt.want)
		}
	}
}

// TestRareLimit: numbers have neighbours that are alike, names have not, however many there are.
func TestRareLimit(t *testing.T) {
	d := &domain.Domain{Attributes: []domain.Attribute{
		{Type: domain.String}, {Type: domain.Int64, Cuts: []int64{0, 5, 9}}, {Type: domain.Float64, FloatCuts: []float64{0, 1, 2}}, {Type: domain.Int64},
	}}
	for codes, limits := range map[int][]float64{2: {6, 24, 24, 6}, longList: {6, 24, 24, 24}} {
		for a, want := range limits {
			if got := rareLimit(d, a, oneWay{counts: make([]float64, codes), sigma: 2}); got != want {
				t.Errorf("attribute %d of %d codes: limit %g, want %g", a, codes, got, want)
			}
		}
	}
}

// TestUndo: merging the codes of an undone model again gives the model back, and original values share
// their code as planned; exactly for a universe, and for a sample of equal weights to within a record
// per value.
func TestUndo(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	_, m := rareDomain()
	sizes := []int{5, 2, 3}
	whole := m.universe(1000)
	for i := range whole.Weights {
		whole.Weights[i] *= rng.Float64()
	}
	sample := whole.Resample(3000, rng)
	for name, c := range map[string]struct {
		merged, undone *population.Model
		slack          float64
	}{
		"universe": {whole, m.undoUniverse(whole, sizes), 1e-9},
		"sample":   {sample, m.undoSample(sample, sizes, nil, rng), 1.01 * sample.Weights[0]},
	} {
		if err := c.undone.Validate(); err != nil {
			t.Fatal(name, err)
		}
		back := make([]float64, len(whole.Weights))
		for i, w := range c.undone.Weights {
			codes := c.undone.Record(i, make([]domain.Code, 3))
			for a := range codes {
				codes[a] = m.codes[a][codes[a]]
			}
			back[domain.Clique{0, 1, 2}.Cell(m.sizes, codes)] += w
		}
		for z, w := range c.merged.Marginal(domain.Clique{0, 1, 2}, nil) {
			if math.Abs(back[z]-w) > 1e-9 {
				t.Errorf("%s: merged record %d has weight %g, want %g", name, z, back[z], w)
			}
		}
		for a := range sizes {
			got, code := c.undone.Marginal(domain.Clique{a}, nil), c.merged.Marginal(domain.Clique{a}, nil)
			for v, w := range got {
				if want := code[m.codes[a][v]] * m.within[a][v]; math.Abs(w-want) > c.slack {
					t.Errorf("%s: attribute %d value %d has weight %g, want %g", name, a, v, w, want)
				}
			}
		}
	}
}

func TestJamesStein(t *testing.T) {
	if got := jamesStein([]float64{3, 4}, 5); math.Abs(got-.8) > 1e-9 {
		t.Errorf("got %g, want .8", got)
	}
	if got := jamesStein([]float64{1, 1}, 5); got != 0 {
		t.Errorf("got %g, want 0", got)
	}
}

// TestRidge: where base and residual agree the ridge is noise variance × base / prior variance, and
// where the datum is far above, the ridge falls.
func TestRidge(t *testing.T) {
	c := &candidate{base: []float64{100, 1, 1}}
	lower, u := []float64{100, 1, 1}, .01
	quiet := ridge(c.base, []float64{0, 0, 0}, lower, u, .1)
	loud := ridge(c.base, []float64{0, 0, 90}, lower, u, .1)
	scale := .1 * 102 / (math.Pow(100, .75) + 2)
	if want := 100 * 100 / (scale * scale * 1000); math.Abs(quiet[0]-want) > 1e-6*want {
		t.Errorf("ridge %g, want %g", quiet[0], want)
	}
	if quiet[1] != loud[1] || loud[2] > quiet[2]/10 {
		t.Errorf("ridges %v without and %v with an outlier", quiet, loud)
	}
}

func TestTargets(t *testing.T) {
	p := solver.Problem{Workload: query.Workload{Sizes: []int{2, 3, 4, 5, 6}, Marginals: []query.Marginal{
		{Clique: domain.Clique{0}, Weight: 1}, {Clique: domain.Clique{3, 4}, Weight: 2},
		{Clique: domain.Clique{0, 1, 2}, Weight: 1}, {Clique: domain.Clique{0, 1, 2, 3}, Weight: 3}}}}
	got := newTargets(p)
	if len(got.triples) != 4 || len(got.pairs) != 7 {
		t.Fatalf("%d triples and %d pairs, want 4 and 7", len(got.triples), len(got.pairs))
	}
	for _, x := range got.pairs {
		want := target{clique: x.clique, within: 6} // in two triples of weight 3
		if x.clique.Equal(domain.Clique{3, 4}) {
			want.own, want.within = 2, 2
		}
		if x.own != want.own || x.within != want.within {
			t.Errorf("pair %+v, want %+v", x, want)
		}
	}
	if !slices.Equal(got.weight, []float64{9, 9, 9, 11, 2}) {
		t.Errorf("attribute weights %v", got.weight)
	}
}

package place

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/choose"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/oneway"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Of few people with many rows noise hides the gaps: they have those that people with fewer rows lead to. Gaps of all people
// together and numbers of rows stay as they are.
func TestGapsFollowRows(t *testing.T) {
	d := &domain.Domain{PrivacyID: "who", Attributes: []domain.Attribute{
		{Name: "day", Type: domain.Date, Cuts: []int64{1000, 1079}, Resolution: 1, Learned: 8, HasFallback: true}}}
	d, err := d.WithEvents(nil, nil, []int64{1, 2, 3, 5, 9, 17, 33}, 64)
	if err == nil {
		d, err = d.WithSequence(domain.Sequence{Column: "day"})
	}
	must.Do(t, err)
	const gaps, width, sigma = 8, 10, 30.
	people := []float64{4000, 8000, 8000, 5000, 1500, 400, 100}
	rows := len(people) // bins
	bins := domain.LearnedBins{Attribute: 0}
	truth, m := make([]float64, (gaps+1)*rows), &population.Model{Sizes: []int{gaps + 1, rows, 1}, Columns: make([][]domain.Code, 3)}
	for v := range gaps {
		bins.Starts = append(bins.Starts, v*width)
		bins.Runs = append(bins.Runs, domain.Run{From: v * width, Share: 1. / gaps})
	}
	for b, n := range people { // with few rows gaps are long
		first := n * oneway.FirstShare(d.Attributes[1].Cuts, b)
		truth[gaps*rows+b] = first
		sum := 0.
		law := func(v int) float64 { return math.Exp(.1 * float64(v) * (2 - float64(b))) }
		for v := range gaps {
			sum += law(v)
		}
		for v := range gaps {
			truth[v*rows+b] = (n - first) * law(v) / sum
		}
	}
	fitted, ones, counts, all := append([]float64(nil), truth...), make([]float64, gaps), make([]float64, rows), 0.
	for cell, n := range truth[:gaps*rows] {
		ones[cell/rows], counts[cell%rows], all = ones[cell/rows]+n, counts[cell%rows]+n, all+n
	}
	for cell := range fitted[:gaps*rows] { // gaps follow nothing
		fitted[cell] = ones[cell/rows] * counts[cell%rows] / all
	}
	for cell, n := range fitted {
		m.Columns[0], m.Columns[1], m.Columns[2] = append(m.Columns[0], domain.Code(cell/rows)), append(m.Columns[1], domain.Code(cell%rows)), append(m.Columns[2], 0)
		m.Weights = append(m.Weights, n)
	}
	released, rng := slices.Clone(truth), rand.New(rand.NewPCG(1, 2))
	for cell := range released {
		released[cell] += sigma * rng.NormFloat64()
	}
	f := &Filler{domain: d, Candidates: &choose.Candidates{Targets: choose.Targets{Sizes: m.Sizes}, Ones: &oneway.Tables{Bins: []domain.LearnedBins{bins}}, Units: m.Total(),
		Merged: &oneway.Merged{Codes: [][]domain.Code{codesTo(gaps + 1), codesTo(rows)}}}}
	mean := func(table []float64, b int) float64 {
		sum, cross := 0., 0.
		for v := range gaps {
			sum, cross = sum+table[v*rows+b], cross+float64(v)*table[v*rows+b]
		}
		return cross / sum
	}
	f.MeetGaps(m, func(domain.Clique) ([]float64, float64) { return released, 1 / (sigma * sigma) })
	got := m.Marginal(domain.Clique{0, 1}, nil)
	for b := 3; b < rows; b++ {
		// Noise of cells makes the mean gaps of the last bins, by themselves, be off by .2, .6 and 2 in the standard deviation.
		if after, want := mean(got, b), mean(truth, b); math.Abs(after-want) > .35 {
			t.Errorf("bin %d of rows: the mean gap is %.2f, was %.2f, want %.2f", b, after, mean(fitted, b), want)
		}
	}
	for a := range 2 {
		before, after := (&population.Model{Sizes: m.Sizes, Columns: m.Columns, Weights: fitted}).Marginal(domain.Clique{a}, nil), m.Marginal(domain.Clique{a}, nil)
		for v, n := range before {
			must.Hold(t, math.Abs(after[v]-n) <= .002*f.Units, "attribute %d, code %d: %.1f people, were %.1f", a, v, after[v], n)
		}
	}
}

func codesTo(n int) (out []domain.Code) {
	for v := range n {
		out = append(out, domain.Code(v))
	}
	return out
}

// A line goes through numbers as far as their noise tells. Numbers that are surely away from it say how far others may be.
func TestNewLine(t *testing.T) {
	x, none := []float64{0, 1, 2, 3, 4}, math.Inf(1)
	for name, tt := range map[string]struct {
		y, variance   []float64
		known         bool
		slope, spread float64
	}{
		"straight":            {[]float64{1, 3, 5, 7, 9}, []float64{.01, .01, .01, .01, .01}, true, 2, 0},
		"one unknown":         {[]float64{1, 3, 5, 7, 99}, []float64{.01, .01, .01, .01, none}, true, 2, 0},
		"noise":               {[]float64{1, 2, 0, 2, 1.5}, []float64{100, 100, 100, 100, 100}, true, 0, 0},
		"away":                {[]float64{1, -1, 1, -1, 1}, []float64{1e-6, 1e-6, 1e-6, 1e-6, 1e-6}, true, 0, 4.8 / 5},
		"too few to know one": {[]float64{1, 2, 3, 4, 5}, []float64{1, none, none, 1, none}, false, 0, 0},
	} {
		l, known := newLine(x, tt.y, tt.variance)
		must.Hold(t, known == tt.known && (!known || math.Abs(l.slope-tt.slope) <= .01 && math.Abs(l.spread-tt.spread) <= .01),
			"%s: %v, %v; want a slope of %g and a spread of %g", name, l, known, tt.slope, tt.spread)
	}
}

package rake

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/solver"
)

// amounts is a problem over an amount of which 60 % are 0, a second one that is near it, and a class.
func amounts(n int) (solver.Problem, records) {
	d := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "amount", Type: domain.Int64, Cuts: []int64{0, 99_999}, Resolution: 1, Learned: 20, Null: true},
		{Name: "near", Type: domain.Int64, Cuts: []int64{0, 99_999}, Resolution: 1, Learned: 20, Null: true},
		{Name: "class", Type: domain.String, Values: []string{"a", "b", "c"}, HasFallback: true},
	}}
	rng := rand.New(rand.NewPCG(3, 4))
	data := records{sizes: d.RecordSizes(), columns: make([][]domain.Code, 3)}
	for range n {
		x, y, z := 0.0, 0.0, rng.NormFloat64()
		if rng.Float64() < .4 {
			x = math.Min(math.Floor(math.Exp(5+z)), 99_999)
			y = math.Min(math.Floor(math.Exp(5+z+.2*rng.NormFloat64())), 99_999)
		}
		if rng.Float64() < .05 {
			y = 100_000 // NULL
		}
		for a, v := range []float64{x, y, math.Mod(math.Floor(x/100), 3)} {
			data.columns[a] = append(data.columns[a], domain.Code(v))
		}
	}
	p := solver.Problem{Domain: d, Workload: query.AllMarginals(d.Sizes(), 3, 10_000), Epsilon: 1, Delta: 1e-9, Units: 50_000}
	return p, data
}

// TestLearnedBins: the share of zeros and NULL, the mean and the standard deviation of drawn values, and the correlation
// of two amounts with long tails. The seeds are fixed, so that nothing is left to chance: zeros .602 and .603, means 93
// and 99, standard deviations 197 and 254 of 234, correlations .94 and .83 of .98.
func TestLearnedBins(t *testing.T) {
	const n = 40_000
	p, data := amounts(n)
	mu := solver.GaussianMu(p.Epsilon, p.Delta)
	for seed := range uint64(2) {
		c := newCurator(t, data, p, mu*mu/2, seed)
		r, err := Solve(p, c)
		if err != nil {
			t.Fatal(err)
		}
		d, err := p.Domain.WithBins(r.Bins)
		if err != nil {
			t.Fatal(err)
		}
		truth, drawn := moments(p.Domain, &population.Model{Sizes: data.sizes, Columns: data.columns, Weights: ones(n)}, nil), moments(d, r.Model, rand.New(rand.NewPCG(seed, 9)))
		t.Logf("seed %d: %+v, true %+v", seed, drawn, truth)
		if math.Abs(drawn.zero-truth.zero) > .01 || math.Abs(drawn.mean-truth.mean) > .05*truth.sd ||
			math.Abs(drawn.sd/truth.sd-1) > .3 || math.Abs(drawn.null-truth.null) > .01 || math.Abs(drawn.correlation-truth.correlation) > .25 {
			t.Errorf("seed %d: drawn %+v, true %+v", seed, drawn, truth)
		}
		replay := newCurator(t, records{sizes: data.sizes, columns: [][]domain.Code{{0}, {0}, {0}}}, p, mu*mu/2, 0)
		replay.replay = c.log
		again, err := Solve(p, replay)
		if err != nil || !reflect.DeepEqual(again.Bins, r.Bins) || !reflect.DeepEqual(again.Model, r.Model) {
			t.Errorf("seed %d: bins or model depend on more than the answers: %v", seed, err)
		}
	}
}

type summary struct{ zero, mean, sd, null, correlation float64 }

func ones(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1
	}
	return w
}

func moments(d *domain.Domain, m *population.Model, rng *rand.Rand) (s summary) {
	dec, record := domain.NewDecoder(d), make([]domain.Code, 3)
	var chunk domain.Chunk
	n, both, sy, sxx, syy, sxy, sx := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	for i, w := range m.Weights {
		m.Record(i, record)
		dec.Decode(&chunk, record, func(int, int) uint64 { return rng.Uint64() })
		x := float64(chunk.Columns[0].Ints[0])
		n += w
		s.mean += w * x
		s.sd += w * x * x
		if x == 0 {
			s.zero += w
		}
		if chunk.Columns[1].Null(0) {
			s.null += w
			continue
		}
		y := float64(chunk.Columns[1].Ints[0])
		both, sx, sy, sxx, syy, sxy = both+w, sx+w*x, sy+w*y, sxx+w*x*x, syy+w*y*y, sxy+w*x*y
	}
	s.zero, s.null, s.mean = s.zero/n, s.null/n, s.mean/n
	s.sd = math.Sqrt(s.sd/n - s.mean*s.mean)
	s.correlation = (sxy - sx*sy/both) / math.Sqrt((sxx-sx*sx/both)*(syy-sy*sy/both))
	return s
}

// TestBins: frequent values have bins of their own, there are as many as asked for, and few hold next to nothing.
func TestBins(t *testing.T) {
	pieces := []query.Piece{{From: 0, To: 1, Count: 5000}, {From: 1, To: 999, Count: 4000}, {From: 999, To: 1000, Count: 900}, {From: 1000, To: 100_000, Count: 100}}
	p := newProfile(pieces, 100_000)
	starts := p.bins(20, 50)
	if len(starts) != 20 || !contains(starts, 1) || !contains(starts, 999) || !contains(starts, 1000) {
		t.Errorf("bins %v", starts)
	}
	for i, from := range starts {
		to := 100_000
		if i+1 < len(starts) {
			to = starts[i+1]
		}
		if n := p.between(from, to); n < 50 || from >= to {
			t.Errorf("bin %d … %d has %g records", from, to, n)
		}
	}
	if got := newProfile([]query.Piece{{From: 0, To: 100}}, 100).bins(20, 5); len(got) != 20 {
		t.Errorf("%d bins of no records, want 20", len(got))
	}
}

func contains(list []int, v int) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}

// TestEmptyBinsJoin: learned bins that hold next to nothing have no code of their own, at which noise of pairs would put
// records: that of the bin before them is theirs too, and NULL's is not.
func TestEmptyBinsJoin(t *testing.T) {
	d := &domain.Domain{Attributes: []domain.Attribute{{Name: "x", Type: domain.Int64, Cuts: []int64{0, 99}, Resolution: 1, Learned: 5, Null: true}}}
	one := oneWay{counts: []float64{500, 300, 0, 1, 0, 200}, sigma: 5, learned: true, shrunk: true}
	m := merge([]oneWay{one}, 1001, d)
	if got := m.codes[0]; !slices.Equal(got, []domain.Code{0, 1, 1, 1, 1, 2}) {
		t.Fatalf("codes %v", got)
	}
	if within := m.within[0]; math.Abs(within[1]-300./301) > 1e-6 || math.Abs(m.base[0][1]-301./1001) > 1e-6 {
		t.Errorf("shares %v inside codes of %v", within, m.base[0])
	}
}

// TestBinSpread compares the variance of the counts of bins with that of many trees. Every halving is 3 : 1, so that no
// difference is held back. The seeds are fixed, so that nothing is left to chance.
func TestBinSpread(t *testing.T) {
	for _, x := range []struct {
		shape  query.TreeShape
		starts []int
	}{
		{query.TreeShape{Values: 64, Null: true}, []int{0, 1, 7, 8, 31, 32, 40}},
		{query.TreeShape{Values: 50}, []int{0, 3, 21, 22, 47}},
		{query.TreeShape{Values: 2}, []int{0, 1}},
	} {
		const sigma, draws = 10, 4000
		counts, total := make([]int64, x.shape.Codes()), int64(0)
		for v := range counts {
			counts[v] = 1000
			for bit := 1; bit < 64; bit *= 2 {
				if v&bit == 0 {
					counts[v] *= 3
				}
			}
			total += counts[v]
		}
		up, null := x.shape.Cumulative(counts)
		rng, spread, expected := rand.New(rand.NewPCG(1, 2)), 0.0, 0.0
		for range draws {
			tree := query.Tree{Shape: x.shape, Variance: sigma * sigma}
			pieces := x.shape.Descend(float64(total), sigma*sigma, func(level, index int) float64 {
				d := float64(x.shape.Difference(up, null, level, index)) + sigma*rng.NormFloat64()
				tree.Nodes = append(tree.Nodes, query.TreeNode{Level: level, Index: index, Difference: d})
				return d
			})
			p := newProfile(pieces, x.shape.Codes())
			for b, from := range x.starts {
				to := x.shape.Values
				if b+1 < len(x.starts) {
					to = x.starts[b+1]
				}
				off := p.between(from, to) - float64(up[to]-up[from])
				spread += off * off / float64(draws*len(x.starts))
			}
			expected += mean(binVariances(&tree, pieces, x.starts)[:len(x.starts)]) / draws
		}
		if ratio := expected / spread; math.Abs(ratio-1) > .1 {
			t.Errorf("%+v: counts of bins vary by %.1f, and %.1f was expected", x.shape, spread, expected)
		}
	}
}

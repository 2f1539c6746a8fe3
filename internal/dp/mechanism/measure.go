package mechanism

import (
	"errors"
	"math"
	"math/big"
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/internal/noise"
)

// total releases the number of units: sensitivity 1 under AddRemove, constant under Replace.
func (g *gate) total(r Request) (plan, error) {
	if g.relation == dp.Replace {
		return plan{free: true, draw: func() Release {
			return Release{Total: query.Total{Units: float64(g.counts.Units())}}
		}}, nil
	}
	event, err := g.ledger.Measure(accountant.Equal(1, 1), r.Share)
	if err != nil {
		return plan{}, err
	}
	return g.number(r, event, func() (int64, int) { return g.counts.Units(), 0 }, func(x float64) Release {
		return Release{Total: query.Total{Units: x, Variance: event.Variance(0)}}
	})
}

// maxError releases the largest absolute error of a cell or query. Rounding it up to a whole step of the noise's grid
// keeps its sensitivity, a whole number of counts: ⌈x + 1⌉ = ⌈x⌉ + 1.
func (g *gate) maxError(r Request) (plan, error) {
	event, err := g.ledger.MaxError(r.Workload.LargestChange(g.relation), r.Share)
	if err != nil {
		return plan{}, err
	}
	statistic := func() (int64, int) {
		return ceilTo(largest(g.workloadErrors(r.Workload, r.Model)), accountant.ScoreGridBits, event.GridBits)
	}
	return g.number(r, event, statistic, func(x float64) Release {
		return Release{MaxError: query.MaxError{Counts: x, Variance: event.Variance(0)}}
	})
}

// largest returns the largest absolute value.
func largest(errors []int64) int64 {
	most := int64(0)
	for _, e := range errors {
		most = max(most, e, -e)
	}
	return most
}

// ceilTo rounds x·2^-from up to a multiple of 2^-to, and returns the result as an integer with the
// bits of its grid. If 2^-to is the finer grid, x is a multiple already and stays as it is.
func ceilTo(x int64, from, to int) (value int64, gridBits int) {
	if to >= from {
		return x, from
	}
	step := from - to
	return (x + 1<<step - 1) >> step, to
}

// number plans the release of one integer statistic, given on a grid that the noise's grid refines.
func (g *gate) number(r Request, event accountant.Event, statistic func() (int64, int), release func(float64) Release) (plan, error) {
	sampler, err := samplerFor(event, 0)
	if err != nil {
		return plan{}, err
	}
	return plan{event: event, draw: func() Release {
		value, bits := statistic()
		in := noise.NewInputs().Text(string(r.Method)).Int64s([]int64{value, int64(bits), int64(event.GridBits)})
		src := g.open(r.Stage, r.Round, in.Rat(event.Scales[0]).Sum())
		return release(inCounts(value, bits, sampler.Draw(src), event.GridBits))
	}}, nil
}

// measure releases marginals. By disjointness of a marginal's cells, one record changes one count of
// each: Δ² = Δ₁ = 1 per marginal under AddRemove, 2 under Replace. The change by weighted records is a mean of changes by
// one, and no norm of a mean is above the largest of its parts. Marginals are independent given the data, so their losses
// add (zCDP and pure alike).
func (g *gate) measure(r Request) (plan, error) {
	event, err := g.measureEvent(r)
	if err != nil {
		return plan{}, err
	}
	samplers, err := samplersFor(event)
	if err != nil {
		return plan{}, err
	}
	return plan{event: event, draw: func() Release {
		in := noise.NewInputs().Text(string(r.Method)).Int64(int64(event.GridBits))
		for i, c := range r.Cliques {
			in.Text(c.Key()).Int64s(g.marginal(c)).Rat(event.Scales[i])
		}
		src := g.open(r.Stage, r.Round, in.Sum())
		release := Release{Measurements: make([]query.Measurement, len(r.Cliques))}
		for i, c := range r.Cliques {
			release.Measurements[i] = query.Measurement{
				Clique: slices.Clone(c), Values: g.noisy(g.marginal(c), samplers[i], src, event.GridBits), Variance: event.Variance(i),
			}
		}
		return release
	}}, nil
}

func (g *gate) noisy(counts []int64, s sampler, src noise.Source, gridBits int) []float64 {
	values := make([]float64, len(counts))
	for i, count := range counts {
		values[i] = inCounts(count, g.weightBits, s.Draw(src), gridBits)
	}
	return values
}

func (g *gate) measureEvent(r Request) (accountant.Event, error) {
	if len(r.Cliques) == 0 {
		panic("mechanism: measurement of no marginals")
	}
	cells := int64(0)
	for _, c := range r.Cliques {
		cells += int64(g.cells(c))
	}
	m := accountant.Equal(len(r.Cliques), cells)
	if r.Method == MeasureVariance {
		return g.ledger.MeasureVariance(m, r.Noise)
	}
	if r.Precision != nil {
		if err := checkPrecision(r.Cliques, r.Precision); err != nil {
			return accountant.Event{}, err
		}
		m.Precision = r.Precision
	}
	return g.ledger.Measure(m, r.Share)
}

func checkPrecision(cliques []domain.Clique, precision []float64) error {
	if len(precision) != len(cliques) {
		panic("mechanism: as many precisions as marginals are needed")
	}
	for _, p := range precision {
		if !(p > 0) || math.IsInf(p, 0) {
			return errors.New("precisions are not all finite and above 0")
		}
	}
	return nil
}

// sampler is integer noise in steps of a grid.
type sampler interface{ Draw(noise.Source) int64 }

// samplerFor returns the noise of marginal i of an event, in steps of its grid.
func samplerFor(e accountant.Event, i int) (sampler, error) {
	if e.Kind == dp.DiscreteLaplace {
		return noise.NewLaplace(e.Steps(i))
	}
	g, err := noise.NewGaussian(e.Steps(i))
	return &g, err
}

// samplersFor returns the noise of each marginal of an event; neighbours of equal noise share it.
func samplersFor(e accountant.Event) (list []sampler, err error) {
	list = make([]sampler, len(e.Scales))
	for i := range list {
		if i > 0 && e.Scales[i].Cmp(e.Scales[i-1]) == 0 {
			list[i] = list[i-1]
		} else if list[i], err = samplerFor(e, i); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// inCounts returns value·2^-valueBits + noise·2^-noiseBits for valueBits ≤ noiseBits, correctly
// rounded: the sum is taken in integers and converted once.
func inCounts(value int64, valueBits int, noise int64, noiseBits int) float64 {
	if noiseBits < valueBits {
		panic("mechanism: noise on a coarser grid than its number")
	}
	shift := uint(noiseBits - valueBits)
	const small = 1 << 62
	if magnitude := max(value, -value); magnitude < small>>shift && noise < small && noise > -small {
		return math.Ldexp(float64(value<<shift+noise), -noiseBits)
	}
	sum := new(big.Int).Lsh(big.NewInt(value), shift)
	x, _ := new(big.Float).SetInt(sum.Add(sum, big.NewInt(noise))).Float64()
	return math.Ldexp(x, -noiseBits)
}

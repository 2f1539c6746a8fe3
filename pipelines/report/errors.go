package report

import (
	"math"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/solver/population"
)

// Errors are bounds and estimates of the fitted model's error, as parts of the number of units. All
// are computed from released values, so they cost nothing.
type Errors struct {
	Cells     int64   `json:"cells"`               // measured cells that MaxCell speaks of
	MaxCell   float64 `json:"max_cell_bound_95"`   // bound that all cells keep with 95 % confidence
	AverageTV float64 `json:"average_tv_estimate"` // over the measured marginals; 0 where unknown
	From      string  `json:"from"`                // what the bound rests on
}

// Noise says how measured values were perturbed.
type Noise uint8

// The laws of measurement noise.
const (
	Gaussian Noise = iota
	Laplace
)

// Fitted is what errors are computed from.
type Fitted struct {
	Model        *population.Model
	Measurements []query.Measurement
	MaxError     *query.MaxError // a bought certificate, if any
	Cells        int64           // that MaxError speaks of
	Total        query.Total
	RMSE         float64 // predicted root mean square error of a measured cell, counts; NaN where unknown
	Noise        Noise
}

// confidence of every bound.
const confidence = 0.95

// FittedErrors returns the model's errors.
//
// The bound from measurements holds for all m measured cells at once: |h − g| ≤ |y − g| + z·s with
// z the 1−(1−confidence)/(2m) quantile of the noise (algorithms.md §6.3, "answers"). Where the number of
// units is noisy the bound on shares adds z·s_N/N for it.
func FittedErrors(f Fitted) Errors {
	n := math.Max(f.Total.Units, 1)
	slack := math.Sqrt(f.Total.Variance) * normalQuantile(1-(1-confidence)/2) / n
	if f.MaxError != nil {
		bound := f.MaxError.Counts + normalQuantile(confidence)*math.Sqrt(f.MaxError.Variance)
		return Errors{Cells: f.Cells, MaxCell: math.Min(1, math.Max(0, bound)/n+slack), From: "a bought certificate"}
	}
	e := Errors{From: "the noise alone"}
	for _, m := range f.Measurements {
		e.Cells += int64(len(m.Values))
	}
	if e.Cells == 0 {
		return Errors{MaxCell: 1, From: "nothing measured"}
	}
	scale := n / f.Model.Total()
	tails := tailFactor(f.Noise, e.Cells)
	models := make([][]float64, len(f.Measurements))
	for i, m := range f.Measurements {
		g := f.Model.Marginal(m.Clique, nil)
		worst := 0.0
		for c, y := range m.Values {
			g[c] *= scale
			worst = math.Max(worst, math.Abs(y-g[c]))
		}
		e.MaxCell = math.Max(e.MaxCell, (worst+tails*math.Sqrt(m.Variance))/n)
		models[i] = g
	}
	e.MaxCell = math.Min(1, e.MaxCell+slack)
	if !math.IsNaN(f.RMSE) {
		e.AverageTV = averageTV(f.Measurements, models, f.RMSE, n)
	}
	return e
}

// tailFactor returns how many standard deviations bound the noise of m cells at once.
func tailFactor(noise Noise, m int64) float64 {
	tail := (1 - confidence) / float64(m)
	if noise == Laplace { // P(|Z| > t·b) = exp(−t), standard deviation √2·b
		return -math.Log(tail) / math.Sqrt2
	}
	return normalQuantile(1 - tail/2)
}

// averageTV spreads the predicted total squared error over cells and returns the average total
// variation that follows. The error of a cell of model count b has variance v/(1+v/s²) with v = κ·b^1.5
// (wide.md §3.1); κ makes their sum m·rmse². Half the mean absolute error of a normal variable is 0.4
// standard deviations.
func averageTV(measured []query.Measurement, models [][]float64, rmse, units float64) float64 {
	want := 0.0
	for _, g := range models {
		want += float64(len(g)) * rmse * rmse
	}
	spread := func(kappa float64) (squares, half float64) {
		for i, g := range models {
			s2 := measured[i].Variance
			for _, b := range g {
				v := kappa * b * math.Sqrt(b)
				e := v / (1 + v/s2)
				squares += e
				half += 0.4 * math.Sqrt(e)
			}
		}
		return squares, half
	}
	low, high := math.Log(1e-12), math.Log(1e12)
	for range 60 {
		mid := (low + high) / 2
		if squares, _ := spread(math.Exp(mid)); squares < want {
			low = mid
		} else {
			high = mid
		}
	}
	_, half := spread(math.Exp(low))
	return math.Min(1, half/units/float64(len(models)))
}

// normalQuantile is the inverse of the standard normal distribution function.
func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

package report

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/bisect"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/solver"
)

// Errors are bounds and estimates of the fitted model's error, as parts of the number of units. All
// are computed from released values, so they cost nothing, but for what was measured.
type Errors struct {
	Cells     int64   `json:"cells"`               // measured cells that MaxCell covers
	MaxCell   float64 `json:"max_cell_bound_95"`   // bound that all cells keep with 95 % confidence
	AverageTV float64 `json:"average_tv_estimate"` // over the workload's largest marginals: measured and predicted; 0 if unknown
	From      string  `json:"from"`                // what the bound rests on

	Shares float64 `json:"shares_95,omitempty"` // how far off the worst share of a column is, with 95 % confidence by its standard errors; 0 if one is unknown

	// Computed is how many of the widest tables need a column that is computed from others, and more of them than one table of the
	// workload has: their part of the average is predicted.
	Computed int `json:"tables_computed,omitempty"`

	Measured *MeasuredTV `json:"average_tv_measured,omitempty"` // nil: it was not

	// PredictedCell is what the worst of PredictedCells cells is likely to miss by: no bound. Both are 0
	// if MaxCell covers all cells that were asked for.
	PredictedCell  float64 `json:"max_cell_predicted,omitempty"`
	PredictedCells int64   `json:"cells_predicted,omitempty"` // asked for and not bounded

	Answers   int64   `json:"answers,omitempty"`             // to linear queries that MaxAnswer covers
	MaxAnswer float64 `json:"max_answer_bound_95,omitempty"` // bound that all answers keep with 95 % confidence
}

// FewTV is the average total variation from which on there are too few privacy units for the columns and their cells.
const FewTV = .1

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
	Answers      *solver.Answers // to linear queries, if any
	MaxError     *query.MaxError // a bought certificate, if any
	Cells        int64           // that MaxError covers, and linear queries
	Linear       int64           // of those
	Total        query.Total
	RMSE         float64 // predicted root mean square error of a measured cell, counts; NaN if unknown
	TV           float64 // predicted average total variation over the workload; 0 or NaN: derived from RMSE
	Noise        Noise
	Measured     *solver.MeasuredError // of the model; nil: it was not

	// Predicted is the median of the largest error of PredictedCells cells if they erred independently, as a
	// part of the units, if the measurements bound only a few of them.
	Predicted      float64
	PredictedCells int64
}

// linkedErrors: errors of cells are linked, and standard errors err on the wide side. On adult7 and adult14
// at ε = .3, 1, 3 the largest error of any cell was .31 to .75 of what independent errors would give.
const linkedErrors = 0.5

// A bound fails with probability 1 − confidence at most. If the number of units is noisy, totalRisk
// of that is for the number and the rest for the cells.
const (
	confidence = 0.95
	totalRisk  = 0.2
)

// FittedErrors returns the model's errors.
//
// The bound from measurements holds for all m measured cells at once: |h − g| ≤ |y − g| + z·s with
// z the 1 − risk/(2m) quantile of the noise, for h − y is the noise of one of m cells and either sign may
// be exceeded. For answers to linear queries, whose values are at most 1 in size, the same holds. If the number of units is noisy, with standard deviation s_N, the bound on shares adds
// z·s_N/N for it.
func FittedErrors(f Fitted) Errors {
	e := f.unmeasured()
	e.measure(f.Measured, f.Total.Units)
	return e
}

// Include makes the average one of all widest tables of the rows' columns, some of which have a predicted total variation.
func (e *Errors) Include(tv float64, some, all int) {
	if e.Computed = some; some > 0 && e.AverageTV > 0 {
		e.AverageTV = (e.AverageTV*float64(all-some) + tv*float64(some)) / float64(all)
	}
}

// unmeasured returns the errors as they follow from other releases than their measurement.
func (f Fitted) unmeasured() Errors {
	n := math.Max(f.Total.Units, 1)
	risk, slack := 1-confidence, 0.0
	if f.Total.Variance > 0 {
		slack = tailFactor(f.Noise, risk*totalRisk) * math.Sqrt(f.Total.Variance) / n
		risk *= 1 - totalRisk
	}
	if f.MaxError != nil {
		bound := f.MaxError.Counts + tailFactor(f.Noise, 2*risk)*math.Sqrt(f.MaxError.Variance) // it can err on one side only
		return f.all(math.Min(1, math.Max(0, bound)/n+slack), "a bought certificate")
	}
	e := Errors{From: "the noise alone", PredictedCell: math.Min(1, linkedErrors*f.Predicted), PredictedCells: f.PredictedCells}
	for _, m := range f.Measurements {
		e.Cells += int64(len(m.Values))
	}
	if a := f.Answers; a != nil {
		e.Answers = a.Queries
		e.MaxAnswer = math.Min(1, (a.Worst+tailFactor(f.Noise, risk/float64(a.Queries))*math.Sqrt(a.Variance))/n+slack)
	}
	if e.Cells == 0 {
		return Errors{MaxCell: 1, From: "nothing measured", Answers: e.Answers, MaxAnswer: e.MaxAnswer}
	}
	scale := n / f.Model.Total()
	tails := tailFactor(f.Noise, risk/float64(e.Cells))
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
	if f.TV > 0 {
		e.AverageTV = math.Min(1, f.TV)
	} else if !math.IsNaN(f.RMSE) {
		e.AverageTV = averageTV(f.Measurements, models, f.RMSE, n)
	}
	return e
}

// all is a bound on all cells and answers to linear queries.
func (f Fitted) all(bound float64, from string) Errors {
	e := Errors{Cells: f.Cells - f.Linear, MaxCell: bound, From: from, Answers: f.Linear}
	if f.Linear > 0 {
		e.MaxAnswer = bound
	}
	return e
}

// tailFactor returns how many standard deviations the noise of one number exceeds, on either side, with
// the given probability.
func tailFactor(noise Noise, risk float64) float64 {
	if noise == Laplace { // P(|Z| > t·b) = exp(−t), standard deviation √2·b
		return -math.Log(risk) / math.Sqrt2
	}
	return distuv.UnitNormal.Quantile(1 - risk/2)
}

// averageTV spreads the predicted total squared error over cells and returns the average total
// variation that follows. rmse² is an unbiased estimate at one iterate, and the smallest of many: one
// standard error of it, √(2·Σ s⁴) of the sum, is added. A cell of model count b is taken to deviate from its
// tables of fewer columns with variance v = κ·b^1.5, as in package rake; a measurement of variance s² leaves
// v/(1+v/s²) of that. κ makes the sum of these m·rmse². Half the mean absolute error of a normal variable is 0.4
// standard deviations.
func averageTV(measured []query.Measurement, models [][]float64, rmse, units float64) float64 {
	want, variance := 0.0, 0.0
	for i, g := range models {
		want += float64(len(g)) * rmse * rmse
		variance += 2 * float64(len(g)) * measured[i].Variance * measured[i].Variance
	}
	want += math.Sqrt(variance)
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
	low, _ := bisect.Steps(math.Log(1e-12), math.Log(1e12), 60, func(x float64) bool {
		squares, _ := spread(math.Exp(x))
		return !(squares < want)
	})
	_, half := spread(math.Exp(low))
	return math.Min(1, half/units/float64(len(models)))
}

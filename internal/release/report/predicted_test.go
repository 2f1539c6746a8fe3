package report

import (
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestPredictedLine: where only one-way tables were measured, what is predicted of all cells and what is
// bounded of a few are told apart, in the figures and in the closing line.
func TestPredictedLine(t *testing.T) {
	f := Fitted{
		Model:        &population.Model{Sizes: []int{2, 2}, Weights: []float64{30, 30, 20, 20}},
		Measurements: []query.Measurement{{Clique: domain.Clique{0}, Values: []float64{61, 39}, Variance: 1}},
		Total:        query.Total{Units: 100}, TV: .0123, Predicted: .048, PredictedCells: 1234,
	}
	e := FittedErrors(f)
	must.Hold(t, e.PredictedCell == .024 && e.PredictedCells == 1234 && e.Cells == 2 && e.AverageTV == .0123 && e.MaxCell >= .01, "%+v", e)
	line := errorText(e)
	for _, want := range []string{"average total variation ≈ 0.012", "largest of 1,234 cells ≈ 0.024 (predicted)",
		"2 one-way cells within 0.032 (95 % confidence)"} {
		must.Hold(t, strings.Contains(line, want), "no %q in %q", want, line)
	}
	f.PredictedCells, f.Predicted = 0, 0
	line = errorText(FittedErrors(f))
	must.Hold(t, !strings.Contains(line, "predicted") && strings.Contains(line, "at most"), "without a prediction: %q", line)
}

package report

import (
	"fmt"
	"math"

	"github.com/dapple-dp/dapple/internal/release/report/page"
	"github.com/dapple-dp/dapple/solver"
)

// MeasuredTV is the average total variation between table and model, with noise. It is a release: the ledger's stage "error"
// has what it cost.
type MeasuredTV struct {
	Noisy     float64 `json:"average_tv_with_noise"`
	SD        float64 `json:"standard_deviation"` // of the noise, and of measuring some marginals for all
	Share     float64 `json:"share"`              // of the budget
	Marginals int     `json:"marginals"`          // that it was measured on
	Of        int     `json:"marginals_of_workload"`
	Predicted float64 `json:"average_tv_predicted,omitempty"` // from other releases; 0: it is not known
}

// measure makes the measured error, together with the prediction, the estimate.
func (e *Errors) measure(m *solver.MeasuredError, units float64) {
	if m == nil {
		return
	}
	tv, sd := m.TV(units)
	e.Measured = &MeasuredTV{Noisy: tv, SD: sd, Share: m.Share, Marginals: m.Marginals, Of: m.Of, Predicted: e.AverageTV}
	if e.AverageTV == 0 && tv < sd {
		return // nothing is known but that the error is small beside the noise
	}
	e.AverageTV = m.Estimate(e.AverageTV, units)
	e.Measured.SD = math.Hypot(sd, m.SamplingSD(e.AverageTV))
}

// say says it in a sentence without its full stop, for an estimate.
func (m MeasuredTV) say(estimate float64) string {
	over := fmt.Sprintf("all %s widest marginals", page.Count(float64(m.Of)))
	switch {
	case m.Of == 1:
		over = "the widest marginal"
	case m.Marginals < m.Of:
		over = fmt.Sprintf("%s of the %s widest marginals, of all sizes", page.Count(float64(m.Marginals)), page.Count(float64(m.Of)))
	}
	if 1.96*m.SD >= 1 {
		return "no average total variation: the noise hides any error over " + over + ", with " + page.Percent(m.Share, 1) + " of the budget and so few units"
	}
	said := fmt.Sprintf("average total variation %.3g ± %.2g with 95 %% confidence over %s, privately for %s of the budget", m.Noisy, 1.96*m.SD, over, page.Percent(m.Share, 1))
	switch {
	case estimate == 0:
		return said + "; the noise hides the error"
	case m.SD > estimate/8 && m.Predicted > 0:
		return said + fmt.Sprintf("; with the prediction of %.2g the estimate is %.2g", m.Predicted, estimate)
	}
	return said
}

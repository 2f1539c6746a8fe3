package plan

import (
	"encoding/json"
	"math"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/accountant"
)

// planJSON is a plan for programs. A figure that is not known is null.
type planJSON struct {
	Format       int                  `json:"format"`
	Columns      []string             `json:"columns"`
	PrivacyID    string               `json:"privacy_id"`
	Method       string               `json:"method"`
	Why          string               `json:"why"`
	Epsilon      dp.Epsilon           `json:"epsilon"`
	Delta        dp.Delta             `json:"delta"`
	Units        float64              `json:"units"`
	UnitsGiven   bool                 `json:"units_given"` // false: assumed
	Rows         float64              `json:"rows"`
	Marginals    int                  `json:"marginals"`
	Cells        int64                `json:"cells"`
	Omitted      int64                `json:"marginals_left_out"`
	AverageTV    *float64             `json:"average_tv"`
	LowTV        *float64             `json:"average_tv_low"`
	HighTV       *float64             `json:"average_tv_high"`
	LeastTV      *float64             `json:"average_tv_least"`
	FinerTV      *float64             `json:"average_tv_of_learned_bins,omitempty"` // if average_tv is of the coarser bins that ε = 1 learns
	Like         bool                 `json:"like_a_release"`
	Scaled       bool                 `json:"scaled_to_its_error,omitempty"` // that the release measured
	NoiseBound   *float64             `json:"noise_bound_95"`
	Proved       *float64             `json:"largest_error_proved"`
	Rate         *float64             `json:"largest_error_rate,omitempty"`
	LeastRate    *float64             `json:"largest_error_least_rate,omitempty"`
	Sampling     *float64             `json:"sampling_error_95"`
	RowsSD       *float64             `json:"total_rows_sd,omitempty"`
	Curve        []pointJSON          `json:"curve"`
	ByUnits      []AtUnits            `json:"at_other_units,omitempty"` // if the number of units is assumed
	Target       *targetJSON          `json:"target,omitempty"`
	RunSeconds   *float64             `json:"run_cpu_seconds"` // of the whole run in one process
	RunBytes     *float64             `json:"run_bytes"`
	SolveSeconds *float64             `json:"solve_cpu_seconds"`
	RowsSeconds  float64              `json:"rows_cpu_seconds"`
	SolveBytes   *float64             `json:"solve_bytes"`
	CountBytes   *float64             `json:"count_bytes"`
	FileBytes    *float64             `json:"output_bytes"`
	Privacy      accountant.Statement `json:"privacy"`
	Alternatives []alternativeJSON    `json:"alternatives"`
	Notes        []string             `json:"notes,omitempty"`
}

type pointJSON struct {
	Epsilon dp.Epsilon `json:"epsilon"`
	TV      *float64   `json:"average_tv"`
}

type targetJSON struct {
	Of        string     `json:"of"`
	AverageTV float64    `json:"average_tv"`
	Epsilon   dp.Epsilon `json:"epsilon"`
	Low       *float64   `json:"epsilon_low"`
	High      *float64   `json:"epsilon_high"`
}

type alternativeJSON struct {
	Method     string   `json:"method"`
	AverageTV  *float64 `json:"average_tv"`
	CPUSeconds *float64 `json:"solve_cpu_seconds"`
	Refusal    string   `json:"refusal,omitempty"`
}

// known returns nil for figures that are not known, for which JSON has no number.
func known(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// JSON returns the plan for programs: the content of WriteText, by name.
func (p *Plan) JSON() ([]byte, error) {
	out := planJSON{
		Format: 1, PrivacyID: p.Domain.PrivacyID, Columns: p.Domain.Names(), Method: p.Method, Why: p.Why, Epsilon: p.Problem.Epsilon, Delta: p.Problem.Delta,
		Units: p.Problem.Units, UnitsGiven: p.UnitsGiven, Rows: p.Rows, Marginals: p.Workload.Marginals, Cells: p.Workload.Cells,
		Omitted: p.Workload.Omitted, AverageTV: known(p.AverageTV), LowTV: known(p.LowTV), HighTV: known(p.HighTV), LeastTV: known(p.LeastTV), FinerTV: known(p.FinerTV), Like: p.Like, Scaled: p.Scaled, NoiseBound: known(p.NoiseBound), RowsSD: known(p.RowsSD), Proved: known(p.Proved), Rate: known(p.Rate), LeastRate: known(p.Least), Sampling: known(p.Sampling),
		RunSeconds: known(p.RunSeconds), RunBytes: known(p.RunBytes), SolveSeconds: known(p.SolveSeconds), RowsSeconds: p.RowsSeconds, SolveBytes: known(p.SolveBytes), CountBytes: known(p.CountBytes), FileBytes: known(p.FileBytes),
		Privacy: p.Charges, Notes: p.Notes, Curve: []pointJSON{}, ByUnits: p.ByUnits, Alternatives: []alternativeJSON{},
	}
	for _, x := range p.Curve {
		out.Curve = append(out.Curve, pointJSON{x.Epsilon, known(x.TV)})
	}
	for _, a := range p.Alternatives {
		x := alternativeJSON{Method: a.Method, Refusal: a.Refusal}
		if a.Refusal == "" {
			x.AverageTV, x.CPUSeconds = known(a.AverageTV), known(a.Seconds)
		}
		out.Alternatives = append(out.Alternatives, x)
	}
	if a := p.Aimed; a != nil {
		out.Target = &targetJSON{Of: a.Target.String(), AverageTV: a.TV, Epsilon: a.Epsilon, Low: known(a.Low), High: known(a.High)}
	}
	b, err := json.MarshalIndent(out, "", " ")
	return append(b, '\n'), err
}

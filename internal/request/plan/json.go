package plan

import (
	"encoding/json"
	"math"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
)

// planJSON is a plan for programs. A figure that is not known is null.
type planJSON struct {
	Format       int                  `json:"format"`                               // of this object: 1
	Columns      []string             `json:"columns"`                              // modelled
	PrivacyID    string               `json:"privacy_id"`                           // empty: every record is a privacy unit
	Method       string               `json:"method"`                               // the solver
	Why          string               `json:"why"`                                  // why this one
	Epsilon      dp.Epsilon           `json:"epsilon"`                              // ε
	Delta        dp.Delta             `json:"delta"`                                // δ
	Units        float64              `json:"units"`                                // privacy units that the plan is for
	UnitsGiven   bool                 `json:"units_given"`                          // false: assumed
	Rows         float64              `json:"rows"`                                 // to write
	Marginals    int                  `json:"marginals"`                            // of the workload
	Cells        int64                `json:"cells"`                                // of all of them
	Omitted      int64                `json:"marginals_left_out"`                   // as they have more cells than --max_cells
	TooWide      int                  `json:"marginals_too_wide,omitempty"`         // for the method, which answers them from smaller ones
	TooLarge     int64                `json:"marginals_too_large,omitempty"`        // the same, for their cells
	Wide         string               `json:"method_for_wide_marginals,omitempty"`  // that measures those that are too wide
	Unlinked     string               `json:"pairs_not_joined,omitempty"`           // by any marginal, as some were left out
	Measured     int                  `json:"marginals_measured"`                   // those that no other contains; of an adaptive method those that it may measure
	Adaptive     bool                 `json:"adaptive"`                             // noisy scores decide which are measured
	Limits       string               `json:"method_limits,omitempty"`              // what the method holds at most
	Suited       string               `json:"better_suited,omitempty"`              // a method for this workload
	ForColumn    string               `json:"workload_target,omitempty"`            // the column whose marginals weigh more
	AverageTV    *float64             `json:"average_tv"`                           // predicted average total variation of the widest marginals
	LowTV        *float64             `json:"average_tv_low"`                       // it is likely between this
	HighTV       *float64             `json:"average_tv_high"`                      // and this
	LeastTV      *float64             `json:"average_tv_least"`                     // the same of a table whose columns hardly vary
	FinerTV      *float64             `json:"average_tv_of_learned_bins,omitempty"` // if average_tv is of the coarser bins that ε = 1 learns
	Like         bool                 `json:"like_a_release"`                       // predicted of a table like the one of --like
	Scaled       bool                 `json:"scaled_to_its_error,omitempty"`        // that the release measured
	NoiseBound   *float64             `json:"noise_bound_95"`                       // largest noise on a cell as a part of the units, with 95 % confidence
	FollowTV     *float64             `json:"transitions_tv,omitempty"`             // of a value and the one in the row before, on average over columns
	DealtTV      float64              `json:"transitions_tv_at_random,omitempty"`   // the least of that if rows are dealt at random
	GapsTV       *float64             `json:"gaps_tv,omitempty"`                    // of gaps between rows
	DealtGapsTV  float64              `json:"gaps_tv_at_random,omitempty"`          // the least of that if rows are dealt at random
	Forgotten    []Forgotten          `json:"transitions_left_out,omitempty"`       // columns whose noise alone is worse than rows dealt at random
	RowsSD       *float64             `json:"total_rows_sd,omitempty"`              // of the number of rows of people, from noise
	Curve        []pointJSON          `json:"curve"`                                // the same errors at other ε
	ByUnits      []AtUnits            `json:"at_other_units,omitempty"`             // if the number of units is assumed
	Target       *targetJSON          `json:"target,omitempty"`                     // of --target_error
	RunSeconds   *float64             `json:"run_cpu_seconds"`                      // of the whole run in one process
	RunBytes     *float64             `json:"run_bytes"`                            // memory of the same
	SolveSeconds *float64             `json:"solve_cpu_seconds"`                    // of the fit alone
	RowsSeconds  float64              `json:"rows_cpu_seconds"`                     // of making rows
	SolveBytes   *float64             `json:"solve_bytes"`                          // memory of the fit
	CountBytes   *float64             `json:"count_bytes"`                          // memory of counts or kept records
	Kept         string               `json:"records_kept_because,omitempty"`       // rather than counted at once
	LeastSeen    float64              `json:"units_seen_by_themselves,omitempty"`   // in learned bins: values of fewer hide in noise
	FileBytes    *float64             `json:"output_bytes"`                         // of all rows
	Privacy      accountant.Statement `json:"privacy"`                              // every charge, as the statement will have them
	Alternatives []alternativeJSON    `json:"alternatives"`                         // other methods, and what they would do
	Notes        []string             `json:"notes,omitempty"`                      // on input, output and the budget book
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
		Units: p.Problem.Units, UnitsGiven: p.UnitsGiven, Rows: p.Rows, Marginals: p.Workload.Marginals, ForColumn: p.Workload.Target, Cells: p.Workload.Cells,
		Omitted: p.Workload.Omitted, AverageTV: known(p.AverageTV), LowTV: known(p.LowTV), HighTV: known(p.HighTV), LeastTV: known(p.LeastTV), FinerTV: known(p.FinerTV), Like: p.Like, Scaled: p.Scaled, NoiseBound: known(p.NoiseBound), FollowTV: known(p.FollowTV), GapsTV: known(p.GapsTV), Forgotten: p.Forgotten, RowsSD: known(p.RowsSD),
		RunSeconds: known(p.RunSeconds), RunBytes: known(p.RunBytes), SolveSeconds: known(p.SolveSeconds), RowsSeconds: p.RowsSeconds, SolveBytes: known(p.SolveBytes), CountBytes: known(p.CountBytes), FileBytes: known(p.FileBytes),
		TooWide: p.Workload.TooWide, TooLarge: p.Workload.TooLarge, Wide: p.Workload.Wide, Unlinked: p.Workload.Unlinked, Measured: p.Workload.Measured,
		Adaptive: p.Adaptive(), Limits: p.Limits, Suited: p.Suited, Kept: p.Kept, LeastSeen: math.Round(p.leastSeen()),
		Privacy: p.Charges, Notes: p.Notes, Curve: []pointJSON{}, ByUnits: p.ByUnits, Alternatives: []alternativeJSON{},
	}
	if p.Domain.Ordered() {
		out.DealtTV, out.DealtGapsTV = dealt, dealtGaps
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

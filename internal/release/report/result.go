package report

import "encoding/json"

// SynthResult is what synth says to programs: its last lines as one JSON object.
type SynthResult struct {
	Format    int      `json:"format"`                   // of this object: 1
	Submitted string   `json:"submitted,omitempty"`      // of a job that nobody waits for: how to ask again; all else is missing then
	Adopted   bool     `json:"adopted,omitempty"`        // an earlier run had made this, or its release: nothing was spent now
	Wrote     *Wrote   `json:"wrote,omitempty"`          // the rows
	Release   string   `json:"release,omitempty"`        // the directory of statement, report and model
	Report    string   `json:"report,omitempty"`         // the page to hand out
	Model     string   `json:"model,omitempty"`          // what dapple sample draws rows from
	Guarantee string   `json:"guarantee,omitempty"`      // the promise in one line
	Epsilon   float64  `json:"epsilon,omitempty"`        // ε
	Delta     float64  `json:"delta"`                    // δ
	Releases  int      `json:"releases,omitempty"`       // how many noisy answers were drawn
	Method    string   `json:"method,omitempty"`         // the solver
	Units     *Units   `json:"units,omitempty"`          // how many privacy units there are
	Error     *Errors  `json:"error,omitempty"`          // how far off the rows are, as in the statement
	InWords   string   `json:"error_in_words,omitempty"` // the same for people
	Fit       *Fit     `json:"fit,omitempty"`            // the test of the model against what was released
	Criteria  *bool    `json:"criteria_met,omitempty"`   // if there are criteria
	Compare   string   `json:"compare,omitempty"`        // the command that compares with the true table; its output is not private
	Notes     []string `json:"notes"`                    // what else is to be said
}

// Wrote is where rows were written.
type Wrote struct {
	Output string `json:"output"`           // the directory or table
	Format string `json:"format,omitempty"` // parquet or csv; empty for a table
	Files  int    `json:"files,omitempty"`  // how many
	Bytes  int64  `json:"bytes,omitempty"`  // of all files
	Rows   int64  `json:"rows"`             // written; -1: the service did not say
	People int64  `json:"people,omitempty"` // rows of the table of people, if there are two tables
	Job    string `json:"job,omitempty"`    // that loaded the rows into the table
	Digest string `json:"digest,omitempty"` // SHA-256 of the manifest: keep it elsewhere, for dapple verify
}

// SampleResult is what sample says to programs.
type SampleResult struct {
	Format int      `json:"format"` // of this object: 1
	Wrote  *Wrote   `json:"wrote"`  // the rows
	Dry    bool     `json:"dry"`    // they are drawn from a domain file and come from no data
	Notes  []string `json:"notes"`  // what else is to be said
}

// DrawsResult is what sample says to programs of several draws.
type DrawsResult struct {
	Format int            `json:"format"` // of this object: 1
	Draws  []SampleResult `json:"draws"`  // the rows of each, as of `dapple sample`
}

// VerifyResult is what verify says to programs, if all belongs together; else the command fails.
type VerifyResult struct {
	Format    int    `json:"format"`                    // of this object: 1
	Verified  bool   `json:"verified"`                  // true
	Wrote     *Wrote `json:"wrote,omitempty"`           // the rows, unless they are in a table
	Release   string `json:"release,omitempty"`         // the directory of the statement
	Guarantee string `json:"guarantee,omitempty"`       // the promise in one line
	Digest    string `json:"digest"`                    // SHA-256 of the manifest
	Compared  bool   `json:"compared_with_kept_digest"` // by --digest; false: somebody may have written all of it anew
}

func (w Written) wrote() *Wrote {
	if w.Table {
		w.Format = ""
	}
	return &w.Wrote
}

// Result returns the last lines of a run for programs.
func (p Privacy) Result(out Written) SynthResult {
	r := SynthResult{
		Format: 1, Wrote: out.wrote(), Release: out.Release, Report: slash(out.Release) + "_report.html", Model: slash(out.Release) + "_model.arrow",
		Guarantee: p.Guarantee(), Epsilon: float64(p.Epsilon), Delta: float64(p.Delta), Releases: p.Releases, Method: p.Method, Units: &p.Units, Error: &p.Error, Fit: p.Fit,
		InWords: p.inWords(out.Width), Compare: out.Compare, Notes: p.remarks(out),
	}
	if p.Criteria != nil {
		r.Criteria = &p.Criteria.Met
	}
	if r.Adopted = out.Adopted != ""; r.Adopted {
		r.Notes = append([]string{out.Adopted}, r.Notes...)
	}
	return r
}

// Sampled returns the last lines of a sampling for programs.
func Sampled(dry bool, out Written) SampleResult {
	return SampleResult{Format: 1, Wrote: out.wrote(), Dry: dry, Notes: append([]string{}, out.Notes...)}
}

// JSON writes one of the results above as one object.
func JSON[T SynthResult | SampleResult | DrawsResult | VerifyResult](r T) ([]byte, error) {
	b, err := json.MarshalIndent(r, "", " ")
	return append(b, '\n'), err
}

// Marginals says what a marginals file holds.
type Marginals struct {
	File      string `json:"file"`
	Marginals int    `json:"marginals"` // in the file
	Of        int    `json:"of"`        // of the workload, or measured
	Cells     int64  `json:"cells"`     // rows of the file
	MaxCells  int64  `json:"max_cells"` // public limit: beyond it measured marginals go first, and some are left out

	// Intervals is the number of cells with a standard error; LookedAt the number of those among them whose own
	// marginal was measured or scored.
	Intervals int64 `json:"cells_with_standard_error"`
	LookedAt  int64 `json:"cells_looked_at"`
	// LargestError is the median of the largest error of the cells looked at if they erred independently, as a
	// part of the number of units.
	LargestError float64 `json:"-"`
	// Shares keeps the largest error of a share of one column with 95 % confidence; 0: not each has a standard error.
	Shares float64 `json:"-"`
}

package pipelines

import (
	"context"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/plan"
	"github.com/dapple-dp/dapple/internal/release/finished"
	"github.com/dapple-dp/dapple/internal/release/modelio"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/report"
	"github.com/dapple-dp/dapple/internal/report/page"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/solver"
)

// PlanConfig is a request to plan. Input and Output may be empty; Epsilon may be 0 if TargetError is set.
type PlanConfig struct {
	Config
	// TargetError asks for the least ε at which the predicted average total variation of the target's marginals is at
	// most this part of the rows, below 1; 0 asks for none.
	TargetError float64
	// Target is "2-way", "column:NAME" or "columns:NAME,NAME"; empty: the workload's maximal marginals.
	Target string
	// Like is a release, or its _model.arrow: errors are predicted of a table like it. Its number of units stands for
	// ExpectedRows that are not given. Empty: of a typical table.
	Like string
	// Columns is the number of columns but the privacy ID, of a plan without a domain file; 0: those of Input.
	Columns int64
}

// PlanRequest is a PlanConfig without fault.
type PlanRequest struct {
	*Request
	target      plan.Target
	targetError float64
	chosen      bool // ε is given, and not found from the target
}

// ValidatePlan finds every fault of a request to plan.
func ValidatePlan(ctx context.Context, c PlanConfig) (*PlanRequest, error) {
	r := &PlanRequest{targetError: c.TargetError, chosen: c.Epsilon != 0}
	if !r.chosen {
		c.Epsilon = 1 // validated again at the ε that is found
	}
	c.planning = true
	like, stated, unread := readLike(ctx, c.Like)
	if like != nil {
		c.ExpectedRows = orDefault(c.ExpectedRows, max(1, int64(math.Round(like.Units))))
	}
	request, faults := validate(ctx, c.Config)
	r.Request = request
	switch {
	case unread != nil:
		faults = append(faults, ErrorFaults("--like", unread)...)
	case like != nil && r.File != nil:
		r.checkLike(like, &faults)
	}
	if !r.chosen && c.TargetError == 0 {
		faults.add("--epsilon", "is required, or --target_error in its place", "there is no safe default")
	}
	if c.TargetError != 0 && !(c.TargetError > 0 && c.TargetError < 1) {
		faults.add("--target_error", fmt.Sprintf("got %g; want a part of the rows, between 0 and 1", c.TargetError), "0.02 is a common wish")
	}
	if r.File != nil {
		var err error
		if r.target, err = plan.ParseTarget(c.Target, r.File.Domain); err != nil {
			faults.add("--target", err.Error(), "")
		}
	}
	if len(faults) > 0 {
		return r, faults.Err()
	}
	if like != nil {
		r.scaleLike(stated)
	}
	if r.targetError > 0 {
		r.aim(&faults)
	}
	r.checkLeft(&faults)
	return r, faults.Err()
}

// checkLike takes a released model as what the table is like, if its columns are those of the domain.
func (r *PlanRequest) checkLike(file *modelio.File, f *Faults) {
	here, there := r.File.Domain, &file.Domain
	for i := range max(here.Len(), there.Len()) {
		switch {
		case i >= there.Len():
			f.add("--like", fmt.Sprintf("has no column %q, which is column %d of the domain", here.Attributes[i].Name, i+1), likeFix)
		case i >= here.Len() || here.Attributes[i].Name != there.Attributes[i].Name:
			f.add("--like", fmt.Sprintf("has %q as column %d, which is not that of the domain", there.Attributes[i].Name, i+1), likeFix)
		case here.Attributes[i].Size() != there.Attributes[i].Size():
			f.add("--like", fmt.Sprintf("column %q has %d values or bins there, and %d in the domain", here.Attributes[i].Name, there.Attributes[i].Size(), here.Attributes[i].Size()), likeFix)
		case here.Attributes[i].Learned > 0 && len(there.Attributes[i].Runs) == 0, len(there.Attributes[i].Runs) > 0 && there.Attributes[i].Runs[len(there.Attributes[i].Runs)-1].From >= here.Attributes[i].Fine():
			f.add("--like", fmt.Sprintf("column %q has another range or resolution there", here.Attributes[i].Name), likeFix)
		default:
			continue
		}
		return
	}
	if r.Chosen.Name != "" && r.Chosen.Predict == nil {
		f.add("--like", fmt.Sprintf("method %s predicts its error from its noise, whatever the table is like", r.Chosen.Name), "leave it out, or use --method=rake and a --delta above 0")
	}
	r.like = &solver.Pattern{Model: file.Model}
	for i := range there.Attributes {
		r.like.Runs = append(r.like.Runs, there.Attributes[i].Runs)
	}
}

// readLike reads a release: its model and, unless that lies alone or beside that of another model, its statement.
func readLike(ctx context.Context, path string) (*modelio.File, *report.Privacy, error) {
	if path == "" {
		return nil, nil, nil
	}
	name, err := finished.ModelName(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	file, _, err := finished.ReadModel(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	p, err := finished.Statement(ctx, files.Dir(name))
	if err != nil || p.Hashes.Model != publish.Fingerprint(file.Model) {
		return file, nil, nil
	}
	return file, &p, nil
}

// scaleLike scales predictions to the error that the release measured, if it is of the workload and method that are planned.
func (r *PlanRequest) scaleLike(p *report.Privacy) {
	if p == nil || p.Error.Measured == nil || r.Chosen.Name != p.Method || r.Problem.Neighbouring.String() != p.Neighbouring || (r.Problem.Public == nil) != (p.Public == nil) {
		return
	}
	if workload := r.Problem.Workload.Fingerprint(); hex.EncodeToString(workload[:]) != p.Hashes.Workload {
		return
	}
	m, own := p.Error.Measured, r.Problem
	own.Epsilon, own.Delta, own.Units, own.ErrorShare = dp.Epsilon(p.Epsilon), dp.Delta(p.Delta), p.Units.Count, solver.ErrorShare(m.Share)
	plan.Scale(own, r.Chosen, r.like, m.Noisy, m.SD)
}

const likeFix = "name a release over the same columns in the same order, with as many values or bins each"

// aim finds the least ε for the target, and uses it if the request has none: errors are then of the bins that ε = 1 learns.
func (r *PlanRequest) aim(f *Faults) {
	q := plan.Ask(r.Problem, r.Chosen, r.target, r.like, true)
	aimed := q.Aim(r.target, r.targetError)
	if math.IsNaN(float64(aimed.Epsilon)) {
		f.add("--target_error", fmt.Sprintf("got %g for %s; no ε up to %g is predicted to reach it with method %s (at %g: %.2g)",
			r.targetError, r.target, plan.MostEpsilon, r.Chosen.Name, plan.MostEpsilon, aimed.Reached),
			fmt.Sprintf("raise it above %.2g, ask with --epsilon=1 in its place what to expect, raise --expected_rows if there are more units, or narrow the domain or the workload", aimed.Reached))
		return
	}
	r.aimed = &aimed
	if !r.chosen {
		if r.question = q; r.target.Width > 0 || r.target.Columns != nil {
			r.question = plan.Ask(r.Problem, r.Chosen, plan.Target{}, r.like, true)
		}
		r.Epsilon, r.Problem.Epsilon = aimed.Epsilon, aimed.Epsilon
		checkProblem(r.Request, f)
	}
}

// A number of privacy units is told that is so many times, or a part so small, of what was planned for; and any whose error
// would have been clearly less.
const (
	farOff      = 2
	worthSaying = .01
)

// betterPlanned says what planning for the released number of privacy units would have saved, if none was given. The
// prediction is low: of UCI Adult (15 columns, ε = 1, four runs each) 3,000 rows are predicted 8 % less error, and have
// 13 % less in tables of three columns and 25 % less in single ones.
func (r *Request) betterPlanned(p report.Privacy) []string {
	units, _ := strconv.ParseFloat(strconv.FormatFloat(p.Units.Count, 'g', 2, 64), 64) // it parses what was formatted
	if r.ExpectedRows > 0 || r.Chosen.Name == "" || units < 1 {
		return nil
	}
	less, off := plan.Saved(r.Problem, r.Chosen, units), units/r.Problem.Units
	planned := fmt.Sprintf("planned for %s, there are about %s: --expected_rows=%.0f ", page.Count(r.Problem.Units), page.Count(units), units)
	switch {
	case less > worthSaying:
		return []string{planned + fmt.Sprintf("has at least %.0f %% less error, as predicted", 100*less)}
	case off > farOff || off < 1./farOff:
		return []string{planned + "shares the budget by that number"}
	}
	return nil
}

// width is the number of columns of the widest marginals asked for.
func (r *Request) width() (w int) {
	for _, m := range r.Problem.Workload.Marginals {
		w = max(w, len(m.Clique))
	}
	return w
}

// Plan is what is known of a run before it. Its fields are Domain, Workload, Method and Why, Charges, AverageTV between
// LowTV and HighTV, NoiseBound, SolveBytes, SolveSeconds, FileBytes and others; WriteText writes the main ones for
// a terminal, WriteDetails all of them, and JSON all of them for programs.
type Plan = plan.Plan

// Plan predicts what the request would do.
func (r *Request) Plan() (*Plan, error) {
	p, err := plan.Make(r.Problem, r.Method, r.Rows, r.ExpectedRows > 0, r.omitted, r.like)
	if err == nil {
		p.Workload.Narrowed, p.Workload.Target = r.narrowed, r.File.Target
		if r.Engine.clustered(r.Runner) {
			p.MostUnits = 0
		}
		p.Notes = append(r.notes(), r.left()...)
		p.Aimed = r.aimed
		if r.question != nil {
			p.Answer(r.question)
		}
		if !p.UnitsGiven {
			p.ByUnits = plan.OtherUnits(r.Problem, r.Chosen, r.like)
		}
	}
	return p, err
}

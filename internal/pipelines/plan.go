package pipelines

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/model/modelfile"
	"github.com/dapple-dp/dapple/internal/release/contents"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/release/report"
	"github.com/dapple-dp/dapple/internal/release/report/page"
	"github.com/dapple-dp/dapple/internal/request/plan"
	"github.com/dapple-dp/dapple/internal/transforms/discover"
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
	// Columns is the number of columns but the privacy ID, of a plan without a domain file; 0: Input's.
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

// checkLike takes a released model as what the table is like, if it has the domain's columns.
func (r *PlanRequest) checkLike(file *modelfile.File, f *Faults) {
	here, there := r.File.Domain, &file.Domain
	for i := range max(here.Len(), there.Len()) {
		switch {
		case i >= there.Len():
			f.add("--like", fmt.Sprintf("has no column %q, which is column %d of the domain", here.Attributes[i].Name, i+1), likeFix)
		case i >= here.Len() || here.Attributes[i].Name != there.Attributes[i].Name:
			f.add("--like", fmt.Sprintf("has %q as column %d, which is not the domain's column", there.Attributes[i].Name, i+1), likeFix)
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
		f.add("--like", fmt.Sprintf("method %s predicts its error from its noise, whatever the table is like", r.Chosen.Name), "leave it out, or use --method=rake")
	}
	r.like = &solver.Pattern{Model: file.Model}
	for i := range there.Attributes {
		r.like.Runs = append(r.like.Runs, there.Attributes[i].Runs)
	}
}

// readLike reads a release: its model and, unless the model lies alone or beside another's, its statement.
func readLike(ctx context.Context, path string) (*modelfile.File, *report.Privacy, error) {
	if path == "" {
		return nil, nil, nil
	}
	name, err := contents.ModelName(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	file, _, err := contents.ReadModel(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	p, err := contents.Statement(ctx, files.Dir(name))
	if err != nil || p.Hashes.Model != publish.Fingerprint(file.Model) {
		return file, nil, nil
	}
	return file, &p, nil
}

// scaleLike scales predictions to the error that the release measured, if it is of the workload and method that are planned.
func (r *PlanRequest) scaleLike(p *report.Privacy) {
	if p == nil || p.Error.Measured == nil || r.Chosen.Name != p.Method || r.Problem.Neighbouring.String() != p.Neighbouring {
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
	planned := fmt.Sprintf("the budget was divided for %s people, but there are about %s; next time add --expected_rows=%.0f", page.Count(r.Problem.Units), page.Count(units), units)
	switch {
	case less > worthSaying:
		return []string{planned + fmt.Sprintf(" for at least %.0f %% less error", 100*less)}
	case off > farOff || off < 1./farOff:
		return []string{planned}
	}
	return nil
}

// Plan is what is known of a run before it. Its fields are Domain, Workload, Method and Why, Charges, AverageTV between
// LowTV and HighTV, NoiseBound, SolveBytes, SolveSeconds, FileBytes and others; WriteText writes the main ones for
// a terminal, and JSON all of them for programs.
type Plan = plan.Plan

// Plan predicts what the request would do.
func (r *Request) Plan() (*Plan, error) {
	p, err := plan.Make(r.Problem, r.Method, r.Rows, r.ExpectedRows > 0, r.omitted, r.like)
	if err == nil {
		p.Workload.Narrowed, p.Workload.Target, p.Forgotten = r.narrowed, r.File.Target, r.forgotten
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

// FoundPlan says what can be found of a table without a domain file, before anything is read or spent.
type FoundPlan struct {
	Epsilon  float64  `json:"epsilon"` // of the whole run
	Delta    float64  `json:"delta"`
	Share    float64  `json:"domain_share"` // of the budget, for the domain
	People   int64    `json:"people"`
	Columns  int      `json:"columns"`
	Open     []string `json:"open_parts,omitempty"`      // of a domain file; absent without any
	Category float64  `json:"people_for_a_category"`     // who have to share a value for it to be named
	RangeEnd float64  `json:"people_for_a_range"`        // who have to be near an end of a range for it to be seen
	Enough   bool     `json:"enough"`                    // to find most of a usual table
	Needed   float64  `json:"people_needed"`             // for that, at this ε
	ByE      float64  `json:"epsilon_needed,omitempty"`  // for these people and columns; 0: none up to 10
	ByFewer  int      `json:"columns_to_keep,omitempty"` // for these people at this ε; 0: none
}

// foundOutlook computes what can be found of so many people.
func foundOutlook(p discover.Params, people int64) (*FoundPlan, error) {
	o, err := p.Outlook()
	if err != nil {
		return nil, err
	}
	plan := &FoundPlan{
		Epsilon: float64(p.Epsilon), Delta: float64(p.Delta), Share: p.Share.Float(), People: people, Columns: len(p.Columns), Category: o.Value, RangeEnd: o.Cell,
	}
	if plan.Enough, plan.Needed = o.Enough(float64(people)); !plan.Enough && people > 0 {
		epsilon, columns := p.WouldDo(float64(people))
		plan.ByE, plan.ByFewer = float64(epsilon), columns
	}
	return plan, nil
}

// wouldDo says what would be enough.
func (p *FoundPlan) wouldDo() string {
	ways := fmt.Sprintf("%.0f people", p.Needed)
	if p.ByE > 0 {
		ways += fmt.Sprintf(", or --epsilon=%g", p.ByE)
	}
	if p.ByFewer > 0 {
		ways += fmt.Sprintf(", or %d columns in place of %d", p.ByFewer, p.Columns)
	}
	return ways + " would do; a --domain file of public facts costs nothing"
}

// PlanFound finds every fault of a request to plan without a domain file, and answers it. Of the input only the header is
// read.
func PlanFound(ctx context.Context, c PlanConfig) (*FoundPlan, error) {
	r := &FindRequest{Config: c.Config.withDefaults()}
	if !r.wholly() {
		return planOpen(ctx, c)
	}
	var f Faults
	r.checkUnit(&f)
	r.takeDeclared(&f)
	r.checkJob(&f)
	checkFigures(r.Config, &f)
	if r.ExpectedRows == 0 {
		f.add("--expected_rows", "is required where the domain is found: about how many people there are", "a guess will do")
	}
	if c.TargetError != 0 || c.Target != "" || c.Like != "" {
		f.add("--target_error", "and --target and --like need a --domain file with columns", "find one by `dapple infer --epsilon`, or leave them out")
	}
	switch {
	case r.Input != "" && c.Columns > 0:
		f.add("--columns", "is given, and so is --input, which has columns", "leave one of them out")
	case r.Input == "" && c.Columns == 0:
		f.add("--columns", "is required without --input where the domain is found: how many columns the table has, without the column of the people", "")
	}
	r.checkBudget(&f)
	found := make([]discover.Column, c.Columns)
	for i := range found {
		found[i] = discover.Column{Name: fmt.Sprint(i), Untyped: true}
	}
	if r.Input != "" {
		found = r.findColumns(ctx, &f)
	}
	if len(f) > 0 {
		return nil, f.Err()
	}
	r.setParams(found)
	p, err := foundOutlook(r.params, r.ExpectedRows)
	return p, append(f, ErrorFaults("--epsilon", err)...).Err()
}

// planOpen is PlanFound for a domain file with open parts.
func planOpen(ctx context.Context, c PlanConfig) (*FoundPlan, error) {
	r := &FindRequest{Config: c.Config.withDefaults()}
	c.Config.planning = true
	_, f := validate(ctx, c.Config)
	if c.TargetError != 0 || c.Target != "" || c.Like != "" || c.Columns != 0 {
		f.add("--domain", "leaves parts to be found, and --target_error, --target, --like and --columns need or replace a whole one", "find them by `dapple infer --epsilon`, or leave these flags out")
	}
	r.checkBudget(&f)
	r.checkJob(&f)
	r.setOpen(ctx, &f)
	if r.ExpectedRows == 0 {
		f.add("--expected_rows", "is required where parts of the domain are to be found: about how many people there are", "a guess will do")
	}
	if len(f) > 0 {
		return nil, f.Err()
	}
	p, err := foundOutlook(r.params, r.ExpectedRows)
	if err != nil {
		return nil, ErrorFaults("--epsilon", err).Err()
	}
	p.Open = openParts(r.open())
	return p, nil
}

// JSON returns the plan for programs.
func (p *FoundPlan) JSON() ([]byte, error) {
	b, err := json.MarshalIndent(p, "", " ")
	return append(b, '\n'), err
}

// WriteText writes the plan for a terminal.
func (p *FoundPlan) WriteText(out io.Writer) error {
	var b strings.Builder
	what := "the domain"
	if len(p.Open) > 0 {
		what = "what is open"
	}
	fmt.Fprintf(&b, "privacy   ε = %g, δ = %g; %g %% of the budget finds %s\n", p.Epsilon, p.Delta, 100*p.Share, what)
	if len(p.Open) > 0 {
		fmt.Fprintf(&b, "open      %s; the rest of the domain file costs nothing\n", strings.Join(p.Open, ", "))
		fmt.Fprintf(&b, "table     %s people; nothing of it is read, and nothing is spent\n", page.Count(float64(p.People)))
	} else {
		fmt.Fprintf(&b, "table     %s people, %d columns; nothing of it is read, and nothing is spent\n", page.Count(float64(p.People)), p.Columns)
	}
	if p.Category > 0 {
		fmt.Fprintf(&b, "category  needs about %s people to be named, %.2g %% of them; rarer ones become `other`\n", page.Count(p.Category), 100*p.Category/float64(p.People))
	}
	if p.RangeEnd > 0 {
		fmt.Fprintf(&b, "range     goes up to the last power of two that about %s people reach; values beyond become its ends\n", page.Count(p.RangeEnd))
	}
	if p.Enough {
		b.WriteString("verdict   enough to find most of a usual table\n")
	} else {
		fmt.Fprintf(&b, "verdict   too few people: most of the table would not be found; %s\n", p.wouldDo())
	}
	_, err := io.WriteString(out, b.String())
	return err
}

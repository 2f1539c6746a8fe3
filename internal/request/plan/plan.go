package plan

import (
	"fmt"
	"math"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/model/contribution"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/solver/methods"
	"github.com/dapple-dp/dapple/solver"
)

// Plan is a prediction of what a request would do. Everything in it is public.
type Plan struct {
	Domain   *domain.Domain
	Universe float64 // cells of the whole domain
	Workload Workload

	Problem      solver.Problem
	UnitsGiven   bool // the planning number of units is the user's, not the default
	Method       string
	Why          string
	Suited       string // the method that Auto would take, and why; empty if it is Method
	Limits       string // the method's public caps; empty if the domain's size is the only one
	Alternatives []Alternative
	Curve        []Point   // error at other ε; nil for a long workload
	ByUnits      []AtUnits // error at other numbers of units; nil if it was not asked for
	Aimed        *Aimed    // the ε for a wanted error; nil if none is wanted
	Comparisons  []string  // methods kept for comparison

	Charges  accountant.Statement // the ledger as it will be when the run is over
	accesses []solver.Access      // what it charges for

	Like       bool    // the prediction is of a table like a model that was given
	Scaled     bool    // and is scaled to the error that its release measured
	AverageTV  float64 // predicted, over the maximal marginals of the workload; NaN if there is no prediction
	LowTV      float64 // between LowTV and HighTV for nine of ten tables of people and things
	HighTV     float64
	LeastTV    float64 // predicted of a table whose columns hardly vary, or LowTV if that is less; NaN if there is no such prediction
	Enough     float64 // privacy units from which AverageTV is at most FewTV, roughly; 0 if it is, or nothing is predicted
	FinerTV    float64 // predicted of the bins that this run learns, if AverageTV is of coarser ones; else NaN
	NoiseBound float64 // largest noise on a measured cell with 95 % confidence, as a part of the units; NaN if none is measured, or it is not known beforehand

	FollowTV  float64     // predicted, on average over the remembered columns, of a value and the one in the row before; NaN without any
	GapsTV    float64     // predicted, of gaps between rows; NaN without an order
	Forgotten []Forgotten // columns whose value in the row before is left out; set by the caller
	RowsSD    float64     // standard deviation, from noise, of the total number of rows of people; NaN without events

	SolveBytes   float64
	SolveSeconds float64 // CPU, one core
	RowsSeconds  float64 // the same for the rows, which are fitted to the model's marginals if they are not many
	CountBytes   float64 // of the counts, or of kept records, on the worker that solves; with events for each row that a person has on average
	RunBytes     float64 // of the whole run in one process, from reading to writing
	RunSeconds   float64 // CPU of the same
	Kept         string  // why records are kept in place of counts; empty if they are not
	FileBytes    float64 // of all rows
	Rows         float64

	Notes []string // lines on input and output, added by the caller
}

// CountedCells is the largest number of cells that are counted as tables. For a larger workload the coded records are
// kept, at a byte for most cells, and counted on demand.
const CountedCells = 1 << 23

// Shards returns how many shards people are spread over, for an input of so many bytes, compressed or not. All of a shard
// is one element before it is counted. Beam's runners in Java want small ones: they send a worker a hundred messages before
// they look whether it has received any, from memory outside of the heap; Flink has 128 MB of it by default.
func Shards(bytes int64, small bool) int {
	shardBytes, least, most := int64(4<<20), int64(256), int64(1<<14)
	if small {
		shardBytes, most = 256<<10, 1<<16
	}
	return int(min(max(bytes/shardBytes, least), most))
}

// kept says why coded records are kept in place of counts; it is empty if they are not.
func kept(p solver.Problem) string {
	switch _, cells, err := p.Workload.Maximal().Cells(); {
	case p.Domain.Learns():
		return "bins are learned from them"
	case err != nil || cells > CountedCells:
		return fmt.Sprintf("measured marginals have more than %d cells", CountedCells)
	}
	return ""
}

// countBytes returns the memory of counts. Kept records are there twice, once more sorted or by column, and so are those
// with learned bins unless they are counted by then.
func countBytes(p solver.Problem) float64 {
	_, cells, err := p.Workload.Maximal().Cells()
	bytes := 8 * float64(cells)
	if kept(p) == "" {
		return bytes
	}
	if err != nil || cells > CountedCells {
		bytes = 0
		if p.Domain.Learns() {
			bytes = 2 * p.Units * float64(contribution.NewWeightedLayout(p.Domain.Sizes(), p.Domain.WeightBits()).Width())
		}
	}
	return bytes + 2*KeptBytes(p)
}

// KeptBytes returns the size of all kept records, as they wait until they are counted.
func KeptBytes(p solver.Problem) float64 { return p.Units * float64(recordBytes(p.Domain)) }

// recordBytes returns the size of a kept record.
func recordBytes(d *domain.Domain) int64 {
	return int64(contribution.NewWeightedLayout(d.RecordSizes(), d.WeightBits()).Width())
}

// Workload summarises the workload.
type Workload struct {
	Linear    int // queries that are not cells of marginals
	Marginals int
	Cells     int64
	Measured  int    // marginals that no other contains
	MeasCells int64  // their cells
	Omitted   int64  // marginals of the wanted width that have more cells than allowed
	TooLarge  int64  // marginals that have more cells than the method measures
	TooWide   int    // marginals that have more columns than the method measures
	Wide      string // the method that measures those; empty if none applies
	Unlinked  string // pairs of columns that no marginal holds because some were omitted; may be empty
	Narrowed  string // why the workload is narrower than the default; empty if it is not
	Target    string // the column whose marginals weigh more; empty: none
}

// Alternative is a method that was not chosen.
type Alternative struct {
	Method, Summary string
	AverageTV       float64 // NaN if the method does not apply
	Seconds         float64
	Refusal         string // why it does not apply; empty if it does
}

// Make plans a request. The method is a name, or "auto". Errors are predicted of a table like the pattern, or of a typical one if
// that is nil.
func Make(p solver.Problem, method string, rows int64, unitsGiven bool, omitted int64, like *solver.Pattern) (*Plan, error) {
	suiting := p
	suiting.Delta, p.Delta = methods.Delta(p, solver.Auto), methods.Delta(p, method)
	chosen, why, err := methods.Choose(p, method)
	if err != nil {
		return nil, err
	}
	plan := &Plan{Domain: p.Domain, Problem: p, UnitsGiven: unitsGiven, Method: chosen.Name, Why: why}
	_, plan.Universe, _ = p.Domain.Universe()
	if plan.Workload, err = summarise(p.Workload, omitted); err != nil {
		return nil, err
	}
	plan.Workload.TooLarge = larger(p, chosen.LargestTable)
	plan.Workload.TooWide, plan.Workload.Wide = wider(p, chosen.Widest)
	if suited, why, err := methods.Choose(suiting, solver.Auto); err == nil && suited.Name != chosen.Name {
		plan.Suited = suited.Name + ": " + why
	}
	if omitted > 0 {
		plan.Workload.Unlinked = unlinked(p)
	}
	ledger, measured, err := Charge(p, chosen, nil)
	if err != nil {
		return nil, err
	}
	plan.Charges = ledger.Statement(schedule(p, chosen))
	q := Ask(p, chosen, Target{}, like, len(p.Workload.Marginals) <= curveMarginals)
	plan.AverageTV, plan.LowTV, plan.HighTV = q.Error(p.Epsilon)
	plan.Curve, plan.FinerTV = q.Curve(), math.NaN()
	plan.Scaled = like != nil && like.Scale > 0
	if plan.Like, plan.LeastTV = like != nil, math.NaN(); !plan.Like {
		plan.LeastTV = min(least(p, chosen, ledger, measured), plan.LowTV)
	}
	plan.Enough = enough(p, chosen, ledger, measured, like)
	if chosen.Limits != nil {
		plan.Limits = chosen.Limits(p)
	}
	if plan.accesses, err = chosen.Accesses(p); err != nil {
		return nil, err
	}
	plan.NoiseBound = math.NaN()
	if !plan.Adaptive() {
		plan.NoiseBound = noiseBound(p, measured)
	}
	plan.FollowTV, plan.GapsTV = predictOrder(p, chosen, ledger, measured, like)
	plan.RowsSD = rowsSD(p.Domain, p.Workload.Sizes, ledger, measured)
	plan.SolveBytes, plan.SolveSeconds = chosen.Cost(p)
	plan.CountBytes, plan.Kept = countBytes(p), kept(p)
	plan.Rows, plan.FileBytes = Written(p, rows)
	maximal := p.Workload.Maximal().Cliques()
	plan.RowsSeconds = population.RefineSeconds(int64(plan.Rows), maximal, p.Workload.Sizes)
	plan.RunBytes, plan.RunSeconds = wholeRun(plan, p.Domain.Len(), maximal)
	for _, m := range methods.All() {
		switch {
		case m.Name == chosen.Name:
		case m.Comparison:
			plan.Comparisons = append(plan.Comparisons, m.Name)
		default:
			plan.Alternatives = append(plan.Alternatives, alternative(p, m, like))
		}
	}
	return plan, nil
}

// Adaptive reports whether the measured marginals depend on earlier releases, so that only their share of the budget
// and their largest number are known beforehand.
func (p *Plan) Adaptive() bool { return solver.Adaptive(p.accesses) }

// Answer makes the errors of the plan a question's errors, over other bins than the run learns.
func (p *Plan) Answer(q *Question) {
	if p.Domain.Learns() {
		p.FinerTV = p.AverageTV
	}
	p.AverageTV, p.LowTV, p.HighTV = q.Error(p.Problem.Epsilon)
	p.LeastTV, p.Curve = min(p.LeastTV, p.LowTV), q.Curve()
}

// Written returns how many rows are written, as many as there are units if none are asked for, and about how many bytes
// they take.
func Written(p solver.Problem, asked int64) (rows, bytes float64) {
	if rows = float64(asked); asked == 0 {
		rows = p.Units
	}
	return rows, rows * bytesPerRow(p.Domain)
}

func summarise(w query.Workload, omitted int64) (Workload, error) {
	maximal := w.Maximal()
	_, cells, err := w.Cells()
	if err != nil {
		return Workload{}, err
	}
	_, measured, err := maximal.Cells()
	return Workload{Marginals: len(w.Marginals), Linear: w.Linear(), Cells: cells, Measured: len(maximal.Marginals), MeasCells: measured, Omitted: omitted}, err
}

// larger returns how many marginals of the workload have more cells than limit, if there is one.
func larger(p solver.Problem, limit int64) (n int64) {
	if limit == 0 {
		return 0
	}
	each, _, _ := p.Workload.Cells() // summarise has counted them
	for _, cells := range each {
		if cells > limit {
			n++
		}
	}
	return n
}

// wider returns how many marginals of the workload have more columns than limit, if there is one, and a method that
// measures marginals of any width and applies.
func wider(p solver.Problem, limit int) (n int, method string) {
	for _, m := range p.Workload.Marginals {
		if limit > 0 && len(m.Clique) > limit {
			n++
		}
	}
	for _, m := range methods.All() {
		if n == 0 || method != "" || m.Widest > 0 || m.Comparison {
			continue
		}
		if _, err := m.Accesses(p); err == nil {
			method = m.Name
		}
	}
	return n, method
}

func alternative(p solver.Problem, m solver.Method, like *solver.Pattern) Alternative {
	a := Alternative{Method: m.Name, Summary: m.Summary, AverageTV: math.NaN()}
	ledger, measured, err := Charge(p, m, nil)
	if err != nil {
		a.Refusal = refusal(p, m.Name, err)
		return a
	}
	a.AverageTV = predict(p, m, ledger, measured, Target{}, like)
	_, a.Seconds = m.Cost(p)
	return a
}

// bytesPerRow is a rough size of a row in a compressed Parquet file: categories take their entropy at most, numbers
// about half of their eight bytes.
func bytesPerRow(d *domain.Domain) float64 {
	bytes := 0.0
	for i := range d.Attributes {
		a := &d.Attributes[i]
		if len(a.Values) > 0 {
			bytes += math.Log2(float64(a.Size())+1) / 8
		} else {
			bytes += 4
		}
	}
	return bytes
}

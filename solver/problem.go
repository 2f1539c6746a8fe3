package solver

import (
	"cmp"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/population"
)

// DefaultUnits is the planning number of units if the user gives none. A number that is too low costs more than one
// that is too high: with a fifth of the people of UCI Adult (7 columns, ε = 1) total variation is 6 % higher and the
// largest cell error 40 %; with four times as many both are unchanged; with 50 times as many, for 1,000 people, they
// are 6 to 17 % higher.
const DefaultUnits = 50_000

// DefaultMemoryLimit is what a solve may take if no limit is given: 2 GiB.
const DefaultMemoryLimit = 2 << 30

// Model is a released distribution over records: Sizes, the number of cells of each attribute; Columns, the code of each
// attribute in each record, or nil for all cells of the universe in row-major order, the last attribute fastest; Weights,
// one for each record, at least 0, not all 0, of any sum; and StructuralZeros, records of probability 0.
type Model = population.Model

// Problem is the public input of an algorithm.
type Problem struct {
	Domain       *domain.Domain
	Workload     query.Workload
	Neighbouring dp.Neighbouring
	Epsilon      dp.Epsilon
	Delta        dp.Delta
	Units        float64 // public planning number of units, never the true one
	MemoryLimit  int64   // bytes for the solve; 0: DefaultMemoryLimit
	Rounds       int     // 0: the algorithm's public rule
	Seed         uint64  // of randomness that does not affect privacy
	Criteria     Criteria
	ErrorShare   dp.Share // of the budget, for measuring the error of the model; 0: it is not measured
	Public       *Public  // a table declared public; nil: none
	Composed     bool     // the ledger shares its promise with other releases, whose noise is Gaussian: δ stays
	Progress     Progress
}

// Pattern is what a table is taken to be like before anything of it is read: a released model.
type Pattern struct {
	Model *Model         // nil: a typical table
	Same  float64        // without a model: so large a share of the records has one value, in each column; 0: as in a typical table
	Runs  [][]domain.Run // of each attribute whose bins were learned, how its values are spread; nil: not known
	// Scale is what the error of the release was, as it measured it, over the predicted one; 0: it did not. See plan.Scale.
	Scale float64
	Data  float64 // ε times units of that release
	// Bins is the capacity of the budget whose run learns the bins that errors are asked of; 0: the capacity of the run itself.
	Bins float64
	// Units is how many privacy units the table has, whatever number is planned for; 0: as planned.
	Units float64
}

// Memory returns the bytes that the solve may take.
func (p Problem) Memory() int64 { return cmp.Or(p.MemoryLimit, DefaultMemoryLimit) }

// Progress reports work in public figures only: done of total parts of a stage; nil reports nothing. The total of a fit is
// a forecast, which changes, and 0 without a forecast; a stage that is done once more begins again at 1.
type Progress func(stage string, done, total int)

// Report calls p if there is one.
func (p Progress) Report(stage string, done, total int) {
	if p != nil {
		p(stage, done, total)
	}
}

// Status is the way in which an algorithm ended.
type Status uint8

const (
	// Converged means that the stopping rule was met.
	Converged Status = iota
	// RoundsDone means that the planned number of rounds was run.
	RoundsDone
	// Unfit means that the model is further from what was released than noise explains: see Result.Fit.
	Unfit
)

// String returns the status in words.
func (s Status) String() string {
	return [...]string{"converged", "all planned rounds done", "misses what was released: figures are further off than noise explains"}[s]
}

// Result is what an algorithm returns: a model, and the releases that it was made from.
type Result struct {
	Model        *Model
	Total        query.Total
	Measurements []query.Measurement  // all noisy marginals; not answers to linear queries
	Bins         []domain.LearnedBins // of the attributes whose bins the domain leaves to be learned
	Answers      *Answers             // of linear queries; nil: no such queries, or the algorithm keeps no answers
	MaxError     *query.MaxError      // a measured largest error, if any
	Measured     *MeasuredError       // the error of the model; nil: it was not measured
	Accepted     *bool                // whether the model meets the problem's criteria; nil: no criteria
	RMSE         float64              // predicted root mean square error of a measured cell in counts; NaN where unknown
	TV           float64              // predicted average total variation over the workload's maximal tables; 0 or NaN where unknown
	Fit          *Fit                 // how far the model is from the noisy answers; nil: it was fitted to none
	Uncertainty  *Uncertainty         // of cells, if the model was fitted to residuals; nil: see RMSE and Measurements
	Public       *PublicUse           // of the problem's public table; nil: no such table
	Iterations   int
	Status       Status
}

// Answers say how close a model is to the noisy answers to linear queries that it was fitted to.
type Answers struct {
	Queries  int64
	Worst    float64 // largest distance of a noisy answer from the model's answer, counts
	Variance float64 // of a noisy answer, counts²: the largest
}

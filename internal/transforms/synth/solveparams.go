package synth

import (
	"crypto/rand"
	"errors"
	"fmt"
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/solver"
)

// SolveParams configures Solve. Zero fields mean their defaults; Epsilon and Delta have none.
type SolveParams struct {
	Epsilon      dp.Epsilon
	Delta        dp.Delta // 0 is pure differential privacy
	Neighbouring dp.Neighbouring
	Method       string  // a name of solver.Methods(); default solver.Auto, the public rule
	Units        float64 // public planning number of units; default solver.DefaultUnits; never the true one
	MemoryLimit  int64   // bytes for the solve; default solver.DefaultMemoryLimit
	Rounds       int     // default: the method's public rule
	SolverSeed   uint64  // of randomness that privacy does not depend on
	// Criteria are checked on the model, from their share of the budget, and released as met or not. Their marginals have
	// to be parts of marginals of the workload.
	Criteria solver.Criteria `json:",omitzero"`
	// ErrorShare is the part of the budget with which the error of the model is measured; default solver.DefaultErrorShare, at
	// most .5, in steps of .0001; below 0: it is not measured. Methods whose noise is fixed beforehand measure none.
	ErrorShare float64
	// Public is a table that anybody may see: a prior of the model, for methods that use one. Its records travel with the
	// job. nil: none.
	Public *solver.Public `json:",omitempty"`
	// Prior was charged to Epsilon and Delta before, by the discovery of the domain; the release has the rest. nil: nothing.
	Prior *Prior `json:",omitempty"`
	// Budget is shared with other releases of the same people, whose losses count together. nil: this is the only one.
	Budget *Budget `json:",omitempty"`
	// Store keeps the release. Without one it travels in the pipeline, at most 100 MB of it, and a runner that starts the
	// job again can release twice.
	Store StoreRef
	// Parts keeps, encrypted, what counts.Params.MaxPart divides, until it is counted: another store, or a spill. It needs a Store. Default: Store.
	Parts StoreRef
	// RunID names the release in the store, and is required with one: see Params.RunID. Public.
	RunID string
	// Book is a budget book: see Params.Book.
	Book string `json:",omitempty"`
	// Runner and NoStore: see Params.
	Runner, NoStore string
}

func (p SolveParams) withDefaults() SolveParams {
	if p.Method == "" {
		p.Method = solver.Auto
	}
	if p.Units == 0 {
		p.Units = solver.DefaultUnits
	}
	if p.Parts.Kind == "" {
		p.Parts = p.Store
	}
	if p.ErrorShare == 0 {
		p.ErrorShare = solver.DefaultErrorShare
	}
	if p.MemoryLimit == 0 {
		p.MemoryLimit = solver.DefaultMemoryLimit
	}
	if p.RunID == "" {
		p.RunID = rand.Text()
	}
	return p
}

// Validate lists all faults of p that show without a domain and a workload.
func (p SolveParams) Validate() error {
	errs := []error{p.Epsilon.Validate(), p.Delta.Validate(), runnerFault(p.Runner), runFault(p.Store, p.RunID), storeFault(p), bookFault(p.Book, p.RunID)}
	if p.Store.Kind == "" && p.Parts.Kind != "" {
		errs = append(errs, errors.New("synth: Parts without a Store: records are kept in parts only beside a release that is kept; set Store"))
	}
	p = p.withDefaults()
	if !(p.Units > 0) {
		errs = append(errs, fmt.Errorf("synth: a planning number of %g units: want a number above 0", p.Units))
	}
	if p.MemoryLimit < 0 || p.Rounds < 0 {
		errs = append(errs, fmt.Errorf("synth: memory limit %d and rounds %d: want numbers of at least 0", p.MemoryLimit, p.Rounds))
	}
	if !(p.ErrorShare < 0 || p.ErrorShare >= .0001 && p.ErrorShare <= .5) {
		errs = append(errs, fmt.Errorf("synth: an error share of %g: want .0001 to .5 of the budget, 0 for the default, or a number below 0 for none", p.ErrorShare))
	}
	for _, store := range slices.Compact([]StoreRef{p.Store, p.Parts}) {
		if store.Kind != "" {
			errs = append(errs, placeFault(store, runnerOf(p.Runner)))
		}
	}
	if p.Budget != nil {
		errs = append(errs, p.Budget.Validate())
	}
	return errors.Join(errs...)
}

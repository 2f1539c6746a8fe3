package expansion

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/kit/wire"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// Statement is the one row of the output called statement. It is public.
type Statement struct {
	Guarantee  string   `beam:"guarantee"` // the promise in one line
	Epsilon    float64  `beam:"epsilon"`
	Delta      float64  `beam:"delta"`
	Method     string   `beam:"method"`
	Units      float64  `beam:"units"`      // the released number of privacy units, which noise has changed
	CellError  *float64 `beam:"cell_error"` // predicted root mean square error of a measured cell, in counts; nil: unknown
	TV         *float64 `beam:"tv"`         // predicted average total variation over the workload; nil: unknown
	Ledger     string   `beam:"ledger"`     // all that was charged, as JSON
	Privacy    string   `beam:"privacy"`    // the whole statement, as _privacy.json of a run of the command has it, without hashes of files
	ModelSha   string   `beam:"model_sha256"`
	ModelPlace *string  `beam:"model_place"` // of the release in the store; nil: there is no store, and the model went with the job
}

func init() {
	beam.RegisterType(reflect.TypeFor[Statement]())
	beam.RegisterDoFn(reflect.TypeFor[stateFn]())
	register.Emitter1[Statement]()
}

// state returns the statement of a release.
func state(s beam.Scope, release synth.Release, p synth.Params, d publish.Description) beam.PCollection {
	d.Public, d.RowsAsked = query.Frame{Domain: *release.Domain(), Workload: release.Workload()}, p.Rows
	return beam.ParDo(s.Scope("dapple.Statement"), &stateFn{Description: wire.JSON(d), Store: p.Store.Config}, release.Artifacts(s))
}

type stateFn struct {
	Description []byte // a publish.Description as JSON
	Store       string
}

func (f *stateFn) ProcessElement(a *synth.Artifact, emit func(Statement)) error {
	ledger, err := json.Marshal(a.Statement)
	if err != nil {
		return fmt.Errorf("expansion: stating a release: %w", err)
	}
	var d publish.Description
	if err := json.Unmarshal(f.Description, &d); err != nil {
		return fmt.Errorf("expansion: %w", err)
	}
	privacy, err := d.Statement(a)
	if err != nil {
		return fmt.Errorf("expansion: stating a release: %w", err)
	}
	whole, err := privacy.JSON()
	if err != nil {
		return fmt.Errorf("expansion: stating a release: %w", err)
	}
	st := Statement{
		Guarantee: privacy.Guarantee(), Privacy: string(whole), Epsilon: a.Statement.Epsilon, Delta: a.Statement.Delta,
		Method: a.Method, Units: a.Result.Total.Units, CellError: known(a.Result.RMSE), TV: known(a.Result.TV),
		Ledger: string(ledger), ModelSha: fmt.Sprintf("%x", sha256.Sum256(a.Model)),
	}
	if f.Store != "" {
		place := files.Join(f.Store, a.RunID+synth.ReleaseSuffix)
		st.ModelPlace = &place
	}
	emit(st)
	return nil
}

// known is a figure, or nil if it is none.
func known(v float64) *float64 {
	if math.IsNaN(v) || v == 0 {
		return nil
	}
	return &v
}

package pipelines

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"time"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/buildinfo"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/io/schema"
	"github.com/dapple-dp/dapple/pipelines/internal/run"
	"github.com/dapple-dp/dapple/solver"
)

// A release is paid for once it is drawn. If its publication fails it is kept in the staging, and the next run
// of the same request on the same table publishes it, without a look at the table. That costs no privacy,
// whatever has become of the table; the request and the state of the input are compared so that nobody gets
// rows of another table than was asked for.

// note returns that of a run of this request.
func (r *Request) note(runID string) run.Note {
	return run.Note{Version: buildinfo.Version(), RunID: runID, Request: r.fingerprint(), Input: absolute(r.Input), Output: absolute(r.Output), Began: time.Now().UTC().Truncate(time.Second),
		Ledger: absolute(r.Ledger), Key: rand.Text()}
}

// absolute returns a name that means the same in every working directory.
func absolute(name string) string {
	if name == "" || files.Remote(name) {
		return name
	}
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}

// fingerprint is a hash of everything that a release of this request depends on: the state of the input and how
// it is read, the domain, what is measured, and at what price. Where rows go and how many are no part of it.
// It is empty if a later run could not tell whether the input is the same.
func (r *Request) fingerprint() string {
	input, known := r.source.Identity()
	if r.people != nil && known {
		var people string
		people, known = r.people.Identity()
		input += "\n" + people
	}
	if !known {
		return ""
	}
	b, err := json.Marshal(struct {
		Version      string
		Input        string
		CSV          schema.CSV
		Domain       *domain.Domain
		Workload     query.Workload
		Neighbouring dp.Neighbouring
		Epsilon      dp.Epsilon
		Delta        dp.Delta
		Method       string
		Units        float64
		MemoryLimit  int64
		Strict       bool
		Criteria     solver.Criteria
		ErrorShare   dp.Share
		Public       *solver.Public    `json:",omitempty"`
		Prior        *accountant.Prior `json:",omitempty"`
	}{
		"dapple request 1", input, r.File.CSV, r.File.Domain, r.Problem.Workload, r.Neighbouring,
		r.Epsilon, r.Delta, r.Chosen.Name, r.Problem.Units, r.MemoryLimit, r.Strict, r.Problem.Criteria, r.Problem.ErrorShare, r.Problem.Public, r.prior(),
	})
	if err != nil {
		panic("pipelines: a request is plain data and always marshals")
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

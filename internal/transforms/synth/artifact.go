package synth

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/wire"
	"github.com/dapple-dp/dapple/internal/model/interval"
	"github.com/dapple-dp/dapple/internal/model/modelfile"
	"github.com/dapple-dp/dapple/solver"
)

// Artifact is everything that one run released. All of it is public once it is published.
type Artifact struct {
	RunID     string // names the release; see Params.RunID
	Config    string // SHA-256 of the configuration that it was made with, in hex
	Method    string
	Result    *solver.Result
	Statement Statement
	Model     []byte     // Result.Model with its domain: the bytes of _model.arrow
	Book      *BookEntry // that has paid for it; nil: see Params.Book
	Adopted   bool       // an earlier attempt has drawn it, and this run spent nothing; Encode leaves it out
}

// Answer is the answer of a release to a linear query, in counts: its Value and StandardError, and Low and High, the ends of
// its 95 % interval. Least and Most bound what the answer can be of as many units, and Source says in a word what the error
// rests on, such as measured.
type Answer = interval.Answer

// Answers returns the answers to the linear queries of the workload that the release was made for, in their order.
func (a *Artifact) Answers(w query.Workload) []Answer { return interval.Asked(a.Result, w) }

// artifactHeader begins every encoded artifact; the last byte is the version of what follows.
const artifactHeader = "dapple release\n\x03"

// described is the part of an artifact that is written as JSON. NaN has no JSON form, hence the text.
type described struct {
	RunID, Config, Method string
	Total                 query.Total
	Answers               *solver.Answers       `json:",omitempty"`
	MaxError              *query.MaxError       `json:",omitempty"`
	Accepted              *bool                 `json:",omitempty"`
	Measured              *solver.MeasuredError `json:",omitempty"`
	RMSE, TV              string
	Fit                   *solver.Fit         `json:",omitempty"`
	Uncertainty           *solver.Uncertainty `json:",omitempty"`
	Public                *solver.PublicUse   `json:",omitempty"`
	Iterations            int
	Status                solver.Status
	Bins                  []domain.LearnedBins `json:",omitempty"`
	Measurements          []measured
	Statement             Statement
	Book                  *BookEntry `json:",omitempty"`
}

type measured struct {
	Clique   domain.Clique
	Variance float64
	Cells    int
}

// Encode returns the artifact's encoding: a header, the length of a JSON description and the
// description; then the noisy answers as little-endian float64, and Model. Equal artifacts have equal encodings.
func (a *Artifact) Encode() ([]byte, error) {
	r := a.Result
	d := described{
		RunID: a.RunID, Config: a.Config, Method: a.Method, Total: r.Total, Answers: r.Answers, MaxError: r.MaxError, Accepted: r.Accepted, Measured: r.Measured,
		RMSE: fmt.Sprint(r.RMSE), TV: fmt.Sprint(r.TV), Fit: r.Fit, Uncertainty: r.Uncertainty, Public: r.Public, Iterations: r.Iterations, Status: r.Status, Bins: r.Bins, Statement: a.Statement, Book: a.Book,
	}
	for _, q := range r.Measurements {
		d.Measurements = append(d.Measurements, measured{q.Clique, q.Variance, len(q.Values)})
	}
	text, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("synth: describing a release: %w", err)
	}
	b := append([]byte(artifactHeader), binary.AppendUvarint(nil, uint64(len(text)))...)
	b = append(b, text...)
	for _, q := range r.Measurements {
		b = wire.AppendFloats(b, q.Values)
	}
	return append(b, a.Model...), nil
}

// Ref returns the reference to a that carries its encoding. With a store, set Path to the name under which the encoding is
// there, and Inline to nil.
func (a *Artifact) Ref() (ModelRef, error) {
	data, err := a.Encode()
	if err != nil {
		return ModelRef{}, err
	}
	return refTo("", data, StoreRef{}), nil
}

// encodeArtifact is Encode for elements, which tell what was adopted.
func encodeArtifact(a *Artifact) ([]byte, error) {
	b, err := a.Encode()
	return append(appendBool(nil, a.Adopted), b...), err
}

// elementArtifact reads what encodeArtifact wrote.
func elementArtifact(b []byte) (*Artifact, error) {
	if len(b) == 0 || b[0] > 1 {
		return nil, errElement
	}
	a, err := DecodeArtifact(b[1:])
	if err == nil {
		a.Adopted = b[0] == 1
	}
	return a, err
}

var errArtifact = errors.New("synth: not a release of this version, or a damaged one")

// DecodeArtifact reads what Encode wrote, and checks the model.
func DecodeArtifact(b []byte) (*Artifact, error) {
	a, _, err := decodeArtifact(b)
	return a, err
}

// decodeArtifact returns the model's domain, too.
func decodeArtifact(b []byte) (*Artifact, *modelfile.File, error) {
	rest, ok := bytes.CutPrefix(b, []byte(artifactHeader))
	n, k := binary.Uvarint(rest)
	if !ok || k <= 0 || n > uint64(len(rest)-k) {
		return nil, nil, errArtifact
	}
	var d described
	if err := json.Unmarshal(rest[k:k+int(n)], &d); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errArtifact, err)
	}
	r := wire.Reader{Rest: rest[k+int(n):]}
	res := &solver.Result{Total: d.Total, Answers: d.Answers, MaxError: d.MaxError, Accepted: d.Accepted, Measured: d.Measured, Fit: d.Fit, Uncertainty: d.Uncertainty, Bins: d.Bins, Public: d.Public, Iterations: d.Iterations, Status: d.Status}
	if _, err := fmt.Sscan(d.RMSE+" "+d.TV, &res.RMSE, &res.TV); err != nil {
		return nil, nil, errArtifact
	}
	for _, q := range d.Measurements {
		res.Measurements = append(res.Measurements, query.Measurement{Clique: q.Clique, Variance: q.Variance, Values: r.Floats(q.Cells)})
	}
	if r.Bad {
		return nil, nil, errArtifact
	}
	f, err := modelfile.Decode(r.Rest)
	if err != nil {
		return nil, nil, fmt.Errorf("synth: release: %w", err)
	}
	if !fits(d.Uncertainty, f.Model.Sizes) {
		return nil, nil, errArtifact
	}
	res.Model = f.Model
	return &Artifact{RunID: d.RunID, Config: d.Config, Method: d.Method, Result: res, Statement: d.Statement, Book: d.Book, Model: r.Rest}, f, nil
}

// fits reports whether the uncertainty is nil, or covers attributes of the given sizes.
func fits(u *solver.Uncertainty, sizes []int) bool {
	if u == nil {
		return true
	}
	for _, t := range u.Tables {
		for _, a := range t.Clique {
			if a < 0 || a >= len(sizes) {
				return false
			}
		}
	}
	for _, list := range [][][]float64{u.Bins, u.Inside} {
		if list != nil && len(list) != len(sizes) {
			return false
		}
		for a, x := range list {
			if x != nil && len(x) != sizes[a] {
				return false
			}
		}
	}
	return len(u.Pooled) == len(sizes) && len(u.OneWay) == len(sizes)
}

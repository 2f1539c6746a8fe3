package synth

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/wire"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/solver/population"
)

// Artifact is everything that one run released. All of it is public once it is published.
type Artifact struct {
	RunID     string // random per launch
	Config    string // SHA-256 of the configuration that it was made with, in hex
	Method    string
	Result    *solver.Result
	Statement accountant.Statement
}

// artifactHeader begins every encoded artifact; the last byte is the version of what follows.
const artifactHeader = "dapple release\n\x02"

// described is the part of an artifact that is written as JSON. NaN has no JSON form, hence the text.
type described struct {
	RunID, Config, Method string
	Total                 query.Total
	MaxError              *query.MaxError `json:",omitempty"`
	RMSE, TV              string
	Uncertainty           *solver.Uncertainty `json:",omitempty"`
	Iterations            int
	Status                solver.Status
	Sizes                 []int
	Bins                  []domain.LearnedBins `json:",omitempty"`
	Measurements          []measured
	Statement             accountant.Statement
}

type measured struct {
	Clique   domain.Clique
	Variance float64
	Cells    int
}

// Encode returns the artifact's encoding: a header, the length of a JSON description and the
// description; then the noisy answers, whether the model lists records, its weights and its columns,
// as little-endian float64 and uint16. Equal artifacts have equal encodings.
func (a *Artifact) Encode() ([]byte, error) {
	r, m := a.Result, a.Result.Model
	d := described{
		RunID: a.RunID, Config: a.Config, Method: a.Method, Total: r.Total, MaxError: r.MaxError,
		RMSE: fmt.Sprint(r.RMSE), TV: fmt.Sprint(r.TV), Uncertainty: r.Uncertainty, Iterations: r.Iterations, Status: r.Status, Sizes: m.Sizes, Bins: r.Bins, Statement: a.Statement,
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
	listed := byte(0)
	if m.Columns != nil {
		listed = 1
	}
	b = binary.AppendUvarint(append(b, listed), uint64(len(m.Weights)))
	b = wire.AppendFloats(b, m.Weights)
	for _, col := range m.Columns {
		for _, c := range col {
			b = binary.LittleEndian.AppendUint16(b, uint16(c))
		}
	}
	return b, nil
}

var errArtifact = errors.New("synth: not a release of this version, or a damaged one")

// DecodeArtifact reads what Encode wrote, and checks the model.
func DecodeArtifact(b []byte) (*Artifact, error) {
	rest, ok := bytes.CutPrefix(b, []byte(artifactHeader))
	n, k := binary.Uvarint(rest)
	if !ok || k <= 0 || n > uint64(len(rest)-k) {
		return nil, errArtifact
	}
	var d described
	if err := json.Unmarshal(rest[k:k+int(n)], &d); err != nil {
		return nil, fmt.Errorf("%w: %w", errArtifact, err)
	}
	r := wire.Reader{Rest: rest[k+int(n):]}
	res := &solver.Result{Total: d.Total, MaxError: d.MaxError, Uncertainty: d.Uncertainty, Bins: d.Bins, Iterations: d.Iterations, Status: d.Status}
	if _, err := fmt.Sscan(d.RMSE+" "+d.TV, &res.RMSE, &res.TV); err != nil || !fits(d.Uncertainty, len(d.Sizes)) {
		return nil, errArtifact
	}
	for _, q := range d.Measurements {
		res.Measurements = append(res.Measurements, query.Measurement{Clique: q.Clique, Variance: q.Variance, Values: r.Floats(q.Cells)})
	}
	res.Model = readModel(&r, d.Sizes)
	if !r.Done() {
		return nil, errArtifact
	}
	if err := res.Model.Validate(); err != nil {
		return nil, fmt.Errorf("synth: release: %w", err)
	}
	return &Artifact{RunID: d.RunID, Config: d.Config, Method: d.Method, Result: res, Statement: d.Statement}, nil
}

// fits reports whether there is no uncertainty, or one over the given number of attributes.
func fits(u *solver.Uncertainty, attributes int) bool {
	if u == nil {
		return true
	}
	for _, t := range u.Tables {
		for _, a := range t.Clique {
			if a < 0 || a >= attributes {
				return false
			}
		}
	}
	return len(u.Pooled) == attributes && len(u.OneWay) == attributes
}

func readModel(r *wire.Reader, sizes []int) *population.Model {
	listed := r.Byte()
	n := r.Length(len(r.Rest))
	m := &population.Model{Sizes: sizes, Weights: r.Floats(n)}
	if listed == 0 || r.Bad {
		return m
	}
	m.Columns = make([][]domain.Code, len(sizes))
	for a := range m.Columns {
		raw := r.Take(2 * uint64(n))
		m.Columns[a] = make([]domain.Code, len(raw)/2)
		for i := range m.Columns[a] {
			m.Columns[a][i] = domain.Code(binary.LittleEndian.Uint16(raw[2*i:]))
		}
	}
	return m
}

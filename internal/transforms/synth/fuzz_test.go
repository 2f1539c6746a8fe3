package synth

import (
	"bytes"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/modelfile"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

// fuzzedArtifact is a small release with everything that one can hold.
func fuzzedArtifact(f *testing.F, columns bool) []byte {
	f.Helper()
	d := domain.Domain{Attributes: []domain.Attribute{
		{Name: "a", Type: domain.String, Values: []string{"x", "y"}, HasFallback: true}, {Name: "b", Type: domain.Int64, Cuts: []int64{0, 5, 9}, Resolution: 1, HasFallback: true}}}
	m := &population.Model{Sizes: []int{2, 2}, Weights: []float64{1, 2, 3, 4}}
	if columns {
		m.Weights, m.Columns = m.Weights[:2], [][]domain.Code{{0, 1}, {1, 1}}
	}
	a := &Artifact{RunID: "run", Config: "00", Method: "dpam", Result: &solver.Result{Model: m, Total: query.Total{Units: 10, Variance: 2},
		Measurements: []query.Measurement{{Clique: domain.Clique{0}, Values: []float64{4, 6}, Variance: 1}},
		Uncertainty:  &solver.Uncertainty{Pooled: make([][]bool, 2), OneWay: []float64{1, 1}}}}
	file := modelfile.File{Domain: d, Method: "dpam", Units: 10, Cliques: []domain.Clique{{0, 1}}, Model: m}
	var err error
	a.Model, err = file.Encode()
	must.Do(f, err)
	b := must.Value(a.Encode())(f)
	return b
}

// FuzzDecodeArtifact feeds the reader of stored releases arbitrary bytes: it refuses them, in memory bounded
// by their length, or returns a release whose encoding it reads back.
func FuzzDecodeArtifact(f *testing.F) {
	f.Add(fuzzedArtifact(f, false))
	f.Add(fuzzedArtifact(f, true))
	f.Fuzz(func(t *testing.T, b []byte) {
		var a *Artifact
		dptest.WithinMemory(t, 1<<16+1024*uint64(len(b)), func() { a, _ = DecodeArtifact(b) })
		if a == nil {
			return
		}
		first := must.Value(a.Encode())(t)
		again, err := DecodeArtifact(first)
		must.Need(t, err == nil, "a release that was read cannot be read again: %v", err)
		if second, err := again.Encode(); err != nil || !bytes.Equal(first, second) {
			t.Errorf("a release came back different: %v", err)
		}
		for _, adopted := range []byte{0, 1} { // the coder of elements keeps whether it was adopted, too
			e, err := elementArtifact(append([]byte{adopted}, first...))
			must.Hold(t, err == nil && e.Adopted == (adopted == 1), "an element came back different: %v", err)
		}
	})
}

// FuzzElements feeds the coders of elements arbitrary bytes. A seed is 32 bytes that are not zero, or an error.
func FuzzElements(f *testing.F) {
	f.Add(encodeModelRef(refTo("", []byte("a release"), StoreRef{})))
	f.Add(encodeFileRef(FileRef{Shard: 3, Rows: 7, Bytes: 9, CRC32C: 1, URI: "part"}))
	f.Add(encodePublished(Published{URI: "out", Files: 2, Rows: 7, Bytes: 9}))
	f.Add(bytes.Repeat([]byte{7}, 32))
	f.Add(make([]byte, 32))
	f.Fuzz(func(t *testing.T, b []byte) {
		dptest.WithinMemory(t, 1<<18+256*uint64(len(b)), func() {
			s, err := decodeSeed(b)
			must.Hold(t, err != nil || s.Usable() && bytes.Equal(encodeSeed(s), b), "a seed came back different, or is not usable")
			if r, err := decodeModelRef(b); err == nil {
				again, err := decodeModelRef(encodeModelRef(r))
				must.Hold(t, err == nil && bytes.Equal(again.Inline, r.Inline), "a reference came back different: %v", err)
			}
			if r, err := decodeFileRef(b); err == nil {
				again, err := decodeFileRef(encodeFileRef(r))
				must.Hold(t, err == nil && again.Rows == r.Rows, "a file came back different: %v", err)
			}
			if m, err := decodePublished(b); err == nil {
				again, err := decodePublished(encodePublished(m))
				must.Hold(t, err == nil && again.Rows == m.Rows, "a manifest came back different: %v", err)
			}
		})
	})
}

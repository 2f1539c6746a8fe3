package query

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/wire"
)

// Frame is a domain and a workload over it, in the form in which the steps of a pipeline carry them. Its JSON is
// compressed text: a graph repeats it for every step and branch, and 100 columns have 166,750 marginals.
type Frame struct {
	Domain   domain.Domain
	Workload Workload
}

// MarshalJSON returns a JSON string: the domain as JSON and the workload's marginals, each as differences from the
// previous one, deflated and in base64. Equal frames have equal texts.
func (f Frame) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(&f.Domain)
	if err != nil {
		return nil, err
	}
	b := wire.AppendText(nil, string(text))
	b = binary.AppendUvarint(b, uint64(len(f.Workload.Sizes)))
	for _, n := range f.Workload.Sizes {
		b = binary.AppendUvarint(b, uint64(n))
	}
	b = binary.AppendUvarint(b, uint64(len(f.Workload.Marginals)))
	var last domain.Clique
	for _, m := range f.Workload.Marginals {
		b = binary.AppendUvarint(b, uint64(len(m.Clique)))
		for i, a := range m.Clique {
			if i < len(last) {
				a -= last[i]
			}
			b = binary.AppendVarint(b, int64(a))
		}
		b = wire.AppendFloats(b, []float64{m.Weight})
		last = m.Clique
	}
	for i, m := range f.Workload.Marginals {
		if m.Queries != nil {
			b = m.Queries.append(binary.AppendUvarint(b, uint64(i)))
		}
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(b); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return json.Marshal(base64.StdEncoding.EncodeToString(packed.Bytes()))
}

var errFrame = errors.New("query: not a frame of this version")

// UnmarshalJSON reads what MarshalJSON returned.
func (f *Frame) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	packed := base64.NewDecoder(base64.StdEncoding, strings.NewReader(text))
	b, err := io.ReadAll(flate.NewReader(packed))
	if err != nil {
		return err
	}
	r := wire.Reader{Rest: b}
	*f = Frame{}
	if err := json.Unmarshal([]byte(r.Text()), &f.Domain); err != nil {
		return errFrame
	}
	if n := r.Length(len(r.Rest)); n > 0 {
		f.Workload.Sizes = make([]int, n)
	}
	for i := range f.Workload.Sizes {
		f.Workload.Sizes[i] = r.Length(domain.MaxSize)
	}
	if n := r.Length(len(r.Rest)); n > 0 {
		f.Workload.Marginals = make([]Marginal, n)
	}
	var last domain.Clique
	for i := range f.Workload.Marginals {
		c := make(domain.Clique, r.Length(len(r.Rest)))
		for k := range c {
			if c[k] = int(r.Varint()); k < len(last) {
				c[k] += last[k]
			}
		}
		weight := r.Floats(1)
		if r.Bad {
			break
		}
		f.Workload.Marginals[i] = Marginal{Clique: c, Weight: weight[0]}
		last = c
	}
	for !r.Bad && len(r.Rest) > 0 {
		i := r.Length(len(f.Workload.Marginals))
		q, err := readLinear(&r)
		if err != nil || i >= len(f.Workload.Marginals) {
			return errFrame
		}
		f.Workload.Marginals[i].Queries = q
	}
	if !r.Done() {
		return errFrame
	}
	return nil
}

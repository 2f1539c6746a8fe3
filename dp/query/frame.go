package query

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Frame is a domain and a workload over it, in the form in which steps of a pipeline carry them. Its JSON is
// a compressed text: a graph repeats it for every step and branch, and 100 columns have 166,750 marginals.
type Frame struct {
	Domain   domain.Domain
	Workload Workload
}

// MarshalJSON returns a JSON string: the domain as JSON and the workload's marginals, by differences from the
// one before, deflated and in base64. Equal frames have equal texts.
func (f Frame) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(&f.Domain)
	if err != nil {
		return nil, err
	}
	b := append(binary.AppendUvarint(nil, uint64(len(text))), text...)
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
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(m.Weight))
		last = m.Clique
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
	r := bytes.NewReader(b)
	var bad error
	count := func() int { // of things that take a byte each at least
		n, err := binary.ReadUvarint(r)
		if err != nil || n > uint64(r.Len()) {
			bad = errFrame
			return 0
		}
		return int(n)
	}
	*f = Frame{}
	described := make([]byte, count())
	if _, err := io.ReadFull(r, described); err != nil {
		return errFrame
	}
	if err := json.Unmarshal(described, &f.Domain); err != nil {
		return err
	}
	if n := count(); n > 0 {
		f.Workload.Sizes = make([]int, n)
	}
	for i := range f.Workload.Sizes {
		n, err := binary.ReadUvarint(r)
		f.Workload.Sizes[i], bad = int(n), errors.Join(bad, err)
	}
	if n := count(); n > 0 {
		f.Workload.Marginals = make([]Marginal, n)
	}
	var last domain.Clique
	for i := range f.Workload.Marginals {
		c := make(domain.Clique, count())
		for k := range c {
			a, err := binary.ReadVarint(r)
			if c[k], bad = int(a), errors.Join(bad, err); k < len(last) {
				c[k] += last[k]
			}
		}
		var weight [8]byte
		if _, err := io.ReadFull(r, weight[:]); err != nil {
			return errFrame
		}
		f.Workload.Marginals[i] = Marginal{c, math.Float64frombits(binary.LittleEndian.Uint64(weight[:]))}
		last = c
	}
	if bad != nil || r.Len() > 0 {
		return errFrame
	}
	return nil
}

package modelio

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dapple-dp/dapple/dp/domain"
)

// File is a released model: records with weights.
type File struct {
	Domain   domain.Domain
	Method   string            // how the model was fitted
	Columns  [][]domain.Code   // Columns[a][i] is attribute a of record i; nil: the whole universe, row-major
	Sizes    []int             // cells of each attribute, as the domain has them
	Weights  []float64         // one for each record; at least 0, not all 0; any sum
	Metadata map[string]string // further public facts; no key begins with "dapple."
}

// reserved begins the keys of the format's own metadata.
const reserved = "dapple."

// Validate checks that the parts fit together.
func (f *File) Validate() error {
	if err := f.Domain.Validate(); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	if !slices.Equal(f.Sizes, f.Domain.Sizes()) {
		return errors.New("model: the sizes are not those of the domain")
	}
	for k, v := range f.Metadata {
		if k == "" || strings.HasPrefix(k, reserved) || !utf8.ValidString(k) || !utf8.ValidString(v) {
			return fmt.Errorf("model: metadata %q: want UTF-8, and a key that does not begin with %q", k, reserved)
		}
	}
	if err := f.validateRecords(); err != nil {
		return err
	}
	return validateWeights(f.Weights)
}

func (f *File) validateRecords() error {
	if f.Columns == nil {
		if cells, _, exact := f.Domain.Universe(); !exact || cells != int64(len(f.Weights)) {
			return fmt.Errorf("model: %d weights are not one for each cell of the universe", len(f.Weights))
		}
		return nil
	}
	if len(f.Columns) != len(f.Sizes) {
		return fmt.Errorf("model: %d columns for %d attributes", len(f.Columns), len(f.Sizes))
	}
	for a, col := range f.Columns {
		if len(col) != len(f.Weights) {
			return fmt.Errorf("model: column %d has %d records, want %d", a, len(col), len(f.Weights))
		}
		for _, c := range col {
			if int(c) >= f.Sizes[a] {
				return fmt.Errorf("model: column %d has a code beyond its %d cells", a, f.Sizes[a])
			}
		}
	}
	return nil
}

func validateWeights(weights []float64) error {
	sum := 0.0
	for _, w := range weights {
		if !(w >= 0) || w > math.MaxFloat64 {
			return errors.New("model: a weight is negative or not finite")
		}
		sum += w
	}
	if !(sum > 0) || sum > math.MaxFloat64 {
		return errors.New("model: the weights sum to 0, or to more than a float64 holds")
	}
	return nil
}

// Hash identifies the content: equal hashes mean equal models, domains, methods and metadata.
func (f *File) Hash() ([sha256.Size]byte, error) {
	d, err := json.Marshal(&f.Domain)
	if err != nil {
		return [sha256.Size]byte{}, fmt.Errorf("model: the domain: %w", err)
	}
	h := hasher{Hash: sha256.New()}
	h.text("dapple model, format 1")
	h.text(string(d))
	h.text(f.Method)
	h.number(uint64(len(f.Metadata)))
	for _, k := range slices.Sorted(maps.Keys(f.Metadata)) {
		h.text(k)
		h.text(f.Metadata[k])
	}
	h.number(uint64(len(f.Sizes)))
	for _, s := range f.Sizes {
		h.number(uint64(s))
	}
	h.number(uint64(len(f.Columns)))
	for _, col := range f.Columns {
		h.number(uint64(len(col)))
		for _, c := range col {
			h.block = binary.LittleEndian.AppendUint16(h.block, uint16(c))
			h.spill(1 << 12)
		}
	}
	h.number(uint64(len(f.Weights)))
	for _, w := range f.Weights {
		h.number(math.Float64bits(w))
	}
	h.spill(0)
	return [sha256.Size]byte(h.Sum(nil)), nil
}

// hasher collects small values into blocks.
type hasher struct {
	hash.Hash
	block []byte
}

func (h *hasher) number(x uint64) {
	h.block = binary.LittleEndian.AppendUint64(h.block, x)
	h.spill(1 << 12)
}

// text hashes the length too, so that no two lists of texts hash alike.
func (h *hasher) text(s string) {
	h.number(uint64(len(s)))
	h.block = append(h.block, s...)
	h.spill(1 << 12)
}

// spill hashes the block once it holds more than size bytes.
func (h *hasher) spill(size int) {
	if len(h.block) > size {
		h.Write(h.block)
		h.block = h.block[:0]
	}
}

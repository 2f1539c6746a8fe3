package solver

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Public is a table that its owner has declared public: how often each record occurs in it. No guarantee covers it, and
// it never enters private counts. A PublicBuilder makes one.
type Public struct {
	Rows    int64
	Records []byte // pairs of unsigned varints in the order of the records: the distance from the record before, and how often
}

// maxPublicBytes bounds Public.Records, which travel with a job: some 2,000,000 different records.
const maxPublicBytes = 6 << 20

// PublicBuilder collects the records of a Public.
type PublicBuilder struct {
	sizes []int
	rows  int64
	seen  map[uint64]uint64
}

// NewPublicBuilder returns a builder for records of attributes with the given numbers of codes, whose product the caller
// knows to be below 2^63.
func NewPublicBuilder(sizes []int) *PublicBuilder {
	return &PublicBuilder{sizes: sizes, seen: map[uint64]uint64{}}
}

// Add adds records: the codes of one after the other. A code that is not below its size panics.
func (b *PublicBuilder) Add(codes []domain.Code) {
	for ; len(codes) > 0; codes = codes[len(b.sizes):] {
		z := uint64(0)
		for a, k := range b.sizes {
			if int(codes[a]) >= k {
				panic("solver: a code beyond its attribute")
			}
			z = z*uint64(k) + uint64(codes[a])
		}
		b.seen[z]++
		b.rows++
	}
}

// Table returns the table of all records added. It fails without records, and if there are too many different ones for
// maxPublicBytes.
func (b *PublicBuilder) Table() (*Public, error) {
	if b.rows == 0 {
		return nil, errors.New("solver: a public table without rows")
	}
	p, last := &Public{Rows: b.rows}, uint64(0)
	for _, z := range slices.Sorted(maps.Keys(b.seen)) {
		p.Records = binary.AppendUvarint(binary.AppendUvarint(p.Records, z-last), b.seen[z])
		last = z
	}
	if len(p.Records) > maxPublicBytes {
		return nil, fmt.Errorf("solver: a public table of %d different records is larger than what travels with a job, %d MB; use a random part of its rows", len(b.seen), maxPublicBytes>>20)
	}
	return p, nil
}

// Histogram returns how often each record of the universe of the given sizes, which fits in memory, occurs, in row-major
// order. It fails if the table is not one of such records.
func (p *Public) Histogram(sizes []int) ([]float64, error) {
	cells := 1
	for _, k := range sizes {
		cells *= k
	}
	h, rest, z, rows := make([]float64, cells), p.Records, uint64(0), int64(0)
	for len(rest) > 0 {
		step, a := binary.Uvarint(rest)
		n, b := binary.Uvarint(rest[max(a, 0):])
		if z += step; a <= 0 || b <= 0 || step >= uint64(cells) || z >= uint64(cells) || n > uint64(p.Rows) {
			return nil, errors.New("solver: the public table is not one of this domain")
		}
		h[z] += float64(n)
		rows += int64(n)
		rest = rest[a+b:]
	}
	if rows != p.Rows || rows == 0 {
		return nil, errors.New("solver: the public table is empty or damaged")
	}
	return h, nil
}

// PublicUse says what a model owes to a public table.
type PublicUse struct {
	Rows   int64   // of the table
	SHA256 string  // of Public.Records, in hex
	Weight float64 // rows that the table counted for in the fit; 0: the released error estimate was lower without it
}

// Use returns what is to be said of a table that counted for the given number of rows; nil if there is no table.
func (p *Public) Use(weight float64) *PublicUse {
	if p == nil {
		return nil
	}
	sum := sha256.Sum256(p.Records)
	return &PublicUse{Rows: p.Rows, SHA256: hex.EncodeToString(sum[:]), Weight: weight}
}

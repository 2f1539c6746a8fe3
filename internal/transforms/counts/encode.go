package counts

import (
	"encoding/binary"
	"errors"
	"math"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/wire"
)

// The canonical encoding is, all numbers being uvarints:
//
//	1 byte version; the shape: sizes, then a byte: 0 for tables, 1 for records, 2 for records with the shape that they
//	are coarsened to, 4 more with the bits of weights, which follow; then the cliques or that shape; the number of units;
//	per clique 1 byte form, then every count (form 0), or (cells skipped, count) of each positive
//	count after their number (form 1, if less than a quarter of the cells is positive);
//	or the packed records in ascending order of their bytes.
const (
	encodingVersion = 1
	weighted        = 4  // of a shape's byte
	maxWeightBits   = 15 // two bytes hold a weight
)

func init() {
	beam.RegisterCoder(reflect.TypeFor[*Table](), encodeTable, DecodeTable)
}

func encodeTable(t *Table) []byte { return t.Encode() }

// Encode returns the canonical encoding: equal counts of one shape have equal bytes, whatever order
// they were added and merged in.
func (t *Table) Encode() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.encode()
}

// encode is Encode for callers that hold mu.
func (t *Table) encode() []byte {
	head, rows := t.parts()
	return append(head, rows...)
}

// parts returns the encoding without kept records, and these, for callers that hold mu.
func (t *Table) parts() (head, rows []byte) {
	b := t.shape.append([]byte{encodingVersion})
	b = binary.AppendUvarint(b, uint64(t.Units()))
	if t.shape.Records && !t.sorted {
		t.rows, t.sorted = sortRows(t.rows, t.layout.Width()), true
	}
	t.settle()
	for _, table := range t.tables {
		b = appendCounts(b, table)
	}
	return b, t.rows
}

func (s *Shape) append(b []byte) []byte {
	kind := byte(0)
	switch {
	case s.Coarse != nil:
		kind = 2
	case s.Records:
		kind = 1
	}
	b = appendInts(b, s.Sizes)
	if s.WeightBits > 0 {
		b = append(b, kind|weighted, byte(s.WeightBits))
	} else {
		b = append(b, kind)
	}
	switch {
	case s.Coarse != nil:
		return s.Coarse.append(b)
	case s.Records:
		return b
	}
	b = binary.AppendUvarint(b, uint64(len(s.Cliques)))
	for _, c := range s.Cliques {
		b = appendInts(b, c)
	}
	return b
}

func appendInts(b []byte, v []int) []byte {
	b = binary.AppendUvarint(b, uint64(len(v)))
	for _, x := range v {
		b = binary.AppendUvarint(b, uint64(x))
	}
	return b
}

func appendCounts(b []byte, table []int64) []byte {
	positive := 0
	for _, n := range table {
		if n != 0 {
			positive++
		}
	}
	if 4*positive >= len(table) {
		b = append(b, 0)
		for _, n := range table {
			b = binary.AppendUvarint(b, uint64(n))
		}
		return b
	}
	b = binary.AppendUvarint(append(b, 1), uint64(positive))
	next := 0
	for c, n := range table {
		if n != 0 {
			b = binary.AppendUvarint(b, uint64(c-next))
			b = binary.AppendUvarint(b, uint64(n))
			next = c + 1
		}
	}
	return b
}

// sortRows returns rows of the given width in ascending order, by a counting sort of each byte, the last one first,
// which takes width passes for any data.
func sortRows(rows []byte, width int) []byte {
	other := make([]byte, len(rows))
	for p := width - 1; p >= 0; p-- {
		var start [256]int
		for i := p; i < len(rows); i += width {
			start[rows[i]]++
		}
		at := 0
		for v, n := range start {
			start[v] = at
			at += n * width
		}
		for i := 0; i < len(rows); i += width {
			v := rows[i+p]
			copy(other[start[v]:start[v]+width], rows[i:i+width])
			start[v] += width
		}
		rows, other = other, rows
	}
	return rows
}

// errMalformed only says that Encode did not write the bytes, which are private.
var errMalformed = errors.New("counts: malformed encoding of a table")

// DecodeTable reads what Encode wrote.
func DecodeTable(b []byte) (*Table, error) {
	r := wire.Reader{Rest: b}
	if r.Byte() != encodingVersion {
		return nil, errMalformed
	}
	shape, ok := readShape(&r, false)
	if !ok {
		return nil, errMalformed
	}
	t := NewTable(shape)
	units := r.Count()
	if units > math.MaxInt64>>shape.WeightBits {
		return nil, errMalformed
	}
	t.weight = units << shape.WeightBits
	for _, table := range t.tables {
		readCounts(&r, table)
	}
	if shape.Records {
		if len(r.Rest)%t.layout.Width() != 0 || t.weighed(r.Rest) != t.weight {
			return nil, errMalformed
		}
		t.rows, t.sorted = append([]byte(nil), r.Rest...), true
		r.Rest = nil
	}
	if !r.Done() {
		return nil, errMalformed
	}
	return t, nil
}

// readInts reads a list of numbers of at most limit.
func readInts(r *wire.Reader, limit int64) []int {
	n := r.Count()
	if n > int64(len(r.Rest)) {
		r.Fail()
		return nil
	}
	v := make([]int, n)
	for i := range v {
		x := r.Count()
		if x > limit {
			r.Fail()
		}
		v[i] = int(x)
	}
	return v
}

// maxCells bounds the allocation that a malformed header can cause in DecodeTable, 2 GiB of counts, and
// Params.MaxCells.
const maxCells = 1 << 28

// readShape reads a shape; coarser means that it is the shape after coarsening.
func readShape(r *wire.Reader, coarser bool) (s Shape, ok bool) {
	s.Sizes = readInts(r, domain.MaxFine+1)
	for _, n := range s.Sizes {
		if n < 1 {
			return s, false
		}
	}
	kind := r.Byte()
	if kind&weighted != 0 {
		if s.WeightBits = int(r.Byte()); s.WeightBits < 1 || s.WeightBits > maxWeightBits {
			return s, false
		}
	}
	switch kind &^ weighted {
	case 1:
		s.Records = true
		return s, !r.Bad && len(s.Sizes) > 0
	case 2:
		if coarser {
			return s, false
		}
		coarse, ok := readShape(r, true)
		s.Records, s.Coarse = true, &coarse
		return s, ok && len(s.Sizes) > 0 && len(coarse.Sizes) == len(s.Sizes) && coarse.WeightBits == s.WeightBits
	}
	n, sum := r.Count(), int64(0)
	for ; n > 0 && !r.Bad; n-- {
		c := domain.Clique(readInts(r, int64(len(s.Sizes)-1)))
		if r.Bad { // unknown attributes
			return s, false
		}
		size := cells(s.Sizes, c)
		if size > maxCells-sum {
			return s, false
		}
		sum += size
		s.Cliques = append(s.Cliques, c)
	}
	return s, !r.Bad
}

func readCounts(r *wire.Reader, table []int64) {
	if form := r.Byte(); form == 0 {
		for c := range table {
			table[c] = r.Count()
		}
		return
	}
	next := int64(0)
	for n := r.Count(); n > 0 && !r.Bad; n-- {
		skip := r.Count()
		if skip >= int64(len(table))-next {
			r.Fail()
			return
		}
		table[next+skip] = r.Count()
		next += skip + 1
	}
}

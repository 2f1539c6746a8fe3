package codec

import (
	"math"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"
)

// maxEnd is the length of the longest text that a footer states as an end of a column chunk, arrow's
// choice too.
const maxEnd = 4096

// ends holds the least and the largest cell of a column chunk that is neither NULL nor NaN. The library
// computes them too, but leaves "" out and, with a dictionary, takes the ends of the whole dictionary.
type ends struct {
	known  bool
	lo, hi int64 // values of the column
	texts  bool  // a column of plain texts has least and most
	least  []byte
	most   []byte
}

// widen takes in values of the column.
func (e *ends) widen(c *Column, values []int64) {
	for _, v := range values {
		if c.Physical == parquet.Types.Double && math.IsNaN(math.Float64frombits(uint64(v))) {
			continue
		}
		if !e.known {
			e.known, e.lo, e.hi = true, v, v
			continue
		}
		if c.less(v, e.lo) {
			e.lo = v
		} else if c.less(e.hi, v) {
			e.hi = v
		}
	}
}

// widenText takes in a text of a plain column.
func (e *ends) widenText(text []byte) {
	if !e.known || string(text) < string(e.least) {
		e.least = append(e.least[:0], text...)
	}
	if !e.known || string(text) > string(e.most) {
		e.most = append(e.most[:0], text...)
	}
	e.known, e.texts = true, true
}

// less orders values of the column as the format does.
func (c *Column) less(a, b int64) bool {
	switch c.Physical {
	case parquet.Types.Double:
		return math.Float64frombits(uint64(a)) < math.Float64frombits(uint64(b))
	case parquet.Types.ByteArray:
		return c.Texts.list[a] < c.Texts.list[b]
	}
	return a < b
}

// statistics returns the ends and the number of NULLs in the footer's form.
func (e *ends) statistics(c *Column, nulls int64) metadata.EncodedStatistics {
	var s metadata.EncodedStatistics
	s.SetNullCount(nulls)
	// The deprecated fields of a footer hold ends too, but only of types that are ordered by their sign.
	s.Signed = c.Physical != parquet.Types.ByteArray && c.Physical != parquet.Types.FixedLenByteArray
	if !e.known {
		return s
	}
	lo, hi := e.least, e.most
	if !e.texts {
		lo, hi = c.end(e.lo, math.Copysign(0, -1)), c.end(e.hi, 0)
	}
	if len(lo) <= maxEnd {
		s.SetMin(lo)
	}
	if len(hi) <= maxEnd {
		s.SetMax(hi)
	}
	return s
}

// end returns a value as the footer has it. A zero of FLOAT64 is written with the sign of zero, so that
// it is an end whichever zeros there are.
func (c *Column) end(v int64, zero float64) []byte {
	switch {
	case c.Physical == parquet.Types.ByteArray:
		return append([]byte{}, c.Texts.list[v]...) // not nil if it is empty
	case c.Physical == parquet.Types.Boolean:
		return []byte{byte(v)}
	case c.Physical == parquet.Types.Double && math.Float64frombits(uint64(v)) == 0:
		v = int64(math.Float64bits(zero))
	}
	return c.appendPlain(nil, []int64{v})
}

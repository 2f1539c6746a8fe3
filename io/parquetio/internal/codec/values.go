package codec

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow/go/v15/parquet"
)

// Values says how the values of a column become cells: numbers of 64 bits, or the bits of floats of 64.
type Values struct {
	Physical parquet.Type
	Width    int  // bytes of a FIXED_LEN_BYTE_ARRAY
	Optional bool // there may be NULLs
	Float    bool // the cells are floats

	Unit  func(int64) int64                // of each number; nil: it is the cell
	Bytes func([]byte) int64               // of values that are bytes, but for those that Text takes
	Text  func(text []byte) (int64, error) // of values that are texts; nil: there are none
}

// size returns the bytes of a value of encoding PLAIN; 0 if it is not a fixed number of bytes.
func (v *Values) size() int {
	switch v.Physical {
	case parquet.Types.Int32, parquet.Types.Float:
		return 4
	case parquet.Types.Int64, parquet.Types.Double:
		return 8
	case parquet.Types.Int96:
		return 12
	case parquet.Types.FixedLenByteArray:
		return v.Width
	}
	return 0
}

// plain decodes the values of encoding PLAIN at the start of src, which holds them: numbers, and bytes of one length.
func (v *Values) plain(dst []int64, src []byte) {
	switch size := v.size(); v.Physical {
	case parquet.Types.Int32:
		for i := range dst {
			dst[i] = int64(int32(binary.LittleEndian.Uint32(src[4*i:])))
		}
	case parquet.Types.Float:
		for i := range dst {
			f := math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
			dst[i] = int64(math.Float64bits(float64(f)))
		}
	case parquet.Types.FixedLenByteArray, parquet.Types.Int96:
		for i := range dst {
			dst[i] = v.Bytes(src[i*size : (i+1)*size])
		}
		return
	default:
		for i := range dst {
			dst[i] = int64(binary.LittleEndian.Uint64(src[8*i:]))
		}
	}
	v.convert(dst)
}

// convert turns numbers into cells.
func (v *Values) convert(cells []int64) {
	if v.Unit != nil {
		for i, x := range cells {
			cells[i] = v.Unit(x)
		}
	}
}

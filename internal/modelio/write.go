package modelio

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// batchRows is the number of records of a record batch.
const batchRows = 1 << 16

// Write writes f in the package's format. It validates f first, and writes nothing if that fails.
func Write(w io.Writer, f *File) error {
	if err := f.Validate(); err != nil {
		return err
	}
	schema, err := f.schema()
	if err != nil {
		return err
	}
	out, err := ipc.NewFileWriter(&counter{w: w}, ipc.WithSchema(schema))
	if err != nil {
		return fmt.Errorf("model: %w", err)
	}
	for lo := 0; lo < len(f.Weights) && err == nil; lo += batchRows {
		rec := f.batch(schema, lo, min(lo+batchRows, len(f.Weights)))
		err = out.Write(rec)
		rec.Release()
	}
	if err == nil {
		err = out.Close()
	}
	if err != nil {
		return fmt.Errorf("model: writing: %w", err)
	}
	return nil
}

func (f *File) schema() (*arrow.Schema, error) {
	keys, values, err := f.metadata()
	if err != nil {
		return nil, err
	}
	fields := []arrow.Field{{Name: "weight", Type: arrow.PrimitiveTypes.Float64}}
	if f.Columns != nil {
		for i := range f.Domain.Attributes {
			fields = append(fields, arrow.Field{Name: f.Domain.Attributes[i].Name, Type: arrow.PrimitiveTypes.Uint16})
		}
	}
	meta := arrow.NewMetadata(keys, values)
	return arrow.NewSchema(fields, &meta), nil
}

// metadata returns the entries of the schema's metadata in their order.
func (f *File) metadata() (keys, values []string, err error) {
	h, err := f.Hash()
	if err != nil {
		return nil, nil, err
	}
	d, err := json.Marshal(&f.Domain)
	if err != nil {
		return nil, nil, fmt.Errorf("model: the domain: %w", err)
	}
	s, err := json.Marshal(f.Sizes)
	if err != nil {
		return nil, nil, fmt.Errorf("model: the sizes: %w", err)
	}
	keys = slices.Clone(ownKeys)
	values = []string{"1", string(d), f.Method, string(s), strconv.Itoa(len(f.Weights)),
		strconv.FormatBool(f.Columns != nil), hex.EncodeToString(h[:])}
	for _, k := range slices.Sorted(maps.Keys(f.Metadata)) {
		keys, values = append(keys, k), append(values, f.Metadata[k])
	}
	return keys, values, nil
}

// ownKeys are the keys of the format's own metadata.
var ownKeys = []string{"dapple.format", "dapple.domain", "dapple.method", "dapple.sizes", "dapple.records", "dapple.listed", "dapple.sha256"}

// batch returns records lo..hi−1. It shares the memory of f.
func (f *File) batch(schema *arrow.Schema, lo, hi int) arrow.Record {
	arrays := []arrow.Array{array.NewFloat64Data(data(arrow.PrimitiveTypes.Float64, hi-lo,
		arrow.Float64Traits.CastToBytes(f.Weights[lo:hi])))}
	for _, col := range f.Columns {
		codes := make([]uint16, hi-lo)
		for i, c := range col[lo:hi] {
			codes[i] = uint16(c)
		}
		arrays = append(arrays, array.NewUint16Data(data(arrow.PrimitiveTypes.Uint16, hi-lo, arrow.Uint16Traits.CastToBytes(codes))))
	}
	return array.NewRecord(schema, arrays, int64(hi-lo))
}

func data(typ arrow.DataType, n int, values []byte) arrow.ArrayData {
	return array.NewData(typ, n, []*memory.Buffer{nil, memory.NewBufferBytes(values)}, nil, 0, 0)
}

// counter is a destination that knows its position, which is all that the library seeks for.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	return n, err
}

func (c *counter) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekCurrent {
		return 0, errors.New("the file is written in one go")
	}
	return c.n, nil
}

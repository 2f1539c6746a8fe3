package avroio

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"

	"github.com/dapple-dp/dapple/dp/domain"
)

// blockBytes is how much a block holds before it is packed.
const blockBytes = 256 << 10

// names are those that Avro gives to fields.
var names = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// checkOutput refuses names that Avro has not.
func checkOutput(d *domain.Domain) error {
	var errs []error
	for _, name := range d.Names() {
		if !names.MatchString(name) {
			errs = append(errs, fmt.Errorf("avroio: column %q: Avro's names are ASCII letters, digits and _, and begin with none of the digits; rename the column, or write Parquet", name))
		}
	}
	return errors.Join(errs...)
}

// written are the types of a file.
var written = map[domain.Type]any{
	domain.String:    "string",
	domain.Int64:     "long",
	domain.Float64:   "double",
	domain.Bool:      "boolean",
	domain.Date:      logicalType("int", "date"),
	domain.DateTime:  logicalType("long", "local-timestamp-micros"),
	domain.Timestamp: logicalType("long", "timestamp-micros"),
	domain.Time:      logicalType("long", "time-micros"),
}

func logicalType(of, name string) any { return map[string]any{"type": of, "logicalType": name} }

// decimalDigits are those of an int64, which is the native unit of NUMERIC.
const decimalDigits = 19

// fileSchema returns the schema of the rows of a domain.
func fileSchema(d *domain.Domain) ([]byte, error) {
	fields := make([]any, d.Len())
	for i := range d.Attributes {
		a := &d.Attributes[i]
		t := written[a.Type]
		if a.Type == domain.Numeric {
			t = map[string]any{"type": "bytes", "logicalType": "decimal", "precision": decimalDigits, "scale": a.Scale}
		}
		if a.Null {
			t = []any{"null", t}
		}
		fields[i] = map[string]any{"name": a.Name, "type": t}
	}
	b, err := json.Marshal(map[string]any{"type": "record", "name": "row", "fields": fields})
	if err != nil {
		return nil, fmt.Errorf("avroio: %w", err)
	}
	return b, nil
}

// writer writes chunks as blocks.
type writer struct {
	w      io.Writer
	d      *domain.Domain
	mark   [markBytes]byte
	header []byte // yet to be written
	block  []byte
	rows   int64
	packed bytes.Buffer
	packer *flate.Writer
	err    error // the first one; it stays
}

func newWriter(w io.Writer, d *domain.Domain) (*writer, error) {
	if err := checkOutput(d); err != nil {
		return nil, err
	}
	s, err := fileSchema(d)
	if err != nil {
		return nil, err
	}
	out := &writer{w: w, d: d}
	sum := sha256.Sum256(s)
	copy(out.mark[:], sum[:])
	if out.packer, err = flate.NewWriter(&out.packed, flate.DefaultCompression); err != nil {
		return nil, fmt.Errorf("avroio: %w", err)
	}
	h := append([]byte(magic), binary.AppendVarint(nil, 2)...)
	h = appendBytes(appendBytes(h, "avro.codec"), "deflate")
	h = appendBytes(appendBytes(h, "avro.schema"), s)
	h = append(binary.AppendVarint(h, 0), out.mark[:]...)
	out.header = h
	return out, nil
}

func appendBytes[T string | []byte](dst []byte, text T) []byte {
	return append(binary.AppendVarint(dst, int64(len(text))), text...)
}

// Write writes the rows of a chunk, which has one column for each attribute. After an error every call returns it.
func (w *writer) Write(c *domain.Chunk) error {
	if len(c.Columns) != w.d.Len() {
		panic("avroio: Write: chunk and domain differ in size")
	}
	for row := range c.Rows {
		for k := range c.Columns {
			w.cell(&w.d.Attributes[k], &c.Columns[k], row)
		}
		if w.rows++; len(w.block) >= blockBytes {
			w.flush()
		}
	}
	return w.err
}

// Close writes what is left. It does not close the underlying writer.
func (w *writer) Close() error {
	w.flush()
	return w.err
}

func (w *writer) fail(err error) {
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("avroio: %w", err)
	}
}

// flush writes the header, if it is not written, and the block, if it has rows.
func (w *writer) flush() {
	out := w.header
	w.header = nil
	if w.rows > 0 {
		w.packed.Reset()
		w.packer.Reset(&w.packed)
		_, err := w.packer.Write(w.block)
		w.fail(err)
		w.fail(w.packer.Close())
		out = appendBytes(binary.AppendVarint(out, w.rows), w.packed.Bytes())
		out = append(out, w.mark[:]...)
		w.block, w.rows = w.block[:0], 0
	}
	if w.err == nil {
		_, err := w.w.Write(out)
		w.fail(err)
	}
}

var (
	errNull  = errors.New("NULL in a column without null")
	errValue = errors.New("a category is no value of the column's type")
)

// cell appends a cell.
func (w *writer) cell(a *domain.Attribute, c *domain.Column, row int) {
	null := c.Form == domain.Absent || c.Null(row)
	switch {
	case a.Null && null:
		w.block = append(w.block, 0)
		return
	case a.Null:
		w.block = append(w.block, 2) // the second type of the union
	case null:
		w.fail(errNull)
		return
	}
	switch c.Form {
	case domain.Ints:
		w.native(a, c.Ints[row])
	case domain.Floats:
		w.block = binary.LittleEndian.AppendUint64(w.block, math.Float64bits(c.Floats[row]))
	case domain.Dictionary:
		w.text(a, c.Dict[c.Ints[row]])
	default:
		w.text(a, string(c.Text(row)))
	}
}

// text appends a cell that comes as text.
func (w *writer) text(a *domain.Attribute, text string) {
	if a.Type == domain.String {
		w.block = appendBytes(w.block, text)
		return
	}
	v, ok := a.ParseNative(text)
	if !ok {
		w.fail(errValue)
	}
	w.native(a, v)
}

// native appends a cell in the native unit.
func (w *writer) native(a *domain.Attribute, v int64) {
	switch a.Type {
	case domain.Bool:
		w.block = append(w.block, byte(min(1, uint64(v))))
	case domain.Numeric:
		b := binary.BigEndian.AppendUint64(nil, uint64(v))
		for len(b) > 1 && (b[0] == 0 && b[1] < 0x80 || b[0] == 0xff && b[1] >= 0x80) {
			b = b[1:]
		}
		w.block = appendBytes(w.block, b)
	default:
		w.block = binary.AppendVarint(w.block, v)
	}
}

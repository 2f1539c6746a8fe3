package avroio_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/testkit/formattest"
)

func init() {
	formattest.Writers["avro"] = func(w io.Writer, d *domain.Domain) table.RowWriter { return &writer{w: w, d: d} }
}

// writer writes files of Avro as the specification says, a block for each chunk, not packed.
type writer struct {
	w     io.Writer
	d     *domain.Domain
	begun bool
}

const mark = "sixteen bytes ab"

// written are the types of a file.
var written = map[domain.Type]string{
	domain.String: `"string"`, domain.Int64: `"long"`, domain.Float64: `"double"`, domain.Bool: `"boolean"`,
	domain.Date: `{"type":"int","logicalType":"date"}`, domain.Time: `{"type":"long","logicalType":"time-micros"}`,
	domain.DateTime:  `{"type":"long","logicalType":"local-timestamp-micros"}`,
	domain.Timestamp: `{"type":"long","logicalType":"timestamp-micros"}`,
	domain.Numeric:   `{"type":"bytes","logicalType":"decimal","precision":19,"scale":%d}`,
}

func text(b []byte, s string) []byte { return append(binary.AppendVarint(b, int64(len(s))), s...) }

func (w *writer) begin() []byte {
	var fields []string
	for i := range w.d.Attributes {
		a := &w.d.Attributes[i]
		t := written[a.Type]
		if a.Type == domain.Numeric {
			t = fmt.Sprintf(t, a.Scale)
		}
		if a.Null {
			t = `["null",` + t + `]`
		}
		fields = append(fields, fmt.Sprintf(`{"name":%q,"type":%s}`, a.Name, t))
	}
	b := text([]byte("Obj\x01\x02"), "avro.schema")
	return append(append(text(b, `{"type":"record","name":"row","fields":[`+strings.Join(fields, ",")+`]}`), 0), mark...)
}

func (w *writer) Write(c *domain.Chunk) error {
	var b, block []byte
	if !w.begun {
		w.begun, b = true, w.begin()
	}
	for i := range c.Rows {
		for k := range c.Columns {
			if w.d.Attributes[k].Null {
				if c.Columns[k].Null(i) {
					block = append(block, 0)
					continue
				}
				block = append(block, 2)
			}
			block = cell(block, w.d.Attributes[k].Type, &c.Columns[k], i)
		}
	}
	if c.Rows > 0 {
		b = binary.AppendVarint(b, int64(c.Rows))
		b = append(text(b, string(block)), mark...)
	}
	_, err := io.Copy(w.w, bytes.NewReader(b))
	return err
}

func cell(b []byte, t domain.Type, c *domain.Column, i int) []byte {
	switch t {
	case domain.String:
		return text(b, c.Dict[c.Ints[i]])
	case domain.Float64:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(c.Floats[i]))
	case domain.Bool:
		return append(b, byte(c.Ints[i]))
	case domain.Numeric:
		return text(b, string(binary.BigEndian.AppendUint64(nil, uint64(c.Ints[i]))))
	}
	return binary.AppendVarint(b, c.Ints[i])
}

func (w *writer) Close() error { return nil }

package avroio

import (
	"errors"
	"fmt"
	"io"

	"github.com/hamba/avro/v2"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/bounded"
	"github.com/dapple-dp/dapple/internal/kit/wire"
	"github.com/dapple-dp/dapple/io/table"
)

const (
	chunkRows  = 4096
	chunkBytes = 4 << 20 // a chunk with longer texts ends early
)

// reader reads the records of blocks.
type reader struct {
	name   string
	blocks *blocks
	steps  []step // of each field of the file
	id     bool   // the domain names a privacy ID
	scales []int  // of each needed column: the privacy ID, then the attributes

	in   input
	left int64 // records of the block
}

// step reads one field.
type step struct {
	column
	to   int // the needed column; −1: none
	form domain.Form
	read reading
}

// newReader finds the columns of d in a file, and lists all mismatches at once.
func newReader(name string, h *header, d *domain.Domain) (*reader, error) {
	r := &reader{name: name, id: d.PrivacyID != "", scales: make([]int, 1+d.Len())}
	names := make([]string, len(h.fields))
	for i, f := range h.fields {
		names[i] = f.Name()
		r.steps = append(r.steps, step{column: columnOf(f), to: -1})
	}
	var errs bounded.Errors
	fields, missing := table.Match(names, d)
	for i, field := range fields {
		switch {
		case missing[i] != "":
			errs.Addf("avroio: %s: %s", name, missing[i])
			continue
		case field < 0:
			continue
		}
		s := &r.steps[field]
		s.to, s.form = i, domain.Text
		if s.schema != nil {
			s.form = formOf(s.schema)
		}
		if i == 0 {
			if s.read = idReading(s.schema); s.read == nil {
				errs.Addf("avroio: %s: column %q: %s cannot be the privacy ID, which is a text or a whole number; convert the column to one of these", name, names[field], s.kind)
			}
			continue
		}
		a := &d.Attributes[i-1]
		r.scales[i] = a.Scale
		if s.read = readingOf(s.schema, a.Type); s.read == nil {
			errs.Addf("avroio: %s: column %q: %s does not read as %s; change the domain, or convert the column", name, a.Name, s.kind, a.Type)
		}
	}
	return r, errs.Err()
}

// read fills a new chunk. At the end it returns io.EOF and no record.
func (r *reader) read(c *domain.Chunk) error {
	c.Source, c.Columns = "avroio: "+r.name, make([]domain.Column, len(r.scales)-1)
	into := make([]*domain.Column, len(r.scales))
	for i := range into {
		into[i] = &c.ID
		if i > 0 {
			into[i] = &c.Columns[i-1]
		}
	}
	for _, s := range r.steps {
		if s.to < 0 {
			continue
		}
		out := into[s.to]
		switch out.Form = s.form; s.form {
		case domain.Text:
			out.Offsets = append(make([]uint32, 0, chunkRows+1), 0)
		case domain.Floats:
			out.Floats = make([]float64, 0, chunkRows)
		default:
			out.Ints = make([]int64, 0, chunkRows)
		}
	}
	for size := 0; c.Rows < chunkRows && size < chunkBytes; c.Rows++ {
		if r.left == 0 {
			if err := r.turn(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return err
			}
		}
		before := len(r.in.Rest)
		r.record(into, c.Rows)
		if r.left--; r.in.Bad || r.left == 0 && len(r.in.Rest) > 0 {
			return r.fault(errDamaged)
		}
		size += before - len(r.in.Rest)
	}
	if c.Rows == 0 {
		return io.EOF
	}
	return nil
}

func (r *reader) fault(err error) error { return fmt.Errorf("avroio: %s: %w", r.name, err) }

// turn turns to the next block that has records.
func (r *reader) turn() error {
	for r.left == 0 {
		n, data, err := r.blocks.next()
		if errors.Is(err, io.EOF) {
			return io.EOF
		} else if err != nil {
			return r.fault(err)
		}
		r.left, r.in = n, input{wire.Reader{Rest: data}}
	}
	return nil
}

// record appends a record to the columns.
func (r *reader) record(into []*domain.Column, row int) {
	for i := range r.steps {
		s := &r.steps[i]
		if s.to < 0 {
			s.pass(&r.in)
			continue
		}
		out := into[s.to]
		null := s.schema == nil
		if s.union > 0 {
			branch := r.in.Varint()
			if branch < 0 || branch >= int64(s.union) {
				r.in.Fail()
			}
			null = branch == int64(s.null)
		}
		if null && out.Nulls == nil {
			out.Nulls = make([]bool, row, chunkRows)
		}
		if out.Nulls != nil {
			out.Nulls = append(out.Nulls, null)
		}
		switch {
		case !null:
			s.read(&r.in, out, r.scales[s.to])
		case s.form == domain.Floats:
			out.Floats = append(out.Floats, 0)
		case s.form == domain.Ints:
			out.Ints = append(out.Ints, 0)
		}
		if s.form == domain.Text {
			out.Offsets = append(out.Offsets, uint32(len(out.Bytes)))
		}
	}
}

// pass passes over a field that no column needs.
func (s *step) pass(in *input) {
	switch {
	case s.schema == nil && s.union == 0:
	case s.union == 0:
		skip(in, s.schema, 0)
	default:
		switch branch := in.Varint(); {
		case branch == int64(s.null):
		case s.schema == nil || branch < 0 || branch >= int64(s.union):
			in.Fail()
		case s.schema.Type() == avro.Union:
			skip(in, s.schema.(*avro.UnionSchema).Types()[branch], 0)
		default:
			skip(in, s.schema, 0)
		}
	}
}

// maxDepth is how deep values are nested at most. A record that holds itself would have no end.
const maxDepth = 100

// skip passes over a value of any type.
func skip(in *input, s avro.Schema, depth int) {
	if depth > maxDepth {
		in.Fail()
	}
	if in.Bad {
		return
	}
	switch s := resolve(s).(type) {
	case *avro.RecordSchema:
		for _, f := range s.Fields() {
			skip(in, f.Type(), depth+1)
		}
	case *avro.UnionSchema:
		branch := in.Varint()
		if branch < 0 || branch >= int64(len(s.Types())) {
			in.Fail()
			return
		}
		skip(in, s.Types()[branch], depth+1)
	case *avro.ArraySchema:
		skipItems(in, func() { skip(in, s.Items(), depth+1) })
	case *avro.MapSchema:
		skipItems(in, func() { in.bytes(); skip(in, s.Values(), depth+1) })
	case *avro.FixedSchema:
		in.take(int64(s.Size()))
	case *avro.NullSchema:
	default:
		skipPlain(in, s.Type())
	}
}

// skipItems passes over the items of an array or a map. Those that take no byte need no walk.
func skipItems(in *input, item func()) {
	for !in.Bad {
		n := in.Varint()
		if n < 0 {
			in.take(in.Varint()) // the size of a block of them, which is passed over whole
			continue
		}
		if n == 0 {
			return
		}
		for range n {
			before := len(in.Rest)
			if item(); in.Bad || len(in.Rest) == before {
				break
			}
		}
	}
}

func skipPlain(in *input, t avro.Type) {
	switch t {
	case avro.String, avro.Bytes:
		in.bytes()
	case avro.Int, avro.Long, avro.Enum:
		in.Varint()
	case avro.Float:
		in.take(4)
	case avro.Double:
		in.take(8)
	case avro.Boolean:
		in.take(1)
	default:
		in.Fail()
	}
}

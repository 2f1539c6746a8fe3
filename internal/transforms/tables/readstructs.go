package tables

import (
	"context"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/transforms/internal/dofn"
	"github.com/dapple-dp/dapple/internal/transforms/internal/fields"
)

// ReadStructs returns the records of a table as structs of type t, or pointers to them, for the steps before a stage. Fields
// belong to columns as in synth.Synthesize; columns that no field is for are not read. form is the form of CSV; the zero CSV is a
// file with a header line.
//
// NULL, and a cell of text that its field cannot hold, is nil in a pointer and the zero value elsewhere: nothing fails or is
// reported, since that would depend on a record. Use a pointer where the difference counts.
//
// It reads header lines, footers or metadata while the pipeline is built, and no record. It panics if t does not match the
// table, with all faults at once.
func ReadStructs(s beam.Scope, from table.Source, t reflect.Type, form schema.CSV) beam.PCollection {
	d, err := found(from, t, form)
	if err != nil {
		panic(fmt.Sprintf("tables: ReadStructs: %v does not match the table:\n%v", t, err))
	}
	s = s.Scope("tables.ReadStructs")
	return beam.ParDo(s, &readFn{Type: beam.EncodedType{T: t}, Domain: *d}, from.Read(s, d, form), beam.TypeDefinition{Var: beam.XType, T: t})
}

// found returns the columns of a table that fields of t are for.
func found(from table.Source, t reflect.Type, form schema.CSV) (*domain.Domain, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	columns, _, err := from.Describe(ctx, form)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	d, err := fields.Found(t, names, func(i int) (domain.Attribute, bool) {
		return domain.Attribute{Type: columns[i].Type, Scale: columns[i].Scale}, columns[i].Untyped
	})
	if err != nil {
		return nil, err
	}
	return d, from.Check(ctx, d, form)
}

func init() {
	dofn.Register[readFn](dofn.Method0x1("Setup", (*readFn).Setup), dofn.Method2x1("ProcessElement", (*readFn).ProcessElement))
	register.Emitter1[beam.X]()
}

// readFn makes structs of raw chunks.
type readFn struct {
	Type   beam.EncodedType
	Domain domain.Domain

	writer *fields.Writer
}

func (f *readFn) Setup() error {
	m, err := fields.Reading(f.Type.T, &f.Domain)
	if err != nil {
		return fmt.Errorf("tables: %w", err)
	}
	f.writer = m.NewWriter(&f.Domain)
	return nil
}

func (f *readFn) ProcessElement(raw *domain.Chunk, emit func(beam.X)) error {
	c := *raw
	c.Columns = append([]domain.Column(nil), raw.Columns...) // elements are not changed
	fields.Typed(&c, &f.Domain)
	for i := range c.Rows {
		if v := f.writer.Write(&c, i); f.Type.T.Kind() == reflect.Pointer {
			emit(v.Addr().Interface())
		} else {
			emit(v.Interface())
		}
	}
	return nil
}

package rows

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/transforms/internal/dofn"
	"github.com/dapple-dp/dapple/transforms/internal/fields"
	"github.com/dapple-dp/dapple/transforms/private"
)

// Params configures Structs and Chunks. Zero fields mean their defaults.
type Params struct {
	// Unreadable is what becomes of a cell that its column cannot use; default private.DeclaredCell. If a value is
	// replaced here, private.Encode can use the replacement: for a strict run set it here too.
	Unreadable private.Unreadable
}

// Structs returns an element of type t, a struct or a pointer to one, for each record of chunks, which
// is a PCollection of *domain.Chunk with the columns of d. The elements are raw private data.
//
// It panics if d or the type of chunks is invalid, and if Validate fails.
func Structs(s beam.Scope, chunks beam.PCollection, d *domain.Domain, t reflect.Type, p Params) beam.PCollection {
	s = s.Scope("dapple.Structs")
	if chunks.Type().Type() != reflect.TypeFor[*domain.Chunk]() {
		panic("rows: Structs takes *domain.Chunk, as sources emit")
	}
	if err := Validate(t, d); err != nil {
		panic(err.Error())
	}
	fn := &structsFn{Domain: *d, Type: beam.EncodedType{T: t}, Unreadable: p.Unreadable}
	return beam.ParDo(s, fn, chunks, beam.TypeDefinition{Var: beam.XType, T: t})
}

// Validate lists the faults of d or, if there are none, all columns of d, and its privacy ID, that cannot be written
// to a field of t.
func Validate(t reflect.Type, d *domain.Domain) error {
	if t == nil {
		return errors.New("rows: no type of struct is given")
	}
	if err := d.Validate(); err != nil {
		return err
	}
	if _, err := fields.Raw(t, d); err != nil {
		return fmt.Errorf("rows: records cannot be written as %v:\n%w", t, err)
	}
	return nil
}

func init() {
	dofn.Register[structsFn](
		dofn.Method0x1("Setup", (*structsFn).Setup),
		dofn.Method2x1("ProcessElement", (*structsFn).ProcessElement),
	)
	register.Emitter1[beam.X]()
}

// structsFn makes structs of raw chunks.
type structsFn struct {
	Domain     domain.Domain
	Type       beam.EncodedType
	Unreadable private.Unreadable

	writer  *fields.RawWriter
	pointer bool
}

func (f *structsFn) Setup() error {
	m, err := fields.Raw(f.Type.T, &f.Domain)
	if err != nil {
		return fmt.Errorf("rows: %w", err)
	}
	f.writer, f.pointer = m.NewRawWriter(&f.Domain), f.Type.T.Kind() == reflect.Pointer
	f.writer.Strict = f.Unreadable == private.FailWithPosition
	return nil
}

func (f *structsFn) ProcessElement(c *domain.Chunk, emit func(beam.X)) error {
	if err := f.writer.Take(c); err != nil {
		return fmt.Errorf("rows: %w", err)
	}
	for i := range c.Rows {
		if record := f.writer.Write(i); f.pointer {
			emit(record.Addr().Interface())
		} else {
			emit(record.Interface())
		}
	}
	return nil
}

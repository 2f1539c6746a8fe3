package rows

import (
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/transforms/internal/dofn"
	"github.com/dapple-dp/dapple/transforms/internal/fields"
	"github.com/dapple-dp/dapple/transforms/private"
)

// Chunks returns the records of structs, a PCollection of structs or pointers to structs, as
// *domain.Chunk with the columns of d: at most 4096 records of one bundle to a chunk, in the forms that
// the writers of files take. Their IDs are the privacy IDs, as text; files have none. The chunks are as
// private as the structs are. A struct has no position: errors name the column.
//
// It panics if d or the type of structs is invalid, and if private.ValidateStruct fails.
func Chunks(s beam.Scope, structs beam.PCollection, d *domain.Domain, p Params) beam.PCollection {
	s = s.Scope("dapple.Chunks")
	if err := d.Validate(); err != nil {
		panic(err.Error())
	}
	t := structs.Type().Type()
	if typex.IsComposite(t) {
		panic("rows: Chunks takes structs, not key-value pairs")
	}
	if err := private.ValidateStruct(t, d); err != nil {
		panic(err.Error())
	}
	return beam.ParDo(s, &chunksFn{Domain: *d, Type: beam.EncodedType{T: t}, Unreadable: p.Unreadable}, structs)
}

func init() {
	dofn.Register[chunksFn](
		dofn.Method0x1("Setup", (*chunksFn).Setup),
		dofn.Method1x1("StartBundle", (*chunksFn).StartBundle),
		dofn.Method2x1("ProcessElement", (*chunksFn).ProcessElement),
		dofn.Method1x1("FinishBundle", (*chunksFn).FinishBundle),
	)
	register.Emitter1[*domain.Chunk]()
}

// chunksFn collects structs within a bundle.
type chunksFn struct {
	Domain     domain.Domain
	Type       beam.EncodedType
	Unreadable private.Unreadable

	reader *fields.RawReader
}

func (f *chunksFn) Setup() error {
	m, err := fields.Input(f.Type.T, &f.Domain)
	if err != nil {
		return fmt.Errorf("rows: %w", err)
	}
	f.reader = m.NewRawReader(&f.Domain)
	return nil
}

// StartBundle drops the remains of a bundle that failed.
func (f *chunksFn) StartBundle(func(*domain.Chunk)) error {
	f.reader.Take()
	return nil
}

func (f *chunksFn) ProcessElement(record beam.T, emit func(*domain.Chunk)) error {
	if bad := f.reader.Read(record); bad >= 0 && f.Unreadable == private.FailWithPosition {
		return fmt.Errorf("rows: a record's column %q cannot be used as it is", f.Domain.Attributes[bad].Name)
	}
	if f.reader.Full() {
		emit(f.reader.Take())
	}
	return nil
}

func (f *chunksFn) FinishBundle(emit func(*domain.Chunk)) error {
	if c := f.reader.Take(); c != nil {
		emit(c)
	}
	return nil
}

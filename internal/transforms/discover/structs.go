package discover

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/transforms/internal/dofn"
	"github.com/dapple-dp/dapple/internal/transforms/internal/fields"
)

// ColumnsOf returns the columns of structs of a type, but the privacy ID: one for each exported field, of the type that the
// field has. A text is a STRING. Rows of a
// domain that is found of these columns fit the type.
func ColumnsOf(t reflect.Type, privacyID string) (columns []Column, err error) {
	d, err := fields.Columns(t)
	if err != nil {
		return nil, fmt.Errorf("discover: %w", err)
	}
	var errs []error
	for _, a := range d.Attributes {
		if a.Name == privacyID {
			continue
		}
		least, most, err := fields.Holds(t, a.Name)
		errs = append(errs, err)
		columns = append(columns, Column{Name: a.Name, Type: a.Type, Scale: a.Scale, Required: !a.Null, Least: least, Most: most})
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("discover: %w", err)
	}
	return columns, nil
}

// chunksOf returns records as chunks: chunks of a reader of tables as they are, or structs.
func chunksOf(s beam.Scope, rows beam.PCollection, p Params) (beam.PCollection, error) {
	t := rows.Type().Type()
	if t == reflect.TypeFor[*domain.Chunk]() {
		return rows, nil
	}
	own, err := fields.Columns(t)
	if err != nil {
		return rows, fmt.Errorf("discover: %w; want structs, or the chunks of a reader of tables", err)
	}
	d, names := &domain.Domain{}, make([]string, 0, len(p.Columns)+1)
	for _, c := range p.Columns {
		names = append(names, c.Name)
	}
	if p.PrivacyID != "" {
		names = append(names, p.PrivacyID)
	}
	var errs []error
	for _, name := range names {
		a := own.Index(name)
		if a < 0 {
			errs = append(errs, fmt.Errorf("discover: column %q: %v has no such field", name, t))
			continue
		}
		if typ := own.Attributes[a].Type; name == p.PrivacyID && typ != domain.String && typ != domain.Int64 {
			errs = append(errs, fmt.Errorf("discover: privacy ID %q is a %v; want text or a whole number, which keep distinct IDs apart", name, typ))
		}
		d.Attributes = append(d.Attributes, own.Attributes[a])
	}
	if err := errors.Join(errs...); err != nil {
		return rows, err
	}
	return beam.ParDo(s, &structFn{Type: beam.EncodedType{T: t}, Domain: *d, ID: p.PrivacyID != ""}, rows), nil
}

func init() {
	dofn.Register[structFn](
		dofn.Method0x1("Setup", (*structFn).Setup),
		dofn.Method1x1("StartBundle", (*structFn).StartBundle),
		dofn.Method2x1("ProcessElement", (*structFn).ProcessElement),
		dofn.Method1x1("FinishBundle", (*structFn).FinishBundle),
	)
	register.Emitter1[*domain.Chunk]()
}

// structFn makes chunks of structs.
type structFn struct {
	Type   beam.EncodedType
	Domain domain.Domain // the columns, and the privacy ID last
	ID     bool

	appender *fields.Appender
	chunk    *domain.Chunk
}

func (f *structFn) Setup() (err error) {
	f.appender, err = fields.NewAppender(f.Type.T, &f.Domain)
	return err
}

func (f *structFn) StartBundle(func(*domain.Chunk)) error {
	f.chunk = f.appender.NewChunk()
	return nil
}

// chunkRows is the number of records of a full chunk.
const chunkRows = 4096

func (f *structFn) ProcessElement(row beam.T, emit func(*domain.Chunk)) error {
	if f.appender.Append(f.chunk, row); f.chunk.Rows == chunkRows {
		f.pass(emit)
	}
	return nil
}

func (f *structFn) FinishBundle(emit func(*domain.Chunk)) error {
	f.pass(emit)
	return nil
}

func (f *structFn) pass(emit func(*domain.Chunk)) {
	c := f.chunk
	if last := len(c.Columns) - 1; f.ID {
		c.ID, c.Columns = c.Columns[last], c.Columns[:last]
	}
	if c.Rows > 0 {
		emit(c)
	}
	f.chunk = f.appender.NewChunk()
}

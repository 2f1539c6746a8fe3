package private

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/transforms/internal/dofn"
	"github.com/dapple-dp/dapple/internal/transforms/internal/fields"
	"github.com/dapple-dp/dapple/internal/transforms/internal/records"
	"github.com/dapple-dp/dapple/internal/transforms/internal/sensitive"
)

// Unreadable is what becomes of a cell that its column cannot use.
type Unreadable uint8

const (
	// DeclaredCell maps it to the cell that the domain declares: "other", NULL or the fallback. Nothing reports that
	// it happened.
	DeclaredCell Unreadable = iota
	// FailWithPosition ends the run with the position of such a cell, never its value. That the run
	// fails depends on private data: it is for the data owner's own eyes.
	FailWithPosition
)

// EncodeParams configures Encode. Zero fields mean their defaults.
type EncodeParams struct{ Unreadable Unreadable }

// Encode turns records into codes of d, of a domain with Events into the codes of the records alone. The elements of col are *domain.Chunk, structs or pointers to
// structs; fields belong to columns by a `dapple:"name"` tag, else by `beam:"name"`, else by name.
//
// A field may be a pointer to a value, or a struct of a value and Valid, such as sql.Null[int64] or bigquery.NullString: nil and
// what is not Valid are NULL.
//
// The privacy ID is a field of text or whole numbers, or a pointer to one; distinct values are distinct units. A
// record whose privacy ID is an empty text or nil belongs to no unit, and Bound drops it. A field of numbers that is
// not a pointer always has an ID: 0 is a person, and all records whose field was never set belong to that person. Use
// a pointer if IDs can be missing.
//
// It panics if d is invalid and if ValidateStruct fails, and if people without rows exist: EncodePeople is for those.
func Encode(s beam.Scope, col beam.PCollection, d *domain.Domain, p EncodeParams) Coded {
	s = s.Scope("dapple.Encode")
	if err := d.Validate(); err != nil {
		panic(err.Error())
	}
	if d.Events != nil && d.Events.NoRows {
		panic("private: people without rows exist, and come from a table of their own; call EncodePeople")
	}
	return Coded{records: encode(s, col, formOf(d, wholeRecord), p), domain: d}
}

// EncodePeople is Encode for a domain in which people without rows exist. They come from a table of their own: people
// has the privacy ID and the columns of a person, rows the privacy ID and the other columns. A person who is there twice
// has the columns of one of the two records. It panics as Encode does, and if every person has a row.
func EncodePeople(s beam.Scope, people, rows beam.PCollection, d *domain.Domain, p EncodeParams) Coded {
	s = s.Scope("dapple.EncodePeople")
	if err := d.Validate(); err != nil {
		panic(err.Error())
	}
	if d.Events == nil || !d.Events.NoRows {
		panic("private: EncodePeople is for domains in which people without rows exist; call Encode")
	}
	a, b := encode(s, people, formOf(d, peopleTable), p), encode(s, rows, formOf(d, rowsTable), p)
	all := beam.Flatten(s, sensitive.Reveal(a), sensitive.Reveal(b))
	return Coded{records: sensitive.Join(a, b, all), domain: d}
}

// encode encodes one table.
func encode(s beam.Scope, col beam.PCollection, f form, p EncodeParams) sensitive.Collection {
	if err := ValidateCollection(col); err != nil {
		panic(err.Error())
	}
	t := col.Type().Type()
	if t == reflect.TypeFor[*domain.Chunk]() {
		return sensitive.Hide(sourcesOf(s, col, &f.Public.Domain), beam.ParDo(s, &encodeChunksFn{Form: f, Unreadable: p.Unreadable}, col))
	}
	if typex.IsComposite(t) {
		panic("private: Encode takes chunks or structs, not key-value pairs")
	}
	read, _ := f.open()
	if err := ValidateStruct(t, read); err != nil {
		panic(err.Error())
	}
	fn := &encodeStructsFn{Form: f, Type: beam.EncodedType{T: t}, Unreadable: p.Unreadable}
	return sensitive.Hide(sourcesOf(s, col, &f.Public.Domain), beam.ParDo(s, fn, col))
}

// ValidateCollection refuses records that do not form one table: in windows of time, or unbounded. A release of each
// window would spend ε and δ again on the same people.
func ValidateCollection(col beam.PCollection) error {
	if w := col.WindowingStrategy().Fn; w.Kind != window.GlobalWindows {
		return fmt.Errorf("private: the records are in windows (%v), and a table is released as a whole: each window would spend ε and δ again. "+
			"Put them in the global window, by beam.WindowInto(s, window.NewGlobalWindows(), records), if they end", w)
	}
	if strings.HasSuffix(col.String(), unbounded) { // Beam has no other way to ask
		return errors.New("private: the records have no end, and a table is released as a whole. Read a bounded source: files, a table, or the part of a stream that was stored")
	}
	return nil
}

// unbounded is the end of Beam's text for an unbounded collection.
const unbounded = ":unbounded}"

// ValidateStruct lists all columns of d, and its privacy ID, that no field of t can hold. t is a struct type or a
// pointer to one.
func ValidateStruct(t reflect.Type, d *domain.Domain) error {
	if _, err := fields.Input(t, d.Recorded()); err != nil {
		return fmt.Errorf("private: %v does not match the domain:\n%w", t, err)
	}
	return nil
}

func init() {
	dofn.Register[encodeChunksFn](
		dofn.Method0x1("Setup", (*encodeChunksFn).Setup),
		dofn.Method2x1("ProcessElement", (*encodeChunksFn).ProcessElement),
	)
	dofn.Register[encodeStructsFn](
		dofn.Method0x1("Setup", (*encodeStructsFn).Setup),
		dofn.Method1x1("StartBundle", (*encodeStructsFn).StartBundle),
		dofn.Method2x1("ProcessElement", (*encodeStructsFn).ProcessElement),
		dofn.Method1x1("FinishBundle", (*encodeStructsFn).FinishBundle),
	)
	register.Emitter1[*records.Batch]()
}

// encodeChunksFn encodes chunks, each into one batch.
type encodeChunksFn struct {
	Form       form
	Unreadable Unreadable

	domain  *domain.Domain
	encoder *domain.Encoder
	packer  *packer
	codes   []domain.Code
}

func (f *encodeChunksFn) Setup() error {
	f.domain, f.packer = f.Form.open()
	f.encoder = domain.NewEncoder(f.domain)
	return nil
}

func (f *encodeChunksFn) ProcessElement(c *domain.Chunk, emit func(*records.Batch)) error {
	if c.Rows == 0 {
		return nil
	}
	if n := c.Rows * f.domain.Len(); n > len(f.codes) {
		f.codes = make([]domain.Code, n)
	}
	codes := f.codes[:c.Rows*f.domain.Len()]
	if row, attr, ok := f.encoder.EncodeStrict(c, codes); !ok && f.Unreadable == FailWithPosition {
		return position(c, row, f.domain.Attributes[attr].Name)
	}
	b := &records.Batch{N: c.Rows, Rows: f.packer.pack(make([]byte, 0, c.Rows*f.packer.layout.Width()), codes)}
	if f.domain.PrivacyID != "" {
		if err := addIDs(b, &c.ID); err != nil {
			return err
		}
	}
	emit(b)
	return nil
}

// position returns the position of an unusable cell, and nothing about its content.
func position(c *domain.Chunk, row int, column string) error {
	if c.Lines != nil {
		return fmt.Errorf("private: %s line %d: column %q cannot be used as it is", c.Source, c.Lines[row], column)
	}
	return fmt.Errorf("private: %s: column %q cannot be used as it is", c.Source, column)
}

// addIDs appends the privacy IDs of a chunk, as text in all forms. A NULL is an empty ID, and so is NaN, which marks
// a missing number in a column without NULL: as an ID it would make one person of many.
func addIDs(b *records.Batch, ids *domain.Column) error {
	b.HasID, b.IDEnds = true, make([]uint32, b.N)
	switch {
	case ids.Form == domain.Absent:
		return errors.New("private: the domain names a privacy ID, and the source delivers none")
	case ids.Form == domain.Text && ids.Nulls == nil:
		start := ids.Offsets[0]
		b.IDs = ids.Bytes[start:ids.Offsets[b.N]] // shared: neither is changed from here on
		for i, end := range ids.Offsets[1 : b.N+1] {
			b.IDEnds[i] = end - start
		}
		return nil
	}
	b.IDs = make([]byte, 0, 12*b.N)
	for i := range b.N {
		if !ids.Null(i) {
			b.IDs = appendID(b.IDs, ids, i)
		}
		b.IDEnds[i] = uint32(len(b.IDs))
	}
	return nil
}

// appendID appends cell i as text: equal numbers as equal texts, NaN as the empty text.
func appendID(dst []byte, ids *domain.Column, i int) []byte {
	switch ids.Form {
	case domain.Ints:
		return strconv.AppendInt(dst, ids.Ints[i], 10)
	case domain.Floats:
		switch x := ids.Floats[i]; {
		case math.IsNaN(x):
			return dst
		case x == 0:
			return append(dst, '0') // also of −0
		default:
			return domain.AppendFloat(dst, x)
		}
	case domain.Dictionary:
		return append(dst, ids.Dict[ids.Ints[i]]...)
	}
	return append(dst, ids.Text(i)...)
}

// encodeStructsFn encodes users' structs, some thousand to a batch.
type encodeStructsFn struct {
	Form       form
	Type       beam.EncodedType
	Unreadable Unreadable

	domain *domain.Domain
	reader *fields.Reader
	packer *packer
	codes  []domain.Code
	id     []byte
	batch  *records.Batch
}

func (f *encodeStructsFn) Setup() error {
	f.domain, f.packer = f.Form.open()
	m, err := fields.Input(f.Type.T, f.domain)
	if err != nil {
		return fmt.Errorf("private: %w", err)
	}
	f.reader = m.NewReader(f.domain)
	return nil
}

func (f *encodeStructsFn) StartBundle(func(*records.Batch)) error {
	f.batch = f.newBatch()
	return nil
}

func (f *encodeStructsFn) newBatch() *records.Batch {
	b := &records.Batch{Rows: make([]byte, 0, records.BatchRows*f.packer.layout.Width())}
	if f.domain.PrivacyID != "" {
		b.HasID, b.IDEnds = true, make([]uint32, 0, records.BatchRows)
	}
	return b
}

func (f *encodeStructsFn) ProcessElement(record beam.T, emit func(*records.Batch)) error {
	var bad int
	f.codes, f.id, bad = f.reader.Read(record, f.codes[:0], f.id[:0])
	if bad >= 0 && f.Unreadable == FailWithPosition {
		return fmt.Errorf("private: a record's column %q cannot be used as it is", f.domain.Attributes[bad].Name)
	}
	f.batch.Rows = f.packer.pack(f.batch.Rows, f.codes)
	if f.batch.HasID {
		f.batch.AddID(f.id)
	}
	if f.batch.N++; f.batch.N == records.BatchRows {
		emit(f.batch)
		f.batch = f.newBatch()
	}
	return nil
}

func (f *encodeStructsFn) FinishBundle(emit func(*records.Batch)) error {
	if f.batch.N > 0 {
		emit(f.batch)
	}
	f.batch = nil
	return nil
}

// Coded is a collection of coded records, with their privacy IDs if the domain has one. Only Encode
// makes one.
type Coded struct {
	records sensitive.Collection // of *records.Batch
	domain  *domain.Domain
}

// Domain returns the domain that the records are coded in.
func (c Coded) Domain() *domain.Domain { return c.domain }

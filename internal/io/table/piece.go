package table

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"path"
	"reflect"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/state"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
)

// Piece is a piece of work: every Of-th chunk of a file, or of one of the groups that it is cut into, from number Part on.
// All of it is public.
type Piece struct {
	File          files.Info
	Group, Groups int
	Part, Of      int
}

// pieceBytes is how many bytes of decoded records a piece should have at most, if pieces are read apart.
const pieceBytes = 128 << 20

// decoded returns about how many bytes the records of a file have at most when they are decoded, by its name.
func decoded(f files.Info) int64 {
	switch strings.ToLower(path.Ext(f.Name)) {
	case ".gz", ".zst":
		return 16 * f.Size
	case ".parquet", ".avro", ".arrow", ".feather", ".ipc":
		return 4 * f.Size
	}
	return f.Size
}

// DecodedBytes returns about how many bytes the records have at most when they are decoded: more than Bytes if files
// are compressed.
func (t *Files) DecodedBytes() (n int64) {
	for _, f := range t.Files {
		n += decoded(f)
	}
	return n
}

// mostParts bounds how often a file is read.
const mostParts = 256

// Parts returns the parts of a file, or of a row group of it, that has so many bytes when it is decoded.
func (p Piece) Parts(bytes int64) []Piece {
	p.Of = int(min(max(1, (bytes+pieceBytes-1)/pieceBytes), mostParts))
	list := make([]Piece, p.Of)
	for i := range list {
		list[i] = p
		list[i].Part = i
	}
	return list
}

// Take returns a yield that passes on the chunks of p alone.
func (p Piece) Take(yield func(*domain.Chunk) error) func(*domain.Chunk) error {
	n := -1
	return func(c *domain.Chunk) error {
		if n++; n%max(p.Of, 1) != p.Part {
			return nil
		}
		return yield(c)
	}
}

// Apart spreads pieces over workers, each in a bundle of its own. Beam's runners in Java make one bundle of all that a
// worker is given, and hold up to a hundred messages that a bundle sends until it has ended. What sends more waits for
// ever. Only to a step with state they give one key at a time.
func Apart(s beam.Scope, pieces beam.PCollection) beam.PCollection {
	return beam.ParDo(s, &apartFn{Seen: state.MakeValueState[bool]("seen")}, beam.ParDo(s, keyPiece, pieces))
}

func init() {
	register.Function1x2(keyPiece)
	register.Emitter1[Piece]()
	register.Emitter1[*domain.Chunk]()
	beam.RegisterType(reflect.TypeFor[files.Info]())
	beam.RegisterType(reflect.TypeFor[Piece]())
	// One call per piece: wrappers that save microseconds would add 6 MB to the binary.
	beam.RegisterDoFn(reflect.TypeFor[apartFn]())
	beam.RegisterDoFn(reflect.TypeFor[piecesFn]())
	beam.RegisterDoFn(reflect.TypeFor[readPieceFn]())
}

// keyPiece returns a key that is the same whenever a step is tried again. Two pieces of one key would be in one bundle.
func keyPiece(p Piece) (int64, Piece) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(p.File.Name)) // never fails
	for _, n := range []int{p.Group, p.Part} {
		_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, uint64(n)))
	}
	return int64(h.Sum64()), p
}

// apartFn passes pieces on. It declares a state and has no use for it.
type apartFn struct{ Seen state.Value[bool] }

func (f *apartFn) ProcessElement(_ state.Provider, _ int64, p Piece, emit func(Piece)) { emit(p) }

// piecesFn emits the pieces of files, where the data is: a table of contents may have to be read.
type piecesFn struct {
	Format string
	Apart  bool // a piece has pieceBytes at most
}

func (fn *piecesFn) ProcessElement(ctx context.Context, f files.Info, emit func(Piece)) error {
	format, err := registered(fn.Format)
	if err != nil {
		return err
	}
	p := Piece{File: f, Groups: 1}
	if format.Parts != nil {
		if p.Groups, err = format.Parts(ctx, f); err != nil {
			return err
		}
	}
	bytes := int64(0)
	if fn.Apart {
		bytes = decoded(f) / int64(max(p.Groups, 1))
	}
	for ; p.Group < p.Groups; p.Group++ {
		for _, part := range p.Parts(bytes) {
			emit(part)
		}
	}
	return nil
}

func registered(format string) (*Format, error) {
	f, known := FormatOf(format)
	if !known {
		return nil, fmt.Errorf("table: no format %q in this worker; is it built like the program that launched the run?", format)
	}
	return f, nil
}

// readPieceFn reads pieces of files.
type readPieceFn struct {
	Format string
	Domain domain.Domain
	Form   schema.CSV

	Input      string   // of files in partitions
	Partitions []string // their columns
}

func (fn *readPieceFn) ProcessElement(ctx context.Context, p Piece, emit func(*domain.Chunk)) error {
	f, err := registered(fn.Format)
	if err != nil {
		return err
	}
	d, yield := inFiles(&fn.Domain, fn.Partitions), func(c *domain.Chunk) error {
		emit(c)
		return ctx.Err()
	}
	if len(fn.Partitions) > 0 {
		yield = withPartitions(fn.Input, p.File.Name, &fn.Domain, yield)
	}
	if f.EachPart == nil {
		return f.Each(ctx, p.File, d, fn.Form, p.Take(yield))
	}
	return f.EachPart(ctx, p.File, p.Group, p.Groups, d, fn.Form, p.Take(yield))
}

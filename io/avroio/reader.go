package avroio

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/columns"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
)

func init() {
	table.RegisterFormat(table.Format{
		Name: "avro", Extensions: []string{".avro"},
		Check: check, Describe: describe,
		Parts:    func(_ context.Context, f files.Info) (int, error) { return table.PartsBySize(f), nil },
		EachPart: eachPart,
		Instead:  "write Parquet, and convert it: python3 -c \"import polars; polars.read_parquet('DIRECTORY/*.parquet').write_avro('rows.avro')\"",
	})
}

// withFile opens a file and reads its header.
func withFile(ctx context.Context, f files.Info, read func(src files.File, size int64, h *header) error) (err error) {
	src, f, err := files.OpenAt(ctx, f)
	if err != nil {
		return fmt.Errorf("avroio: %w", err)
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	h, err := readHeader(io.NewSectionReader(src, 0, f.Size))
	if err != nil {
		return fmt.Errorf("avroio: %s: %w", f.Name, err)
	}
	return read(src, f.Size, &h)
}

// check compares the schemas of files with d, and reads no record.
func check(ctx context.Context, list []files.Info, d *domain.Domain, _ schema.CSV) error {
	var errs errtext.Errors
	for _, f := range list {
		errs.Add(withFile(ctx, f, func(_ files.File, _ int64, h *header) error {
			_, err := newReader(f.Name, h, d)
			return err
		}))
	}
	return errs.Err()
}

// describe returns the fields of a file's schema.
func describe(ctx context.Context, f files.Info, _ schema.CSV) (list []table.Column, form schema.CSV, err error) {
	err = withFile(ctx, f, func(_ files.File, _ int64, h *header) error {
		_, s := fieldsOf(h, "")
		list = columns.Describe(s)
		return nil
	})
	return list, form, err
}

const (
	batchRows  = 1 << 14
	batchBytes = 4 << 20 // a batch with longer texts ends early
)

// reader reads the records of blocks as batches.
type reader struct {
	*columns.Reader
	name   string
	fields []field
	builds []array.Builder // of each field; nil: it is passed over
	blocks *blocks
	in     input
	left   int64 // records of the block
}

// newReader finds the columns of d in a file, and lists all mismatches at once.
func newReader(name string, h *header, d *domain.Domain) (*reader, error) {
	fields, s := fieldsOf(h, d.PrivacyID)
	found, err := columns.NewReader("avroio", name, s, d)
	if err != nil {
		return nil, err
	}
	r := &reader{Reader: found, name: name, fields: fields, builds: make([]array.Builder, len(fields))}
	for _, i := range found.Fields() {
		r.builds[i] = array.NewBuilder(memory.DefaultAllocator, fields[i].typ)
	}
	return r, nil
}

// eachPart reads the blocks that begin in a part of a file. Every chunk is a new one.
func eachPart(ctx context.Context, f files.Info, part, of int, d *domain.Domain, _ schema.CSV, yield func(*domain.Chunk) error) error {
	return withFile(ctx, f, func(src files.File, size int64, h *header) error {
		r, err := newReader(f.Name, h, d)
		if err != nil {
			return err
		}
		from, to := table.PartRange(size, part, of)
		r.blocks, err = newBlocks(func(at int64) io.Reader { return io.NewSectionReader(src, at, size-at) }, h, from, to)
		for err == nil {
			rows := 0
			if rows, err = r.batch(); err != nil || rows == 0 {
				break
			}
			cells := make([]arrow.Array, 0, len(r.Fields()))
			for _, i := range r.Fields() {
				cells = append(cells, r.builds[i].NewArray())
			}
			if err := r.Chunks(rows, cells, "avroio: "+f.Name, yield); err != nil {
				return err
			}
		}
		if err != nil {
			return fmt.Errorf("avroio: %s: %w", f.Name, err)
		}
		return nil
	})
}

// batch reads the next records into the builders; 0: there are none.
func (r *reader) batch() (rows int, err error) {
	for begin := r.in.taken; rows < batchRows && r.in.taken-begin < batchBytes; rows++ {
		if err := r.turn(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return 0, err
		}
		before := r.in.taken
		r.record()
		if r.in.Error != nil || r.in.taken == before { // a record of a table takes a byte, for a union or a value
			return 0, r.blocks.in.damaged()
		}
		if r.left--; r.left == 0 {
			if err := r.end(); err != nil {
				return 0, err
			}
		}
	}
	return rows, nil
}

// turn turns to the next block that has records, if the last one has no more.
func (r *reader) turn() error {
	for r.left == 0 {
		n, data, err := r.blocks.next()
		if err != nil {
			return err
		}
		r.in.turn(data)
		if r.left = n; n == 0 {
			if err := r.end(); err != nil {
				return err
			}
		}
	}
	return nil
}

// end turns from a block all of whose records were read.
func (r *reader) end() error {
	if !r.in.ended() {
		return r.blocks.in.damaged()
	}
	return r.blocks.end()
}

// record appends a record to the builders.
func (r *reader) record() {
	for i := range r.fields {
		f, to := &r.fields[i], r.builds[i]
		if to == nil {
			r.in.pass(f.whole, 0)
			continue
		}
		null := false
		if f.union > 0 {
			branch := r.in.long()
			if branch < 0 || branch >= int64(f.union) {
				r.in.fail()
			}
			null = branch == int64(f.null)
		}
		if null {
			to.AppendNull()
		} else {
			f.read(&r.in, to)
		}
	}
}

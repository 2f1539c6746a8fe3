package jsonio

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/lines"
	"github.com/dapple-dp/dapple/internal/io/packed"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
)

func init() {
	endings := []string{".jsonl", ".ndjson", ".json"}
	for _, e := range endings[:3:3] {
		endings = append(endings, e+".gz", e+".zst")
	}
	table.RegisterFormat(table.Format{
		Name: "jsonl", Extensions: endings, Text: true, Unnamed: true,
		Check: check, Advise: advise, Describe: describe,
		Parts: parts, EachPart: eachPart,
		NewWriter: func(w io.Writer, d *domain.Domain, _ string) (table.RowWriter, error) { return newWriter(w, d), nil },
	})
}

// parts cuts a file by its size, which is public, if it is read as it is.
func parts(_ context.Context, f files.Info) (int, error) {
	if packed.Is(f.Name) || f.Once {
		return 1, nil
	}
	return table.PartsBySize(f), nil
}

// eachPart reads the records that begin in a part of a file. Every chunk is a new one.
func eachPart(ctx context.Context, f files.Info, part, of int, d *domain.Domain, form schema.CSV, yield func(*domain.Chunk) error) (err error) {
	in, src, err := open(ctx, f, part, of)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	r := newReader(in, f.Name, d, form)
	r.numbered = part == 0
	return table.EachChunk(r.read, yield)
}

// open opens a part of a file.
func open(ctx context.Context, f files.Info, part, of int) (*lines.Reader, io.Closer, error) {
	if of == 1 {
		src, err := files.Open(ctx, f)
		if err != nil {
			return nil, nil, fmt.Errorf("jsonio: %w", err)
		}
		in, err := begin(src, f.Name)
		if err != nil {
			return nil, nil, errors.Join(err, src.Close())
		}
		return in, src, nil
	}
	src, f, err := files.OpenAt(ctx, f)
	if err != nil {
		return nil, nil, fmt.Errorf("jsonio: %w", err)
	}
	from, to := table.PartRange(f.Size, part, of)
	if part == 0 {
		in, err := begin(io.NewSectionReader(src, 0, f.Size), f.Name)
		if err != nil {
			return nil, nil, errors.Join(err, src.Close())
		}
		in.End = to
		return in, src, nil
	}
	// The line that the byte before the part is in belongs to an earlier part.
	in := lines.New(io.NewSectionReader(src, from-1, f.Size-from+1))
	in.At, in.End = from-1, to
	in.Skip()
	return in, src, nil
}

// check opens files that can be read more than once, and looks at no record of them.
func check(ctx context.Context, list []files.Info, _ *domain.Domain, _ schema.CSV) error {
	var errs errtext.Errors
	for _, f := range list {
		if f.Once {
			continue
		}
		ctx, cancel := context.WithCancel(ctx)
		_, src, err := open(ctx, f, 0, 1)
		cancel() // ends the transfer of an object
		errs.Add(err)
		if err == nil {
			_ = src.Close() // only read from
		}
	}
	return errs.Err()
}

package csvio

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/io/schema"
)

func init() {
	register.Function3x1(readFile)
	register.Emitter1[*domain.Chunk]()
}

// readTask is one file to read: an element of the source. All of it is public.
type readTask struct {
	File   files.Info
	Domain domain.Domain
	CSV    schema.CSV
}

// Read returns the records of CSV files as *domain.Chunk. One file is one element of work, since a
// quoted cell may hold line ends. A file that is not as its Info says when it is read ends the run.
func Read(s beam.Scope, list []files.Info, d *domain.Domain, opts schema.CSV) beam.PCollection {
	s = s.Scope("csvio.Read")
	tasks := make([]string, len(list))
	for i, file := range list {
		b, err := json.Marshal(readTask{File: file, Domain: *d, CSV: opts})
		if err != nil {
			panic("csv: a task is plain data and always marshals")
		}
		tasks[i] = string(b)
	}
	return beam.ParDo(s, readFile, beam.Reshuffle(s, beam.CreateList(s, tasks)))
}

func readFile(ctx context.Context, task string, emit func(*domain.Chunk)) error {
	var t readTask
	if err := json.Unmarshal([]byte(task), &t); err != nil {
		return fmt.Errorf("csv: task: %w", err)
	}
	return EachInfo(ctx, t.File, &t.Domain, t.CSV, func(c *domain.Chunk) error {
		emit(c)
		return ctx.Err()
	})
}

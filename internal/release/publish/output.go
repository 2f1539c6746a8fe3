// Package publish writes the rows of a release to a table, and beside them statement, model, marginals and report.
package publish

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/kit/wire"
	"github.com/dapple-dp/dapple/internal/model/dry"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/model/relation"
	"github.com/dapple-dp/dapple/internal/release/report"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// Output is the target of the rows of one release, with the description of what goes with them. Its exported fields are
// plain data, from which workers make it anew by Open.
type Output struct {
	Target table.Target
	Description
	Again bool       // rows of a model whose files are in the release directory: they stay, and the statement names the new rows
	Sink  table.Sink `json:"-"`
}

// Open makes the sink of the target.
func (o *Output) Open() {
	o.Target.Domain, o.Target.People = Tables(&o.Public.Domain, o.Tables)
	o.Sink = table.OpenSink(o.Target)
}

// Encode returns an output, or a struct that has one, as the text from which workers make it. Open takes the columns of its
// target from the public frame.
func Encode(o any, t *table.Target) string {
	rows, people := t.Domain, t.People
	t.Domain, t.People = nil, nil
	text := wire.JSON(o)
	t.Domain, t.People = rows, people
	return string(text)
}

// Decode returns the open output that Encode wrote.
func Decode(config string) (*Output, error) {
	var o Output
	if err := json.Unmarshal([]byte(config), &o); err != nil {
		return nil, fmt.Errorf("publish: %w", err)
	}
	o.Open()
	return &o, nil
}

// Create begins a shard.
func (o *Output) Create(ctx context.Context, shard, shards int) (synth.ShardWriter, error) {
	return o.Sink.Create(ctx, shard, shards)
}

// Publish makes the rows visible, and what was released with them.
func (o *Output) Publish(ctx context.Context, files []synth.FileRef, a *synth.Artifact) (synth.Published, error) {
	if a.Method == dry.Method {
		o.Target.Note = dry.Note
		o.Sink = table.OpenSink(o.Target)
	}
	r, err := o.Release(files, a)
	if err != nil {
		return synth.Published{}, err
	}
	return o.Sink.Publish(ctx, files, r)
}

// Release returns what is published with the rows in files.
func (o *Output) Release(files []synth.FileRef, a *synth.Artifact) (r table.Release, err error) {
	r.Model = Fingerprint(a.Result.Model)
	if o.Again {
		r.Files, err = restated(ReleaseDir(o.Target), o.Target.Rows(files))
		return r, err
	}
	if o.Describe {
		r.Files, err = o.Files(a, o.Target.Rows(files))
	}
	return r, err
}

// ReleaseDir is the directory of everything but the rows; empty: nothing but rows is written.
func ReleaseDir(t table.Target) string {
	if _, placed := table.PlaceOf(t.Output); placed || t.Release != "" {
		return t.Release
	}
	dir, _ := dirsink.Beside(t.Output) // a target without one is refused
	return dir
}

// RowsAt returns the location of the rows and their format for the statement: of a local directory only its name.
func RowsAt(output, format string) (at, inFormat string) {
	_, placed := table.PlaceOf(output)
	switch {
	case placed:
		return output, ""
	case files.Remote(output):
		return files.Clean(output), format
	}
	if abs, err := filepath.Abs(output); err == nil {
		output = abs
	}
	return filepath.Base(output), format
}

// Fingerprint names a model.
func Fingerprint(m *population.Model) string {
	sum := m.Fingerprint()
	return hex.EncodeToString(sum[:])
}

// Tables returns the columns of the table of rows, and of the table of people if there are to be two.
func Tables(d *domain.Domain, two bool) (rows, people *domain.Domain) {
	if !two {
		return d.Written(), nil
	}
	ofPeople, ofRows := relation.Tables(d)
	return ofRows.Domain, ofPeople.Domain
}

// DefaultShards is how many files a large table has.
const DefaultShards = 8

// fileCells is how many cells, rows times columns, are worth a file of their own: about 15 MB of Parquet.
const fileCells = 1 << 22

// Shards returns how many files are written: as many as were asked for, or one, and up to DefaultShards of
// at least minRows rows.
func Shards(asked int, d *domain.Domain) (shards int, minRows int64) {
	if asked > 0 {
		return asked, 0
	}
	return DefaultShards, int64(max(1, fileCells/d.Written().Len()))
}

// restated returns the released files of a directory for other rows of its model: the statement names them, and all else stays.
func restated(dir string, rows int64) (list []dirsink.Released, err error) {
	ctx := context.Background() // a publication that has begun goes to its end
	o, err := dirsink.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	for _, f := range o.Released {
		if err := o.CheckReleased(ctx, f.Name); err != nil {
			return nil, err
		}
		text, err := files.ReadAll(ctx, files.Join(o.Release, f.Name), math.MaxInt64-1)
		if err != nil {
			return nil, err
		}
		if f.Name != PrivacyFile {
			list = append(list, dirsink.Content(f.Name, text))
			continue
		}
		p, err := report.ParsePrivacy(text)
		if err != nil {
			return nil, err
		}
		p.Rows = rows
		list = append(list, stated(p))
	}
	return list, nil
}

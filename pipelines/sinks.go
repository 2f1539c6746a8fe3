package pipelines

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/release/dirsink"
	"github.com/dapple-dp/dapple/io/table"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// sinkKind is the name under which workers find the sink: DoFns cannot carry it.
const sinkKind = "table"

func init() {
	synth.RegisterSink(sinkKind, func(config string) (synth.Sink, error) {
		var o output
		if err := json.Unmarshal([]byte(config), &o); err != nil {
			return nil, fmt.Errorf("pipelines: sink: %w", err)
		}
		o.open()
		return &o, nil
	})
}

// ref returns the form in which a DoFn carries the sink.
func (o *output) ref() synth.SinkRef {
	plain := *o
	plain.Target.Domain, plain.Target.People = nil, nil // open takes them from the public frame
	b, err := json.Marshal(plain)
	if err != nil {
		panic("pipelines: an output is plain data and always marshals")
	}
	return synth.SinkRef{Kind: sinkKind, Config: string(b)}
}

// Create begins a shard, unless the run has been stopped.
func (o *output) Create(ctx context.Context, shard, shards int) (synth.ShardWriter, error) {
	done, err := mayPublish(ctx, o.run(), o.StopDir)
	if err != nil {
		return nil, err
	}
	defer done()
	s, err := o.sink.Create(ctx, shard, shards)
	if err != nil {
		return nil, err
	}
	return &shardWriter{s, func() (func(), error) { return mayPublish(ctx, o.run(), o.StopDir) }}, nil
}

// shardWriter is a shard of a run that can be stopped.
type shardWriter struct {
	table.Shard
	may func() (done func(), err error) // whether a shard may be made
}

// Commit makes the shard, unless the run has been stopped: nobody would remove it any more.
func (w *shardWriter) Commit() (synth.FileRef, error) {
	done, err := w.may()
	if err != nil {
		w.Abort()
		return synth.FileRef{}, err
	}
	defer done()
	return w.Shard.Commit()
}

// Publish makes the rows visible, and what was released with them.
func (o *output) Publish(ctx context.Context, files []synth.FileRef, a *synth.Artifact) (synth.Published, error) {
	done, err := beginPublication(ctx, o.run(), o.StopDir)
	if err != nil {
		return synth.Published{}, err
	}
	defer done()
	release := table.Release{Model: fingerprint(a.Result.Model)}
	if o.Describe {
		if release.Files, err = describe(&o.description, a, o.Target.Rows(files), files[0].Merged); err != nil {
			return synth.Published{}, err
		}
	}
	var statement bytes.Buffer
	for i, f := range release.Files {
		if f.Name == privacyFile {
			release.Files[i].Write = func(w io.Writer, before []dirsink.File) error {
				statement.Reset()
				return f.Write(io.MultiWriter(w, &statement), before)
			}
		}
	}
	p, err := o.sink.Publish(ctx, files, release)
	if v, ok := publishLocks.Load(o.run()); ok && err == nil && !isTable(o.Target.Output) {
		v.(*publishLock).done.CompareAndSwap(nil, &outcome{table.Written{Published: p, Release: o.releaseDir()}, statement.Bytes()})
	}
	return p, err
}

// releaseDir is the directory of everything but the rows.
func (o *output) releaseDir() string {
	if o.Target.Release != "" || isTable(o.Target.Output) {
		return o.Target.Release
	}
	dir, _ := dirsink.Beside(o.Target.Output) // a request without one was refused
	return dir
}

// fingerprint names a model.
func fingerprint(m *population.Model) string {
	sum := m.Fingerprint()
	return hex.EncodeToString(sum[:])
}

// fileCells is how many cells, rows times columns, are worth a file of their own: about 15 MB of Parquet.
const fileCells = 1 << 22

// shardsOf returns how many files are written: as many as were asked for, or one, and up to DefaultShards of
// at least minRows rows.
func shardsOf(asked int, d *domain.Domain) (shards int, minRows int64) {
	if asked > 0 {
		return asked, 0
	}
	return DefaultShards, int64(max(1, fileCells/d.Written().Len()))
}

// fieldFault returns an error of a sink as a fault of the flag that its field has.
func fieldFault(err error) Fault {
	flags := map[string]string{"Output": "--output", "Write": "--write", "Release": "--release", "Stage": "--temp_location"}
	f := Fault{Where: "--output", What: tableError(err)}
	if of, ok := errors.AsType[*table.FieldError](err); ok {
		f.Where, f.Fix = flags[of.Field], of.Fix
	}
	return f
}

package pipelines

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/dapple-dp/dapple/internal/release/dirsink"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/io/table"
	"github.com/dapple-dp/dapple/pipelines/internal/run"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// sinkKind is the name under which workers find the sink: DoFns cannot carry it.
const sinkKind = "run"

func init() {
	synth.RegisterSink(sinkKind, func(config string) (synth.Sink, error) {
		var o output
		if err := json.Unmarshal([]byte(config), &o); err != nil {
			return nil, fmt.Errorf("pipelines: sink: %w", err)
		}
		o.opened()
		return &o, nil
	})
}

// ref returns the form in which a DoFn carries the sink.
func (o *output) ref() synth.SinkRef {
	return synth.SinkRef{Kind: sinkKind, Config: publish.Encode(o, &o.Target)}
}

// Create begins a shard, unless the run has been stopped.
func (o *output) Create(ctx context.Context, shard, shards int) (synth.ShardWriter, error) {
	done, err := run.MayPublish(ctx, o.run(), o.StopDir)
	if err != nil {
		return nil, err
	}
	defer done()
	s, err := o.Sink.Create(ctx, shard, shards)
	if err != nil {
		return nil, err
	}
	return &shardWriter{s, func() (func(), error) { return run.MayPublish(ctx, o.run(), o.StopDir) }}, nil
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
	done, err := run.BeginPublication(ctx, o.run(), o.StopDir)
	if err != nil {
		return synth.Published{}, err
	}
	defer done()
	ctx = context.WithoutCancel(ctx) // a run that is told to stop waits for its end
	release, err := o.Release(files, a)
	if err != nil {
		return synth.Published{}, err
	}
	var statement bytes.Buffer
	for i, f := range release.Files {
		if f.Name == publish.PrivacyFile {
			release.Files[i].Write = func(w io.Writer, before []dirsink.File) error {
				statement.Reset()
				return f.Write(io.MultiWriter(w, &statement), before)
			}
		}
	}
	p, err := o.Sink.Publish(ctx, files, release)
	if err == nil && !isTable(o.Target.Output) {
		run.Published(o.run(), run.Outcome{Written: table.Written{Published: p, Release: publish.ReleaseDir(o.Target)}, Statement: statement.Bytes()})
	}
	return p, err
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

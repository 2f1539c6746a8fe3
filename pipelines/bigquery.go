package pipelines

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"github.com/dapple-dp/dapple/internal/dirsink"
	"github.com/dapple-dp/dapple/internal/report"
	"github.com/dapple-dp/dapple/io/bigqueryio"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/solver/population"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// tableKind is the name under which workers find the sink.
const tableKind = "bigquery"

func init() {
	synth.RegisterSink(tableKind, func(config string) (synth.Sink, error) {
		var t loadedTable
		if err := json.Unmarshal([]byte(config), &t); err != nil {
			return nil, fmt.Errorf("pipelines: BigQuery sink: %w", err)
		}
		return &t, nil
	})
}

// loadedTable is a sink of rows in a table of BigQuery: they are staged as files, and one job loads them
// all. What was released with them goes to a directory, before the rows. Its exported fields are plain
// data.
type loadedTable struct {
	Sink    bigqueryio.Sink
	Stage   dirsink.Dir
	Release dirsink.Dir // of no rows; Release empty: nothing is released
	description

	model string // fingerprint of the model; empty: that of the released statement
}

func (t *loadedTable) ref() synth.SinkRef {
	b, err := json.Marshal(t)
	if err != nil {
		panic("pipelines: a table is plain data and always marshals")
	}
	return synth.SinkRef{Kind: tableKind, Config: string(b)}
}

func (t *loadedTable) Create(ctx context.Context, shard, _ int) (synth.ShardWriter, error) {
	done, err := mayPublish(ctx, t.Sink.RunID, t.Gate)
	if err != nil {
		return nil, err
	}
	defer done()
	part, err := t.Stage.Create(ctx, shard)
	if err != nil {
		return nil, err
	}
	w, err := t.Sink.NewWriter(part)
	if err != nil {
		return nil, errors.Join(err, part.Abort())
	}
	return &shardWriter{may: func() (func(), error) { return mayPublish(ctx, t.Sink.RunID, t.Gate) }, part: part, rows: parquetWriter{w}}, nil
}

func (t *loadedTable) Publish(ctx context.Context, written []synth.FileRef, a *synth.Artifact) (synth.Published, error) {
	done, err := beginPublication(ctx, t.Sink.RunID, t.Gate)
	if err != nil {
		return synth.Published{}, err
	}
	defer done()
	rows := rowsOf(written)
	if t.Describe {
		released, err := describe(&t.description, a, rows)
		if err != nil {
			return synth.Published{}, err
		}
		if _, err := t.Release.Publish(ctx, nil, released, nil); err != nil {
			return synth.Published{}, err
		}
	}
	loaded, err := t.Sink.Publish(ctx, bigqueryio.Staged{
		Model: fingerprint(a.Result.Model), Parts: written,
		Remove: func(ctx context.Context) error { return t.Stage.Abandon(ctx) },
	})
	if err != nil {
		return synth.Published{}, err
	}
	if loaded.Left != nil { // the rows are there
		log.Warnf(ctx, "%v", loaded.Left)
	}
	return synth.Published{URI: t.name(), Files: len(written), Rows: rows, Bytes: loaded.Bytes}, nil
}

// fingerprint names a model.
func fingerprint(m *population.Model) string {
	sum := m.Fingerprint()
	return hex.EncodeToString(sum[:])
}

func (t *loadedTable) name() string { return bigqueryio.Scheme + t.Sink.Table.String() }

func (t *loadedTable) run() string { return t.Sink.RunID }

func (t *loadedTable) prepare(ctx context.Context) error {
	if err := t.Sink.Check(ctx); err != nil {
		return Faults{{Where: "--output", What: tableError(err)}}
	}
	if t.Release.Release != "" {
		if err := t.Release.Prepare(ctx); err != nil {
			return Faults{{Where: "--release", What: plainError(err)}}
		}
	}
	if err := t.Stage.Prepare(ctx); err != nil {
		return Faults{{Where: "--temp_location", What: plainError(err)}}
	}
	return nil
}

func (t *loadedTable) hold() (release func(), err error) {
	if t.Release.Release == "" {
		return holdAll(t.Stage)
	}
	return holdAll(t.Release, t.Stage)
}

// loaded looks for the job that has loaded this run's rows.
func (t *loadedTable) loaded(ctx context.Context) (bigqueryio.Loaded, bool, error) {
	model := t.model
	if t.Release.Release != "" {
		p, err := t.statement(ctx)
		if err != nil {
			return bigqueryio.Loaded{}, false, err
		}
		model = p.Hashes.Model
	}
	return t.Sink.Find(ctx, model)
}

// statement reads what this run has released.
func (t *loadedTable) statement(ctx context.Context) (p report.Privacy, err error) {
	m, err := dirsink.Open(ctx, t.Release.Release)
	if err != nil {
		return p, err
	}
	if m.RunID != t.Release.RunID {
		return p, errors.New("pipelines: another run has published there")
	}
	return released(ctx, t.Release.Release)
}

func (t *loadedTable) published(ctx context.Context) bool {
	_, found, err := t.loaded(ctx)
	return err == nil && found
}

// abandon takes nothing back that was released: it is paid for, and rows of it cost nothing more.
func (t *loadedTable) abandon(ctx context.Context) (kept string, err error) {
	if t.Release.Release == "" {
		return "", t.Stage.Abandon(ctx)
	}
	if _, err := t.statement(ctx); err == nil {
		return fmt.Sprintf("staged files are in %s until you remove them; statement and model are in %s, and load at no privacy cost:\n"+
			"dapple sample --model=%s --output=%s", t.Stage.Release, t.Release.Release, files.Join(t.Release.Release, modelFile), t.name()), nil
	}
	return "", errors.Join(t.Stage.Abandon(ctx), t.Release.Abandon(ctx, privacyFile, modelFile, marginalsFile, reportFile))
}

func (t *loadedTable) unfinished() string {
	return fmt.Sprintf("the rows were being loaded: a job whose name begins with dapple_ may end yet; look at %s before the next run\n"+
		"staged files are in %s until you remove them", t.name(), t.Stage.Release)
}

func (t *loadedTable) written(ctx context.Context) (report.Written, error) {
	job, found, err := t.loaded(ctx)
	if err != nil || !found { // the rows are there, whether or not the job can be asked
		job = bigqueryio.Loaded{Rows: -1}
	}
	if job.Rows < 0 && t.RowsAsked > 0 {
		job.Rows = t.RowsAsked
	}
	w := report.Written{Output: t.name(), Release: t.Release.Release, Table: true, Job: job.Job, Rows: job.Rows}
	if w.Release == "" {
		return w, nil
	}
	if o, err := dirsink.Open(ctx, w.Release); err == nil { // the rows are there all the same
		w.Digest = o.SHA256
	}
	return w, nil
}

package bigquery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"
	"time"

	bq "cloud.google.com/go/bigquery"
	"github.com/fsouza/fake-gcs-server/fakestorage"
	"google.golang.org/api/iterator"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/integration/services"
	"github.com/dapple-dp/dapple/internal/io/bigqueryio"
	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// people is a domain of three columns, one with NULL.
func people() domain.Domain {
	return domain.Domain{Attributes: []domain.Attribute{
		{Name: "id", Type: domain.Int64, Cuts: []int64{0, 1 << 20}, Resolution: 1},
		{Name: "sex", Type: domain.String, Values: []string{"F", "M"}, Null: true},
		{Name: "height", Type: domain.Float64, FloatCuts: []float64{0, 3}},
	}}
}

// rows returns rows lo..hi−1 of the table: their ids, with every third sex NULL.
func rows(lo, hi int) *domain.Chunk {
	c := &domain.Chunk{Rows: hi - lo, Columns: make([]domain.Column, 3)}
	c.Columns[1] = domain.Column{Form: domain.Dictionary, Dict: []string{"F", "M"}}
	c.Columns[0].Form, c.Columns[2].Form = domain.Ints, domain.Floats
	for i := lo; i < hi; i++ {
		c.Columns[0].Ints = append(c.Columns[0].Ints, int64(i))
		c.Columns[1].Ints = append(c.Columns[1].Ints, int64(i%2))
		c.Columns[1].Nulls = append(c.Columns[1].Nulls, i%3 == 0)
		c.Columns[2].Floats = append(c.Columns[2].Floats, float64(i)/8)
	}
	return c
}

// rig is an emulator with dataset d in the EU, and a place for staged files.
type rig struct {
	*services.BigQuery
	storage *fakestorage.Server // nil: files are staged on this machine
	staging string
}

const bucket = "staging"

func newRig(t *testing.T, local bool) *rig {
	r := &rig{staging: t.TempDir()}
	url := ""
	if !local {
		r.storage = services.StartStorage(t, bucket)
		url, r.staging = r.storage.URL(), "gs://"+bucket+"/runs"
	}
	r.BigQuery = services.StartBigQuery(t, url)
	r.Dataset(t, "d", "EU")
	return r
}

// sink returns a sink of two shards into table t, through the proxy.
func (r *rig) sink(p *services.Proxy, run string) bigqueryio.Sink {
	return bigqueryio.Sink{
		Client: p.Through(r.BigQuery).Config(), Table: bigqueryio.Table{Project: r.Project, Dataset: "d", Name: "t"},
		Domain: people(), RunID: run, Shards: 2, Deadline: 5 * time.Minute,
	}
}

// dir is where a run's parts are staged.
func (r *rig) dir(s bigqueryio.Sink) dirsink.Dir {
	return dirsink.Dir{Release: r.staging, RunID: s.RunID, Shards: s.Shards, Extension: "parquet"}
}

// stage writes ten rows as an attempt of their own.
func (r *rig) stage(t *testing.T, s bigqueryio.Sink) bigqueryio.Staged {
	t.Helper()
	out := bigqueryio.Staged{Model: "a model", Remove: func(ctx context.Context) error { return r.dir(s).Abandon(ctx) }}
	for shard, c := range []*domain.Chunk{rows(0, 7), rows(7, 10)} {
		part := must.Value(r.dir(s).Create(services.Deadline(t), shard))(t)
		must.Do(t, write(s, part, c))
		ref := must.Value(part.Commit(int64(c.Rows)))(t)
		out.Parts = append(out.Parts, ref)
	}
	return out
}

// write writes one chunk as a part.
func write(s bigqueryio.Sink, part io.Writer, c *domain.Chunk) error {
	w, err := s.NewWriter(part)
	if err == nil {
		err = w.Write(c)
	}
	if err == nil {
		_, err = w.Close()
	}
	return err
}

// left lists the staged files.
func (r *rig) left(t *testing.T) (names []string) {
	t.Helper()
	if r.storage == nil {
		must.Do(t, filepath.WalkDir(r.staging, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && filepath.Ext(path) == ".parquet" {
				names = append(names, path)
			}
			return err
		}))
		return names
	}
	it := r.storage.Client().Bucket(bucket).Objects(services.Deadline(t), nil)
	for {
		o, err := it.Next()
		if errors.Is(err, iterator.Done) {
			return names
		}
		must.Do(t, err)
		names = append(names, o.Name)
	}
}

// expect reads the table and compares it with the ten rows, each as often as said.
func (r *rig) expect(t *testing.T, times int) {
	t.Helper()
	ctx := services.Deadline(t)
	it := must.Value(r.Client(t).Query("SELECT id, IFNULL(sex, '-') AS sex, height FROM `test.d.t` ORDER BY id").Read(ctx))(t)
	var got, want []string
	for {
		var row []bq.Value
		err := it.Next(&row)
		if errors.Is(err, iterator.Done) {
			break
		}
		must.Do(t, err)
		got = append(got, fmt.Sprint(row))
	}
	for i := range 10 * times {
		i /= times
		sex := []string{"F", "M"}[i%2]
		if i%3 == 0 {
			sex = "-"
		}
		want = append(want, fmt.Sprint([]bq.Value{int64(i), sex, float64(i) / 8}))
	}
	must.Hold(t, slices.Equal(got, want), "the table holds %d rows %v, want %d", len(got), got, len(want))
}

package bigquery

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	bq "cloud.google.com/go/bigquery"
	"cloud.google.com/go/storage"
	"github.com/fsouza/fake-gcs-server/fakestorage"
	"google.golang.org/api/iterator"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/integration/services"
	"github.com/dapple-dp/dapple/io/bigqueryio"
	"github.com/dapple-dp/dapple/io/dirsink"
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
	dir     string
	staged  int
}

const bucket = "staging"

func newRig(t *testing.T, local bool) *rig {
	r := &rig{dir: t.TempDir()}
	url := ""
	if !local {
		r.storage = services.StartStorage(t, bucket)
		url = r.storage.URL()
	}
	r.BigQuery = services.StartBigQuery(t, url)
	r.Dataset(t, "d", "EU")
	return r
}

// sink returns a sink of two shards into table t, through the proxy.
func (r *rig) sink(p *services.Proxy, run string) bigqueryio.Sink {
	return bigqueryio.Sink{
		Client: p.Through(r.BigQuery).Config(), Table: bigqueryio.Table{Project: r.Project, Dataset: "d", Name: "t"},
		Domain: people(), RunID: run, Shards: 2, Deadline: 30 * time.Second,
	}
}

// stage writes ten rows as an attempt of their own.
func (r *rig) stage(t *testing.T, s bigqueryio.Sink) bigqueryio.Staged {
	t.Helper()
	r.staged++
	prefix := fmt.Sprintf("%s/%d/", s.RunID, r.staged)
	out := bigqueryio.Staged{Model: "a model", Remove: func(context.Context) error { return r.remove(s.RunID) }}
	for shard, c := range []*domain.Chunk{rows(0, 7), rows(7, 10)} {
		var b bytes.Buffer
		w, err := s.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(c); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Close(); err != nil {
			t.Fatal(err)
		}
		uri, err := r.put(prefix+fmt.Sprintf("part-%05d-of-00002.parquet", shard), b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		out.Parts = append(out.Parts, dirsink.FileRef{Shard: shard, Rows: int64(c.Rows), Bytes: int64(b.Len()), URI: uri})
	}
	return out
}

func (r *rig) put(name string, content []byte) (uri string, err error) {
	if r.storage != nil {
		r.storage.CreateObject(fakestorage.Object{ObjectAttrs: fakestorage.ObjectAttrs{BucketName: bucket, Name: name}, Content: content})
		return "gs://" + bucket + "/" + name, nil
	}
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return "", err
	}
	return path, os.WriteFile(path, content, 0o666)
}

// remove deletes what a run has staged.
func (r *rig) remove(run string) error {
	if r.storage == nil {
		return os.RemoveAll(filepath.Join(r.dir, run))
	}
	names, err := r.names(run + "/")
	for _, name := range names {
		err = errors.Join(err, r.storage.Client().Bucket(bucket).Object(name).Delete(context.Background()))
	}
	return err
}

// names lists the objects in the bucket.
func (r *rig) names(prefix string) (names []string, err error) {
	it := r.storage.Client().Bucket(bucket).Objects(context.Background(), &storage.Query{Prefix: prefix})
	for {
		o, err := it.Next()
		if errors.Is(err, iterator.Done) {
			return names, nil
		}
		if err != nil {
			return nil, err
		}
		names = append(names, o.Name)
	}
}

// left counts staged files.
func (r *rig) left(t *testing.T) int {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(r.dir, "*", "*", "*"))
	if r.storage != nil {
		names, err = r.names("")
	}
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

// expect reads the table and compares it with the ten rows, each as often as said.
func (r *rig) expect(t *testing.T, times int) {
	t.Helper()
	ctx := services.Deadline(t, 30*time.Second)
	it, err := r.Client(t).Query("SELECT id, IFNULL(sex, '-') AS sex, height FROM `test.d.t` ORDER BY id").Read(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for {
		var row []bq.Value
		err := it.Next(&row)
		if errors.Is(err, iterator.Done) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
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
	if !slices.Equal(got, want) {
		t.Errorf("the table holds %d rows %v, want %d", len(got), got, len(want))
	}
}

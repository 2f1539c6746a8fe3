package bigqueryio

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// onMachine stages rows 0..rows−1 in two parts of small row groups.
func onMachine(t *testing.T, s Sink, rows int) Staged {
	t.Helper()
	out := Staged{Model: "m"}
	for shard, bounds := range [][2]int{{0, rows / 3}, {rows / 3, rows}} {
		path := filepath.Join(t.TempDir(), "part")
		f := must.Value(os.Create(path))(t)
		w := must.Value(parquetio.NewWriter(f, &s.Domain, parquetio.Options{GroupRows: 3}))(t)
		c := &domain.Chunk{Rows: bounds[1] - bounds[0], Columns: []domain.Column{{Form: domain.Ints}, {Form: domain.Dictionary, Dict: []string{"x"}}}}
		for i := bounds[0]; i < bounds[1]; i++ {
			c.Columns[0].Ints = append(c.Columns[0].Ints, int64(i))
			c.Columns[1].Ints = append(c.Columns[1].Ints, 0)
			c.Columns[1].Nulls = append(c.Columns[1].Nulls, i%3 == 0)
		}
		must.Do(t, w.Write(c))
		must.Value(w.Close())(t)
		size, _ := f.Seek(0, io.SeekEnd)
		must.Do(t, f.Close())
		out.Parts = append(out.Parts, dirsink.FileRef{Shard: shard, Rows: int64(c.Rows), Bytes: size, URI: path})
	}
	return out
}

func TestMergedHoldsAllRowsInOrder(t *testing.T) {
	s := sinkTo(&loadServer{})
	s.Domain.PrivacyID = "person" // of the input; parts have none
	m := &merged{sink: s, parts: onMachine(t, s, 20).Parts}
	for range 2 { // it can be opened again, for the next try
		f := must.Value(m.open(context.Background()))(t)
		must.Pass(t, f.Close())
	}
	s.Domain.PrivacyID = ""
	r := must.Value(parquetio.OpenFile(m.path, &s.Domain, parquetio.ReadOptions{}))(t)
	defer r.Close()
	i := 0
	for c, err := range r.Chunks() {
		must.Do(t, err)
		for k := range c.Rows {
			must.Need(t, c.Columns[0].Ints[k] == int64(i) && c.Columns[1].Null(k) == (i%3 == 0), "row %d is another one", i)
			i++
		}
	}
	must.Hold(t, i == 20, "%d rows, want 20", i)
	must.Pass(t, m.remove())
}

// A load from this machine sends the file anew for each try, and leaves none behind.
func TestPublishFromThisMachine(t *testing.T) {
	f := start(t, script{inserts: []string{"503", "drop", "made drop"}})
	s := sinkTo(f)
	staged := onMachine(t, s, 10)
	done, err := s.Publish(context.Background(), staged)
	must.Hold(t, err == nil && done.Rows == 10 && len(f.order) == 3 && len(f.made) == 1 && f.uploaded != 0,
		"got %+v by %d insertions of %d bytes, %v", done, len(f.order), f.uploaded, err)
	must.Hold(t, !strings.Contains(f.request, "sourceUris") && strings.Contains(f.request, `"sourceFormat":"PARQUET"`), "request %s", f.request)
	names, err := filepath.Glob(filepath.Join(filepath.Dir(staged.Parts[0].URI), "merged-*"))
	must.Hold(t, err == nil && len(names) <= 0, "left %v, %v", names, err)
	// The parts are gone, as after a publication whose answer was lost: the job is found.
	for _, p := range staged.Parts {
		must.Do(t, os.Remove(p.URI))
	}
	must.Equal(t, must.Value(s.Publish(context.Background(), staged))(t), done)
}

func TestPublishFromAnotherMachine(t *testing.T) {
	for want, damage := range map[string]func(*dirsink.FileRef) error{
		"a staged part is not on this machine; stage on gs://: ":                     func(p *dirsink.FileRef) error { return os.Remove(p.URI) },
		"shard 1: its staged part has another number of rows than was written; stag": func(p *dirsink.FileRef) error { p.Rows--; return nil },
		"the file has changed since the run was planned; staged files kept":          func(p *dirsink.FileRef) error { p.Bytes++; return nil },
		"is this a whole Parquet file?; staged files kept":                           func(p *dirsink.FileRef) error { p.Bytes = 9; return os.Truncate(p.URI, 9) },
	} {
		f := start(t, script{})
		s := sinkTo(f)
		staged := onMachine(t, s, 10)
		must.Do(t, damage(&staged.Parts[1]))
		_, err := s.Publish(context.Background(), staged)
		must.Hold(t, err != nil && strings.Contains(err.Error(), want) && len(f.order) <= 0, "got %v, want %q", err, want)
		names, _ := filepath.Glob(filepath.Join(filepath.Dir(staged.Parts[0].URI), "merged-*"))
		must.Hold(t, len(names) <= 0, "left %v", names)
	}
}

// A place is shown where it is one of the staged files: any other could be a cell.
func TestPlaceIsShownWhereItIsKnown(t *testing.T) {
	s := sinkTo(start(t, script{ends: []string{"invalid"}}))
	_, err := s.Publish(context.Background(), onMachine(t, s, 10))
	must.Hold(t, err != nil && strings.HasSuffix(err.Error(), "_0: invalid; staged files kept"), "got %v", err)
}

// A publication whose first answer was lost is made again, and is one job.
func TestPublishAgainIsOneJob(t *testing.T) {
	service := newLoadServer(script{}) // in the place of BigQuery
	defer service.http.Close()
	sink := Sink{
		Client: Client{Project: "p", Endpoint: service.url, Anonymous: true},
		Table:  Table{Project: "p", Dataset: "d", Name: "people"},
		Domain: domain.Domain{Attributes: []domain.Attribute{{Name: "sex", Type: domain.String, Values: []string{"F", "M"}}}},
		RunID:  "run-1",
		Shards: 2,
	}
	must.Do(t, sink.Check(t.Context()))
	staged := Staged{Model: "4f1d", Parts: []dirsink.FileRef{
		{Shard: 0, Rows: 6, URI: "gs://b/runs/_tmp/run-1/6f/part-00000-of-00002.parquet"},
		{Shard: 1, Rows: 4, URI: "gs://b/runs/_tmp/run-1/07/part-00001-of-00002.parquet"},
	}}
	for range 2 {
		done, err := sink.Publish(t.Context(), staged)
		must.Hold(t, err == nil && done.Rows == 10 && done.Job == "dapple_6c4809f30447595855abb8b7f1768142_0",
			"%d rows by job %s, error %v", done.Rows, done.Job, err)
	}
	must.Hold(t, len(service.made) == 1, "%d jobs", len(service.made))
}

package bigqueryio

import (
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func TestSinkValidateListsAllFaults(t *testing.T) {
	s := Sink{
		Shards: MaxShards + 1,
		Labels: map[string]string{runLabel: "", "Team": "", "team": "Census", "9": "", "": "", "größe": "l-1_"},
		Domain: domain.Domain{Attributes: []domain.Attribute{{Name: "a"}, {Name: "A"}, {Name: "b.c"}, {Name: "_PARTITIONTIME"}, {Name: "größe (cm)"}, {Name: "größe, cm"}, {Name: "% of total"}}},
	}
	err := s.Validate()
	must.Need(t, err != nil, "no fault was found")
	want := []string{
		"bigquery: 10001 shards: a load job takes 1 to 10000 files",
		`label "": want`, `label "9": want`, `label "Team": want`, `label "dapple_run" is set by dapple`, `label "team": its value`,
		`columns "a" and "A"`, `column "b.c": BigQuery wants`, "names that begin with _PARTITION", `column "größe (cm)"`, `column "größe, cm"`,
	}
	lines := strings.Split(err.Error(), "\n\t")
	must.Need(t, len(lines) == len(want), "%d faults, want %d:\n%v", len(lines), len(want), err)
	for i := range want {
		must.Hold(t, strings.Contains(lines[i], want[i]), "fault %d: got %q, want %q", i, lines[i], want[i])
	}
	must.Pass(t, sinkTo(&loadServer{}).Validate())
}

func TestWriteByName(t *testing.T) {
	for _, w := range []Write{WriteEmpty, WriteTruncate, WriteAppend} {
		got, err := ParseWrite(w.String())
		must.Hold(t, got == w && err == nil, "%v: got %v, %v", w, got, err)
	}
	_, err := ParseWrite("replace")
	must.Hold(t, err != nil && err.Error() == `bigquery: write "replace": want empty, truncate or append`, "%v", err)
}

// Workers get copies of a sink as JSON.
func TestSinkIsPlainData(t *testing.T) {
	s := sinkTo(&loadServer{})
	s.sleep, s.Labels, s.Deadline = nil, map[string]string{"a": "b"}, time.Hour
	b := must.Value(json.Marshal(s))(t)
	var back Sink
	err := json.Unmarshal(b, &back)
	must.Hold(t, err == nil && reflect.DeepEqual(back, s), "got %+v, want %+v, %v", back, s, err)
	long := Sink{RunID: strings.Repeat("Z", 64)}
	must.Equal(t, long.labels()[runLabel], strings.Repeat("z", 63), "label")
}

func TestCheckOfSink(t *testing.T) {
	const fits = `"schema": {"fields": [{"name": "A", "type": "INTEGER"}, {"name": "b", "type": "STRING"}, {"name": "c", "type": "DATE"}]}`
	const misfits = `"schema": {"fields": [{"name": "a", "type": "NUMERIC", "precision": "10", "scale": "2"}, {"name": "b", "type": "STRING", "mode": "REQUIRED"}, {"name": "c", "type": "DATE", "mode": "REQUIRED"}]}`
	const listed = `bigquery: p.d.t has other columns; choose another table or set write=truncate:
	column "a": the table has NUMERIC(10, 2), the rows INT64
	column "b": the table has STRING REQUIRED, the rows STRING with NULL
	column "c": the table has DATE REQUIRED, the rows have no such column`
	cases := []struct {
		name   string
		server script
		write  Write
		fault  string
	}{
		{name: "no table"},
		{name: "empty table", server: script{table: `{"type": "TABLE", ` + fits + `}`}},
		{name: "empty table of other columns", server: script{table: `{"type": "TABLE", ` + misfits + `}`}, fault: listed},
		{name: "rows", server: script{table: `{"type": "TABLE", "numRows": "1", ` + fits + `}`},
			fault: "bigquery: p.d.t is not empty; choose another table or set write=truncate"},
		{name: "streamed rows", server: script{table: `{"type": "TABLE", "streamingBuffer": {"estimatedRows": "3"}, ` + fits + `}`},
			fault: "bigquery: p.d.t is not empty; choose another table or set write=truncate"},
		{name: "rows to replace", server: script{table: `{"type": "TABLE", "numRows": "1", ` + misfits + `}`}, write: WriteTruncate},
		{name: "rows to add to", server: script{table: `{"type": "TABLE", "numRows": "1", ` + fits + `}`}, write: WriteAppend},
		{name: "rows to add to, other columns", server: script{table: `{"type": "TABLE", "numRows": "1", ` + misfits + `}`}, write: WriteAppend, fault: listed},
		{name: "view", server: script{table: `{"type": "MATERIALIZED_VIEW"}`}, write: WriteTruncate, fault: "bigquery: p.d.t is a MATERIALIZED VIEW; choose a table"},
		{name: "no dataset", server: script{dataset: "404 notFound"}, fault: "bigquery: p.d: there is no such dataset, or no permission to see it; create it"},
		{name: "dataset denied", server: script{dataset: "403 accessDenied"}, fault: "bigquery: p.d: 403 accessDenied; writing needs the roles " +
			"BigQuery Data Editor on the dataset, BigQuery Job User on the project, and Storage Object Viewer on staged files"},
		{name: "no jobs", server: script{dryRun: "403 billingNotEnabled"}, fault: "bigquery: project p: jobs cannot be run: 403 billingNotEnabled; see to the billing of the project"},
		{name: "no permission on the table", server: script{denied: true, table: `{"type": "TABLE", ` + fits + `}`},
			fault: "bigquery: p.d.t: the permission bigquery.tables.update is missing; grant BigQuery Data Editor on the dataset"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := start(t, c.server)
			s := sinkTo(f)
			s.Write = c.write
			err := s.Check(context.Background())
			must.Hold(t, (c.fault != "" || err == nil) && (c.fault == "" || err != nil && err.Error() == c.fault), "got %v, want %q", err, c.fault)
			must.Hold(t, len(f.order) == 0 && f.patched == "", "something was written")
		})
	}
}

// A publication that cannot begin says why, and keeps the files.
func TestPublishThatCannotBegin(t *testing.T) {
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", filepath.Join(t.TempDir(), "missing.json"))
	for fault, change := range map[string]func(*Sink, *Staged){
		"bigquery: 1 of 2 shards came; staged files kept":                   func(_ *Sink, st *Staged) { st.Parts = st.Parts[:1] },
		"bigquery: shard 0 of 2 came twice or does not exist; staged":       func(_ *Sink, st *Staged) { st.Parts[0].Shard = 0 },
		"bigquery: shard 2 of 2 came twice or does not exist; staged":       func(_ *Sink, st *Staged) { st.Parts[0].Shard = 2 },
		"bigquery: shard 1 is not a staged file; staged files kept":         func(_ *Sink, st *Staged) { st.Parts[0].URI = "gs://b/part-*" },
		"bigquery: some parts are staged on gs:// and some are not; staged": func(_ *Sink, st *Staged) { st.Parts[0].URI = "part" },
		"bigquery: 0 shards: a load job takes 1 to 10000 files; staged":     func(s *Sink, _ *Staged) { s.Shards = 0 },
		`bigquery: no client for project "p"; run gcloud auth`:              func(s *Sink, _ *Staged) { s.Client.Anonymous = false },
	} {
		f := start(t, script{})
		s, staged := sinkTo(f), onBucket()
		staged.Remove = func(context.Context) error { t.Error("staged files were removed"); return nil }
		change(&s, &staged)
		if _, err := s.Publish(context.Background(), staged); err == nil || !strings.HasPrefix(err.Error(), fault) || !strings.Contains(err.Error(), "; staged files kept") || len(f.order) > 0 {
			t.Errorf("got %v, want %q", err, fault)
		}
	}
}

// What fails once the rows are in the table is told, and is no failure.
func TestPublishLeavesSomething(t *testing.T) {
	s := sinkTo(start(t, script{}))
	staged := onBucket()
	staged.Remove = func(context.Context) error { return io.ErrClosedPipe }
	done, err := s.Publish(context.Background(), staged)
	must.Hold(t, err == nil && done.Rows == 10 && done.Left != nil && done.Left.Error() == "bigquery: staged files are left: io: read/write on closed pipe",
		"got %+v, %v", done, err)
}

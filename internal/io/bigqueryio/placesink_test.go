package bigqueryio

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/dirsink"
	tables "github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// twoTables returns the sink of people and their rows, and ten staged rows of each.
func twoTables(t *testing.T, f *loadServer, write string) (tables.Sink, []tables.FileRef) {
	t.Helper()
	rows := sinkTo(f).Domain
	to := tables.Target{
		Output: "bq://p.d.t", Write: write, Shards: 2, Stage: t.TempDir(), RunID: "run", Domain: &rows,
		People: &domain.Domain{Attributes: rows.Attributes[:1]},
	}
	Configure(&to.Services, func(o *Options) { o.Client = sinkTo(f).Client })
	var refs []tables.FileRef
	for shard, rows := range []int64{6, 4, 3, 7} {
		refs = append(refs, dirsink.FileRef{Shard: shard, Rows: rows, URI: "gs://b/part-" + string(rune('0'+shard))})
	}
	return tables.OpenSink(to), refs
}

// People are loaded before their rows, and nothing is found until both are there. After a failure in between the
// publication can be repeated: what is loaded is not loaded again.
func TestTwoTablesAreLoadedInTurn(t *testing.T) {
	ctx := context.Background()
	f := start(t, script{inserts: []string{"", "400 invalid"}})
	s, refs := twoTables(t, f, "")
	_, err := s.Publish(ctx, refs, tables.Release{Model: "m"})
	must.Need(t, err != nil && strings.HasSuffix(err.Error(), "400 invalid; staged files kept; p.d.t_people is loaded, and p.d.t_events is not"), "%v", err)
	if w, found, err := s.Find(ctx, "m"); found || err != nil || w.Job != f.order[0] {
		t.Errorf("people alone: %+v, %v, %v", w, found, err)
	}
	f.request = ""
	out, err := s.Publish(ctx, refs, tables.Release{Model: "m"})
	must.Need(t, err == nil && out.People == 10 && out.Rows == 10 && out.Files == 4 && out.URI == "bq://p.d.t", "%+v, %v", out, err)
	must.Hold(t, strings.Contains(f.request, `"gs://b/part-2","gs://b/part-3"`) && strings.Contains(f.request, `"tableId":"t_events"`),
		"the last load is %s", f.request)
	n := slices.Compact(slices.Sorted(slices.Values(f.order)))
	must.Hold(t, len(n) == 2 && f.order[0] != f.order[1], "jobs %q", f.order)
	w, found, err := s.Find(ctx, "m")
	must.Hold(t, err == nil && found && w.People == 10 && w.Rows == 10 && w.Job == f.order[0]+" and "+f.order[1], "%+v, %v, %v", w, found, err)
	_, found, _ = s.Find(ctx, "another model")
	must.Hold(t, !found, "another run's rows are found")
}

// Before the first is loaded both are looked at once more: a second that cannot be loaded leaves both as they were.
func TestTwoTablesAreLookedAtBeforeTheFirst(t *testing.T) {
	ctx := context.Background()
	f := start(t, script{table: `{"type": "TABLE", "numRows": "1"}`})
	s, refs := twoTables(t, f, "")
	if _, err := s.Publish(ctx, refs, tables.Release{Model: "m"}); err == nil || !strings.Contains(err.Error(), "p.d.t_events is not empty") || len(f.order) > 0 {
		t.Errorf("%v, %d loads", err, len(f.order))
	}
	err := s.Check(ctx)
	must.Hold(t, err != nil && strings.Contains(err.Error(), "p.d.t_people is not empty") && strings.Contains(err.Error(), "p.d.t_events is not empty"),
		"at launch: %v", err)
	s, _ = twoTables(t, f, "append")
	note := s.Note()
	must.Hold(t, strings.HasPrefix(note, "bq://p.d.t_people and bq://p.d.t_events, write=append; one load job for each of "), "%v", note)
	s, refs = twoTables(t, f, "truncate")
	must.Pass(t, s.Check(ctx))
	must.Fails(s.Publish(ctx, refs[:3], tables.Release{Model: "m"}))(t, "1 of 2 shards came", "a part has gone")
}

package bigquery

import (
	"context"
	"strings"
	"sync"
	"testing"

	bq "cloud.google.com/go/bigquery"

	"github.com/dapple-dp/dapple/integration/services"
	"github.com/dapple-dp/dapple/io/bigqueryio"
)

// Whatever answer is lost, publishing twice, the second time from other copies, leaves each row once.
func TestPublishTwiceUnderFaults(t *testing.T) {
	cases := map[string][]services.Fault{
		"no fault":      nil,
		"before503":     {services.Before503},
		"after503":      {services.After503},
		"afterdrop":     {services.AfterDrop},
		"all in turn":   {services.Before503, services.AfterDrop, services.After503},
		"dropped twice": {services.AfterDrop, services.AfterDrop},
	}
	for place, local := range map[string]bool{"bucket": false, "machine": true} {
		for name, faults := range cases {
			t.Run(place+"/"+name, func(t *testing.T) {
				r := newRig(t, local)
				p := services.StartProxy(t, r.BigQuery, faults...)
				s := r.sink(p, "run-1")
				ctx := services.Deadline(t)
				if err := s.Check(ctx); err != nil {
					t.Fatal(err)
				}
				var jobs [2]bigqueryio.Loaded
				for i := range jobs {
					var err error
					if jobs[i], err = s.Publish(ctx, r.stage(t, s)); err != nil {
						t.Fatal(err)
					}
					if jobs[i].Rows != 10 || jobs[i].Left != nil {
						t.Errorf("got %+v", jobs[i])
					}
				}
				if jobs[0].Job != jobs[1].Job || p.Loads() != 1 || len(r.left(t)) != 0 {
					t.Errorf("jobs %q and %q, %d loads, staged files left: %v", jobs[0].Job, jobs[1].Job, p.Loads(), r.left(t))
				}
				r.expect(t, 1)
			})
		}
	}
}

// Several workers can publish at once.
func TestPublishAtOnce(t *testing.T) {
	r := newRig(t, false)
	p := services.StartProxy(t, r.BigQuery, services.None, services.AfterDrop)
	s := r.sink(p, "run-1")
	var wg sync.WaitGroup
	for range 4 {
		staged := r.stage(t, s)
		staged.Remove = nil
		wg.Go(func() {
			if _, err := s.Publish(services.Deadline(t), staged); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if p.Loads() != 1 {
		t.Errorf("%d loads", p.Loads())
	}
	r.expect(t, 1)
}

// A second run finds rows in the table: it fails, adds, or replaces, as it was told to.
func TestSecondRun(t *testing.T) {
	r := newRig(t, false)
	p := services.StartProxy(t, r.BigQuery)
	ctx := services.Deadline(t)
	publish := func(run string, w bigqueryio.Write) error {
		s := r.sink(p, run)
		s.Write = w
		_, err := s.Publish(ctx, r.stage(t, s))
		return err
	}
	if err := publish("run-1", bigqueryio.WriteEmpty); err != nil {
		t.Fatal(err)
	}
	second := r.sink(p, "run-2")
	const full = "bigquery: test.d.t is not empty; choose another table or set write=truncate"
	if err := second.Check(ctx); err == nil || err.Error() != full {
		t.Errorf("Check: %v", err)
	}
	if err := publish("run-2", bigqueryio.WriteEmpty); err == nil || err.Error() != full+"; staged files kept" {
		t.Errorf("Publish: %v", err)
	}
	if left := r.left(t); len(left) != 2 {
		t.Errorf("left %v", left)
	}
	r.expect(t, 1)
	if err := publish("run-3", bigqueryio.WriteAppend); err != nil {
		t.Error(err)
	}
	r.expect(t, 2)
	if err := publish("run-4", bigqueryio.WriteTruncate); err != nil {
		t.Error(err)
	}
	r.expect(t, 1)
}

// A load of a file that is not there ends with an error and leaves no table.
func TestMissingBucket(t *testing.T) {
	r := newRig(t, false)
	p := services.StartProxy(t, r.BigQuery)
	s := r.sink(p, "run-1")
	staged := r.stage(t, s)
	for i := range staged.Parts {
		staged.Parts[i].URI = strings.Replace(staged.Parts[i].URI, bucket, "no-such-bucket", 1)
	}
	_, err := s.Publish(services.Deadline(t), staged)
	if err == nil || !strings.HasSuffix(err.Error(), "; staged files kept") || p.Loads() != 0 {
		t.Errorf("got %v, %d loads", err, p.Loads())
	}
}

// A worker that fails half-way through a shard leaves no object; the attempt after it is what is loaded.
func TestShardFailsHalfWay(t *testing.T) {
	r := newRig(t, false)
	p := services.StartProxy(t, r.BigQuery)
	s := r.sink(p, "run-1")
	ctx, cancel := context.WithCancel(services.Deadline(t))
	part, err := r.dir(s).Create(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.NewWriter(part)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(rows(0, 5)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := part.Commit(5); err == nil {
		t.Error("a part of a stopped worker was committed")
	}
	if left := r.left(t); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	if _, err := s.Publish(services.Deadline(t), r.stage(t, s)); err != nil {
		t.Fatal(err)
	}
	r.expect(t, 1)
}

// The table has the domain's columns, and labels of the run and of the user.
func TestTableIsDescribed(t *testing.T) {
	r := newRig(t, false)
	s := r.sink(services.StartProxy(t, r.BigQuery), "Run-1")
	s.Labels = map[string]string{"team": "census"}
	ctx := services.Deadline(t)
	done, err := s.Publish(ctx, r.stage(t, s))
	if err != nil {
		t.Fatal(err)
	}
	md, err := r.Client(t).Dataset("d").Table("t").Metadata(ctx)
	if err != nil {
		t.Fatal(err)
	}
	want := bq.Schema{
		{Name: "id", Type: bq.IntegerFieldType, Required: true},
		{Name: "sex", Type: bq.StringFieldType},
		{Name: "height", Type: bq.FloatFieldType, Required: true},
	}
	for i, f := range want {
		if i >= len(md.Schema) || md.Schema[i].Name != f.Name || md.Schema[i].Type != f.Type || md.Schema[i].Required != f.Required {
			t.Fatalf("schema: got %v", md.Schema)
		}
	}
	job, err := r.Client(t).JobFromIDLocation(ctx, done.Job, "EU")
	if err != nil {
		t.Fatal(err)
	}
	config, err := job.Config()
	if err != nil {
		t.Fatal(err)
	}
	for _, labels := range []map[string]string{md.Labels, config.(*bq.LoadConfig).Labels} {
		if labels["dapple_run"] != "run-1" || labels["team"] != "census" {
			t.Errorf("labels %v", labels)
		}
	}
}

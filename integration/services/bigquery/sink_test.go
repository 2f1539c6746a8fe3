package bigquery

import (
	"testing"

	bq "cloud.google.com/go/bigquery"

	"github.com/dapple-dp/dapple/integration/services"
	"github.com/dapple-dp/dapple/internal/io/bigqueryio"
	"github.com/dapple-dp/dapple/internal/testkit/must"
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
				must.Do(t, s.Check(ctx))
				var jobs [2]bigqueryio.Loaded
				for i := range jobs {
					var err error
					jobs[i], err = s.Publish(ctx, r.stage(t, s))
					must.Do(t, err)
					must.Hold(t, jobs[i].Rows == 10 && jobs[i].Left == nil, "got %+v", jobs[i])
				}
				if jobs[0].Job != jobs[1].Job || p.Loads() != 1 || len(r.left(t)) != 0 {
					t.Errorf("jobs %q and %q, %d loads, staged files left: %v", jobs[0].Job, jobs[1].Job, p.Loads(), r.left(t))
				}
				r.expect(t, 1)
			})
		}
	}
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
	must.Do(t, publish("run-1", bigqueryio.WriteEmpty))
	second := r.sink(p, "run-2")
	const full = "bigquery: test.d.t is not empty; choose another table or set write=truncate"
	err := second.Check(ctx)
	must.Hold(t, err != nil && err.Error() == full, "Check: %v", err)
	err = publish("run-2", bigqueryio.WriteEmpty)
	must.Hold(t, err != nil && err.Error() == full+"; staged files kept", "Publish: %v", err)
	left := r.left(t)
	must.Hold(t, len(left) == 2, "left %v", left)
	r.expect(t, 1)
	must.Pass(t, publish("run-3", bigqueryio.WriteAppend))
	r.expect(t, 2)
	must.Pass(t, publish("run-4", bigqueryio.WriteTruncate))
	r.expect(t, 1)
}

// The table has the domain's columns, and labels of the run and of the user.
func TestTableIsDescribed(t *testing.T) {
	r := newRig(t, false)
	s := r.sink(services.StartProxy(t, r.BigQuery), "Run-1")
	s.Labels = map[string]string{"team": "census"}
	ctx := services.Deadline(t)
	done := must.Value(s.Publish(ctx, r.stage(t, s)))(t)
	md := must.Value(r.Client(t).Dataset("d").Table("t").Metadata(ctx))(t)
	want := bq.Schema{
		{Name: "id", Type: bq.IntegerFieldType, Required: true},
		{Name: "sex", Type: bq.StringFieldType},
		{Name: "height", Type: bq.FloatFieldType, Required: true},
	}
	for i, f := range want {
		must.Need(t, i < len(md.Schema) && md.Schema[i].Name == f.Name && md.Schema[i].Type == f.Type && md.Schema[i].Required == f.Required,
			"schema: got %v", md.Schema)
	}
	job := must.Value(r.Client(t).JobFromIDLocation(ctx, done.Job, "EU"))(t)
	config := must.Value(job.Config())(t)
	for _, labels := range []map[string]string{md.Labels, config.(*bq.LoadConfig).Labels} {
		must.Hold(t, labels["dapple_run"] == "run-1" && labels["team"] == "census", "labels %v", labels)
	}
}

package bigquery

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dapple-dp/dapple/integration/services"
	"github.com/dapple-dp/dapple/internal/io/bigqueryio"
	"github.com/dapple-dp/dapple/internal/pipelines"
	"github.com/dapple-dp/dapple/internal/request/evaluate"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

const visitsDomain = `privacy_id: who
columns:
  - {name: plan, type: STRING, values: [basic, plus, pro], other: true}
  - {name: item, type: STRING, values: [tea, milk], other: true}
events: {person: [plan], rows: {min: 0, max: 9}}
`

// visits makes a table of 200 people, 50 of them without rows, and one of their 450 rows; it returns a request from them
// into two tables.
func visits(t *testing.T, r *rig) pipelines.Config {
	t.Helper()
	c := shop(t, r)
	execute(t, r.BigQuery, "CREATE TABLE d.people (who STRING NOT NULL, plan STRING)")
	execute(t, r.BigQuery, `INSERT INTO d.people SELECT CONCAT('c', CAST(i AS STRING)), IF(MOD(i, 3) = 0, 'plus', 'pro') FROM UNNEST(GENERATE_ARRAY(0, 199)) AS i`)
	execute(t, r.BigQuery, "CREATE TABLE d.visits (who STRING, item STRING)")
	execute(t, r.BigQuery, `INSERT INTO d.visits SELECT CONCAT('c', CAST(MOD(i, 150) AS STRING)), IF(MOD(i, 3) = 0, 'tea', 'milk') FROM UNNEST(GENERATE_ARRAY(0, 449)) AS i`)
	must.Do(t, os.WriteFile(c.Domain, []byte(visitsDomain), 0o600))
	c.Input, c.People, c.Rows, c.Method = "bq://test.d.visits", "bq://test.d.people", 0, "auto"
	return c
}

// People and their rows, of two tables, become two tables: of people without rows too. They are compared with the first
// two, and written anew together; rows may also come from a file.
func TestPeopleAndTheirRows(t *testing.T) {
	r := newRig(t, false)
	c := visits(t, r)
	res, err := run(t, c)
	must.Do(t, err)
	var said strings.Builder
	if err := res.WriteText(&said); err != nil || !strings.Contains(said.String(), "wrote   people to bq://test.d.out_people and their ") || !strings.Contains(said.String(), " rows to bq://test.d.out_events (load job dapple_") {
		t.Errorf("%v, said %s", err, said.String())
	}
	if res.Written.People >= 0 { // the emulator does not tell
		holds(t, r, "d.out_people", res.Written.People)
	}
	holds(t, r, "d.out_events e JOIN d.out_people p ON e.who = p.who", res.Privacy.Rows)
	for _, o := range objects(t, r) {
		must.Hold(t, !strings.Contains(o, "/_tmp/"), "left behind: %s", o)
	}
	var out bytes.Buffer
	err = evaluate.Run(services.Deadline(t), evaluate.Config{Domain: c.Domain, Input: c.Input, People: c.People, Synthetic: c.Output, Services: c.Services}, &out)
	must.Hold(t, err == nil && strings.Contains(out.String(), "rows per person"), "%v\n%s", err, out.String())
	v, err := pipelines.ValidateVerify(services.Deadline(t), pipelines.VerifyConfig{Dir: c.Release})
	if err == nil {
		_, err = pipelines.Verify(services.Deadline(t), v)
	}
	must.Hold(t, err == nil, "%v", err)

	more := sampleRequest(c)
	must.Fails(pipelines.ValidateSample(services.Deadline(t), more))(t, "test.d.out_events is not empty", "full tables")

	file := filepath.Join(t.TempDir(), "visits.csv")
	must.Do(t, os.WriteFile(file, []byte("who,item\nc1,tea\nc1,milk\nc2,tea\nc999,tea\n"), 0o600))
	c.Input, c.Output, c.Release, c.Format = file, filepath.Join(t.TempDir(), "out"), "", "csv"
	must.Passes(run(t, c))(t, "rows from a file")
}

// If the second of two tables cannot be loaded, the first is there alone: the message says so, and its command loads both.
func TestSecondTableIsRefused(t *testing.T) {
	r := newRig(t, true)
	c := visits(t, r)
	good := c.Services
	refusing := refusingLoadsAfter(t, r.Endpoint, 1)
	bigqueryio.Configure(&c.Services, func(o *bigqueryio.Options) { o.Endpoint = refusing })
	t.Setenv("TMPDIR", t.TempDir()) // where staged files are kept
	_, err := run(t, c)
	want := "\ndapple sample --model=" + filepath.Join(c.Release, "_model.arrow") + " --output=bq://test.d.out --layout=two --write=truncate"
	must.Need(t, err != nil && strings.Contains(err.Error(), "test.d.out_people is loaded, and test.d.out_events is not") && strings.Contains(err.Error(), want),
		"%v, want %s", err, want)
	c.Services = good
	more := sampleRequest(c)
	more.Tables, more.Write = true, "truncate"
	mustSample(t, more)
	holds(t, r, "(SELECT DISTINCT e.who FROM d.out_events e LEFT JOIN d.out_people p ON e.who = p.who WHERE p.who IS NULL)", 0)
}

// refusingLoadsAfter returns the URL of a server that accepts media n times and passes the rest on.
func refusingLoadsAfter(t *testing.T, endpoint string, n int64) string {
	t.Helper()
	target := must.Value(url.Parse(endpoint))(t)
	next := httputil.NewSingleHostReverseProxy(target)
	var loads atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if !strings.Contains(q.URL.Path, "/upload/") || loads.Add(1) <= n {
			next.ServeHTTP(w, q)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error": {"code": 400, "message": "secret", "errors": [{"reason": "invalid", "message": "secret"}]}}`))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

package bigquery

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	bq "cloud.google.com/go/bigquery"
	"github.com/fsouza/fake-gcs-server/fakestorage"

	"github.com/dapple-dp/dapple/integration/services"
	"github.com/dapple-dp/dapple/internal/io/bigqueryio"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/pipelines"
	"github.com/dapple-dp/dapple/internal/request/evaluate"
	"github.com/dapple-dp/dapple/internal/request/infer"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

const shopDomain = `privacy_id: customer
columns:
  - {name: plan, type: STRING, values: [basic, plus, pro], other: true}
  - {name: age, type: INT64, min: 18, max: 97, bins: 8, null: true}
  - {name: active, type: BOOL, null: true}
`

// shop makes a table of 300 customers, and returns a request from it into another table.
func shop(t *testing.T, r *rig) pipelines.Config {
	t.Helper()
	execute(t, r.BigQuery, "CREATE TABLE d.shop (customer STRING NOT NULL, plan STRING, age INT64, active BOOL)")
	execute(t, r.BigQuery, `INSERT INTO d.shop
		SELECT CONCAT('c', CAST(i AS STRING)), IF(MOD(i, 4) = 0, NULL, IF(MOD(i, 4) = 1, 'plus', 'pro')), 18 + MOD(i * i, 80), MOD(i, 3) = 0
		FROM UNNEST(GENERATE_ARRAY(0, 299)) AS i`)
	dir := t.TempDir()
	domain := filepath.Join(dir, "shop.yaml")
	must.Do(t, os.WriteFile(domain, []byte(shopDomain), 0o600))
	release := filepath.Join(dir, "release")
	if r.storage != nil {
		release = "gs://" + bucket + "/release"
	}
	return pipelines.Config{
		Domain: domain, Input: "bq://test.d.shop", Output: "bq://test.d.out", Release: release, Rows: 200,
		Epsilon: 1, Delta: 1e-6, Method: "dpam", Runner: "direct", Shards: 3, Services: reached(r.Config()),
	}
}

func reached(c bigqueryio.Client) table.Options {
	var all table.Options
	bigqueryio.Configure(&all, func(o *bigqueryio.Options) { o.Client, o.Read.Pin = c, bigqueryio.AsRead })
	return all
}

func run(t *testing.T, c pipelines.Config) (*pipelines.Result, error) {
	t.Helper()
	ctx := services.Deadline(t)
	req, err := pipelines.ValidateRun(ctx, c)
	if err != nil {
		return nil, err
	}
	return pipelines.Run(ctx, req)
}

// A table of BigQuery becomes another one, by way of a bucket and without one; more rows of the model are
// added to it; it is compared with the first, and a domain is proposed for it.
func TestTableToTable(t *testing.T) {
	for name, local := range map[string]bool{"bucket": false, "no bucket": true} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, local)
			c := shop(t, r)
			res := must.Value(run(t, c))(t)
			var said strings.Builder
			err := res.WriteText(&said)
			must.Hold(t, err == nil && strings.Contains(said.String(), "wrote   200 rows to bq://test.d.out (load job dapple_"), "%v, said %s", err, said.String())
			holds(t, r, "d.out", 200)
			if !local {
				for _, o := range objects(t, r) {
					must.Hold(t, !strings.Contains(o, "/_tmp/"), "left behind: %s", o)
				}
			}

			more := sampleRequest(c)
			more.Write, more.Rows = "append", 40
			mustSample(t, more)
			holds(t, r, "d.out", 240)
			more.Write, more.Rows = "", 10
			_, err = pipelines.ValidateSample(services.Deadline(t), more)
			must.Hold(t, err != nil && strings.Contains(err.Error(), "--output: test.d.out is not empty; choose another table or set --write=truncate"),
				"a full table: %v", err)
			compared(t, c)
			proposed(t, c)
		})
	}
}

func sampleRequest(c pipelines.Config) pipelines.SampleConfig {
	return pipelines.SampleConfig{
		Model: files.Join(c.Release, "_model.arrow"), Output: c.Output, Shards: 2, Runner: "direct", Services: c.Services,
	}
}

func mustSample(t *testing.T, c pipelines.SampleConfig) {
	t.Helper()
	ctx := services.Deadline(t)
	req := must.Value(pipelines.ValidateSample(ctx, c))(t)
	must.Value(pipelines.RunSample(ctx, req))(t)
}

func compared(t *testing.T, c pipelines.Config) {
	t.Helper()
	var out bytes.Buffer
	err := evaluate.Run(services.Deadline(t), evaluate.Config{
		Domain: c.Domain, Input: c.Input, Synthetic: c.Output, Marginals: 2, Services: c.Services,
	}, &out)
	must.Hold(t, err == nil && strings.Contains(out.String(), "300") && strings.Contains(out.String(), "240"), "%v\n%s", err, out.String())
}

func proposed(t *testing.T, c pipelines.Config) {
	t.Helper()
	for _, fromData := range []bool{false, true} {
		ctx := services.Deadline(t)
		src := must.Value(infer.Open(ctx, infer.Params{Input: c.Input, PrivacyID: "customer", FromData: fromData, Services: c.Services}))(t)
		b := must.Value(src.Propose(ctx))(t)
		text := string(b)
		must.Hold(t, strings.Contains(text, "name: age, type: INT64") && strings.Contains(text, "active, type: BOOL") && strings.Contains(text, "NOT PRIVATE") == fromData,
			"%v", text)
	}
}

// holds fails unless a table has n rows.
func holds(t *testing.T, r *rig, name string, n int64) {
	t.Helper()
	it := must.Value(r.Client(t).Query("SELECT COUNT(*) FROM " + name).Read(services.Deadline(t)))(t)
	var row []bq.Value
	err := it.Next(&row)
	must.Hold(t, err == nil && row[0] == n, "%s has %v rows, want %d; %v", name, row, n, err)
}

// objects lists what the bucket holds.
func objects(t *testing.T, r *rig) (names []string) {
	t.Helper()
	list := must.Value(r.storage.ListObjectsWithOptionsPaginated(bucket, fakestorage.ListOptions{}))(t)
	for _, o := range list.Objects {
		names = append(names, o.Name)
	}
	return names
}

// What does not fit is found before any budget is spent: all at once, and with the flag.
func TestTableRequestsThatCannotRun(t *testing.T) {
	r := newRig(t, true)
	c := shop(t, r)
	execute(t, r.BigQuery, "CREATE TABLE d.tags (customer STRING, plan ARRAY<STRING>, age STRING)")
	for name, row := range map[string]struct {
		change func(*pipelines.Config)
		want   []string
	}{
		"columns": {func(c *pipelines.Config) { c.Input = "bq://test.d.tags" },
			[]string{`--input: test.d.tags: column "plan" is REPEATED`, `column "age" is STRING`, `column "active"`}},
		"no table":   {func(c *pipelines.Config) { c.Input = "bq://test.d.none" }, []string{"--input: table test.d.none: 404 notFound"}},
		"no dataset": {func(c *pipelines.Config) { c.Output = "bq://test.none.out" }, []string{"--output: test.none: there is no such dataset"}},
		"names": {func(c *pipelines.Config) { c.Input, c.Output = "bq://shop", "bq://d.out" },
			[]string{`--input: got "bq://shop"; want bq://project.dataset.table`, `--output: got "bq://d.out"`}},
		"flags": {func(c *pipelines.Config) { c.Release, c.Format, c.Write = "", "csv", "somehow" },
			[]string{"--release: is required", "--format: is for directories", "--write: got \"somehow\""}},
		"not a table": {func(c *pipelines.Config) { c.Output, c.Write = filepath.Join(t.TempDir(), "out"), "append" }, []string{"--write: is for tables"}},
		"full":        {func(c *pipelines.Config) { c.Output = "bq://test.d.shop" }, []string{"--output: test.d.shop is not empty; choose another table or set --write=truncate"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := c
			row.change(&c)
			_, err := pipelines.ValidateRun(services.Deadline(t), c)
			must.Need(t, pipelines.IsRequest(err), "%v", err)
			for _, want := range row.want {
				must.Hold(t, strings.Contains(err.Error(), want), "%q is not in\n%v", want, err)
			}
			_, err = os.Stat(c.Release)
			must.Hold(t, c.Release == "" || err != nil, "something was released")
		})
	}
}

// Where rows cannot be loaded, what was paid for stays: the message says where, and how to load rows of it.
func TestFailedLoadKeepsTheRelease(t *testing.T) {
	r := newRig(t, true)
	c := shop(t, r)
	good := c.Services
	refusing := refusingLoadsAfter(t, r.Endpoint, 0)
	bigqueryio.Configure(&c.Services, func(o *bigqueryio.Options) { o.Endpoint = refusing })
	t.Setenv("TMPDIR", t.TempDir()) // where staged files are kept
	_, err := run(t, c)
	model := filepath.Join(c.Release, "_model.arrow")
	must.Need(t, err != nil, "no load is accepted")
	for _, want := range []string{"bigquery: load job dapple_", "; staged files kept", "\ndapple sample --model=" + model + " --output=bq://test.d.out"} {
		must.Hold(t, strings.Contains(err.Error(), want), "%q is not in\n%v", want, err)
	}
	must.Hold(t, !strings.Contains(err.Error(), "secret"), "the service's own text is shown: %v", err)
	c.Services = good
	more := sampleRequest(c)
	more.Rows = 30
	mustSample(t, more)
	holds(t, r, "d.out", 30)
}

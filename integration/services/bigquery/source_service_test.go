package bigquery

import (
	"fmt"
	"strings"
	"testing"
	"time"

	bq "cloud.google.com/go/bigquery"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/integration/services"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/io/bigqueryio"
)

func TestMain(m *testing.M) { transformtest.Main(m) }

// smallTable makes the table name with the columns n and s and one row.
func smallTable(t *testing.T, b *services.BigQuery, dataset, name string) bigqueryio.Table {
	t.Helper()
	execute(t, b, fmt.Sprintf("CREATE TABLE %s.%s (n INT64 NOT NULL, s STRING)", dataset, name))
	execute(t, b, fmt.Sprintf("INSERT INTO %s.%s VALUES (1, 'one')", dataset, name))
	return bigqueryio.Table{Project: b.Project, Dataset: dataset, Name: name}
}

func smallDomain() *domain.Domain {
	return &domain.Domain{Attributes: []domain.Attribute{{Name: "N", Type: domain.Int64}, {Name: "s", Type: domain.String}}}
}

// count returns the number of rows of a source.
func count(t *testing.T, src bigqueryio.Source) (n int) {
	t.Helper()
	chunks, err := all(services.Deadline(t), src)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range chunks {
		n += c.Rows
	}
	return n
}

func TestPipelineReadsATable(t *testing.T) {
	b := services.StartBigQuery(t, "")
	b.Dataset(t, "d", "US")
	src := check(t, b, smallTable(t, b, "d", "t"), smallDomain(), unpinned)
	p, s := beam.NewPipelineWithRoot()
	rows := transformtest.Capture[*domain.Chunk](s, bigqueryio.Read(s, src))
	transformtest.Run(t, p)
	got := rows.Elements()
	if len(got) != 1 || got[0].Rows != 1 || cell(&got[0].Columns[0], 0) != "1" || cell(&got[0].Columns[1], 0) != "one" {
		t.Errorf("got %+v", got)
	}
}

// The proxy accepts an ID once, as BigQuery does.
func TestRepeatedReadingSeesTheSameRows(t *testing.T) {
	b := services.StartBigQuery(t, "")
	b.Dataset(t, "d", "US")
	table := smallTable(t, b, "d", "t")
	through := services.StartProxy(t, b).Through(b)
	plan := func() bigqueryio.Source {
		src := check(t, through, table, smallDomain(), unpinned)
		src.Location = "US" // the emulator's tables have none
		return src
	}
	src := plan()
	if n := count(t, src); n != 1 {
		t.Fatalf("%d rows", n)
	}
	execute(t, b, "INSERT INTO d.t VALUES (2, NULL)")
	if n := count(t, src); n != 1 {
		t.Errorf("repeated: %d rows; want those of the first reading", n)
	}
	if n := count(t, plan()); n != 2 {
		t.Errorf("another run: %d rows", n)
	}
}

// The options are the default ones: a view is not read as of a time.
func TestViewIsRead(t *testing.T) {
	b := services.StartBigQuery(t, "")
	b.Dataset(t, "d", "US")
	smallTable(t, b, "d", "t")
	execute(t, b, "CREATE VIEW d.v AS SELECT n + 1 AS n, s FROM d.t")
	src := check(t, b, bigqueryio.Table{Project: b.Project, Dataset: "d", Name: "v"}, smallDomain(), bigqueryio.ReadOptions{Timeout: 5 * time.Minute})
	if src.Snapshot != 0 || !strings.HasPrefix(src.Note(), "view test.d.v, as it is when it is read") {
		t.Errorf("got %+v: %s", src, src.Note())
	}
	chunks, err := all(services.Deadline(t), src)
	if err != nil || len(chunks) != 1 || cell(&chunks[0].Columns[0], 0) != "2" {
		t.Errorf("got %v, %v", chunks, err)
	}
}

func TestRequestsThatAreRefused(t *testing.T) {
	b := services.StartBigQuery(t, "")
	d := b.Dataset(t, "d", "US")
	table := smallTable(t, b, "d", "t")
	nested := &bq.FieldSchema{Name: "home", Type: bq.RecordFieldType, Schema: bq.Schema{{Name: "city", Type: bq.StringFieldType}}}
	schema := bq.Schema{{Name: "tags", Type: bq.StringFieldType, Repeated: true}, nested, {Name: "raw", Type: bq.BytesFieldType}, {Name: "s", Type: bq.DateFieldType}}
	if err := d.Table("odd").Create(services.Deadline(t), &bq.TableMetadata{Schema: schema}); err != nil {
		t.Fatal(err)
	}
	attrs := func(names ...string) *domain.Domain {
		d := &domain.Domain{}
		for _, name := range names {
			d.Attributes = append(d.Attributes, domain.Attribute{Name: name})
		}
		return d
	}
	cases := []struct {
		table  bigqueryio.Table
		domain *domain.Domain
		want   []string
	}{
		{bigqueryio.Table{Project: "test", Dataset: "none", Name: "t"}, attrs("s"), []string{"bigquery: dataset test.none: 404 notFound; there is none"}},
		{bigqueryio.Table{Project: "test", Dataset: "d", Name: "none"}, attrs("s"), []string{"bigquery: table test.d.none: 404 notFound; there is none"}},
		{bigqueryio.Table{Project: "test", Dataset: "d", Name: "odd"}, attrs("tags", "home", "raw", "s", "x"), []string{
			`column "tags" is REPEATED`, `column "home" is a RECORD with home.city`, `column "raw" is BYTES`,
			`column "s" is DATE in the table and STRING in the domain`, `column "x" is not in the table`}},
		{table, attrs("n"), []string{`bigquery: test.d.t: column "n" is INT64 in the table and STRING in the domain`}},
	}
	for _, c := range cases {
		_, err := bigqueryio.Check(services.Deadline(t), b.Config(), c.table, c.domain, unpinned)
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %s", c.table, err, want)
			}
		}
	}
}

func TestTableThatChangesIsRefused(t *testing.T) {
	b := services.StartBigQuery(t, "")
	b.Dataset(t, "d", "US")
	src := check(t, b, smallTable(t, b, "d", "t"), smallDomain(), unpinned)
	execute(t, b, "DROP TABLE d.t")
	execute(t, b, "CREATE TABLE d.t (n STRING, s STRING)")
	execute(t, b, "INSERT INTO d.t VALUES ('s3cr3t', 's3cr3t')")
	if _, err := all(services.Deadline(t), src); err == nil || err.Error() != `bigquery: test.d.t: columns have changed since the run was planned: ["n"]; start again` {
		t.Errorf("got %v", err)
	}
	execute(t, b, "DROP TABLE d.t")
	src.Key = "another"
	if _, err := all(services.Deadline(t), src); err == nil || strings.Contains(err.Error(), "SELECT") {
		t.Errorf("got %v", err)
	}
}

func TestManyRows(t *testing.T) {
	const n = 5000
	b := services.StartBigQuery(t, "")
	b.Dataset(t, "d", "US")
	table := smallTable(t, b, "d", "t")
	execute(t, b, fmt.Sprintf("INSERT INTO d.t SELECT n, CAST(n AS STRING) FROM UNNEST(GENERATE_ARRAY(2, %d)) AS n", n))
	if got := count(t, check(t, b, table, smallDomain(), unpinned)); got != n {
		t.Errorf("got %d rows, want %d", got, n)
	}
}

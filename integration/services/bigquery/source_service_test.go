package bigquery

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/integration/services"
	"github.com/dapple-dp/dapple/internal/io/bigqueryio"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
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

// The options are the default ones: a view is not read as of a time.
func TestViewIsRead(t *testing.T) {
	b := services.StartBigQuery(t, "")
	b.Dataset(t, "d", "US")
	smallTable(t, b, "d", "t")
	execute(t, b, "CREATE VIEW d.v AS SELECT n + 1 AS n, s FROM d.t")
	src := check(t, b, bigqueryio.Table{Project: b.Project, Dataset: "d", Name: "v"}, smallDomain(), bigqueryio.ReadOptions{Timeout: 5 * time.Minute})
	must.Hold(t, src.Snapshot == 0 && strings.HasPrefix(src.Note(), "view test.d.v, as it is when it is read"), "got %+v: %s", src, src.Note())
	chunks, err := all(services.Deadline(t), src)
	must.Hold(t, err == nil && len(chunks) == 1 && cell(&chunks[0].Columns[0], 0) == "2", "got %v, %v", chunks, err)
}

func TestTableThatChangesIsRefused(t *testing.T) {
	b := services.StartBigQuery(t, "")
	b.Dataset(t, "d", "US")
	src := check(t, b, smallTable(t, b, "d", "t"), smallDomain(), unpinned)
	execute(t, b, "DROP TABLE d.t")
	execute(t, b, "CREATE TABLE d.t (n STRING, s STRING)")
	execute(t, b, "INSERT INTO d.t VALUES ('s3cr3t', 's3cr3t')")
	_, err := all(services.Deadline(t), src)
	must.Hold(t, err != nil && err.Error() == `bigquery: test.d.t: columns have changed since the run was planned: ["n"]; start again`, "got %v", err)
	execute(t, b, "DROP TABLE d.t")
	src.Key = "another"
	_, err = all(services.Deadline(t), src)
	must.Hold(t, err != nil && !strings.Contains(err.Error(), "SELECT"), "got %v", err)
}

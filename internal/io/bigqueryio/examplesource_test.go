package bigqueryio_test

import (
	"fmt"
	"time"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/bigqueryio"
)

func ExampleParseTable() {
	t, err := bigqueryio.ParseTable("bq://clinic.records.visits")
	fmt.Println(t.Project, t.Dataset, t.Name, err)
	_, err = bigqueryio.ParseTable("records.visits")
	fmt.Println(err)
	// Output:
	// clinic records visits <nil>
	// bigquery: got "records.visits"; want bq://project.dataset.table
}

// A source comes from Check; this one shows what is asked of the service.
func ExampleSource_SQL() {
	s := bigqueryio.Source{
		Table:    bigqueryio.Table{Project: "clinic", Dataset: "records", Name: "visits"},
		Columns:  []bigqueryio.Column{{Name: "age", As: domain.Int64}, {Name: "patient", As: domain.String}},
		Snapshot: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixMicro(),
	}
	fmt.Println(s.SQL())
	fmt.Println(s.Note())
	// Output:
	// SELECT `age`, `patient` FROM `clinic.records.visits` FOR SYSTEM_TIME AS OF TIMESTAMP '2026-01-02 03:04:05.000000+00'
	// clinic.records.visits, as of 2026-01-02 03:04:05 UTC; 2 columns
}

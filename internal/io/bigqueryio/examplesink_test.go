package bigqueryio_test

import (
	"bytes"
	"fmt"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/bigqueryio"
)

// A worker writes its part of the rows. Parts lie in a bucket until Publish loads them in one job.
func ExampleSink_NewWriter() {
	sink := bigqueryio.Sink{
		Client: bigqueryio.Client{Project: "p"},
		Table:  bigqueryio.Table{Project: "p", Dataset: "d", Name: "people"},
		Domain: domain.Domain{Attributes: []domain.Attribute{{Name: "sex", Type: domain.String, Values: []string{"F", "M"}}}},
		RunID:  "run-1",
		Shards: 2,
	}
	var part bytes.Buffer
	w, err := sink.NewWriter(&part)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = w.Write(&domain.Chunk{Rows: 2, Columns: []domain.Column{{Form: domain.Dictionary, Dict: []string{"F", "M"}, Ints: []int64{0, 1}}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, err := w.Close()
	fmt.Println(rows, err, string(part.Bytes()[:4]))
	// Output: 2 <nil> PAR1
}

func ExampleSink_Validate() {
	table := bigqueryio.Table{Project: "p", Dataset: "d", Name: "t"}
	fmt.Println(bigqueryio.Sink{Client: bigqueryio.Client{Project: "p"}, Table: table, RunID: "run", Shards: 20000}.Validate())
	// Output:
	// bigquery: 20000 shards: a load job takes 1 to 10000 files
	// 	a table without columns cannot hold rows
}

package bigqueryio

import (
	"context"
	"fmt"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/release/dirsink"
)

func ExampleSink() {
	service := newLoadServer(script{}) // in the place of BigQuery
	defer service.http.Close()
	ctx := context.Background()

	sink := Sink{
		Client: Client{Project: "p", Endpoint: service.url, Anonymous: true},
		Table:  Table{Project: "p", Dataset: "d", Name: "people"},
		Domain: domain.Domain{Attributes: []domain.Attribute{{Name: "sex", Type: domain.String, Values: []string{"F", "M"}}}},
		RunID:  "run-1",
		Shards: 2,
	}
	if err := sink.Check(ctx); err != nil {
		fmt.Println(err)
	}
	// Workers have written two parts by sink.NewWriter.
	staged := Staged{Model: "4f1d", Parts: []dirsink.FileRef{
		{Shard: 0, Rows: 6, URI: "gs://b/runs/_tmp/run-1/6f/part-00000-of-00002.parquet"},
		{Shard: 1, Rows: 4, URI: "gs://b/runs/_tmp/run-1/07/part-00001-of-00002.parquet"},
	}}
	for range 2 { // as where the first answer was lost
		done, err := sink.Publish(ctx, staged)
		fmt.Println(done.Rows, done.Job, err)
	}
	fmt.Println(len(service.made), "job")
	// Output:
	// 10 dapple_6c4809f30447595855abb8b7f1768142_0 <nil>
	// 10 dapple_6c4809f30447595855abb8b7f1768142_0 <nil>
	// 1 job
}

func ExampleSink_Validate() {
	fmt.Println(Sink{Client: Client{Project: "p"}, Table: Table{"p", "d", "t"}, RunID: "run", Shards: 20000}.Validate())
	// Output:
	// bigquery: 20000 shards: a load job takes 1 to 10000 files
	// 	a table without columns cannot hold rows
}

package bigqueryio

import (
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// A publication whose first answer was lost is made again, and is one job.
func TestPublishAgainIsOneJob(t *testing.T) {
	service := newLoadServer(script{}) // in the place of BigQuery
	defer service.http.Close()
	sink := Sink{
		Client: Client{Project: "p", Endpoint: service.url, Anonymous: true},
		Table:  Table{Project: "p", Dataset: "d", Name: "people"},
		Domain: domain.Domain{Attributes: []domain.Attribute{{Name: "sex", Type: domain.String, Values: []string{"F", "M"}}}},
		RunID:  "run-1",
		Shards: 2,
	}
	must.Do(t, sink.Check(t.Context()))
	staged := Staged{Model: "4f1d", Parts: []dirsink.FileRef{
		{Shard: 0, Rows: 6, URI: "gs://b/runs/_tmp/run-1/6f/part-00000-of-00002.parquet"},
		{Shard: 1, Rows: 4, URI: "gs://b/runs/_tmp/run-1/07/part-00001-of-00002.parquet"},
	}}
	for range 2 {
		done, err := sink.Publish(t.Context(), staged)
		if err != nil || done.Rows != 10 || done.Job != "dapple_6c4809f30447595855abb8b7f1768142_0" {
			t.Errorf("%d rows by job %s, error %v", done.Rows, done.Job, err)
		}
	}
	must.Hold(t, len(service.made) == 1, "%d jobs", len(service.made))
}

// Package bigquery tests dapple's reading and writing of BigQuery against an emulator.
package bigquery

import (
	"bytes"
	"errors"
	"net/http"
	"testing"

	bq "cloud.google.com/go/bigquery"
	"google.golang.org/api/googleapi"

	"github.com/dapple-dp/dapple/integration/services"
	_ "github.com/dapple-dp/dapple/io/csvio"
	_ "github.com/dapple-dp/dapple/io/gs"
	_ "github.com/dapple-dp/dapple/io/parquetio"
)

// load runs one load job of one row of CSV under an ID.
func load(t *testing.T, b *services.BigQuery, id string) error {
	src := bq.NewReaderSource(bytes.NewReader([]byte("1\n2\n")))
	src.SourceFormat = bq.CSV
	src.Schema = bq.Schema{{Name: "a", Type: bq.IntegerFieldType}}
	l := b.Client(t).Dataset("d").Table("t").LoaderFrom(src)
	l.JobID, l.Location = id, "EU"
	job, err := l.Run(services.Deadline(t))
	if err == nil {
		_, err = job.Wait(services.Deadline(t))
	}
	return err
}

// The proxy supplies what the emulator lacks.
func TestProxyRefusesAnIDThatIsTaken(t *testing.T) {
	b := services.StartBigQuery(t, "")
	b.Dataset(t, "d", "EU")
	p := services.StartProxy(t, b, services.Before503, services.AfterDrop, services.None, services.After503)
	through := p.Through(b)
	var answer *googleapi.Error
	if err := load(t, through, "one"); !errors.As(err, &answer) || answer.Code != http.StatusServiceUnavailable || p.Loads() != 0 {
		t.Errorf("before503: %v, %d loads", err, p.Loads())
	}
	if err := load(t, through, "one"); err == nil || errors.As(err, &answer) && answer.Code != http.StatusServiceUnavailable || p.Loads() != 1 {
		t.Errorf("afterdrop: %v, %d loads", err, p.Loads())
	}
	if err := load(t, through, "one"); !errors.As(err, &answer) || answer.Code != http.StatusConflict || p.Loads() != 1 {
		t.Errorf("an ID that is taken: %v, %d loads", err, p.Loads())
	}
	if err := load(t, through, "two"); !errors.As(err, &answer) || answer.Code != http.StatusServiceUnavailable || p.Loads() != 2 {
		t.Errorf("after503: %v, %d loads", err, p.Loads())
	}
	c := through.Client(t)
	if _, err := c.JobFromIDLocation(services.Deadline(t), "one", "EU"); err != nil {
		t.Errorf("a job with its location: %v", err)
	}
	if _, err := c.JobFromID(services.Deadline(t), "one"); !errors.As(err, &answer) || answer.Code != http.StatusNotFound {
		t.Errorf("a job without its location: %v", err)
	}
}

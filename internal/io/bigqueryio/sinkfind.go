package bigqueryio

import (
	"context"
	"fmt"

	"cloud.google.com/go/bigquery"
)

// Find returns the load that has put this run's rows into the table, whichever worker started it; false if none has
// succeeded. Its Rows are −1 if the service does not report how many it loaded.
func (s Sink) Find(ctx context.Context, model string) (Loaded, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	client, err := s.Client.Open(ctx)
	if err != nil {
		return Loaded{}, false, err
	}
	defer func() { _ = client.Close() }() // nothing is lost if closing a connection fails
	location, err := s.locate(ctx, client)
	if err != nil {
		return Loaded{}, false, err
	}
	for attempt := range loadAttempts {
		id := jobID(s.jobName(model), attempt)
		job, err := client.JobFromIDLocation(ctx, id, location)
		if missing(err) {
			break // attempts follow one another
		}
		if err != nil {
			return Loaded{}, false, fmt.Errorf("bigquery: load job %s: %w", id, (&loading{}).because(err))
		}
		if status := job.LastStatus(); status != nil && status.State == bigquery.Done && status.Err() == nil {
			out := Loaded{Job: id, Rows: -1}
			if stats, known := loaded(status); known {
				out.Rows, out.Bytes = stats.OutputRows, stats.InputFileBytes
			}
			return out, true, nil
		}
	}
	return Loaded{}, false, nil
}

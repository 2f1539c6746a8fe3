package bigqueryio

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/bigquery"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Check reports at launch whether Publish could succeed, as far as that can be known, and writes nothing: the dataset
// exists, jobs may be run, and the table does not exist, or its kind, rows, columns and permissions allow the load.
// It lists all columns that do not fit.
func (s Sink) Check(ctx context.Context) error {
	valid := s
	if s.Domain.Len() == 0 {
		valid.Domain.Attributes = []domain.Attribute{{Name: "unknown"}} // stands for the columns
	}
	if err := valid.Validate(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	client, err := s.Client.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }() // nothing is lost if closing a connection fails
	location, err := s.locate(ctx, client)
	if err != nil {
		return err
	}
	if err := s.mayRunJobs(ctx, client, location); err != nil {
		return err
	}
	table, err := s.in(client).Metadata(ctx)
	if missing(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("bigquery: %s: %w", s.Table, (&loading{}).because(unanswered(err)))
	}
	if err := s.fits(table); err != nil {
		return err
	}
	return s.mayWrite(ctx, client)
}

// locate returns the location of the dataset.
func (s Sink) locate(ctx context.Context, client *bigquery.Client) (string, error) {
	dataset, err := client.DatasetInProject(s.Table.Project, s.Table.Dataset).Metadata(ctx)
	if missing(err) {
		return "", fmt.Errorf("bigquery: %s.%s: there is no such dataset, or no permission to see it; create it", s.Table.Project, s.Table.Dataset)
	}
	if err != nil {
		return "", fmt.Errorf("bigquery: %s.%s: %w", s.Table.Project, s.Table.Dataset, (&loading{}).because(unanswered(err)))
	}
	return dataset.Location, nil
}

// mayRunJobs plans a query that reads nothing, which needs the permission that a load job needs.
func (s Sink) mayRunJobs(ctx context.Context, client *bigquery.Client, location string) error {
	q := client.Query("SELECT 1")
	q.DryRun, q.Location = true, location
	if _, err := q.Run(ctx); err != nil {
		return fmt.Errorf("bigquery: project %s: jobs cannot be run: %w", s.Client.Project, (&loading{}).because(unanswered(err)))
	}
	return nil
}

// fits reports whether an existing table accepts the rows.
func (s Sink) fits(table *bigquery.TableMetadata) error {
	if table.Type != "" && table.Type != bigquery.RegularTable {
		return fmt.Errorf("bigquery: %s is a %s; choose a table", s.Table, strings.ReplaceAll(string(table.Type), "_", " "))
	}
	if s.Write == WriteEmpty && holdsRows(table) {
		return s.notEmpty()
	}
	if s.Write == WriteTruncate || s.Domain.Len() == 0 {
		return nil
	}
	if faults := mismatches(&s.Domain, table.Schema); len(faults) > 0 {
		return errors.New("bigquery: " + s.Table.String() + " has other columns; choose another table or set write=truncate:\n\t" +
			strings.Join(faults, "\n\t"))
	}
	return nil
}

func holdsRows(table *bigquery.TableMetadata) bool {
	return table.NumRows > 0 || table.StreamingBuffer != nil
}

// mayWrite tests the permissions on an existing table. A server that does not support the test is no fault.
func (s Sink) mayWrite(ctx context.Context, client *bigquery.Client) error {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	need := []string{"bigquery.tables.update", "bigquery.tables.updateData"}
	have, err := s.in(client).IAM().TestPermissions(ctx, need)
	if err != nil {
		return nil
	}
	for _, p := range need {
		if !slices.Contains(have, p) {
			return fmt.Errorf("bigquery: %s: the permission %s is missing; grant BigQuery Data Editor on the dataset", s.Table, p)
		}
	}
	return nil
}

// askTime bounds a request that a server need not support.
const askTime = 5 * time.Second

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

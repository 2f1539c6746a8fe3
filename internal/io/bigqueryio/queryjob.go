package bigqueryio

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/bigquery"
)

// attempts is how often a query is run that the service failed to run.
const attempts = 3

// submitTime limits the submission of a job, which the client would repeat endlessly while the service
// fails.
const submitTime = 5 * time.Minute

// query returns the job of a query when it is done. Its name follows from the source and the query: a
// step that is repeated finds the job that the first one made, and so the same rows in the same order,
// and pays for them once.
func (r *reader) query(ctx context.Context, sql string) (*bigquery.Job, error) {
	for attempt := 0; ; attempt++ {
		id := r.queryID(sql, attempt)
		err := r.submit(ctx, id, sql)
		if err == nil {
			var job *bigquery.Job
			if job, err = r.finished(ctx, id); err == nil {
				return job, nil
			}
		}
		if f, ok := refusalOf(err); !ok || !f.transient() {
			return nil, r.shown(err)
		}
		if attempt == attempts-1 {
			return nil, shown(fmt.Sprintf("%s: query job %s, attempt %d", r.Table, id, attempts), err)
		}
	}
}

// queryID names the job of an attempt at a query.
func (s *Source) queryID(sql string, attempt int) string {
	h := sha256.Sum256([]byte(s.Key + "\x00" + s.Client.Project + "\x00" + sql))
	return fmt.Sprintf("dapple_read_%s_%d", hex.EncodeToString(h[:16]), attempt)
}

// submit starts a query, unless the job is there: it has been started before, or the answer was lost.
func (r *reader) submit(whole context.Context, id, sql string) error {
	ctx, cancel := context.WithTimeout(whole, submitTime)
	defer cancel()
	q := r.client.Query(sql)
	q.JobID, q.Location = id, r.Location
	q.Labels = map[string]string{"dapple_run": strings.ToLower(r.Key)}
	_, err := q.Run(ctx)
	if err == nil || whole.Err() != nil {
		return err
	}
	ctx, cancel = context.WithTimeout(whole, checkTime)
	defer cancel()
	if _, notFound := r.client.JobFromIDLocation(ctx, id, r.Location); notFound == nil {
		return nil
	}
	return err
}

// finished waits until a job is done, and returns it or the error that it ended with. The client's own
// waiting would go on after some of them.
func (r *reader) finished(ctx context.Context, id string) (*bigquery.Job, error) {
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 10*time.Second) {
		job, err := r.client.JobFromIDLocation(ctx, id, r.Location)
		if err != nil {
			return nil, err
		}
		if status := job.LastStatus(); status != nil && status.Done() {
			return job, status.Err()
		}
		if err := sleep(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// jobName names the load of one set of rows, whichever process loads it and from where: equal run, model, table,
// number of shards and columns mean equal rows. The number of the attempt is appended.
func (s Sink) jobName(model string) string {
	h := sha256.New()
	part := func(text string) {
		// The length goes first, so that no two lists of parts read the same.
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text))))
		h.Write([]byte(text))
	}
	for _, text := range []string{s.RunID, model, s.Table.String(), strconv.Itoa(s.Shards)} {
		part(text)
	}
	for _, f := range columns(&s.Domain) {
		part(f.Name)
		part(string(f.Type))
		part(strconv.FormatBool(f.Required))
	}
	return "dapple_" + hex.EncodeToString(h.Sum(nil))[:32]
}

// jobID names one attempt at a load, 0, 1, … An attempt that has failed wrote nothing, and its ID is
// used up.
func jobID(name string, attempt int) string { return fmt.Sprintf("%s_%d", name, attempt) }

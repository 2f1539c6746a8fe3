package bigqueryio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/bigquery"
	"google.golang.org/api/googleapi"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// sinkTo returns a sink of two parts that does not wait after failures.
func sinkTo(f *loadServer) Sink {
	return Sink{
		Client: Client{Project: "p", Endpoint: f.url, Anonymous: true}, Table: Table{"p", "d", "t"}, RunID: "run", Shards: 2,
		Domain: domain.Domain{Attributes: []domain.Attribute{
			{Name: "a", Type: domain.Int64, Cuts: []int64{0, 9}, Resolution: 1},
			{Name: "b", Type: domain.String, Values: []string{"x"}, Null: true},
		}},
		sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
}

// onBucket returns ten staged rows.
func onBucket() Staged {
	return Staged{Model: "m", Parts: []dirsink.FileRef{{Shard: 1, Rows: 4, URI: "gs://b/part-1"}, {Shard: 0, Rows: 6, URI: "gs://b/part-0"}}}
}

const name = "dapple_e48e8f40f686cec2e90db4015a48894f" // golden: see TestJobName

// Each row is one way in which a load goes. IDs of attempts are 0, 1, 2.
func TestLoadEvents(t *testing.T) {
	cases := []struct {
		name     string
		server   script
		write    Write
		attempts string // of the insertions, in order
		want     string // attempt of the job that loaded
		fault    string // end of the error, "" for none
	}{
		{name: "inserted, done", attempts: "0", want: "0"},
		{name: "inserted, running, done", server: script{ends: []string{"running"}}, attempts: "0", want: "0"},
		{name: "409: a job of an earlier attempt", server: script{inserts: []string{"made 409 duplicate"}}, attempts: "0", want: "0"},
		{name: "answer lost", server: script{inserts: []string{"made drop"}}, attempts: "0", want: "0"},
		{name: "refused, but made", server: script{inserts: []string{"made 400 invalid"}}, attempts: "0", want: "0"},
		{name: "not arrived", server: script{inserts: []string{"drop", "drop"}}, attempts: "000", want: "0"},
		{name: "service down: the client asks again", server: script{inserts: []string{"503"}}, attempts: "00", want: "0"},
		{name: "made, answered 503: the client's second request is a duplicate", server: script{inserts: []string{"made 503"}}, attempts: "00", want: "0"},
		{name: "too many requests", server: script{inserts: []string{"429 tooMany"}}, attempts: "00", want: "0"},
		{name: "refused", server: script{inserts: []string{"400 invalid"}}, attempts: "0", fault: "_0: 400 invalid; staged files kept"},
		{name: "denied", server: script{inserts: []string{"403 accessDenied"}}, attempts: "0",
			fault: "_0: 403 accessDenied; writing needs the roles BigQuery Data Editor on the dataset, BigQuery Job User on the project, and Storage Object Viewer on staged files; staged files kept"},
		{name: "409 without a job", server: script{inserts: []string{"409 duplicate"}}, attempts: "0", fault: "_0: 409 duplicate; staged files kept"},
		{name: "the look is lost too", server: script{inserts: []string{"made drop"}, looks: []string{"drop"}}, attempts: "00", want: "0"},
		{name: "the look is refused", server: script{inserts: []string{"400 invalid"}, looks: []string{"403 accessDenied"}}, attempts: "0",
			fault: "on staged files; staged files kept"},
		{name: "looks are lost for ever", server: script{inserts: slices.Repeat([]string{"drop"}, 7), looks: slices.Repeat([]string{"drop"}, 7)}, attempts: "0000000",
			fault: "whether the job exists cannot be known: Get"},
		{name: "waiting is interrupted", server: script{ends: []string{"running"}, looks: []string{"drop"}}, attempts: "0", want: "0"},
		{name: "failed for a passing reason", server: script{ends: []string{"backendError", "running internalError"}}, attempts: "012", want: "2"},
		{name: "failed for a passing reason in an attempt before", server: script{ends: []string{"rateLimitExceeded"}, inserts: []string{"made drop", "made drop"}}, attempts: "01", want: "1"},
		{name: "failed three times", server: script{ends: []string{"backendError", "backendError", "backendError"}}, attempts: "012",
			fault: "_2: backendError at gs://b/part-1 after 3 attempts; staged files kept"},
		{name: "failed for good", server: script{ends: []string{"invalid"}}, attempts: "0", fault: "_0: invalid at gs://b/part-1; staged files kept"},
		{name: "full", server: script{ends: []string{"duplicate"}, table: `{"numRows": "5"}`}, attempts: "0",
			fault: "bigquery: p.d.t is not empty; choose another table or set write=truncate; staged files kept"},
		{name: "no statistics", server: script{silent: true, count: "10"}, attempts: "0", want: "0"},
		{name: "no statistics, truncate", server: script{silent: true, count: "10"}, write: WriteTruncate, attempts: "0", want: "0"},
		{name: "no statistics, append", server: script{silent: true, count: "99"}, write: WriteAppend, attempts: "0", want: "0"},
		{name: "no statistics, other rows", server: script{silent: true, count: "20"}, attempts: "0",
			fault: "p.d.t has another number of rows from it than were staged; staged files kept"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := start(t, c.server)
			s := sinkTo(f)
			s.Write = c.write
			removed := false
			staged := onBucket()
			staged.Remove = func(context.Context) error { removed = true; return nil }
			done, err := s.Publish(context.Background(), staged)
			attempts := ""
			for _, id := range f.order {
				attempts += strings.TrimPrefix(id, name+"_")
			}
			must.Hold(t, attempts == c.attempts, "insertions %q, want attempts %q", attempts, c.attempts)
			if c.fault == "" {
				must.Hold(t, err == nil && done.Job == name+"_"+c.want && done.Rows == 10 && done.Left == nil && removed,
					"got %+v, removed %v, %v", done, removed, err)
				return
			}
			must.Hold(t, err != nil && !removed && strings.Contains(err.Error(), c.fault) && !strings.Contains(err.Error(), "4711"), "removed %v, %v", removed, err)
		})
	}
}

// A run that is repeated after it has ended well finds its job, though the staged files are gone.
func TestPublishAgain(t *testing.T) {
	f := start(t, script{ends: []string{"internalError"}})
	s := sinkTo(f)
	first := must.Value(s.Publish(context.Background(), onBucket()))(t)
	again, err := s.Publish(context.Background(), onBucket())
	must.Hold(t, err == nil && first == again && len(f.made) == 2, "got %+v and %+v by %d jobs, %v", first, again, len(f.made), err)
}

// The request says all that the load depends on.
func TestLoadRequest(t *testing.T) {
	f := start(t, script{table: `{"schema": {"fields": [{"name": "A", "type": "INTEGER"}, {"name": "b", "type": "STRING"}, {"name": "more", "type": "DATE"}]}}`})
	s := sinkTo(f)
	s.Labels = map[string]string{"team": "census"}
	for w, schema := range map[Write]string{
		// A table that is there takes rows by its own columns; one that is made or replaced by the domain's.
		WriteAppend:   `[{"name":"A","type":"INTEGER"},{"name":"b","type":"STRING"},{"name":"more","type":"DATE"}]`,
		WriteTruncate: `[{"mode":"REQUIRED","name":"a","type":"INTEGER"},{"name":"b","type":"STRING"}]`,
	} {
		s.Write, s.RunID = w, "run-"+w.String()
		must.Value(s.Publish(context.Background(), onBucket()))(t)
		for _, want := range []string{
			`"createDisposition":"CREATE_IF_NEEDED"`, `"writeDisposition":"WRITE_` + strings.ToUpper(w.String()) + `"`, `"sourceFormat":"PARQUET"`,
			`"sourceUris":["gs://b/part-0","gs://b/part-1"]`, `"labels":{"dapple_run":"run-` + w.String() + `","team":"census"}`, `"location":"EU"`,
		} {
			must.Hold(t, strings.Contains(f.request, want), "%v: %s is not in %s", w, want, f.request)
		}
		must.Hold(t, strings.Contains(f.request, `"schema":{"fields":`+schema), "%v: schema in %s", w, f.request)
		must.Hold(t, strings.Contains(f.patched, `"labels":{"dapple_run":"run-`+w.String()+`","team":"census"}`), "%v: labels of the table: %s", w, f.patched)
	}
}

// withinTheLoad publishes with more and more time until some of it is left for the load, however slow the
// machine, and returns that time and the error.
func withinTheLoad(f *loadServer, publish func(time.Duration) error) (time.Duration, error) {
	for d := 200 * time.Millisecond; ; d *= 2 {
		before := f.insertions()
		if err := publish(d); f.insertions() > before || d > time.Minute {
			return d, err
		}
	}
}

func TestDeadlineOfPublish(t *testing.T) {
	f := start(t, script{inserts: slices.Repeat([]string{"503"}, 10_000)})
	s := sinkTo(f)
	d, err := withinTheLoad(f, func(d time.Duration) error {
		s.Deadline = d
		_, err := s.Publish(context.Background(), onBucket())
		return err
	})
	want := fmt.Sprintf("bigquery: load job %s_0 is not known to have ended within %v; it may end yet: look at it before the next run: context deadline exceeded; staged files kept", name, d)
	must.Hold(t, errors.Is(err, context.DeadlineExceeded) && err.Error() == want, "got %v", err)
	s.Deadline = 0
	_, err = withinTheLoad(f, func(d time.Duration) error {
		ctx, cancel := context.WithTimeout(context.Background(), d)
		defer cancel()
		_, err := s.Publish(ctx, onBucket())
		return err
	})
	must.Hold(t, errors.Is(err, context.DeadlineExceeded) && strings.Contains(err.Error(), "though this run was stopped"), "got %v", err)
}

// The pauses after failures grow to half a minute.
func TestPauses(t *testing.T) {
	var total time.Duration
	l := loading{sleep: func(_ context.Context, d time.Duration) error { total += d; return nil }}
	for i, most := range []time.Duration{1, 2, 4, 8, 16, 32, 32} {
		total = 0
		err := l.pause(context.Background(), i)
		must.Hold(t, err == nil && total <= most*time.Second && total >= most*time.Second/2, "after %d failures: %v, %v", i, total, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := sleep(ctx, time.Hour)
	must.Hold(t, errors.Is(err, context.Canceled), "%v", err)
}

// A request is repeated where the service or the connection failed, and nowhere else.
func TestPassing(t *testing.T) {
	post := func(err error) error { return &url.Error{Op: "Post", URL: "http://127.0.0.1", Err: err} }
	for _, c := range []struct {
		err  error
		want bool
	}{
		{post(io.EOF), true},
		{fmt.Errorf("later: %w", io.ErrUnexpectedEOF), true},
		{&googleapi.Error{Code: 502}, true},
		{&googleapi.Error{Code: 429}, true},
		{&googleapi.Error{Code: 408}, true},
		{&googleapi.Error{Code: 403, Errors: []googleapi.ErrorItem{{Reason: "rateLimitExceeded"}}}, true},
		{&googleapi.Error{Code: 403, Errors: []googleapi.ErrorItem{{Reason: "accessDenied"}}}, false},
		{&bigquery.Error{Reason: "internalError"}, true},
		{&bigquery.Error{Reason: "invalid"}, false},
		{post(context.Canceled), false},
		{post(&fs.PathError{Op: "read", Path: "part", Err: errors.New("input/output error")}), false},
		{fileFault{io.ErrUnexpectedEOF}, false},
		{errors.New("any other"), false},
	} {
		got := passing(c.err)
		must.Hold(t, got == c.want, "%v: got %v", c.err, got)
	}
}

package jobs

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
)

// Watcher hears what becomes of a job. Nil functions are not called.
type Watcher struct {
	// Patience is how long the service may be silent before its job counts as lost; default a minute.
	Patience time.Duration
	State    func(State)                               // each state that differs from the one before
	Counters func(namespace string) bool               // whether the counters of a namespace are wanted: they must be public
	Counted  func(namespace, name string, value int64) // a wanted counter, time and again
}

// ErrLost is in the error of a job that could not be followed to its end. The job may go on.
var ErrLost = errors.New("the job may go on")

// ErrCancelled is in the error of a job that was cancelled.
var ErrCancelled = errors.New("the job was cancelled")

const (
	pollEvery = 500 * time.Millisecond
	// silence is how long a stream may say nothing before the service is asked whether the job goes on.
	silence = 5 * time.Second
	// lastWords is how long the reason of a failure may follow the state that says so.
	lastWords = 2 * time.Second
)

// Follow waits for the end of a job. It returns nil for a job that is done, and an error for one that failed or
// was cancelled, by whomever. A stream that breaks is opened again: services restart, and networks fail. If
// the service is silent for longer than w.Patience, or ctx ends, the error is ErrLost or ctx's.
func (c *Client) Follow(ctx context.Context, job string, w Watcher) error {
	f := &follower{Client: c, job: job, watcher: w}
	heard := time.Now()
	for {
		if err := f.listen(ctx); err == nil {
			heard = time.Now()
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		state, err := c.State(ctx, job)
		if err == nil {
			heard = time.Now()
			f.state(state)
		}
		if Ended(f.last) {
			return f.end()
		}
		if patience := cmp.Or(w.Patience, time.Minute); time.Since(heard) > patience {
			return fmt.Errorf("%w for %v: %w", err, patience, ErrLost)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollEvery):
		}
	}
}

// follower is what has been heard of one job.
type follower struct {
	*Client
	job     string
	watcher Watcher
	last    State
	reason  string // of the newest error
}

func (f *follower) state(s State) {
	if s != f.last && s != jobpb.JobState_UNSPECIFIED {
		if f.last = s; f.watcher.State != nil {
			f.watcher.State(s)
		}
	}
}

// end is what a job that has ended is to its caller.
func (f *follower) end() error {
	switch f.last {
	case jobpb.JobState_DONE:
		return nil
	case jobpb.JobState_FAILED:
		switch {
		case f.reason == "":
			return fmt.Errorf("job %s failed:\nit gave no reason: look at the engine's own log", f.job)
		case strings.Contains(f.reason, "JobCancellationException"): // on Flink's own page or by its own client
			return ErrCancelled
		}
		return fmt.Errorf("job %s failed:\n%s", f.job, f.reason)
	case jobpb.JobState_CANCELLED:
		return ErrCancelled
	}
	return fmt.Errorf("job %s ended as %s", f.job, strings.ToLower(f.last.String()))
}

// listen reads one stream of messages until it ends, and counters meanwhile. It returns nil if the stream
// has said anything.
func (f *follower) listen(ctx context.Context) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := f.service.GetMessageStream(ctx, &jobpb.JobMessagesRequest{JobId: f.job})
	if err != nil {
		return err
	}
	messages, over := received(ctx, stream)
	said, newest := false, time.Now()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	var late <-chan time.Time
	for {
		select {
		case m := <-messages:
			said, newest = true, time.Now()
			f.take(m)
			switch {
			case f.last == jobpb.JobState_FAILED && f.reason == "" && late == nil:
				late = time.After(lastWords)
			case Ended(f.last) && (f.last != jobpb.JobState_FAILED || f.reason != ""):
				return nil
			}
		case <-late:
			return nil
		case <-tick.C:
			f.count(ctx)
			if time.Since(newest) < silence {
				break
			}
			state, err := f.Client.State(ctx, f.job)
			if err != nil {
				return err
			}
			if newest = time.Now(); Ended(state) {
				return nil // Follow asks again
			}
		case err := <-over:
			if said || errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// received passes on what a stream says until ctx ends, and then, once, why it is over.
func received(ctx context.Context, stream jobpb.JobService_GetMessageStreamClient) (<-chan *jobpb.JobMessagesResponse, <-chan error) {
	messages, over := make(chan *jobpb.JobMessagesResponse), make(chan error, 1)
	go func() {
		for {
			m, err := stream.Recv()
			if err != nil {
				over <- err
				return
			}
			select {
			case messages <- m:
			case <-ctx.Done():
				over <- ctx.Err()
				return
			}
		}
	}()
	return messages, over
}

func (f *follower) take(m *jobpb.JobMessagesResponse) {
	if s := m.GetStateResponse(); s != nil {
		f.state(s.GetState())
	}
	if text := m.GetMessageResponse(); text.GetImportance() >= jobpb.JobMessage_JOB_MESSAGE_ERROR && strings.TrimSpace(text.GetMessageText()) != "" {
		f.reason = text.GetMessageText()
	}
}

// count reports the wanted counters. A service that has none, or is busy, is asked again later.
func (f *follower) count(ctx context.Context) {
	if f.watcher.Counters == nil || f.watcher.Counted == nil || f.last != jobpb.JobState_RUNNING {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	resp, err := f.service.GetJobMetrics(ctx, &jobpb.GetJobMetricsRequest{JobId: f.job})
	if err != nil {
		return
	}
	sums := map[[2]string]int64{} // a counter has one value for each step that adds to it
	var order [][2]string
	for _, info := range resp.GetMetrics().GetAttempted() {
		key := [2]string{info.GetLabels()["NAMESPACE"], info.GetLabels()["NAME"]}
		value, ok := sum(info)
		if !ok || !f.watcher.Counters(key[0]) {
			continue
		}
		if _, seen := sums[key]; !seen {
			order = append(order, key)
		}
		sums[key] += value
	}
	for _, key := range order {
		f.watcher.Counted(key[0], key[1], sums[key])
	}
}

// sum returns the value of a counter of a pipeline.
func sum(info *pipepb.MonitoringInfo) (int64, bool) {
	if info.GetUrn() != "beam:metric:user:sum_int64:v1" {
		return 0, false
	}
	v, n := binary.Uvarint(info.GetPayload())
	return int64(v), n > 0
}

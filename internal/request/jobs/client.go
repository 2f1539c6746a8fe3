package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strings"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

// Client talks to one job service.
type Client struct {
	Endpoint string
	conn     *grpc.ClientConn // nil: the service is foreign
	service  jobpb.JobServiceClient
	foreign  Foreign
}

// Foreign is a service of another protocol that answers as a job service does. Of a job service's methods a Client
// calls GetState, Cancel, GetMessageStream and GetJobMetrics.
type Foreign interface {
	jobpb.JobServiceClient
	// Greet asks the service something.
	Greet(ctx context.Context) error
	// Submit makes a job of a pipeline. ErrUnknown is in its error if the job may be there all the same.
	Submit(ctx context.Context, graph *pipepb.Pipeline, o Options) (job string, err error)
}

var schemes = map[string]func(ctx context.Context, at string) (Foreign, error){}

// RegisterScheme makes endpoints that begin with scheme:// belong to a foreign service, from an init function. Its open
// gets what follows.
func RegisterScheme(scheme string, open func(ctx context.Context, at string) (Foreign, error)) {
	schemes[scheme] = open
}

// Patience is how long an endpoint may take to answer the first time.
const Patience = 5 * time.Second

// ErrNoService is in the error of an endpoint where something listens that is no job service.
var ErrNoService = errors.New("the server there is not a Beam job service")

// Dial connects to the job service at host:port. It fails within Patience if nothing listens there, or
// something else: engines have other ports, for people and for their own clients.
func Dial(ctx context.Context, endpoint string) (*Client, error) {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	if strings.Contains(endpoint, "://") {
		c, err := Unasked(ctx, endpoint)
		if err == nil {
			err = c.foreign.Greet(ctx)
		}
		if err != nil {
			return nil, err
		}
		return c, nil
	}
	if _, _, err := net.SplitHostPort(endpoint); err != nil {
		return nil, fmt.Errorf("got %q; want host:port", endpoint)
	}
	tcp, err := (&net.Dialer{}).DialContext(ctx, "tcp", endpoint)
	if err != nil {
		return nil, fmt.Errorf("nothing answers at %s (%s)", endpoint, reason(err))
	}
	_ = tcp.Close() // only asked whether somebody listens
	conn, err := grpc.NewClient("passthrough:///"+endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)))
	if err != nil {
		return nil, fmt.Errorf("got %q: %w", endpoint, err)
	}
	c := &Client{Endpoint: endpoint, conn: conn, service: jobpb.NewJobServiceClient(conn)}
	if err := c.greet(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return c, nil
}

// Unasked returns a client of a foreign service that has not been asked anything yet: for requests that are kept.
func Unasked(ctx context.Context, endpoint string) (*Client, error) {
	scheme, at, _ := strings.Cut(endpoint, "://")
	open := schemes[scheme]
	if open == nil {
		return nil, fmt.Errorf("%s: this program knows no service %s", endpoint, scheme)
	}
	s, err := open(ctx, at)
	if err != nil {
		return nil, err
	}
	return &Client{Endpoint: endpoint, service: s, foreign: s}, nil
}

// greet asks for something that every job service answers.
func (c *Client) greet(ctx context.Context) error {
	_, err := c.service.GetJobs(ctx, &jobpb.GetJobsRequest{}, grpc.WaitForReady(true))
	switch {
	case err == nil:
		return nil
	case status.Code(err) == codes.Unimplemented && !strings.Contains(err.Error(), "unknown service"):
		return nil // a job service without this method
	}
	return fmt.Errorf("%w (%s%s)", ErrNoService, c.Endpoint, flink(c.Endpoint))
}

// flink says of an endpoint that it is the port that Flink has for its own clients, which is often taken for the port of
// the job server; empty if it is not.
func flink(endpoint string) string {
	resp, err := (&http.Client{Timeout: time.Second}).Get("http://" + endpoint + "/overview")
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	var overview struct {
		Version string `json:"flink-version"`
	}
	if json.NewDecoder(io.LimitReader(resp.Body, 1<<16)).Decode(&overview) != nil || overview.Version == "" {
		return ""
	}
	return " is the REST port of a Flink"
}

// reason is an error of the network without addresses, which the caller has named.
func reason(err error) string {
	var op *net.OpError
	if errors.As(err, &op) && op.Timeout() || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("no answer in %v", Patience)
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err.Error()
}

// Close ends the connection. Jobs go on.
func (c *Client) Close() {
	if c.conn != nil {
		_ = c.conn.Close()
	}
}

// State is a job's state.
type State = jobpb.JobState_Enum

// Done is the state of a job that has done all its work.
const Done = jobpb.JobState_DONE

// Ended reports whether a state is the last one of a job.
func Ended(s State) bool {
	switch s {
	case jobpb.JobState_DONE, jobpb.JobState_FAILED, jobpb.JobState_CANCELLED, jobpb.JobState_UPDATED, jobpb.JobState_DRAINED:
		return true
	}
	return false
}

// State returns a job's state.
func (c *Client) State(ctx context.Context, job string) (State, error) {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	s, err := c.service.GetState(ctx, &jobpb.GetJobStateRequest{JobId: job})
	if err != nil {
		return jobpb.JobState_UNSPECIFIED, fmt.Errorf("asking for the state of job %s: %w", job, plain(err))
	}
	return s.GetState(), nil
}

// Cancel asks the service to cancel a job, and waits for its end as long as ctx allows. It returns the last
// state that was heard of, also with an error: the job has ended if Ended says so, and else may go on.
func (c *Client) Cancel(ctx context.Context, job string) (last State, err error) {
	ask, cancel := context.WithTimeout(ctx, Patience)
	_, askErr := c.service.Cancel(ask, &jobpb.CancelJobRequest{JobId: job})
	cancel()
	for {
		s, err := c.State(ctx, job)
		if err == nil {
			last = s
		}
		switch {
		case Ended(last):
			return last, nil
		case err != nil && askErr != nil: // nobody there
			return last, fmt.Errorf("cancelling job %s: %w", job, plain(askErr))
		}
		select {
		case <-ctx.Done():
			return last, errors.Join(fmt.Errorf("job %s was asked to end and has not", job), plain(askErr))
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// plain is an error of a call as the service worded it.
func plain(err error) error {
	s, ok := status.FromError(err)
	if err == nil || !ok {
		return err
	}
	if s.Code() == codes.Unavailable || s.Code() == codes.DeadlineExceeded {
		return errors.New("the job service does not answer")
	}
	return errors.New(s.Message())
}

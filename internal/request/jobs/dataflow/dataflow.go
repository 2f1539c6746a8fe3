// Package dataflow makes Google's Dataflow a job service at endpoints dataflow://PROJECT/REGION. Another address of its
// interface follows behind an @; credentials go to https:// alone. It is a package of its own because Beam's translation
// links Cloud libraries.
package dataflow

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	df "google.golang.org/api/dataflow/v1b3"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/dapple-dp/dapple/internal/request/jobs"
)

func init() { jobs.RegisterScheme("dataflow", open) }

// service is Dataflow in a region, for the jobs of a project.
type service struct {
	jobpb.JobServiceClient // nil: what jobs does not call
	calls                  *df.ProjectsLocationsJobsService
	project, region        string

	mu      sync.Mutex
	metrics *jobpb.GetJobMetricsResponse
	counted time.Time // when metrics was asked for
}

// every is how often Dataflow is asked what becomes of a job: it counts its callers' questions.
var every = 5 * time.Second

func open(ctx context.Context, at string) (jobs.Foreign, error) {
	at, address, _ := strings.Cut(at, "@")
	s := &service{}
	s.project, s.region, _ = strings.Cut(at, "/")
	var opts []option.ClientOption
	if address != "" {
		opts = append(opts, option.WithEndpoint(strings.TrimSuffix(address, "/")+"/"))
	}
	if strings.HasPrefix(address, "http://") {
		opts = append(opts, option.WithoutAuthentication())
	}
	api, err := df.NewService(context.WithoutCancel(ctx), opts...)
	if err != nil {
		return nil, fmt.Errorf("no client of Dataflow: %w", err)
	}
	s.calls = api.Projects.Locations.Jobs
	return s, nil
}

// Greet asks for a list of jobs.
func (s *service) Greet(ctx context.Context) error {
	if _, err := s.calls.List(s.project, s.region).PageSize(1).Context(ctx).Do(); err != nil {
		return fmt.Errorf("region %s of Dataflow does not list the jobs of project %s: %s", s.region, s.project, text(err))
	}
	return nil
}

// text is an error as the service worded it.
func text(err error) string {
	var refusal *googleapi.Error
	if errors.As(err, &refusal) && refusal.Message != "" {
		return refusal.Message
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("no answer in %v", jobs.Patience)
	}
	return err.Error()
}

// refused reports whether an error says that the service has not done what it was asked.
func refused(err error) bool {
	var refusal *googleapi.Error
	return errors.As(err, &refusal) && refusal.Code < http.StatusInternalServerError && refusal.Code != http.StatusRequestTimeout && refusal.Code != http.StatusTooManyRequests
}

// plain is an error as a job service would have it.
func plain(err error) error {
	switch {
	case err == nil:
		return nil
	case refused(err):
		return status.Error(codes.FailedPrecondition, text(err))
	}
	return status.Error(codes.Unavailable, text(err))
}

// state is a job's state, by its name in Dataflow.
func state(name string) jobs.State {
	switch name {
	case "JOB_STATE_PENDING", "JOB_STATE_QUEUED":
		return jobpb.JobState_STARTING
	case "JOB_STATE_RESOURCE_CLEANING_UP":
		return jobpb.JobState_RUNNING
	}
	return jobs.State(jobpb.JobState_Enum_value[strings.TrimPrefix(name, "JOB_STATE_")])
}

// GetState returns the state of a job.
func (s *service) GetState(ctx context.Context, r *jobpb.GetJobStateRequest, _ ...grpc.CallOption) (*jobpb.JobStateEvent, error) {
	job, err := s.calls.Get(s.project, s.region, r.GetJobId()).Context(ctx).Do()
	if err != nil {
		return nil, plain(err)
	}
	return &jobpb.JobStateEvent{State: state(job.CurrentState)}, nil
}

// Cancel asks for the end of a job.
func (s *service) Cancel(ctx context.Context, r *jobpb.CancelJobRequest, _ ...grpc.CallOption) (*jobpb.CancelJobResponse, error) {
	_, err := s.calls.Update(s.project, s.region, r.GetJobId(), &df.Job{RequestedState: "JOB_STATE_CANCELLED"}).Context(ctx).Do()
	return &jobpb.CancelJobResponse{}, plain(err)
}

// GetJobMetrics returns the counters of a job's steps. They are asked for anew now and then.
func (s *service) GetJobMetrics(ctx context.Context, r *jobpb.GetJobMetricsRequest, _ ...grpc.CallOption) (*jobpb.GetJobMetricsResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.metrics != nil && time.Since(s.counted) < 2*every {
		return s.metrics, nil
	}
	list, err := s.calls.GetMetrics(s.project, s.region, r.GetJobId()).Context(ctx).Do()
	if err != nil {
		return nil, plain(err)
	}
	m := &jobpb.MetricResults{}
	for _, update := range list.Metrics {
		n, isNumber := update.Scalar.(float64)
		if update.Name == nil || !isNumber || n < 0 || update.Name.Context["tentative"] != "true" {
			continue // tentative ones cover work that is not finished yet, too
		}
		m.Attempted = append(m.Attempted, &pipepb.MonitoringInfo{
			Urn: "beam:metric:user:sum_int64:v1", Type: "beam:metrics:sum_int64:v1", Payload: protowire.AppendVarint(nil, uint64(n)),
			Labels: map[string]string{"NAMESPACE": update.Name.Context["namespace"], "NAME": update.Name.Name},
		})
	}
	s.metrics, s.counted = &jobpb.GetJobMetricsResponse{Metrics: m}, time.Now()
	return s.metrics, nil
}

// GetMessageStream sends the states and the errors of a job until it has ended.
func (s *service) GetMessageStream(ctx context.Context, r *jobpb.JobMessagesRequest, _ ...grpc.CallOption) (jobpb.JobService_GetMessageStreamClient, error) {
	return &messages{service: s, ctx: ctx, job: r.GetJobId()}, nil
}

// messages is what a job is asked for, time and again.
type messages struct {
	grpc.ClientStream // nil: nobody calls its methods
	*service
	ctx     context.Context // of the stream
	job     string
	pending []*jobpb.JobMessagesResponse
	last    jobs.State
	errors  []string // the newest first: the cause of the others is the first that came
	begun   bool
}

// Recv returns the next message. It waits for it.
func (m *messages) Recv() (*jobpb.JobMessagesResponse, error) {
	for len(m.pending) == 0 {
		if m.begun {
			select {
			case <-m.ctx.Done():
				return nil, m.ctx.Err()
			case <-time.After(every):
			}
		}
		m.begun = true
		if err := m.ask(); err != nil {
			return nil, plain(err)
		}
	}
	next := m.pending[0]
	m.pending = m.pending[1:]
	return next, nil
}

func (m *messages) ask() error {
	job, err := m.calls.Get(m.project, m.region, m.job).Context(m.ctx).Do()
	if err != nil {
		return err
	}
	known := len(m.errors)
	list := m.calls.Messages.List(m.project, m.region, m.job).MinimumImportance("JOB_MESSAGE_ERROR")
	err = list.Pages(m.ctx, func(page *df.ListJobMessagesResponse) error {
		for _, message := range page.JobMessages {
			if !slices.Contains(m.errors, message.MessageText) {
				m.errors = slices.Insert(m.errors, 0, message.MessageText)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(m.errors) > known {
		m.pending = append(m.pending, &jobpb.JobMessagesResponse{Response: &jobpb.JobMessagesResponse_MessageResponse{MessageResponse: &jobpb.JobMessage{
			MessageText: strings.Join(m.errors, "\n"), Importance: jobpb.JobMessage_JOB_MESSAGE_ERROR}}})
	}
	if now := state(job.CurrentState); now != m.last {
		m.last = now
		m.pending = append(m.pending, &jobpb.JobMessagesResponse{Response: &jobpb.JobMessagesResponse_StateResponse{StateResponse: &jobpb.JobStateEvent{State: now}}})
	}
	return nil
}

// Package jobstest has a job service that runs nothing and does what a test tells it.
package jobstest

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Service is a job service on a port of 127.0.0.1. Its job is in the state that Set was told last, and
// begins as STARTING. Set its fields before a client connects.
type Service struct {
	jobpb.UnimplementedJobServiceServer
	jobpb.UnimplementedArtifactStagingServiceServer

	Endpoint string
	Prepared func(*pipepb.Pipeline) error // what Prepare answers; nil: it accepts
	Ran      func() error                 // called when a job is submitted; an error is the answer
	Asked    func()                       // called when the job is to be cancelled; nil: it is, at once
	Looked   func()                       // called before the job's state is answered; may be nil
	Counters map[[2]string]int64          // by namespace and name

	server *grpc.Server
	mu     sync.Mutex
	change chan struct{} // closed at each change
	events []*jobpb.JobMessagesResponse
	state  jobpb.JobState_Enum
	cuts   int // streams that began before the newest cut end
	jobs   int
	asked  int

	followed func() // nil: nothing, or it was done
}

// JobID is the ID of every job.
const JobID = "job-7"

// Start starts a service, which ends with the test.
func Start(t testing.TB) *Service {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Service{Endpoint: l.Addr().String(), server: grpc.NewServer(), change: make(chan struct{}), state: jobpb.JobState_STARTING}
	jobpb.RegisterJobServiceServer(s.server, s)
	jobpb.RegisterArtifactStagingServiceServer(s.server, s)
	go func() { _ = s.server.Serve(l) }() // ends when the service is stopped
	t.Cleanup(s.Stop)
	return s
}

// Stop ends the service: nothing answers any more.
func (s *Service) Stop() { s.server.Stop() }

// Jobs returns how many jobs were submitted, and Cancels how often one was to be cancelled.
func (s *Service) Jobs() int { s.mu.Lock(); defer s.mu.Unlock(); return s.jobs }

// Cancels is described with Jobs.
func (s *Service) Cancels() int { s.mu.Lock(); defer s.mu.Unlock(); return s.asked }

// Set puts the job into a state.
func (s *Service) Set(state jobpb.JobState_Enum) {
	s.say(&jobpb.JobMessagesResponse{Response: &jobpb.JobMessagesResponse_StateResponse{StateResponse: &jobpb.JobStateEvent{State: state}}}, func() { s.state = state })
}

// Fail makes the job fail for a reason.
func (s *Service) Fail(reason string) {
	s.say(&jobpb.JobMessagesResponse{Response: &jobpb.JobMessagesResponse_MessageResponse{MessageResponse: &jobpb.JobMessage{
		MessageText: reason, Importance: jobpb.JobMessage_JOB_MESSAGE_ERROR}}}, func() {})
	s.Set(jobpb.JobState_FAILED)
}

// Cut breaks all streams.
func (s *Service) Cut() { s.say(nil, func() { s.cuts++ }) }

// WhenFollowed lets something happen, once, when a client listens to the job's messages: it has heard of the job by then.
func (s *Service) WhenFollowed(do func()) { s.mu.Lock(); defer s.mu.Unlock(); s.followed = do }

// After returns what does something when the job's state is looked at for the n-th time since it was to be cancelled.
func (s *Service) After(n int, do func()) (looked func()) {
	looks := 0
	return func() {
		if s.Cancels() == 0 {
			return
		}
		s.mu.Lock()
		looks++
		now := looks == n
		s.mu.Unlock()
		if now {
			do()
		}
	}
}

func (s *Service) say(m *jobpb.JobMessagesResponse, change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if change(); m != nil {
		s.events = append(s.events, m)
	}
	close(s.change)
	s.change = make(chan struct{})
}

// Prepare accepts a pipeline, or not.
func (s *Service) Prepare(_ context.Context, r *jobpb.PrepareJobRequest) (*jobpb.PrepareJobResponse, error) {
	if s.Prepared != nil {
		if err := s.Prepared(r.GetPipeline()); err != nil {
			return nil, err
		}
	}
	return &jobpb.PrepareJobResponse{
		PreparationId: "preparation", StagingSessionToken: "token",
		ArtifactStagingEndpoint: &pipepb.ApiServiceDescriptor{Url: s.Endpoint},
	}, nil
}

// ReverseArtifactRetrievalService asks for no file.
func (s *Service) ReverseArtifactRetrievalService(stream jobpb.ArtifactStagingService_ReverseArtifactRetrievalServiceServer) error {
	_, err := stream.Recv()
	return err
}

// Run begins the job.
func (s *Service) Run(context.Context, *jobpb.RunJobRequest) (*jobpb.RunJobResponse, error) {
	s.mu.Lock()
	s.jobs++
	s.mu.Unlock()
	if s.Ran != nil {
		if err := s.Ran(); err != nil {
			return nil, err
		}
	}
	return &jobpb.RunJobResponse{JobId: JobID}, nil
}

// GetJobs lists no job.
func (s *Service) GetJobs(context.Context, *jobpb.GetJobsRequest) (*jobpb.GetJobsResponse, error) {
	return &jobpb.GetJobsResponse{}, nil
}

// GetState returns the job's state.
func (s *Service) GetState(_ context.Context, r *jobpb.GetJobStateRequest) (*jobpb.JobStateEvent, error) {
	if s.Looked != nil {
		s.Looked()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.GetJobId() != JobID {
		return nil, status.Error(codes.NotFound, fmt.Sprintf("job %s is not known", r.GetJobId()))
	}
	return &jobpb.JobStateEvent{State: s.state}, nil
}

// Cancel does what the test says.
func (s *Service) Cancel(context.Context, *jobpb.CancelJobRequest) (*jobpb.CancelJobResponse, error) {
	s.mu.Lock()
	s.asked++
	s.mu.Unlock()
	if s.Asked == nil {
		s.Set(jobpb.JobState_CANCELLED)
	} else {
		s.Asked()
	}
	return &jobpb.CancelJobResponse{}, nil
}

// GetMessageStream sends all that has happened, and what happens, until the job has ended or Cut is called.
func (s *Service) GetMessageStream(_ *jobpb.JobMessagesRequest, stream jobpb.JobService_GetMessageStreamServer) error {
	s.mu.Lock()
	cuts, sent, do := s.cuts, 0, s.followed
	s.followed = nil
	s.mu.Unlock()
	if do != nil {
		go do()
	}
	for {
		s.mu.Lock()
		events, change, cut, state := s.events, s.change, s.cuts > cuts, s.state
		s.mu.Unlock()
		for ; sent < len(events); sent++ {
			if err := stream.Send(events[sent]); err != nil {
				return err
			}
		}
		switch {
		case cut:
			return status.Error(codes.Unavailable, "the stream was cut")
		case state == jobpb.JobState_DONE || state == jobpb.JobState_FAILED || state == jobpb.JobState_CANCELLED:
			return nil
		}
		select {
		case <-change:
		case <-stream.Context().Done():
			return stream.Context().Err()
		}
	}
}

// GetJobMetrics returns the counters.
func (s *Service) GetJobMetrics(context.Context, *jobpb.GetJobMetricsRequest) (*jobpb.GetJobMetricsResponse, error) {
	r := &jobpb.GetJobMetricsResponse{Metrics: &jobpb.MetricResults{}}
	for key, n := range s.Counters {
		r.Metrics.Attempted = append(r.Metrics.Attempted, &pipepb.MonitoringInfo{
			Urn: "beam:metric:user:sum_int64:v1", Type: "beam:metrics:sum_int64:v1", Payload: varint(n),
			Labels: map[string]string{"NAMESPACE": key[0], "NAME": key[1]},
		})
	}
	return r, nil
}

func varint(n int64) (b []byte) {
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

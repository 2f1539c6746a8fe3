package expansion

import (
	"context"
	"errors"
	"math"
	"net"
	"sync"
	"time"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"google.golang.org/grpc"
)

// control stands between a runner and one worker: it passes on what the runner asks and what the worker answers. The
// runner's stream ends here, because a runner may wait forever for the answers of a worker that has died, as Python's
// does.
type control struct {
	fnpb.UnimplementedBeamFnControlServer
	address, forward string // for the worker

	runner fnpb.BeamFnControlClient
	stream fnpb.BeamFnControl_ControlClient
	asked  chan *fnpb.InstructionRequest
	gone   chan struct{} // closed when the runner has closed its stream
	lost   chan struct{} // closed when the worker has ended

	mu   sync.Mutex // of what follows, and of sending to the runner
	open map[string]bool
	over string // what is answered in place of the worker; empty: it is there
}

// patience is far above what the other end of a connection on one machine takes.
const patience = 10 * time.Second

// newControl connects to a runner as the worker that it has asked for.
func newControl(req *fnpb.StartWorkerRequest) (*control, error) {
	host, _, err := net.SplitHostPort(req.GetLoggingEndpoint().GetUrl())
	if err != nil {
		return nil, errors.New("the runner that asked for it has no address")
	}
	ctx, cancel := context.WithCancel(grpcx.WriteWorkerID(context.Background(), req.GetWorkerId()))
	conn, err := grpcx.Dial(ctx, req.GetControlEndpoint().GetUrl(), patience)
	if err != nil {
		cancel()
		return nil, errors.New("the runner that asked for it does not answer")
	}
	c := &control{
		runner: fnpb.NewBeamFnControlClient(conn),
		asked:  make(chan *fnpb.InstructionRequest), gone: make(chan struct{}), lost: make(chan struct{}), open: map[string]bool{},
	}
	server := grpc.NewServer(grpc.MaxRecvMsgSize(math.MaxInt32))
	fnpb.RegisterBeamFnControlServer(server, c)
	var bytes net.Listener
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		bytes, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err == nil {
		c.stream, err = c.runner.Control(ctx)
	}
	if err != nil {
		cancel()
		return nil, err
	}
	c.address, c.forward = lis.Addr().String(), bytes.Addr().String()
	go func() { _ = server.Serve(lis) }() // until it is stopped
	go forward(bytes, host, c.gone)
	go func() {
		c.pass()
		<-c.lost // a worker ends when its stream does
		server.Stop()
		_ = bytes.Close()
		_ = conn.Close() // nobody waits for anything
		cancel()
	}()
	return c, nil
}

// pass takes what the runner asks until it closes its stream.
func (c *control) pass() {
	defer close(c.gone)
	for {
		req, err := c.stream.Recv()
		if err != nil {
			return
		}
		c.mu.Lock()
		c.open[req.GetInstructionId()] = true
		c.answerAll()
		c.mu.Unlock()
		select {
		case c.asked <- req:
		case <-c.lost: // and answered
		}
	}
}

// end answers whatever is open, and whatever will be asked, with a text. It reports whether the runner still asks.
func (c *control) end(text string) bool {
	c.mu.Lock()
	c.over = text
	c.answerAll()
	c.mu.Unlock()
	close(c.lost)
	select {
	case <-c.gone:
		return false
	default:
		return true
	}
}

// answerAll answers for a worker that has ended.
func (c *control) answerAll() {
	if c.over == "" {
		return
	}
	for id := range c.open {
		delete(c.open, id)
		_ = c.stream.Send(&fnpb.InstructionResponse{InstructionId: id, Error: c.over}) // a runner that is gone needs no answer
	}
}

// Control is the worker's stream.
func (c *control) Control(worker fnpb.BeamFnControl_ControlServer) error {
	go func() {
		for {
			answer, err := worker.Recv()
			if err != nil {
				return
			}
			c.mu.Lock()
			if c.open[answer.GetInstructionId()] {
				delete(c.open, answer.GetInstructionId())
				_ = c.stream.Send(answer) // pass sees a runner that is gone
			}
			c.mu.Unlock()
		}
	}()
	for {
		select {
		case req := <-c.asked:
			if err := worker.Send(req); err != nil {
				return err
			}
		case <-c.gone:
			return nil
		}
	}
}

// GetProcessBundleDescriptor asks the runner for a worker.
func (c *control) GetProcessBundleDescriptor(_ context.Context, req *fnpb.GetProcessBundleDescriptorRequest) (*fnpb.ProcessBundleDescriptor, error) {
	return c.runner.GetProcessBundleDescriptor(c.stream.Context(), req)
}

package expansion

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// engine is the control of a runner with one worker. It asks what is in ask, and hears what is in heard.
type engine struct {
	fnpb.UnimplementedBeamFnControlServer
	ask   chan string
	heard chan *fnpb.InstructionResponse
}

func (e *engine) Control(worker fnpb.BeamFnControl_ControlServer) error {
	go func() {
		for {
			answer, err := worker.Recv()
			if err != nil {
				return
			}
			e.heard <- answer
		}
	}()
	for id := range e.ask {
		if err := worker.Send(&fnpb.InstructionRequest{InstructionId: id}); err != nil {
			return err
		}
	}
	return nil
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	lis := must.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = lis.Close() })
	return lis
}

// A worker hears what the runner asks and the runner what it answers. When the worker has ended, what is open and what
// comes later is answered in its place, and only then does the runner see the end of its connections.
func TestControl(t *testing.T) {
	e := &engine{ask: make(chan string), heard: make(chan *fnpb.InstructionResponse)}
	server := grpc.NewServer()
	fnpb.RegisterBeamFnControlServer(server, e)
	lis, data := listen(t), listen(t)
	go func() { _ = server.Serve(lis) }()
	defer server.Stop()
	c := must.Value(newControl(&fnpb.StartWorkerRequest{
		WorkerId:        "worker_1",
		ControlEndpoint: &pipepb.ApiServiceDescriptor{Url: lis.Addr().String()},
		LoggingEndpoint: &pipepb.ApiServiceDescriptor{Url: data.Addr().String()},
	}))(t)
	conn := must.Value(grpcx.Dial(t.Context(), c.address, patience))(t)
	defer func() { _ = conn.Close() }()
	worker := must.Value(fnpb.NewBeamFnControlClient(conn).Control(t.Context()))(t)
	hears := func(id, text string) {
		t.Helper()
		got := <-e.heard
		must.Hold(t, got.GetInstructionId() == id && got.GetError() == text, "the runner heard %v; want %s with %q", got, id, text)
	}
	e.ask <- "1"
	e.ask <- "2"
	for range 2 {
		req := must.Value(worker.Recv())(t)
		if req.GetInstructionId() == "1" {
			must.Do(t, worker.Send(&fnpb.InstructionResponse{InstructionId: "1"}))
		}
	}
	hears("1", "")

	// The worker sends data, and dies.
	sent := must.Value(net.Dial("tcp", c.forward))(t)
	port := data.Addr().(*net.TCPAddr).Port
	must.Value(sent.Write([]byte{byte(port >> 8), byte(port), 'a'}))(t)
	received := must.Value(data.Accept())(t)
	defer func() { _ = received.Close() }()
	var b [1]byte
	_, err := io.ReadFull(received, b[:])
	must.Need(t, err == nil && b[0] == 'a', "%v, %v", b, err)
	_ = sent.Close()
	go func() {
		must.Hold(t, c.end("it died"), "the runner has not closed its stream")
	}()
	hears("2", "it died")
	e.ask <- "3"
	hears("3", "it died")
	_ = received.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	_, err = received.Read(b[:])
	must.Hold(t, err != nil && !errors.Is(err, io.EOF), "the runner saw the end of the data before the end of the control: %v", err)
	close(e.ask) // the runner has had enough
	_ = received.SetReadDeadline(time.Now().Add(time.Minute))
	_, err = received.Read(b[:])
	must.Hold(t, errors.Is(err, io.EOF), "the connection goes on: %v", err)
}

// dataOf is the data of a runner, which ends the stream when it is told to.
type dataOf struct {
	fnpb.UnimplementedBeamFnDataServer
	end chan struct{}
}

func (d *dataOf) Data(stream fnpb.BeamFnData_DataServer) error {
	if err := stream.Send(&fnpb.Elements{}); err != nil {
		return err
	}
	<-d.end
	return nil
}

// A worker that is done waits until the runner has ended the stream of data, which is no end to warn of.
func TestWorkerWaitsForTheEndOfData(t *testing.T) {
	d := &dataOf{end: make(chan struct{})}
	server := grpc.NewServer()
	fnpb.RegisterBeamFnDataServer(server, d)
	data, pool := listen(t), listen(t)
	go func() { _ = server.Serve(data) }()
	defer server.Stop()
	gone := make(chan struct{})
	close(gone)
	go forward(pool, "127.0.0.1", gone)
	dial, done := Through(pool.Addr().String(), "", data.Addr().String())
	conn := must.Value(dial(t.Context(), data.Addr().String(), patience))(t)
	defer func() { _ = conn.Close() }()
	stream := must.Value(fnpb.NewBeamFnDataClient(conn).Data(t.Context()))(t)
	must.Value(stream.Recv())(t)
	over := make(chan struct{})
	go func() {
		done()
		close(over)
	}()
	select {
	case <-over:
		t.Error("a worker did not wait")
	case <-time.After(20 * time.Millisecond):
	}
	close(d.end)
	_, err := stream.Recv()
	must.Hold(t, status.Code(err) == codes.Canceled, "the end is %v", err)
	<-over
}

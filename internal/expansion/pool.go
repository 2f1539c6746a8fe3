package expansion

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// PoolVariable tells a process that a pool has started it. Such a worker writes Ready to its standard output before it
// turns to the runner, and ends when its standard input does, that is, with the pool.
const PoolVariable = "DAPPLE_WORKER_OF_POOL"

// Ready is what a worker of a pool writes first.
const Ready = "ready\n"

// pool starts a process for each worker that a runner asks for. It knows none of them by name: runners use names again
// in their next job, and two runners the same. A worker ends when the runner closes its stream, so that nothing is to be
// stopped.
type pool struct {
	fnpb.UnimplementedBeamFnExternalWorkerPoolServer
	program string
	env     []string
}

func (p *pool) StopWorker(context.Context, *fnpb.StopWorkerRequest) (*fnpb.StopWorkerResponse, error) {
	return &fnpb.StopWorkerResponse{}, nil
}

func (p *pool) StartWorker(_ context.Context, req *fnpb.StartWorkerRequest) (*fnpb.StartWorkerResponse, error) {
	cmd := exec.Command(p.program, "--id="+req.GetWorkerId(),
		"--logging_endpoint="+req.GetLoggingEndpoint().GetUrl(), "--control_endpoint="+req.GetControlEndpoint().GetUrl(),
		"--provision_endpoint="+req.GetProvisionEndpoint().GetUrl())
	cmd.Env = append(append(os.Environ(), p.env...), PoolVariable+"=1")
	said := &tail{}
	cmd.Stderr = io.MultiWriter(os.Stderr, said)
	out, err := cmd.StdoutPipe()
	if err == nil {
		_, err = cmd.StdinPipe() // it closes with this process
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return &fnpb.StartWorkerResponse{Error: fmt.Sprintf("dapple: its worker cannot be started: %v", err)}, nil
	}
	go func() {
		line, _ := bufio.NewReader(out).ReadString('\n') // a worker that has died says nothing
		end := cmd.Wait()
		if line != Ready {
			mourn(req, fmt.Sprintf("dapple: its worker ended before it was at work (%v): %s", end, said.last()))
		}
	}()
	return &fnpb.StartWorkerResponse{}, nil
}

// mourn answers for a worker that never came. A runner that waits for one would wait forever.
func mourn(req *fnpb.StartWorkerRequest, text string) {
	fmt.Fprintln(os.Stderr, text)
	ctx, cancel := context.WithTimeout(grpcx.WriteWorkerID(context.Background(), req.GetWorkerId()), time.Minute)
	defer cancel()
	conn, err := grpcx.Dial(ctx, req.GetControlEndpoint().GetUrl(), time.Minute)
	if err != nil {
		return // the runner is gone, too
	}
	defer func() { _ = conn.Close() }() // the worker is lost either way
	stream, err := fnpb.NewBeamFnControlClient(conn).Control(ctx)
	for err == nil {
		var asked *fnpb.InstructionRequest
		if asked, err = stream.Recv(); err == nil {
			err = stream.Send(&fnpb.InstructionResponse{InstructionId: asked.GetInstructionId(), Error: text})
		}
	}
}

// tail keeps the end of what is written.
type tail struct{ kept []byte }

func (t *tail) Write(b []byte) (int, error) {
	t.kept = append(t.kept, b...)
	t.kept = t.kept[max(0, len(t.kept)-2000):]
	return len(b), nil
}

// last is the last line of all.
func (t *tail) last() string {
	lines := strings.Split(strings.TrimSpace(string(t.kept)), "\n")
	return lines[len(lines)-1]
}

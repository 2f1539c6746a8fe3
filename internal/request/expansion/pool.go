package expansion

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
)

// PoolVariable tells a process that a pool has started it, and where the pool is. Such a worker ends when its standard input
// does, that is, with the pool.
const PoolVariable = "DAPPLE_WORKER_OF_POOL"

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
	control, err := newControl(req)
	if err == nil {
		err = p.start(req, control)
	}
	if err != nil {
		return &fnpb.StartWorkerResponse{Error: fmt.Sprintf("dapple: its worker cannot be started: %v", err)}, nil
	}
	return &fnpb.StartWorkerResponse{}, nil
}

// start starts the process of a worker. If it ends before the runner closes its stream, the job ends in a sentence.
func (p *pool) start(req *fnpb.StartWorkerRequest, control *control) error {
	cmd := exec.Command(p.program, "--id="+req.GetWorkerId(),
		"--logging_endpoint="+req.GetLoggingEndpoint().GetUrl(), "--control_endpoint="+control.address,
		"--provision_endpoint="+req.GetProvisionEndpoint().GetUrl())
	cmd.Env = append(append(os.Environ(), p.env...), PoolVariable+"="+control.forward)
	said := &tail{}
	cmd.Stderr = io.MultiWriter(os.Stderr, said)
	_, err := cmd.StdinPipe() // it closes with this process
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		control.end("dapple: its worker cannot be started")
		return err
	}
	go func() {
		_ = cmd.Wait() // the state says how it ended
		text := fmt.Sprintf("dapple: its worker ended before its work did (%v)", cmd.ProcessState)
		if last := said.last(); last != "" {
			text += ": " + last
		}
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signal() == syscall.SIGKILL {
			text += "; a machine that is short of memory kills processes"
		}
		if control.end(text) {
			fmt.Fprintln(os.Stderr, text)
		}
	}()
	return nil
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

package expansion

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"google.golang.org/grpc"

	"github.com/dapple-dp/dapple/internal/request/jobs"
)

// Config says what Serve offers.
type Config struct {
	Port        int    // of this machine alone; 0: any that is free
	Environment string // one of Environments
}

// Serve answers requests until ctx ends. It writes a line with its address to out when it is ready. It listens on the
// loopback interface alone: it asks nobody who they are.
func Serve(ctx context.Context, c Config, out io.Writer) error {
	lis, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", c.Port))
	if err != nil {
		return fmt.Errorf("expansion: %w", err)
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("expansion: %w", err)
	}
	address := fmt.Sprint("localhost:", lis.Addr().(*net.TCPAddr).Port)
	sum, err := jobs.Digest(program)
	if err != nil {
		return fmt.Errorf("expansion: %w", err)
	}
	env, err := environment(c.Environment, address, program, sum)
	if err != nil {
		return err
	}
	server := grpc.NewServer(grpc.MaxRecvMsgSize(math.MaxInt32))
	jobpb.RegisterExpansionServiceServer(server, &Server{Environment: env})
	jobpb.RegisterArtifactRetrievalServiceServer(server, &artifacts{program: program})
	fnpb.RegisterBeamFnExternalWorkerPoolServer(server, &pool{program: program, env: []string{jobs.ProgramVariable + "=" + sum}})
	if _, err := fmt.Fprintf(out, "listening on %s\n", address); err != nil {
		return fmt.Errorf("expansion: %w", err)
	}
	defer context.AfterFunc(ctx, server.Stop)()
	if err := server.Serve(lis); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
		return fmt.Errorf("expansion: %w", err)
	}
	return nil
}

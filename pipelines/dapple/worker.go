package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"

	"github.com/dapple-dp/dapple/internal/jobs"
)

// An engine starts this program with Beam's flags: by Beam's boot program, which has fetched it, or as the command of
// an environment of processes. Then it is its own boot program: nothing is fetched, and a process that the engine ends
// has no child that goes on.

// isWorker reports whether an engine has started this process.
func isWorker(args []string) bool {
	return len(args) > 0 && (args[0] == "--worker=true" || strings.HasPrefix(args[0], "--id="))
}

// work works for a job until it ends. It returns if it cannot.
func work(args []string) error {
	if args[0] != "--worker=true" {
		var err error
		if args, err = boot(args); err != nil {
			return fmt.Errorf("worker: %w", err)
		}
	}
	if err := flag.CommandLine.Parse(args); err != nil {
		return err
	}
	beam.Init() // it does not return
	return errors.New("worker: the harness has ended")
}

// boot asks an engine for what a worker has to know, and returns the flags that Beam's boot program would give it.
func boot(args []string) ([]string, error) {
	if err := jobs.CheckProgram(); err != nil {
		return nil, err
	}
	given := map[string]string{}
	for _, arg := range args {
		name, value, _ := cutFlag(arg)
		given[name] = strings.Trim(value, "'") // prism quotes
	}
	ctx := grpcx.WriteWorkerID(context.Background(), given["id"])
	info, err := tools.ProvisionInfo(ctx, given["provision_endpoint"])
	if err != nil {
		return nil, err
	}
	options, err := tools.ProtoToJSON(info.GetPipelineOptions())
	if err != nil {
		return nil, err
	}
	for name, url := range map[string]string{"logging_endpoint": info.GetLoggingEndpoint().GetUrl(), "control_endpoint": info.GetControlEndpoint().GetUrl()} {
		if url != "" {
			given[name] = url
		}
	}
	err = errors.Join(os.Setenv("STATUS_ENDPOINT", info.GetStatusEndpoint().GetUrl()),
		os.Setenv("RUNNER_CAPABILITIES", strings.Join(info.GetRunnerCapabilities(), " ")))
	return []string{"--worker=true", "--id=" + given["id"], "--logging_endpoint=" + given["logging_endpoint"],
		"--control_endpoint=" + given["control_endpoint"], "--options=" + options}, err
}

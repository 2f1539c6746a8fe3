package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"

	"github.com/dapple-dp/dapple/internal/request/expansion"
	"github.com/dapple-dp/dapple/internal/request/jobs"
	stage "github.com/dapple-dp/dapple/internal/transforms/synth"
)

// An engine starts this program with Beam's flags: by Beam's boot program, which has fetched it, as the command of an
// environment of processes, or through the pool of dapple expand. In the latter two it is its own boot program: nothing
// is fetched, and a process that the engine ends has no child that goes on.
//
// It runs Beam's harness itself, where Beam's own worker mode would sleep forever after the last work, and would refuse
// the options of a pipeline in Python, whose numbers are texts.

// isWorker reports whether an engine has started this process.
func isWorker(args []string) bool {
	return len(args) > 0 && (args[0] == "--worker=true" || strings.HasPrefix(args[0], "--id="))
}

// work works for a job until it ends.
func work(args []string) error {
	given, how, err := asked(args)
	if err != nil {
		return fmt.Errorf("worker: %w", err)
	}
	beam.Init()
	if err := takeOptions(given["options"]); err != nil {
		return fmt.Errorf("worker: %w", err)
	}
	separateMetrics()
	if pool := os.Getenv(expansion.PoolVariable); pool != "" {
		go endWithPool()
		var done func()
		grpcx.Dial, done = expansion.Through(pool, given["control_endpoint"], given["logging_endpoint"])
		defer done()
	}
	ctx := grpcx.WriteWorkerID(context.Background(), given["id"])
	return harness.MainWithOptions(ctx, given["logging_endpoint"], given["control_endpoint"], how)
}

// asked returns what an engine asks of a worker: the flags, the options of the pipeline among them, and options of Beam's
// harness. An engine that can show samples of elements on its pages gets none, whatever its experiments say: elements
// are private.
func asked(args []string) (given map[string]string, how harness.Options, err error) {
	given = map[string]string{}
	for _, arg := range args {
		name, value, _ := cutFlag(arg)
		given[name] = strings.Trim(value, "'") // prism quotes
	}
	if args[0] == "--worker=true" {
		how = harness.Options{StatusEndpoint: os.Getenv("STATUS_ENDPOINT"), RunnerCapabilities: strings.Fields(os.Getenv("RUNNER_CAPABILITIES"))}
		if file := os.Getenv("PIPELINE_OPTIONS_FILE"); file != "" {
			b, err := os.ReadFile(file)
			if err != nil {
				return nil, how, err
			}
			given["options"] = string(b)
		}
	} else if err := boot(given, &how); err != nil {
		return nil, how, err
	}
	how.RunnerCapabilities = slices.DeleteFunc(how.RunnerCapabilities, func(c string) bool { return c == graphx.URNDataSampling })
	return given, how, nil
}

// boot asks an engine for what Beam's boot program would tell a worker. A runner of a pool may have nothing to tell.
func boot(given map[string]string, how *harness.Options) error {
	if err := jobs.CheckProgram(); err != nil {
		return err
	}
	if given["provision_endpoint"] == "" {
		return nil
	}
	info, err := tools.ProvisionInfo(grpcx.WriteWorkerID(context.Background(), given["id"]), given["provision_endpoint"])
	if err != nil {
		return err
	}
	*how = harness.Options{StatusEndpoint: info.GetStatusEndpoint().GetUrl(), RunnerCapabilities: info.GetRunnerCapabilities()}
	given["logging_endpoint"] = cmp.Or(info.GetLoggingEndpoint().GetUrl(), given["logging_endpoint"])
	given["control_endpoint"] = cmp.Or(given["control_endpoint"], info.GetControlEndpoint().GetUrl()) // a pool stands between
	given["options"], err = tools.ProtoToJSON(info.GetPipelineOptions())
	return err
}

// takeOptions takes those that are of Beam Go. A pipeline in another language has none: its worker logs to the runner, as
// all do, and answers in sentences.
func takeOptions(text string) error {
	if text == "" {
		text = "{}"
	}
	var o struct {
		Go runtime.RawOptions `json:"beam:option:go_options:v1"`
	}
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return errors.New("the engine's options of the pipeline are no JSON")
	}
	if len(o.Go.Options) == 0 {
		stage.WatchWorker()
		return nil
	}
	runtime.GlobalOptions.Import(o.Go)
	return nil
}

// endWithPool ends the process with the pool that started it, however that ends.
func endWithPool() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(1)
}

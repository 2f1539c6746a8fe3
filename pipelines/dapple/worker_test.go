package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// A worker sends no samples of elements, which are private, to an engine that would show them on its pages.
func TestWorkersSendNoSamples(t *testing.T) {
	const other = "beam:protocol:control_response_elements_embedding:v1"
	file := filepath.Join(t.TempDir(), "options.json")
	const options = `{"beam:option:go_options:v1": {"options": {"experiments": "enable_data_sampling"}}}`
	must.Do(t, os.WriteFile(file, []byte(options), 0o600))
	t.Setenv("PIPELINE_OPTIONS_FILE", file)
	t.Setenv("RUNNER_CAPABILITIES", graphx.URNDataSampling+" "+other)
	given, how, err := asked([]string{"--worker=true", "--id='w1'"})
	must.Need(t, err == nil && given["id"] == "w1" && given["options"] == options, "%v, %v", given, err)
	must.Hold(t, slices.Equal(how.RunnerCapabilities, []string{other}), "the harness is told that the engine is capable of %v", how.RunnerCapabilities)
}

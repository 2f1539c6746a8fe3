package errtext

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func TestRootCause(t *testing.T) {
	const chain = "job job-001[go-job-1] failed:\nbundle inst003 stage-005 failed:process bundle failed for instruction inst003 using plan stage-005 : " +
		"while executing Process for Plan[stage-005]:\n1: DataSource[S[stage-005_source@localhost:1], i0] Out:10 \n10: ParDo[csvio.readFile] Out:[9]\n" +
		"\tcaused by:\nsource failed processing data\n\tcaused by:\nDoFn[UID:10, PID:e4, Name: github.com/dapple-dp/dapple/io/csvio.readFile] failed:\n"
	const stack = "runtime/debug.Stack()\n\t/go/src/runtime/debug/stack.go:26 +0x5e\npanic({0x1c10000?, 0x23441b0?})\n\t/go/src/runtime/panic.go:860 +0x13a\n" +
		"github.com/dapple-dp/dapple/solver/dpam.check(0x4?, {0x22bf05efbe00?, 0x1?, 0x1?}, 0x1?)\n\t/src/dapple/solver/dpam/fit.go:85 +0x145\n" +
		"github.com/dapple-dp/dapple/solver/dpam.Fit(0x22bf05ec04c0)\n\t/src/dapple/solver/dpam/fit.go:50 +0x4b\n"
	const inPrism = "runtime error: invalid memory address or nil pointer dereference, stage: &{ID:stage-005 transforms:[e7 csv: n5] SECRET},stackTrace:\ngoroutine 88 [running]:\n" +
		"runtime/debug.Stack()\n\truntime/debug/stack.go:26 +0x5e\ngithub.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism/internal.(*stage).Execute.func1()\n" +
		"\tgithub.com/apache/beam/sdks/v2@v2.77.0/go/pkg/beam/runners/prism/internal/stage.go:132 +0x5c\npanic({0x1c10000?, 0x23441b0?})\n\truntime/panic.go:860 +0x13a\n" +
		"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism/internal/worker.(*W).NextInst(...)\n\tgithub.com/apache/beam/sdks/v2@v2.77.0/go/pkg/beam/runners/prism/internal/worker/worker.go:153\n" +
		"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism/internal/worker.(*W).sendInstruction(0x0)\n\tgithub.com/apache/beam/sdks/v2@v2.77.0/go/pkg/beam/runners/prism/internal/worker/worker.go:652 +0x3c\n"
	const prismFault = "prism, a runner of Apache Beam, has a fault at runners/prism/internal/worker/worker.go:153 (message withheld: it may contain private data)"
	for _, tt := range []struct {
		name, err, want string
		ours            bool
	}{
		{"panic of prism in a bundle", "job job-001[go-job-1] failed:\npanic in stage.Execute bundle processing goroutine: " + inPrism, prismFault, true},
		{"panic of prism between bundles", "job job-001[go-job-1] failed:\npanic in ElementManager.Bundles watermark evaluation goroutine: " + inPrism, prismFault, true},
		{"panic of prism before bundles", "job job-001[go-job-1] failed:\npipeline panicked: " + inPrism, prismFault, true},
		{"panic of prism without a stack", "pipeline panicked: SECRET", "prism, a runner of Apache Beam, has a fault (message withheld: it may contain private data)", true},
		{"of a DoFn", chain + "csv: people.csv: line 812: not as many cells as the header line has", "csv: people.csv: line 812: not as many cells as the header line has", true},
		{"of two lines", chain + "csv: a\ncsv: b", "csv: a\ncsv: b", true},
		{"wrapped by ours", chain + "synth: closing shard 3: sink: shard 3: no space left on device", "synth: closing shard 3: sink: shard 3: no space left on device", true},
		{"without a chain", "csv: people.csv: the file is empty", "csv: people.csv: the file is empty", true},
		{"panic of ours", "job job-001 failed:\npanic: pipelines: a directory is plain data\nFull error:\nwhile executing\n\tcaused by:\ngoroutine 12 [running]", "the program has a fault, please report it: pipelines: a directory is plain data", true},
		{"panic of ours, as a chain ends", chain + "panic: dpam: the total of a fit must be above 0 goroutine 154 [running]:\n" + stack,
			"the program has a fault at solver/dpam/fit.go:85, please report it: dpam: the total of a fit must be above 0", true},
		{"panic of another", chain + "panic: runtime error: index out of range [5] with length 3 goroutine 12 [running]:\n" + stack,
			"the program has a fault at solver/dpam/fit.go:85, please report it: (message withheld: it may contain private data)", true},
		{"a word that ends like ours", "rpc error: nocsv: unavailable", "the runner failed: rpc error: nocsv: unavailable", false},
		{"the runner's", "connecting to job service: dial timeout\nmore", "the runner failed: connecting to job service: dial timeout", false},
	} {
		got := Of(errors.New(tt.err))
		must.Hold(t, got.Error() == tt.want && errors.Is(got, ErrRunner) != tt.ours, "%s: got %q, want %q", tt.name, got, tt.want)
	}
	must.Hold(t, Of(nil) == nil, "no error has a cause")
}

// The error of a step is told once, without Beam's plan, and as it is by a function of others, whatever its text begins with. What was
// made of it is found again.
func TestInStep(t *testing.T) {
	const plan = "process bundle failed for instruction inst003 using plan stage-005 : while executing Process for Plan[stage-005]:\n1: DataSource[S[x]]\n\tcaused by:\n"
	step := func(name, text string) string {
		return plan + "DoFn[UID:10, PID:e4, Name: " + name + "] failed:\n" + text
	}
	for name, text := range map[string]string{
		"no plan":        "csv: a file is empty",
		"another's":      step("example.com/shop.readFn", "shop: model: no file"),
		"last another's": step("github.com/dapple-dp/dapple/io/csvio.readFile", "\n\tcaused by:\n"+step("example.com/shop.readFn", "csv: no file")),
	} {
		must.Equal(t, InStep(text), text, "%s: %q became", name, text)
	}
	for text, want := range map[string]string{
		"synth: closing shard 3: sink: no space":                                  "synth: closing shard 3: sink: no space",
		"panic: runtime error: index out of range [5] goroutine 12 [running]:\n":  "the program has a fault, please report it: (message withheld: it may contain private data)",
		"panic: dpam: the total of a fit must be above 0 goroutine 154 [running]": "the program has a fault, please report it: dpam: the total of a fit must be above 0",
	} {
		got := InStep(step("github.com/dapple-dp/dapple/internal/transforms/synth.solveFn", text))
		must.Hold(t, got == "dapple: "+want, "%q became %q", text, got)
		for _, around := range []string{"", "job job-001[go-job-1] failed:\nbundle inst003 stage-005 failed:"} {
			again := Of(errors.New(around + got))
			must.Hold(t, again.Error() == want, "of %q is found %q", around+got, again)
		}
	}
}

// TestPrefixesAreKnown: every prefix of an error or a panic in a package that runs inside a pipeline is one that
// Of finds.
func TestPrefixesAreKnown(t *testing.T) {
	message := regexp.MustCompile(`(?:errors\.New|fmt\.Errorf|panic)\((?:fmt\.Sprintf\()?"([a-z]+: )`)
	seen := 0
	for _, dir := range []string{"dp", "internal", "solver", "transforms", "io", "pipelines"} {
		must.Do(t, filepath.WalkDir(filepath.Join("..", "..", "..", dir), func(path string, d fs.DirEntry, err error) error {
			name := d.Name()
			if err == nil && d.IsDir() && (strings.HasSuffix(name, "test") || name == "testkit" || name == "dapple") {
				return filepath.SkipDir
			}
			if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			b, err := os.ReadFile(path)
			for _, m := range message.FindAllStringSubmatch(string(b), -1) {
				seen++
				must.Hold(t, slices.Contains(prefixes, m[1]), "%s: messages begin with %q, which is not among the prefixes", path, m[1])
			}
			return err
		}))
	}
	must.Hold(t, seen >= 200, "%d messages only: the test is blind", seen)
}

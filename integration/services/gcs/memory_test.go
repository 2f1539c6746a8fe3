package gcs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/pipelines"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// readVariable names the table that a process of this test's program reads, and nothing else: the emulator is
// in its parent, and holds the objects.
const readVariable = "DAPPLE_TEST_READ"

// readAlone makes a synthetic table of the one that readVariable names, and prints the largest memory of this
// process in kB.
func readAlone(input string) int {
	dir, err := os.MkdirTemp("", "")
	if err == nil {
		defer func() { _ = os.RemoveAll(dir) }()
		err = runAlone(input, filepath.Join(dir, "out"))
	}
	status, statusErr := os.ReadFile("/proc/self/status")
	if err != nil || statusErr != nil {
		fmt.Fprintln(os.Stderr, err, statusErr)
		return 1
	}
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	fmt.Println(strings.Fields(peak)[0])
	return 0
}

func runAlone(input, output string) error {
	r, err := pipelines.ValidateRun(ctx, pipelines.Config{
		Domain: "gs://shop/rows.yaml", Input: input, Output: output, Epsilon: 1, Delta: 1e-6, Rows: 1000, Runner: "prism",
	})
	if err != nil {
		return err
	}
	_, err = pipelines.Run(ctx, r)
	return err
}

// peak reads a table in a process of its own and returns the largest memory of that in bytes. A process begins
// with the peak of the one that has started it: what the system says at its end would be the emulator's.
func peak(t *testing.T, input string) int64 {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), readVariable+"="+input, "GOGC=100") // as people run it
	c.Stderr = os.Stderr
	out := must.Value(c.Output())(t)
	kB := must.Value(strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64))(t)
	return kB << 10
}

// The memory of reading objects does not grow with the rows, as with files; see the test of this name
// in integration, which says where 2.5 comes from.
func TestReadingTakesNoMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time to read 12 million rows; make services runs it")
	}
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skipf("missing: a system that tells the memory of a process: %v", err)
	}
	s, c := shop(t)
	put(s, "gs://shop/rows.yaml", strings.Replace(shopDomain, "privacy_id: customer", "privacy_id: none", 1))
	mustRun(t, c)
	formats := []string{"parquet"}
	if dptest.Nightly() {
		formats = append(formats, "csv") // the package that reads parts of objects is the same, and CSV asks for one part
	}
	for _, format := range formats {
		memory := map[int64]int64{}
		for _, rows := range []int64{1e6, 5e6} {
			input := fmt.Sprintf("gs://shop/%s%d", format, rows)
			r := must.Value(pipelines.ValidateSample(ctx, pipelines.SampleConfig{
				Model: "gs://shop/out", Output: input, Format: format, Rows: rows, Shards: 2, Runner: "direct",
			}))(t)
			must.Value(pipelines.RunSample(ctx, r))(t)
			memory[rows] = peak(t, input)
			t.Logf("%s of objects, %d rows: %d MB", format, rows, memory[rows]>>20)
		}
		for range 2 { // on a busy machine a run in some takes more: the least of three counts
			if float64(memory[5e6]) > 2.5*float64(memory[1e6]) {
				memory[5e6] = min(memory[5e6], peak(t, fmt.Sprintf("gs://shop/%s%d", format, int64(5e6))))
			}
		}
		must.Hold(t, float64(memory[5e6]) <= 2.5*float64(memory[1e6]), "%s: %d MB for 5e6 rows, %d MB for 1e6", format, memory[5e6]>>20, memory[1e6]>>20)
	}
}

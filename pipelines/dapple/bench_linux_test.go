package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// BenchmarkFinding runs synth without a domain file and with the one that was found, side by side, on two million records of
// twelve columns: the difference is what finding costs. It reports the CPU and the largest memory of the program.
func BenchmarkFinding(b *testing.B) {
	for _, table := range []struct {
		name   string
		people int // 0: each record is of another one
		values int // of the last column
	}{
		{"five rows a person", 400_000, 9}, {"a thousand rows a person", 2_000, 9}, {"all IDs differ", 0, 9}, {"a column of 2^20 values", 400_000, 1 << 20},
	} {
		dir := b.TempDir()
		writeRecords(b, filepath.Join(dir, "table.csv"), table.people, table.values)
		for _, run := range []struct {
			name string
			args []string
		}{
			{"found", []string{"--privacy_id=person", "--output=out"}},
			{"declared", []string{"--domain=out.release/_domain.yaml", "--output=declared"}},
		} {
			b.Run(table.name+"/"+run.name, func(b *testing.B) {
				var cpu, memory float64
				for b.Loop() {
					out := filepath.Join(dir, run.args[1][len("--output="):])
					for _, old := range []string{out, out + ".release"} {
						must.Do(b, os.RemoveAll(old))
					}
					cmd := exec.CommandContext(b.Context(), binary, append([]string{"synth", "table.csv", "--epsilon=1", "--delta=1e-9", "--quiet"}, run.args...)...)
					cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOGC=100") // as people run it
					said, err := cmd.CombinedOutput()
					must.Need(b, err == nil, "%v\n%s", err, said)
					cpu += (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
					memory = max(memory, float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)/1e3)
				}
				b.ReportMetric(cpu/float64(b.N), "CPU-s/op")
				b.ReportMetric(memory, "MB")
			})
		}
	}
}

// writeRecords writes a made-up table.
func writeRecords(b *testing.B, name string, people, values int) {
	f := must.Value(os.Create(name))(b)
	w, rng := bufio.NewWriter(f), rand.New(rand.NewPCG(1, 2))
	fmt.Fprintln(w, "person,a,b,c,d,e,f,g,h,i,j,k,l")
	for i := range 2_000_000 {
		if people > 0 {
			i = rng.IntN(people)
		}
		fmt.Fprintf(w, "u%d", i)
		hidden := rng.IntN(4)
		for k, n := range []int{2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 7, values} {
			fmt.Fprintf(w, ",value%d", (hidden*k+rng.IntN(1+n/2))%n)
		}
		fmt.Fprintln(w)
	}
	must.Do(b, w.Flush())
	must.Do(b, f.Close())
}

package beam

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/transforms/stats"

	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// Record is a row of job.py.
type Record struct {
	ID int64 `dapple:"id"`
	A  int64
	B  int64
	C  float64
}

func init() {
	beam.RegisterType(reflect.TypeFor[Record]())
	register.Function2x0(record)
	register.Emitter1[Record]()
	register.Function2x0(read)
	register.Emitter1[int64]()
}

func read(n int64, emit func(int64)) {
	for i := range n {
		emit(i)
	}
}

func record(i int64, emit func(Record)) {
	emit(Record{i, i % 100, i * 7 % 100, float64(i * 13 % 100)})
}

// inGo runs the pipeline of job.py in Go, on prism in this process.
func inGo(t testing.TB, n int64) {
	t.Helper()
	text := must.Value(os.ReadFile("testdata/job.py"))(t)
	f := must.Value(schema.Parse("domain", []byte(strings.Split(string(text), `"""`)[3])))(t)
	p, s := beam.NewPipelineWithRoot()
	records := beam.ParDo(s, record, beam.ParDo(s, read, beam.Create(s, n)))
	rows, _ := synth.Synthesize(s, records, synth.Params{Domain: f.Domain, Epsilon: 1, Delta: 1e-9, NoStore: "a measurement"})
	count := transformtest.Capture[int](s, stats.CountElms(s, rows))
	must.Do(t, transformtest.RunOn("prism", p))
	got := count.Elements()[0]
	must.Hold(t, got >= int(n)/2, "%d rows", got)
}

// used is the time that this process has computed.
func used(t testing.TB) time.Duration {
	t.Helper()
	var r syscall.Rusage
	must.Do(t, syscall.Getrusage(syscall.RUSAGE_SELF, &r))
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// The stage in Python costs at most 2.5 times the whole pipeline in Go, whose rows share one model: what the pipeline computes in all its processes,
// less what the same pipeline does without the stage. make bench runs it on a million rows.
func TestCost(t *testing.T) {
	rows := 100_000
	if n := os.Getenv("DAPPLE_ROWS"); n != "" {
		must.Value(fmt.Sscan(n, &rows))(t)
	}
	for range 3 { // a busy machine counts waits for memory as work: the least of three counts
		without := start(t, t.TempDir(), script(t, "job.py"), fmt.Sprint(rows), "0", "", "")
		without.end(t, true)
		s := serve(t)
		with := s.job(t, rows, 0, nil)
		with.end(t, true)
		service := s.end()
		before := used(t)
		inGo(t, int64(rows))
		alone := used(t) - before

		own, all := without.computed(), with.computed()
		stage := all + service - own
		t.Logf("%d rows: Go %.1f CPU-s; Python %.1f without the stage and %.1f with it, and its service and workers %.1f: the stage takes %.2f times the pipeline in Go",
			rows, alone.Seconds(), own.Seconds(), all.Seconds(), service.Seconds(), stage.Seconds()/alone.Seconds())
		if stage <= alone*5/2 {
			return
		}
	}
	t.Error("more than 2.5 times")
}

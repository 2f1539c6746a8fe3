package synth

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/internal/transforms/internal/dofn"
)

// wide is a row of wideDomain.
type wide struct {
	Person                                 string `dapple:"id"`
	C0, C1, C2, C3, C4, C5, C6, C7, C8, C9 string
	C10, C11                               string
}

// wideDomain has twelve columns of 2 to 20 values, as a table of a shop has.
func wideDomain() *domain.Domain {
	d := &domain.Domain{PrivacyID: "id"}
	t := reflect.TypeFor[wide]()
	for i, n := range []int{2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 7, 9} {
		a := domain.Attribute{Name: t.Field(i + 1).Name, Type: domain.String, HasFallback: true}
		for v := range n {
			a.Values = append(a.Values, string(rune('A'+v)))
		}
		d.Attributes = append(d.Attributes, a)
	}
	return d
}

// makeWideFn emits records, five of a person, whose columns depend on each other.
type makeWideFn struct{ Records int }

func (f *makeWideFn) ProcessElement(part int, emit func(wide)) error {
	rng, d := rand.New(rand.NewPCG(1, uint64(part))), wideDomain()
	for range f.Records {
		w := wide{Person: "u" + string(domain.AppendFloat(nil, float64(rng.IntN(200_000))))}
		v := reflect.ValueOf(&w).Elem()
		hidden := rng.IntN(4)
		for i, a := range d.Attributes {
			v.Field(i + 1).SetString(a.Values[(hidden*i+rng.IntN(1+len(a.Values)/2))%len(a.Values)])
		}
		emit(w)
	}
	return nil
}

func dropWide(wide) {}

func init() {
	beam.RegisterType(reflect.TypeFor[wide]())
	dofn.Register[makeWideFn](dofn.Method2x1("ProcessElement", (*makeWideFn).ProcessElement))
	beam.RegisterFunction(dropWide)
}

// memoryOf names the variable that makes a test the process whose memory is measured.
const memoryOf = "DAPPLE_TEST_MEMORY"

// Structs come and go in a fixed memory: a million records of twelve columns, on the default runner, without a Store and with
// more shards than processors. In one process the model travels by reference. Each shard that carried it took 75 MB.
func TestMemoryOfStructs(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for a million records; make integration makes them")
	}
	if os.Getenv(memoryOf) != "" {
		p, s := beam.NewPipelineWithRoot()
		parts := beam.Create(s, 0, 1, 2, 3, 4, 5, 6, 7)
		rows, _ := Synthesize(s, beam.ParDo(s, &makeWideFn{125_000}, parts), Params{Domain: wideDomain(), Epsilon: 1, Delta: 1e-9, Units: 200_000, Shards: 32})
		beam.ParDo0(s, dropWide, rows)
		transformtest.Run(t, p)
		status := must.Value(os.ReadFile("/proc/self/status"))(t)
		fmt.Printf("VmHWM:%s", strings.SplitAfter(string(status), "VmHWM:")[1])
		return
	}
	const limit = 600 << 10 // kB
	var took []int64
	for range 3 { // on a busy machine elements wait for each other, and one run in some takes twice as much
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMemoryOfStructs$")
		cmd.Env = append(os.Environ(), memoryOf+"=1", "GOGC=100") // as people run it
		out, err := cmd.CombinedOutput()
		must.Need(t, err == nil, "%v\n%s", err, strings.TrimSpace(string(out)))
		// The process says its own peak: rusage's begins with the peak of the process that started it.
		var peak int64
		if _, own, ok := strings.Cut(string(out), "VmHWM:"); !ok {
			t.Fatalf("no VmHWM in %s", out)
		} else if _, err := fmt.Sscan(own, &peak); err != nil {
			t.Fatal(err)
		}
		took = append(took, peak>>10)
		t.Logf("%d MB, %v of CPU", peak>>10, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		if peak <= limit {
			return
		}
	}
	t.Errorf("a million records into structs took %d MB, want at most %d", took, limit>>10)
}

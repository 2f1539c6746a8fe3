package synthtest_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/transforms/synth"
	"github.com/dapple-dp/dapple/transforms/synth/synthtest"
	"github.com/dapple-dp/dapple/transforms/tables"
)

func TestMain(m *testing.M) { transformtest.Main(m) }

// dry returns the dry rows and the release of a pipeline with some orders.
func dry(t *testing.T, runner string, orders []Order) ([]Order, *synth.Artifact) {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	var release synth.Release
	rows := pipeline(s, beam.CreateList(s, orders), func(s beam.Scope, col beam.PCollection, p synth.Params) (rows beam.PCollection, _ synth.Release) {
		rows, release = synthtest.Synthesize(s, col, p)
		return rows, release
	})
	got, of := transformtest.Capture[Order](s, rows), transformtest.Capture[*synth.Artifact](s, release.Artifacts(s))
	must.Do(t, transformtest.RunOn(runner, p))
	sorted := got.Elements()
	slices.SortFunc(sorted, func(a, b Order) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return sorted, of.Elements()[0]
}

// Dry rows are the same for other records and on another runner. Their release says that it cost nothing.
func TestDryRowsDoNotDependOnRecords(t *testing.T) {
	first, one := dry(t, "prism", []Order{{"c1", "FR", 3}})
	var many []Order
	for i := range 500 {
		many = append(many, Order{fmt.Sprint(i), "PT", 1})
	}
	second, other := dry(t, "direct", many)
	must.Hold(t, len(first) == synthtest.DefaultRows && slices.Equal(first, second) && bytes.Equal(one.Model, other.Model),
		"%d and %d dry rows of other records differ, or their models", len(first), len(second))
	for _, country := range []string{"FR", "IT", "PT"} {
		n := 0
		for _, o := range first {
			if o.Country == country {
				n++
			}
		}
		must.Hold(t, n >= 250 && n <= 420, "%d of 1000 dry rows are of %s; want about a third", n, country)
	}
	must.Hold(t, one.Method == synthtest.Method && one.Statement.Epsilon == 0 && one.Statement.Delta == 0 && len(one.Statement.Ledger) == 0,
		"dry rows are marked as method %q with %+v", one.Method, one.Statement)
	must.Hold(t, bytes.Contains(one.Model, []byte("they come from no data")), "the model does not say that its rows come from no data")
}

// What Synthesize refuses is refused here too.
func TestDryRowsNeedParametersThatAreRight(t *testing.T) {
	_, s := beam.NewPipelineWithRoot()
	orders := beam.Create(s, Order{})
	d := &domain.Domain{Attributes: []domain.Attribute{{Name: "items", Type: domain.Int64, Cuts: []int64{1, 2}, Resolution: 1, HasFallback: true}}}
	for want, p := range map[string]synth.Params{
		"epsilon": {Domain: d, Delta: 1e-9},
		"Domain":  {Epsilon: 1, Delta: 1e-9},
		"runner":  {Domain: d, Epsilon: 1, Delta: 1e-9, Runner: "flink"},
	} {
		func() {
			defer func() {
				must.Contain(t, fmt.Sprint(recover()), want, "want a word on")
			}()
			synthtest.Synthesize(s, orders, p)
		}()
	}
}

// Patient and Visit are people and their rows.
type (
	Patient struct {
		ID  int64 `dapple:"patient_id"`
		Sex string
	}
	Visit struct {
		ID   int64 `dapple:"patient_id"`
		Ward *string
	}
)

func init() {
	beam.RegisterType(reflect.TypeFor[Patient]())
	beam.RegisterType(reflect.TypeFor[Visit]())
}

func TestDryPeople(t *testing.T) {
	visits := &domain.Domain{PrivacyID: "patient_id", Attributes: []domain.Attribute{
		{Name: "sex", Type: domain.String, Values: []string{"F", "M"}, HasFallback: true},
		{Name: "ward", Type: domain.String, Values: []string{"A", "B"}, Null: true},
	}}
	d := must.Value(visits.WithEvents([]string{"sex"}, nil, []int64{0, 1, 2, 4}, 9))(t)
	p, s := beam.NewPipelineWithRoot()
	made, rows, _ := synthtest.SynthesizePeople(s, beam.Create(s, Patient{}), beam.Create(s.Scope("rows"), Visit{}),
		synth.PeopleParams{Params: synth.Params{Domain: d, Epsilon: 1, Delta: 1e-9, Rows: 200}})
	patients, events := transformtest.Capture[Patient](s, made), transformtest.Capture[Visit](s, rows)
	transformtest.Run(t, p)
	known := map[int64]bool{}
	for _, p := range patients.Elements() {
		known[p.ID] = true
	}
	must.Hold(t, len(known) == 200 && len(events.Elements()) >= 100, "%d dry people with %d rows", len(known), len(events.Elements()))
	for _, v := range events.Elements() {
		must.Need(t, known[v.ID], "a dry row is of person %d, who is not there", v.ID)
	}
}

// A manifest says that the rows are dry.
func TestManifestOfDryRows(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	p, s := beam.NewPipelineWithRoot()
	d := &domain.Domain{Attributes: []domain.Attribute{{Name: "items", Type: domain.Int64, Cuts: []int64{1, 2}, Resolution: 1, HasFallback: true}}}
	tables.Write(s, tables.Sample{Release: synthtest.Release(s, d, 10)}, table.Target{Output: out})
	transformtest.Run(t, p)
	b, err := os.ReadFile(filepath.Join(out+".release", "_manifest.json"))
	must.Hold(t, err == nil && strings.Contains(string(b), "come from no data"), "the manifest says %s, error %v", b, err)
}

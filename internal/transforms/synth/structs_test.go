package synth

import (
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/internal/transforms/internal/dofn"
	"github.com/dapple-dp/dapple/internal/transforms/private"
)

// stay is a user's struct with a field of every sort. One person has one value everywhere: a row in which
// any was lost on the way would be another cell.
type stay struct {
	Person string `dapple:"id"`
	Ward   *string
	Bed    []byte
	Born   civil.Date
	Cost   *big.Rat `beam:"cost"`
	Seen   time.Time
}

// stays has, of each column, a cell for the value that all records have.
func stays() *domain.Domain {
	const day = 24 * 60 * 60 * 1_000_000
	return &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{
		{Name: "ward", Type: domain.String, Values: []string{"eye"}, Null: true},
		{Name: "bed", Type: domain.String, Values: []string{"no", "b7"}, HasFallback: true},
		{Name: "born", Type: domain.Date, Cuts: []int64{0, 100, 101, 200}, Resolution: 1, HasFallback: true},
		{Name: "cost", Type: domain.Numeric, Scale: 2, Cuts: []int64{0, 1250, 1251, 2000}, Resolution: 1, Null: true},
		{Name: "seen", Type: domain.Timestamp, Cuts: []int64{0, day, day + 1, 2 * day}, Resolution: 1, HasFallback: true},
	}}
}

// anonymous is stay as a type that no package declares.
var anonymous = reflect.StructOf([]reflect.StructField{
	{Name: "Person", Type: reflect.TypeFor[string](), Tag: `dapple:"id"`},
	{Name: "Ward", Type: reflect.TypeFor[*string]()},
	{Name: "Bed", Type: reflect.TypeFor[[]byte]()},
	{Name: "Born", Type: reflect.TypeFor[civil.Date]()},
	{Name: "Cost", Type: reflect.TypeFor[*big.Rat](), Tag: `beam:"cost"`},
	{Name: "Seen", Type: reflect.TypeFor[time.Time]()},
})

func init() {
	beam.RegisterType(reflect.TypeFor[stay]())
	dofn.Register[makeStaysFn](dofn.Method2x1("ProcessElement", (*makeStaysFn).ProcessElement))
	dofn.Register[keepStaysFn](dofn.Method1x1("ProcessElement", (*keepStaysFn).ProcessElement))
}

// makeStaysFn makes 2000 records of one person each, in the worker.
type makeStaysFn struct{ Type beam.EncodedType }

func (f *makeStaysFn) ProcessElement(_ int, emit func(beam.X)) error {
	ward := "eye"
	for i := range 2000 {
		s := stay{
			Person: fmt.Sprint("p", i), Ward: &ward, Bed: []byte("b7"), Born: civil.Date{Year: 1970, Month: 4, Day: 11}, // day 100
			Cost: big.NewRat(25, 2), Seen: time.Date(1970, 1, 2, 0, 0, 0, 0, time.UTC),
		}
		row := reflect.New(f.Type.T).Elem() // which need not be what this process would call the type
		for k, from := 0, reflect.ValueOf(s); k < from.NumField(); k++ {
			if v := from.Field(k); v.Type() == row.Field(k).Type() {
				row.Field(k).Set(v)
			} else { // the civil date
				for j := range v.NumField() {
					row.Field(k).Field(j).SetInt(v.Field(j).Int())
				}
			}
		}
		emit(row.Interface())
	}
	return nil
}

// keepStaysFn writes a line for each row to a file of its own.
type keepStaysFn struct{ Dir string }

func (f *keepStaysFn) ProcessElement(row beam.T) error {
	v := reflect.ValueOf(row)
	ward, cost := "NULL", "NULL"
	if p := v.FieldByName("Ward"); !p.IsNil() {
		ward = p.Elem().String()
	}
	if r := v.FieldByName("Cost").Interface().(*big.Rat); r != nil {
		cost = r.RatString()
	}
	born, seen := v.FieldByName("Born"), v.FieldByName("Seen").Interface().(time.Time)
	file, err := os.CreateTemp(f.Dir, "row")
	if err != nil {
		return err
	}
	defer file.Close() // Fprint's error says enough in a test
	_, err = fmt.Fprint(file, ward, " ", string(v.FieldByName("Bed").Bytes()), " ", born.Field(0), " ", born.Field(1).Int(), " ", born.Field(2), " ", cost, " ", seen.UTC().Format(time.RFC3339Nano))
	return err
}

// Structs go in and come out across processes, with shuffles before and after that encode each of them,
// for a declared type and one made at run time.
func TestStructsAcrossProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time to build and start Beam's programs; make integration runs it")
	}
	types := map[string]reflect.Type{"declared": reflect.TypeFor[stay](), "made at run time": anonymous}
	dirs := map[string]string{}
	pl, s := beam.NewPipelineWithRoot()
	d := stays()
	for name, typ := range types {
		dirs[name] = t.TempDir()
		made := beam.ParDo(s, &makeStaysFn{Type: beam.EncodedType{T: typ}}, transformtest.Create(s, 1), beam.TypeDefinition{Var: beam.XType, T: typ})
		units := private.Bound(s, private.Encode(s, beam.Reshuffle(s, made), d, private.EncodeParams{}), private.BoundParams{})
		stats := counts.Count(s, units, query.AllMarginals(d.Sizes(), 2, 1000), counts.Params{})
		p := SolveParams{Epsilon: 50, Delta: 1e-6, Method: "universe", Store: StoreRef{Kind: "dir", Config: t.TempDir()}, RunID: "run"}
		rows := Sample(s, Solve(s, stats, p), SampleParams{Rows: 50, As: typ})
		beam.ParDo0(s, &keepStaysFn{Dir: dirs[name]}, beam.Reshuffle(s, rows))
	}
	transformtest.RunInProcesses(t, pl)
	for name, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "row*"))
		must.Need(t, err == nil && len(files) == 50, "%s: %d rows, error %v; want 50", name, len(files), err)
		right := 0
		for _, f := range files {
			text := must.Value(os.ReadFile(f))(t)
			if strings.TrimSpace(string(text)) == "eye b7 1970 4 11 25/2 1970-01-02T00:00:00Z" {
				right++
			}
		}
		// At ε = 50 the noise of a cell has a variance below .1: that other cells weigh 240 of 2000, which six
		// other rows would take, has probability below 1e-300.
		must.Hold(t, right >= 45, "%s: %d of 50 rows have the values that all records have", name, right)
	}
}

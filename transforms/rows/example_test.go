package rows_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/transforms/filter"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/transformtest"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/io/parquetio"
	"github.com/dapple-dp/dapple/transforms/counts"
	"github.com/dapple-dp/dapple/transforms/private"
	"github.com/dapple-dp/dapple/transforms/rows"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// Visit is a row of a Parquet file.
type Visit struct {
	Age  int64
	Stay *float64 `dapple:"days_in_ward"`
}

func isAdult(v Visit) bool { return v.Age >= 18 }

func init() {
	beam.RegisterType(reflect.TypeFor[Visit]())
	register.Function1x1(isAdult)
}

// visits writes a file of 4000 visits, every fourth of a child.
func visits(path string, dom *domain.Domain) error {
	c := &domain.Chunk{Rows: 4000, Columns: []domain.Column{{Form: domain.Ints}, {Form: domain.Floats}}}
	for i := range c.Rows {
		c.Columns[0].Ints = append(c.Columns[0].Ints, []int64{7, 20, 50, 80}[i%4])
		c.Columns[1].Floats = append(c.Columns[1].Floats, 0.5)
		c.Columns[1].Nulls = append(c.Columns[1].Nulls, i%2 == 0)
	}
	return write(path, dom, c)
}

// A Parquet file is read into a struct, filtered and encoded; nothing but the model of adults comes out. Noise
// weighs one or two children among 3000 adults: for six of 100 rows it would have to be 100 times as large.
func ExampleStructs() {
	dom := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "age", Type: domain.Int64, Cuts: []int64{0, 18, 120}, Resolution: 1, HasFallback: true},
		{Name: "days_in_ward", Type: domain.Float64, FloatCuts: []float64{0, 1, 30}, Null: true},
	}}
	dir, err := os.MkdirTemp("", "visits")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "visits.parquet")
	if err := visits(path, dom); err != nil {
		fmt.Println(err)
		return
	}

	p, s := beam.NewPipelineWithRoot()
	records := parquetio.Read(s, []files.Info{{Name: path}}, dom)
	adults := filter.Include(s, rows.Structs(s, records, dom, reflect.TypeFor[Visit](), rows.Params{}), isAdult) // raw, unguarded
	units := private.Bound(s, private.Encode(s, adults, dom, private.EncodeParams{}), private.BoundParams{})     // guarded from here
	stats := counts.Count(s, units, query.AllMarginals(dom.Sizes(), 2, 1000), counts.Params{})
	model := synth.Solve(s, stats, synth.SolveParams{Epsilon: 10, Delta: 1e-9})
	synthetic := transformtest.Capture[Visit](s, synth.Sample(s, model, synth.SampleParams{Rows: 100, As: reflect.TypeFor[Visit]()}))
	if err := transformtest.RunOn("prism", p); err != nil {
		fmt.Println(err)
		return
	}
	children := 0
	for _, v := range synthetic.Elements() {
		if !isAdult(v) {
			children++
		}
	}
	fmt.Println(len(synthetic.Elements()), "visits; more than 5 of children:", children > 5)
	// Output: 100 visits; more than 5 of children: false
}

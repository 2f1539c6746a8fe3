package discover

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// every has a field of each kind that rows are written to.
type every struct {
	ID   string
	I8   int8
	I16  int16
	I32  int32
	I64  int64
	I    *int
	U8   uint8
	U16  *uint16
	U32  uint32
	U64  uint64
	F    float64
	G    *float64
	S    string
	T    *string
	B    bool
	C    *bool
	Day  time.Time
	Then *time.Time
}

// at returns a record whose numbers are a share x of what their fields hold.
func at(i int, x float64, rng *rand.Rand) (r every) {
	r.ID = fmt.Sprint(i)
	v := reflect.ValueOf(&r).Elem()
	for k := 1; k < v.NumField(); k++ {
		f := v.Field(k)
		if f.Kind() == reflect.Pointer {
			if rng.IntN(3) == 0 {
				continue
			}
			f.Set(reflect.New(f.Type().Elem()))
			f = f.Elem()
		}
		switch f.Kind() {
		case reflect.Bool:
			f.SetBool(rng.IntN(2) == 0)
		case reflect.String:
			f.SetString(string(rune('a' + rng.IntN(3))))
		case reflect.Float64:
			if f.SetFloat(x * 1e6 * rng.Float64()); rng.IntN(50) == 0 {
				f.SetFloat(math.NaN())
			}
		case reflect.Struct:
			f.Set(reflect.ValueOf(time.Unix(int64(x*1e9)+rng.Int64N(1e6), 0)))
		default:
			end := min(math.Ldexp(1, f.Type().Bits()-1)-1, 1e15)
			if f.CanInt() {
				f.SetInt(int64(x * end * (.5 + .5*rng.Float64())))
			} else {
				f.SetUint(uint64(max(0, 2*x*end*(.5+.5*rng.Float64()))))
			}
		}
	}
	return r
}

// TestFoundRowsFitTheirStruct: whatever noise finds of structs, rows of that domain can be written to the same type. Fields that
// cannot be missing have no NULL, and no range is beyond what its field holds.
func TestFoundRowsFitTheirStruct(t *testing.T) {
	typ := reflect.TypeFor[every]()
	p := Params{Columns: must.Value(ColumnsOf(typ, "ID"))(t), PrivacyID: "ID", Delta: 1e-9, Share: dp.ShareOf(1, 2)}
	rng := rand.New(rand.NewPCG(8, 8))
	for run := range 36 {
		n, spread := []int{40, 400, 2_000}[run%3], []float64{-1, -1e-6, 0, 1e-6, .01, 1}[rng.IntN(6)]
		p.Epsilon = []dp.Epsilon{.05, 1, 10}[rng.IntN(3)]
		read := &structFn{Type: beam.EncodedType{T: typ}, ID: true}
		for i := range p.Columns {
			read.Domain.Attributes = append(read.Domain.Attributes, p.Columns[i].attribute())
		}
		read.Domain.Attributes = append(read.Domain.Attributes, domain.Attribute{Name: "ID", Type: domain.String})
		var chunks []*domain.Chunk
		emit := func(c *domain.Chunk) { chunks = append(chunks, c) }
		must.Do(t, read.Setup())
		must.Do(t, read.StartBundle(emit))
		for i := range n {
			must.Do(t, read.ProcessElement(at(i, spread, rng), emit))
		}
		must.Do(t, read.FinishBundle(emit))
		cut := must.Value(p.firstCut())(t)
		counts := countedChunks(t, p, cut, chunks)
		for range 3 {
			f := must.Value(find(p, cut, counts, mechanism.NewSeed(), nil))(t)
			file := string(f.File(""))
			found, err := schema.Parse("found", []byte(file))
			if err != nil {
				must.Need(t, !strings.Contains(file, "columns:\n  -"), "%d people, a share of %g, ε = %g: %v\n%s", n, spread, p.Epsilon, err, file)
				continue // nothing was seen
			}
			err = synth.ValidateStruct(typ, found.Domain)
			must.Need(t, err == nil, "%d people, a share of %g, ε = %g: %v\n%s", n, spread, p.Epsilon, err, file)
		}
	}
	type single struct{ X *float32 }
	must.Fails(ColumnsOf(reflect.TypeFor[single](), ""))(t, "make it a float64", "a field of 32 bits")
}

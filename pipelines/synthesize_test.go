package pipelines

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/schema"
)

type customer struct {
	Customer string
	Plan     string
	Age      *int64
	Active   bool
	Note     string // no column
}

var caught struct {
	sync.Mutex
	rows []customer
}

func catch(c customer) {
	caught.Lock()
	defer caught.Unlock()
	caught.rows = append(caught.rows, c)
}

func init() {
	beam.RegisterType(reflect.TypeFor[customer]())
	register.Function1x0(catch)
}

func shopFile(t testing.TB) *domain.Domain {
	t.Helper()
	f, err := schema.Parse("shop.yaml", []byte(shopDomain))
	if err != nil {
		t.Fatal(err)
	}
	return f.Domain
}

// Structs go in, structs of the same type come out, without privacy IDs.
func TestSynthesize(t *testing.T) {
	d := shopFile(t)
	var people []customer
	for i := range 500 {
		people = append(people, customer{Customer: fmt.Sprint("c", i), Plan: "plus", Active: true, Note: "private"})
	}
	for _, runner := range []string{"prism", "direct"} {
		caught.rows = nil
		p, s := beam.NewPipelineWithRoot()
		out := Synthesize(s, beam.CreateList(s, people), Params{Domain: d, Epsilon: 5, Delta: 1e-6, Rows: 200, Method: "dpam"})
		beam.ParDo0(s, catch, out)
		if _, err := beam.Run(context.Background(), runner, p); err != nil {
			t.Fatal(err)
		}
		plus := 0
		for _, c := range caught.rows {
			if c.Customer != "" || c.Note != "" {
				t.Fatalf("%s: row %+v has an ID or a note", runner, c)
			}
			if c.Plan == "plus" && c.Active {
				plus++
			}
		}
		// 199.9 rows with a standard deviation of 0.4 (100 runs): 150 are more than 100 of these away.
		if len(caught.rows) != 200 || plus < 150 {
			t.Errorf("%s: %d rows, %d of them as all records were", runner, len(caught.rows), plus)
		}
	}
}

// Everything that is wrong is said at construction, at once.
func TestSynthesizeFaults(t *testing.T) {
	type narrow struct {
		Customer string
		Plan     bool
		Age      int64 // not a pointer, and an age can be NULL
	}
	d := shopFile(t)
	wide, err := schema.Parse("shop.yaml", []byte(strings.Replace(shopDomain, "max: 98, bins: 4", "max: 20018, bins: 20000", 1)))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		p    Params
		row  reflect.Type
		want []string
	}{
		{"no domain", Params{}, reflect.TypeFor[customer](), []string{"Domain is required"}},
		{"figures", Params{Domain: d, Epsilon: -1, Delta: 2, Rows: -1}, reflect.TypeFor[customer](), []string{"epsilon", "delta", "rows"}},
		{"fields", Params{Domain: d, Epsilon: 1}, reflect.TypeFor[narrow](), []string{`"plan"`, `"age"`, `"active"`}},
		{"method", Params{Domain: d, Epsilon: 1, Method: "magic"}, reflect.TypeFor[customer](), []string{"magic"}},
		{"a column that no marginal has room for", Params{Domain: wide.Domain, Epsilon: 1}, reflect.TypeFor[customer](),
			[]string{`column "age" has 20001 cells`, "nothing would be known", "fewer values or bins"}},
		{"memory", Params{Domain: d, Epsilon: 1, Delta: 1e-6, Method: "dpam", MemoryLimit: 10}, reflect.TypeFor[customer](), []string{"cells"}},
	} {
		err := tt.p.Validate(tt.row)
		for _, want := range tt.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v lacks %q", tt.name, err, want)
			}
		}
	}
	defer func() {
		if text, _ := recover().(string); !strings.HasPrefix(text, "pipelines: Synthesize:\n") {
			t.Errorf("panic %q", text)
		}
	}()
	_, s := beam.NewPipelineWithRoot()
	Synthesize(s, beam.CreateList(s, []customer{{}}), Params{Domain: d})
}

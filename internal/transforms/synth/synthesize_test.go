package synth_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/transforms/periodic"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
	"github.com/dapple-dp/dapple/solver/dpfw"
)

type customer struct {
	Customer string
	Plan     string
	Age      *int64
	Active   bool
	Note     string // no column
}

func init() { beam.RegisterType(reflect.TypeFor[customer]()) }

// shop is a domain whose ages are cut at the given points.
func shop(ages []int64) *domain.Domain {
	return &domain.Domain{PrivacyID: "customer", Attributes: []domain.Attribute{
		{Name: "plan", Type: domain.String, Values: []string{"basic", "plus", "pro"}, Other: true, OtherValue: "other"},
		{Name: "age", Type: domain.Int64, Cuts: ages, Resolution: 1, Null: true},
		{Name: "active", Type: domain.Bool, Values: []string{"false", "true"}, HasFallback: true},
	}}
}

// Records that are no one table are refused before anything runs.
func TestSynthesizeRefusesStreams(t *testing.T) {
	d := shop([]int64{18, 38, 58, 78, 98})
	_, s := beam.NewPipelineWithRoot()
	one := beam.CreateList(s, []customer{{}})
	ticks := periodic.Impulse(s, time.Unix(0, 0), time.Unix(10, 0), time.Second, false)
	for want, records := range map[string]beam.PCollection{
		"the records are in windows": beam.WindowInto(s, window.NewFixedWindows(time.Hour), one),
		"the records have no end":    beam.ParDo(s, tick, ticks),
	} {
		func() {
			defer func() {
				text, _ := recover().(string)
				must.Hold(t, strings.Contains(text, want), "panic %q lacks %q", text, want)
			}()
			synth.Synthesize(s, records, synth.Params{Domain: d, Epsilon: 1, Delta: 1e-9})
		}()
	}
	back := beam.WindowInto(s, window.NewGlobalWindows(), beam.WindowInto(s, window.NewFixedWindows(time.Hour), one))
	synth.Synthesize(s, back, synth.Params{Domain: d, Epsilon: 1, Delta: 1e-9})
}

// A method's settings travel in its name: a worker makes the accesses that they ask for, and the release names them.
func TestMethodWithSettings(t *testing.T) {
	method := dpfw.Method(dpfw.Settings{Form: dpfw.Cell})
	p, s := beam.NewPipelineWithRoot()
	_, release := synth.Synthesize(s, beam.CreateList(s, make([]customer, 50)), synth.Params{Domain: shop([]int64{18, 58, 98}), Epsilon: 1, Delta: 1e-9, Method: method})
	got := transformtest.Capture[*synth.Artifact](s, release.Artifacts(s))
	must.Do(t, transformtest.RunOn("prism", p))
	a := got.Elements()[0]
	must.Hold(t, a.Method == method, "the release is by %s, want %s", a.Method, method)
	must.Hold(t, slices.ContainsFunc(a.Statement.Ledger, func(l synth.Charge) bool { return l.Kind == dp.Exponential.String() }),
		"no cell was selected: %v", a.Statement.Ledger)
}

// Without a total, two runs on one table would each state their own loss as all that there is.
func TestSecondSynthesizeIsRefused(t *testing.T) {
	d := shop([]int64{18, 38, 58, 78, 98})
	_, s := beam.NewPipelineWithRoot()
	one, other := beam.CreateList(s, []customer{{}}), beam.CreateList(s, []customer{{}})
	p := synth.Params{Domain: d, Epsilon: 1, Delta: 1e-9}
	synth.Synthesize(s, one, p)
	synth.Synthesize(s, other, p)
	defer func() {
		said, ok := recover().(string)
		must.Hold(t, ok && strings.Contains(said, "losses add"), "a second call with the same records: %v", said)
	}()
	synth.Synthesize(s, one, p)
}

// Runs on one table, or on several of the same people, that are charged to one total add up to at most that.
func TestSynthesizeWithinABudget(t *testing.T) {
	d := shop([]int64{18, 38, 58, 78, 98})
	records := *d
	records.PrivacyID = ""
	_, s := beam.NewPipelineWithRoot()
	one, other := beam.CreateList(s, []customer{{}}), beam.CreateList(s, []customer{{}})
	total := &synth.Budget{Epsilon: 1, Delta: 1e-9}
	p := synth.Params{Domain: d, Epsilon: .69, Delta: 1e-9, Budget: total}
	refused := func(name, want string, col beam.PCollection, p synth.Params) {
		t.Helper()
		defer func() {
			t.Helper()
			said, ok := recover().(string)
			must.Hold(t, ok && strings.Contains(said, want), "%s: %v, want %q", name, said, want)
		}()
		synth.Synthesize(s, col, p)
	}
	change := func(f func(*synth.Params)) synth.Params { q := p; f(&q); return q }
	refused("no total", "the total of a Budget: dp: epsilon 0", one, change(func(q *synth.Params) { q.Budget = &synth.Budget{} }))
	synth.Synthesize(s, one, p)
	refused("a second half too large", "does not fit a Budget of ε = 1 and δ = 1e-09, to which 1 before it are charged: ε = 0.70",
		one, change(func(q *synth.Params) { q.Epsilon = .75 }))
	refused("selections beside Gaussian noise", "to which 1 before it are charged: ε = 0.6", one, change(func(q *synth.Params) { q.Method = "dpfw" }))
	refused("another relation", "counts for AddRemove", one, change(func(q *synth.Params) { q.Neighbouring = dp.Replace }))
	refused("another unit", `counts for AddRemove and privacy ID "customer"`, other, change(func(q *synth.Params) { q.Domain = &records }))
	refused("without the total", "losses add", one, change(func(q *synth.Params) { q.Budget = nil }))
	refused("with a total of its own", "losses add", one, change(func(q *synth.Params) { q.Budget = &synth.Budget{Epsilon: 1, Delta: 1e-9} }))
	synth.Synthesize(s, other, p)
	refused("a third", "to which 2 before it are charged: ", one, p)

	pure := synth.Params{Domain: d, Epsilon: .5, Budget: &synth.Budget{Epsilon: 1}}
	another := beam.CreateList(s, []customer{{}})
	synth.Synthesize(s, another, pure)
	synth.Synthesize(s, another, pure)
	refused("a third pure one", "nothing is left", another, pure)
}

func tick(_ []byte) customer { return customer{} }

// Structs go in, structs of the same type come out, without privacy IDs; by a method of this module, and by
// one that these tests have registered.
func TestSynthesize(t *testing.T) {
	d := shop([]int64{18, 38, 58, 78, 98})
	var people []customer
	for i := range 500 {
		people = append(people, customer{Customer: fmt.Sprint("c", i), Plan: "plus", Active: true, Note: "private"})
	}
	for runner, method := range map[string]string{"prism": "dpam", "direct": "universe"} {
		p, s := beam.NewPipelineWithRoot()
		out, _ := synth.Synthesize(s, beam.CreateList(s, people), synth.Params{Domain: d, Epsilon: 5, Delta: 1e-6, Rows: 200, Method: method})
		caught := transformtest.Capture[customer](s, out)
		must.Do(t, transformtest.RunOn(runner, p))
		plus := 0
		for _, c := range caught.Elements() {
			must.Need(t, c.Customer == "" && c.Note == "", "%s: row %+v has an ID or a note", runner, c)
			if c.Plan == "plus" && c.Active {
				plus++
			}
		}
		// 199.9 rows with a standard deviation of 0.4 by dpam, 196 and 2 by the other (100 and 30 runs): 150 are
		// more than 20 of these away.
		must.Hold(t, len(caught.Elements()) == 200 && plus >= 150, "%s: %d rows, %d of them as all records were", runner, len(caught.Elements()), plus)
	}
}

// Everything that is wrong is said at construction, at once.
func TestSynthesizeFaults(t *testing.T) {
	type narrow struct {
		Customer string
		Plan     bool
		Age      int64 // not a pointer, and an age can be NULL
	}
	d := shop([]int64{18, 38, 58, 78, 98})
	many := make([]int64, 20_001)
	for i := range many {
		many[i] = int64(18 + i)
	}
	for _, tt := range []struct {
		name string
		p    synth.Params
		row  reflect.Type
		want []string
	}{
		{"no domain", synth.Params{}, reflect.TypeFor[customer](), []string{"Domain is required"}},
		{"figures", synth.Params{Domain: d, Epsilon: -1, Delta: 2, Rows: -1}, reflect.TypeFor[customer](), []string{"epsilon", "delta", "rows"}},
		{"fields", synth.Params{Domain: d, Epsilon: 1}, reflect.TypeFor[narrow](), []string{`"plan"`, `"age"`, `"active"`}},
		{"method", synth.Params{Domain: d, Epsilon: 1, Method: "magic"}, reflect.TypeFor[customer](), []string{"magic"}},
		{"a column that no marginal has room for", synth.Params{Domain: shop(many), Epsilon: 1}, reflect.TypeFor[customer](),
			[]string{`column "age" has 20001 cells`, "nothing would be known", "fewer values or bins"}},
		{"memory", synth.Params{Domain: d, Epsilon: 1, Delta: 1e-6, Method: "dpam", MemoryLimit: 10}, reflect.TypeFor[customer](), []string{"cells"}},
	} {
		err := tt.p.Validate(tt.row)
		for _, want := range tt.want {
			must.Hold(t, err != nil && strings.Contains(err.Error(), want), "%s: error %v lacks %q", tt.name, err, want)
		}
	}
	defer func() {
		text, _ := recover().(string)
		must.Hold(t, strings.HasPrefix(text, "synth: Synthesize:\n"), "panic %q", text)
	}()
	_, s := beam.NewPipelineWithRoot()
	synth.Synthesize(s, beam.CreateList(s, []customer{{}}), synth.Params{Domain: d})
}

// A slice of structs becomes a public table: their privacy IDs are not read, and every one counts.
func TestPublicTable(t *testing.T) {
	d, age := shop([]int64{18, 38, 58, 78, 98}), int64(40)
	p, err := synth.PublicTable([]customer{{Plan: "pro", Age: &age}, {Customer: "a", Plan: "pro", Age: &age}, {}}, d)
	must.Need(t, err == nil && p.Rows == 3, "%+v, %v", p, err)
	h, err := p.Histogram(d.Sizes())
	at := (2*5+1)*2 + 0
	must.Hold(t, err == nil && h[at] == 2, "record pro, 38 to 57, false occurs %g times, want 2 (%v)", h[at], err)
	for want, rows := range map[string]any{
		"want a slice of structs": 1, "does not match the domain": []struct{ Plan string }{{}}, "without rows": []customer{},
	} {
		must.Fails(synth.PublicTable(rows, d))(t, want, "%v", rows)
	}
}

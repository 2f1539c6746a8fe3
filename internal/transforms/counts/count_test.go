package counts

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/contribution"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/internal/transforms/internal/records"
	"github.com/dapple-dp/dapple/internal/transforms/internal/sensitive"
	"github.com/dapple-dp/dapple/internal/transforms/private"
)

// adult has the sizes of the seven-attribute Adult domain, all given as text.
func adult(id string) *domain.Domain {
	d := &domain.Domain{PrivacyID: id}
	for a, n := range []int{9, 16, 7, 15, 6, 5, 2} {
		at := domain.Attribute{Name: fmt.Sprint("c", a), Type: domain.String, Other: true, OtherValue: "?"}
		for v := range n - 1 {
			at.Values = append(at.Values, fmt.Sprint("value-", v))
		}
		d.Attributes = append(d.Attributes, at)
	}
	return d
}

// sample returns text records of d: chunks of 4096.
func sample(d *domain.Domain, n int) []*domain.Chunk {
	rng := rand.New(rand.NewPCG(4, 4))
	var out []*domain.Chunk
	for n > 0 {
		k := min(n, 4096)
		rows, ids := make([][]string, k), make([]string, k)
		for i := range rows {
			for _, a := range d.Attributes {
				rows[i] = append(rows[i], a.Values[rng.IntN(len(a.Values))])
			}
			ids[i] = fmt.Sprintf("person-%07d", rng.IntN(20000))
		}
		if d.PrivacyID == "" {
			ids = nil
		}
		out, n = append(out, transformtest.Chunk(rows, ids)), n-k
	}
	return out
}

// count runs the transforms and returns the tables that come out: one, or none.
func count(t *testing.T, runner string, d *domain.Domain, p Params, chunks ...*domain.Chunk) []*Table {
	return countCoded(t, runner, d, p, func(s beam.Scope) private.Coded {
		return private.Encode(s, transformtest.Create(s, chunks...), d, private.EncodeParams{})
	})
}

// performant are the graphs that Beam's check of registrations has seen, which reads all records of a graph.
var performant sync.Map

// countCoded is count for records that encode reads.
func countCoded(t *testing.T, runner string, d *domain.Domain, p Params, encode func(beam.Scope) private.Coded) []*Table {
	pl, s := beam.NewPipelineWithRoot()
	units := private.Bound(s, encode(s), private.BoundParams{})
	stats := Count(s, units, query.AllMarginals(d.Sizes(), 2, 10000), p)
	got := transformtest.Capture[*Table](s, sensitive.Reveal(stats.Collection()))
	if _, seen := performant.LoadOrStore(fmt.Sprintf("%+v %d %v", p, d.Len(), d.Events != nil), true); !seen {
		transformtest.Performant(t, pl)
	}
	must.Do(t, transformtest.RunOn(runner, pl))
	return got.Elements()
}

func TestCount(t *testing.T) {
	for _, id := range []string{"", "id"} {
		for _, p := range []Params{{}, {MaxCells: 10_000}, {MaxCells: 1}} {
			d := adult(id)
			chunks := sample(d, 5000)
			got := count(t, "prism", d, p, chunks...)
			must.Need(t, len(got) == 1, "%d tables, want 1", len(got))
			people := map[string]bool{}
			for _, c := range chunks {
				for i := 0; i < c.Rows && id != ""; i++ {
					people[string(c.ID.Text(i))] = true
				}
			}
			want := int64(len(people))
			if id == "" {
				want = 5000
			}
			must.Hold(t, got[0].Units() == want, "ID %q, %+v: %d units, want %d", id, p, got[0].Units(), want)
			slices.Reverse(chunks)
			must.Hold(t, count(t, "direct", d, p, chunks...)[0].Digest() == got[0].Digest(), "ID %q, %+v: the direct runner counts otherwise", id, p)
		}
	}
}

// Kept records travel in parts of a few units each, which add up to the records of a run without parts: also if units
// have several records, whose weights no part can hold alone.
func TestPartsOfKeptRecords(t *testing.T) {
	const most = 500
	plain := adult("id")
	names := []string{plain.Attributes[0].Name, plain.Attributes[1].Name, plain.Attributes[2].Name}
	people := must.Value(plain.WithEvents(names[:1], names[1:], domain.EqualRatioCuts(5), 5))(t)
	for name, d := range map[string]*domain.Domain{"one record each": plain, "events": people} {
		chunks := sample(d.Recorded(), 3000)
		want := count(t, "prism", d, Params{MaxCells: 1}, chunks...)
		parts := count(t, "prism", d, Params{MaxCells: 1, MaxPart: most}, chunks...)
		must.Need(t, len(want) == 1 && len(parts) >= len(want[0].rows)/(2*most),
			"%s: %d tables without parts, and %d parts of %d bytes", name, len(want), len(parts), len(want[0].rows))
		sum := NewTable(want[0].shape)
		for _, p := range parts {
			must.Hold(t, len(p.rows) <= 2*most, "%s: a part of %d bytes", name, len(p.rows)) // a unit has fewer than so many bytes
			must.Do(t, sum.Merge(recode(t, p)))
		}
		must.Hold(t, sum.Digest() == want[0].Digest(), "%s: the parts hold other records", name)
	}
	got := count(t, "prism", plain, Params{MaxPart: most}, sample(plain, 3000)...)
	must.Hold(t, len(got) == 1, "%d tables where tables of counts are kept, want 1", len(got))
}

// Parts end between two units, wherever their largest size falls: in every batch, and whatever bundles a runner makes.
func TestPartsEndBetweenUnits(t *testing.T) {
	const bits, units, each = 2, 40, 4 // records of a unit, of a quarter of it each
	shape := Shape{Sizes: []int{50}, Records: true, WeightBits: bits}
	layout := shape.layout()
	var codes []domain.Code
	for i := range units * each {
		codes = append(codes, domain.Code(i/each), 1)
	}
	rows, unit := layout.Pack(nil, codes), each*layout.Width()
	for most := 1; most <= 3*unit; most++ {
		var parts []*Table
		f, emit := &countFn{Shape: shape, MaxPart: most}, func(p *Table) { parts = append(parts, p) }
		must.Do(t, f.StartBundle(nil))
		for batch := range slices.Chunk(rows, 10*unit) {
			must.Do(t, f.ProcessElement(&records.Batch{Rows: batch}, emit))
		}
		must.Do(t, f.FinishBundle(emit))
		var all []byte
		for _, p := range parts {
			must.Hold(t, len(p.rows)%unit == 0 && len(p.rows) <= max(unit, most+unit),
				"of at most %d bytes: a part of %d bytes, units having %d each", most, len(p.rows), unit)
			all = append(all, p.rows...)
		}
		must.Hold(t, slices.Equal(all, rows) && len(parts) >= len(rows)/(most+unit),
			"of at most %d bytes: %d parts do not hold the records in their order", most, len(parts))
	}
}

func TestKeptRecordsEndBelowTwoGiB(t *testing.T) {
	must.Hold(t, checkKept(maxKept) == nil && checkKept(maxKept+1) != nil && maxKept+1<<19 <= math.MaxInt32,
		"kept records do not end where a message of an element and its frame fits 2 GiB")
}

func TestCountOfNothing(t *testing.T) {
	got := count(t, "prism", adult("id"), Params{})
	must.Hold(t, len(got) == 0, "%d tables of no records, want none", len(got))
}

func BenchmarkKernel(b *testing.B) {
	wide := []int{9, 16, 7, 15, 6, 5, 2, 42, 85, 16, 20, 10, 8, 30}
	s := Shape{Sizes: wide, Cliques: maximal(wide, query.AllMarginals(wide, 3, 10000).Cliques())}
	rng := rand.New(rand.NewPCG(5, 5))
	var codes []domain.Code
	const n = 1 << 14
	for range n {
		for _, k := range wide {
			codes = append(codes, domain.Code(min(rng.IntN(k), rng.IntN(k))))
		}
	}
	rows := contribution.NewLayout(wide).Pack(nil, codes)
	table := NewTable(s)
	b.ReportAllocs()
	for b.Loop() {
		table.add(rows)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n/float64(len(s.Cliques)), "ns/record/table")
}

// BenchmarkOnDemand counts pairs and triples of kept records one at a time, as rake asks for them.
func BenchmarkOnDemand(b *testing.B) {
	const n = 200_000
	sizes := slices.Repeat([]int{2, 5, 9, 16, 40, 3, 7, 12, 24, 4}, 6)
	rng := rand.New(rand.NewPCG(1, 2))
	rows := make([]byte, n*len(sizes))
	for i := range rows {
		rows[i] = byte(rng.IntN(sizes[i%len(sizes)]))
	}
	table := NewTable(Shape{Sizes: sizes, Records: true})
	table.add(rows)
	for name, c := range map[string]domain.Clique{"pair": {3, 44}, "triple": {3, 17, 44}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				table.countRecords(c)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/record")
		})
	}
}

package synth

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/solver/methods"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/internal/transforms/internal/sensitive"
	"github.com/dapple-dp/dapple/internal/transforms/private"
	"github.com/dapple-dp/dapple/solver"
)

// trial is a problem, a method that applies to it, and what draws people for it.
type trial struct {
	rng     *rand.Rand
	problem solver.Problem
	method  solver.Method
	counts  counts.Params
	seed    mechanism.Seed // of its noise; the zero one: each run has a secret of its own
}

// person is what the tables hold of one privacy ID. own are its records in the table of people, if there is one.
type person struct {
	id        string
	own, rows [][]string
}

func oneOf[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// newTrial draws a domain, a workload, options and a method. ok is false if no method applies.
func newTrial(r *rand.Rand) (x *trial, ok bool) {
	d := randomDomain(r)
	if d == nil {
		return nil, false
	}
	w := query.AllMarginals(d.Sizes(), 1+r.IntN(3), 2000)
	if r.IntN(4) == 0 {
		w.Marginals = slices.DeleteFunc(w.Marginals, func(query.Marginal) bool { return r.IntN(3) == 0 })
	}
	if w = query.WithRows(d, w, 2000); len(w.Marginals) == 0 {
		return nil, false
	}
	x = &trial{rng: r, problem: solver.Problem{Domain: d, Workload: w, Neighbouring: oneOf(r, dp.AddRemove, dp.Replace),
		Epsilon: dp.Epsilon(oneOf(r, .1, 1, 4, 20)), Delta: dp.Delta(oneOf(r, 0, 1e-9, 1e-3)), Units: oneOf(r, 10., 1000, 50_000),
		Rounds: oneOf(r, 0, 0, 2), Seed: r.Uint64(), ErrorShare: solver.ErrorShare(oneOf(r, 0, -1, .05, .5))}}
	x.addOptions()
	return x, x.choose()
}

// addOptions adds linear queries, criteria, a public table, and records in place of tables to some trials.
func (x *trial) addOptions() {
	r, p, d := x.rng, &x.problem, x.problem.Domain
	first, plain := p.Workload.Marginals[0], !d.Learns() && d.Events == nil
	if plain && r.IntN(4) == 0 {
		m, err := query.Functions(d.Sizes(), first.Clique, []func([]domain.Code) float64{
			func(codes []domain.Code) float64 { return math.Cos(float64(codes[0])*1.7 + 1) },
			func(codes []domain.Code) float64 { return float64(codes[len(codes)-1]%2)*2 - 1 },
		})
		if err == nil {
			p.Workload.Marginals = append(p.Workload.Marginals, m)
		}
	}
	if r.IntN(3) == 0 {
		p.Criteria = solver.Criteria{Limits: []solver.Limit{{Clique: first.Clique, Largest: .05}}, Share: dp.ShareOf(oneOf(r, int64(1), 5, 200), 1000)}
	}
	if plain && r.IntN(4) == 0 {
		b := solver.NewPublicBuilder(d.Sizes())
		for range 1 + r.IntN(30) {
			record := make([]domain.Code, d.Len())
			for a, k := range d.Sizes() {
				record[a] = domain.Code(r.IntN(k))
			}
			b.Add(record)
		}
		p.Public, _ = b.Table()
	}
	if r.IntN(4) == 0 {
		x.counts.MaxCells = 1 + r.Int64N(40)
	}
}

// choose picks one of the methods of the module that applies.
func (x *trial) choose() bool {
	names := []string{"rake", "rake", "dpam", "dpfw"}
	x.rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, name := range names {
		if m, _, err := methods.Choose(x.problem, name); err == nil {
			x.method, x.counts.Cliques = m, m.Cliques(x.problem)
			return true
		}
	}
	return false
}

// randomDomain draws one to four columns; half of those with more than one are of people with events. nil: they do not fit
// together.
func randomDomain(r *rand.Rand) *domain.Domain {
	d := &domain.Domain{PrivacyID: "id"}
	learn, n := r.IntN(5) < 3, 1+r.IntN(4)
	for i := range n {
		d.Attributes = append(d.Attributes, randomAttribute(r, "c"+strconv.Itoa(i), learn))
	}
	if n > 1 && r.IntN(3) == 0 { // impossible records
		a, b := 0, 1+r.IntN(n-1)
		x, y := &d.Attributes[a], &d.Attributes[b]
		if x.Learned+y.Learned == 0 && x.Size() > 1 && y.Size() > 1 {
			d.StructuralZeros = domain.Exclusions{{Clique: domain.Clique{a, b}, Codes: [][]domain.Code{{0}, {1}}}}
		}
	}
	if n > 1 && r.IntN(2) == 0 {
		d = withEvents(r, d)
	}
	if d == nil || d.Validate() != nil {
		return nil
	}
	return d
}

func withEvents(r *rand.Rand, d *domain.Domain) *domain.Domain {
	var own, usual []string
	order := -1
	if r.IntN(3) > 0 {
		order = ordered(r, d)
	}
	for i := range d.Attributes {
		a := &d.Attributes[i]
		switch {
		case i == order:
		case i < d.Len()-1 && r.IntN(2) == 0:
			own = append(own, a.Name)
		case a.Learned == 0 && r.IntN(2) == 0:
			usual = append(usual, a.Name)
		}
	}
	most := int64(1 + r.IntN(6))
	cuts := domain.EqualRatioCuts(most)
	if len(own) > 0 && r.IntN(2) == 0 {
		cuts = slices.Insert(cuts, 0, 0) // people without rows
	}
	d, err := d.WithEvents(own, usual, cuts, most)
	if err != nil {
		return nil
	}
	if order < 0 {
		return d
	}
	var previous []string // nil: the default
	if r.IntN(2) == 0 {
		previous = []string{}
		for i := range d.Events.Columns {
			if name := d.Attributes[i].Name; i != order && !slices.Contains(own, name) && r.IntN(2) == 0 {
				previous = append(previous, name)
			}
		}
	}
	if d, err = d.WithSequence(domain.Sequence{Column: d.Attributes[order].Name, Previous: previous, Strict: r.IntN(2) == 0}); err != nil {
		return nil
	}
	return d
}

// ordered makes a column of numbers or dates one that rows can be ordered by, and returns its place; -1: there is no such column.
func ordered(r *rand.Rand, d *domain.Domain) int {
	for _, i := range r.Perm(d.Len()) {
		a := &d.Attributes[i]
		if len(a.Cuts)+len(a.FloatCuts) < 2 || len(a.Values) > 0 {
			continue
		}
		a.Null, a.HasFallback = false, true
		if a.Type == domain.Int64 && a.Learned == 0 {
			a.Cuts = domain.EqualCuts(0, 5, 6)
		}
		return i
	}
	return -1
}

func randomAttribute(r *rand.Rand, name string, learn bool) domain.Attribute {
	a := domain.Attribute{Name: name, Null: r.IntN(2) == 0}
	const day, first = int64(86400_000_000), int64(18262)
	kinds := 3
	if learn {
		kinds = 9
	}
	switch r.IntN(kinds) {
	case 0, 1:
		a.Type = domain.String
		for v := range 1 + r.IntN(4) {
			a.Values = append(a.Values, "v"+strconv.Itoa(v))
		}
		if a.Other = r.IntN(3) == 0; a.Other {
			a.OtherValue = "other"
		}
	case 2:
		a.Type, a.Resolution, a.Cuts = domain.Int64, 1, []int64{0}
		for range 1 + r.IntN(3) {
			a.Cuts = append(a.Cuts, a.Cuts[len(a.Cuts)-1]+1+r.Int64N(5))
		}
	case 3, 4:
		a.Type, a.Resolution, a.Learned = domain.Int64, oneOf(r, int64(1), 2, 5), 2+r.IntN(3)
		from := r.Int64N(9) - 4
		a.Cuts = []int64{from, from + (4+r.Int64N(40))*a.Resolution}
	case 5, 6:
		a.Type, a.Resolution, a.Learned = domain.Date, 1, 2+r.IntN(3)
		a.Cuts = []int64{first + r.Int64N(9), first + 37 + r.Int64N(40)}
	case 7:
		a.Type, a.FloatResolution, a.Learned = domain.Float64, oneOf(r, .5, .25), 2+r.IntN(3)
		a.FloatCuts = []float64{-1, -1 + float64(2+r.IntN(9))}
	default:
		a.Type, a.Resolution, a.Learned = domain.Timestamp, day/24, 2+r.IntN(3)
		a.Cuts = []int64{first * day, (first + 28 + r.Int64N(9)) * day}
	}
	a.HasFallback = !a.Null && !a.Other
	return a
}

// cell draws a text for a column: a value, one beyond its range, or none.
func cell(r *rand.Rand, a *domain.Attribute) string {
	switch n := len(a.Cuts); {
	case r.IntN(8) == 0:
		return oneOf(r, "", "?", "-0", "NaN", "1e400", "\x00\xff")
	case n > 1 && r.IntN(3) == 0:
		return string(a.AppendNative(nil, a.Cuts[n-1]-1))
	case n > 1:
		return string(a.AppendNative(nil, a.Cuts[0]-1+r.Int64N(a.Cuts[n-1]-a.Cuts[0]+3)))
	case len(a.FloatCuts) > 1:
		last := a.FloatCuts[len(a.FloatCuts)-1]
		return string(domain.AppendFloat(nil, a.FloatCuts[0]+(last-a.FloatCuts[0])*float64(r.IntN(41))/40))
	}
	return oneOf(r, a.Values...)
}

// tables returns the domains of the table of people, nil without one, and of the other one.
func (x *trial) tables() (people, rows *domain.Domain) {
	d := x.problem.Domain
	if d.Events == nil || !d.Events.NoRows {
		return nil, d.Recorded()
	}
	people, rows, _, _ = d.Events.Split(d.Recorded())
	return people, rows
}

func (x *trial) record(d *domain.Domain) (cells []string) {
	for a := range d.Attributes {
		cells = append(cells, cell(x.rng, &d.Attributes[a]))
	}
	return cells
}

// person draws the records of one ID: few or many, different and equal.
func (x *trial) person(id string) person {
	p := person{id: id}
	people, rows := x.tables()
	n := 1 + x.rng.IntN(4)
	if people != nil {
		for range 1 + x.rng.IntN(2) {
			p.own = append(p.own, x.record(people))
		}
		n = x.rng.IntN(5)
	}
	if x.rng.IntN(10) == 0 {
		n = 30
	}
	for range n {
		record := x.record(rows)
		for range 1 + x.rng.IntN(3) {
			p.rows = append(p.rows, record)
		}
	}
	return p
}

func (x *trial) people(n int) (list []person) {
	for i := range n {
		list = append(list, x.person("p"+strconv.Itoa(i)))
	}
	return list
}

// count runs the transforms of a job on the records of people, in random order, in one to three pipelines whose tables are
// encoded and merged. Some records belong to nobody, and some to whom the table of people does not name.
func (x *trial) count(t *testing.T, list []person) *counts.Table {
	t.Helper()
	var sum *counts.Table
	groups := make([][]person, 1+x.rng.IntN(3))
	for _, p := range list {
		i := x.rng.IntN(len(groups))
		groups[i] = append(groups[i], p)
	}
	shape := counts.Stats{}.Shape()
	for _, group := range groups {
		var one *counts.Table
		if one, shape = x.countGroup(t, group); one == nil {
			continue
		}
		decoded := must.Value(counts.DecodeTable(one.Encode()))(t)
		if sum == nil {
			sum = decoded
		} else if err := sum.Merge(decoded); err != nil {
			t.Fatal(err)
		}
	}
	if sum == nil {
		return counts.NewTable(shape)
	}
	return sum
}

// countGroup returns nil in place of a table if no records are there to be counted.
func (x *trial) countGroup(t *testing.T, group []person) (*counts.Table, counts.Shape) {
	t.Helper()
	d := x.problem.Domain
	people, rows := x.tables()
	pl, s := beam.NewPipelineWithRoot()
	var own, all [][]string
	var ownIDs, ids []string
	for _, p := range group {
		for _, r := range p.own {
			own, ownIDs = append(own, r), append(ownIDs, p.id)
		}
		for _, r := range p.rows {
			all, ids = append(all, r), append(ids, p.id)
		}
	}
	for range x.rng.IntN(3) {
		all, ids = append(all, x.record(rows)), append(ids, "")
	}
	var coded private.Coded
	if people == nil {
		coded = private.Encode(s, x.chunks(s, all, ids), d, private.EncodeParams{})
	} else {
		all, ids = append(all, x.record(rows)), append(ids, "a stranger")
		coded = private.EncodePeople(s, x.chunks(s.Scope("people"), own, ownIDs), x.chunks(s, all, ids), d, private.EncodeParams{})
	}
	units := private.Bound(s, coded, private.BoundParams{MaxEntries: 1 + x.rng.IntN(20), Shards: 1 + x.rng.IntN(3)})
	stats := counts.Count(s, units, x.problem.Workload, x.counts)
	got := transformtest.Capture[*counts.Table](s, sensitive.Reveal(stats.Collection()))
	must.Do(t, transformtest.RunOn("direct", pl))
	if tables := got.Elements(); len(tables) > 0 {
		return tables[0], stats.Shape()
	}
	return nil, stats.Shape()
}

// chunks divides records at random.
func (x *trial) chunks(s beam.Scope, rows [][]string, ids []string) beam.PCollection {
	x.rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j], ids[i], ids[j] = rows[j], rows[i], ids[j], ids[i] })
	var list []*domain.Chunk
	for len(rows) > 0 {
		n := 1 + x.rng.IntN(len(rows))
		list = append(list, transformtest.Chunk(rows[:n], ids[:n]))
		rows, ids = rows[n:], ids[n:]
	}
	return transformtest.Create(s, list...)
}

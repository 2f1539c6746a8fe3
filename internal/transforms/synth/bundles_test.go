package synth

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/runner"
	"github.com/dapple-dp/dapple/internal/model/contribution"
	"github.com/dapple-dp/dapple/internal/request/plan"
	"github.com/dapple-dp/dapple/internal/solver/methods"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/internal/transforms/internal/records"
	"github.com/dapple-dp/dapple/solver"
)

// scaled is what a run takes, in bytes.
type scaled struct {
	shards                   int
	first, firstElement      float64 // what crosses the shuffle of people
	second, secondElement    float64 // … and for counts
	worker, combiner, solver float64 // memory; of the solver: without the fit's
}

// scale simulates one bundle of each step with real elements, and has a hundred of them.
func (m input) scale(t *testing.T, method solver.Method, p solver.Problem, n int64) (s scaled) {
	d, units, rng := p.Domain, n, rand.New(rand.NewPCG(1, uint64(m.columns)))
	shape := counts.NewShape(p.Workload, counts.Params{MaxCells: plan.CountedCells, Cliques: method.Cliques(p)})
	rows := randomRows(rng, d)
	width := len(rows) / madeRows
	if !m.noID {
		units = n / perPerson
		_, input := plan.Written(p, n)
		s.shards = plan.Shards(int64(input)+n*idBytes, true)
		set, held, id := records.NewSet(width, maxEntries), 0, []byte(nil)
		for ; held < int(n/workers) && !set.Full(); held++ {
			at := held * width % len(rows)
			id = strconv.AppendInt(id[:0], 1e9+rng.Int64N(units), 10) // of ten digits
			set.Add(id, rows[at:at+width])
		}
		set.Flush(s.shards, func(_ int, u *records.Units) {
			size := float64(len(u.Encode(nil)))
			s.first, s.firstElement = s.first+size, max(s.firstElement, size)
		})
		s.first *= float64(n) / float64(held)
		// A log doubles, and has 20 bytes for a record. Of what is decoded, a unit and its row have 48 bytes of numbers.
		s.worker = max(2*float64(held*(20+idBytes+width)), float64(n)/float64(s.shards)*float64(48+idBytes+width))
	}
	if d.Learns() {
		kept := counts.Shape{Sizes: d.RecordSizes(), Records: true, Coarse: &shape}
		s.secondElement = float64(len(tableOf(t, kept, rows, runner.KeptPart/int64(width)).Encode()))
		s.second = s.secondElement * float64(units*int64(width)) / runner.KeptPart
		p.Units = float64(units)
		made := must.Value(plan.Make(p, method.Name, 0, true, 0, nil))(t)
		s.solver = made.CountBytes
		return s
	}
	c := tables(t, d, shape, rows, units/workers, workers)
	s.secondElement, s.second = c.piece, workers*c.element+float64(c.groups)*c.group
	cells := int64(0)
	for _, c := range shape.Cliques {
		k, _ := c.Cells(d.Sizes()) // at most plan.CountedCells
		cells += k
	}
	s.worker += 2*8*float64(cells) + c.piece // as tables and in pieces
	s.combiner = c.combiner
	s.solver += 2*8*float64(cells) + c.sum
	return s
}

// counted is what bundles send of their counts, in bytes.
type counted struct {
	element, piece float64 // of a bundle, in all, and its largest piece
	groups         int     // that have any bundle
	group          float64 // of the sum of one
	combiner       float64 // of all that reaches one step under one key
	sum            float64 // of all bundles
}

// tables makes the counts of a bundle of so many units, of their groups, and the sum of so many bundles. Equal tables
// would be of one group: which one a bundle is of is drawn.
func tables(t *testing.T, d *domain.Domain, shape counts.Shape, rows []byte, units, bundles int64) (c counted) {
	base := units
	for base > 1<<12 {
		base /= 2
	}
	kept := counts.Shape{Sizes: d.Sizes(), Records: true, Coarse: &shape}
	bundle := times(t, shape, tableOf(t, kept, rows, base).Coarsen(make(query.Recoding, d.Len())), units/base)
	c.element, c.piece = pieces(t, bundle)
	of, most := make([]int64, counts.FirstSums), int64(0)
	for rng := rand.New(rand.NewPCG(5, uint64(bundles))); bundles > 0; bundles-- {
		g := rng.IntN(len(of))
		if of[g]++; of[g] == 1 {
			c.groups++
		}
		most = max(most, of[g])
		c.sum++
	}
	all := int64(c.sum)
	encoded := bundle.Encode()
	again := func() *counts.Table { // times changes what it is given
		table := must.Value(counts.DecodeTable(encoded))(t)
		return table
	}
	group, piece := pieces(t, times(t, shape, again(), most))
	c.group, c.combiner = group, max(float64(most)*c.piece, float64(c.groups)*piece)
	c.sum, _ = pieces(t, times(t, shape, again(), all))
	return c
}

// pieces returns the bytes of a table in pieces, and of the largest.
func pieces(t *testing.T, table *counts.Table) (sum, most float64) {
	enc := beam.NewElementEncoder(reflect.TypeFor[*counts.Piece]())
	for _, p := range table.Pieces() {
		var b bytes.Buffer
		must.Do(t, enc.Encode(p, &b))
		sum, most = sum+float64(b.Len()), max(most, float64(b.Len()))
	}
	return sum, most
}

// What reaches one step under one key is bounded, also if an engine makes a bundle of each shard of people: in one level
// it would be all bundles' tables.
func TestCombinersTakeLittle(t *testing.T) {
	for _, m := range []input{{columns: 14, least: 2, most: 24}, {columns: 60, least: 2, most: 9}} {
		if testing.Short() && m.columns > 14 {
			continue // make integration has both
		}
		p := m.problem()
		method, _, err := methods.Choose(p, solver.Auto)
		must.Do(t, err)
		shape := counts.NewShape(p.Workload, counts.Params{MaxCells: plan.CountedCells, Cliques: method.Cliques(p)})
		rows := randomRows(rand.New(rand.NewPCG(1, uint64(m.columns))), p.Domain)
		for _, bundles := range []int64{1, 100, 16_384} {
			c := tables(t, p.Domain, shape, rows, 1<<20, bundles)
			if c.piece > 150e3 || c.combiner > flinkDirect/2 {
				t.Errorf("%d columns, %d bundles: a piece of %s, and %s at one combiner", m.columns, bundles, size(c.piece), size(c.combiner))
			}
			t.Logf("%d columns, %d bundles: a piece of %s, %s at one combiner, where the tables have %s", m.columns, bundles, size(c.piece), size(c.combiner), size(float64(bundles)*c.element))
		}
	}
}

// madeRows is how many different records there are.
const madeRows = 1 << 13

func randomRows(rng *rand.Rand, d *domain.Domain) []byte {
	var codes []domain.Code
	for range madeRows {
		for _, k := range d.RecordSizes() {
			codes = append(codes, domain.Code(rng.IntN(k)))
		}
	}
	return contribution.NewRecordLayout(d).Pack(nil, codes)
}

// tableOf keeps n records, as counts.Count does: the encoding of none ends with their number.
func tableOf(t *testing.T, kept counts.Shape, rows []byte, n int64) *counts.Table {
	b := counts.NewTable(kept).Encode()
	b = binary.AppendUvarint(b[:len(b)-1], uint64(n))
	b = append(b, bytes.Repeat(rows, int(n/madeRows)+1)[:n*int64(len(rows)/madeRows)]...)
	table := must.Value(counts.DecodeTable(b))(t)
	return table
}

// times is the sum of n equal tables, which it changes.
func times(t *testing.T, shape counts.Shape, table *counts.Table, n int64) *counts.Table {
	sum := counts.NewTable(shape)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			must.Do(t, sum.Merge(table))
		}
		must.Do(t, table.Merge(table))
	}
	return sum
}

// What plan says of the memory of kept records is what they take: as they are, and once more while they are sorted and
// hashed, or by column.
func TestPlanKnowsKeptRecords(t *testing.T) {
	m := input{columns: 14, least: 2, most: 24, learned: 4}
	p := m.problem()
	const units = 2 << 18
	p.Units = units
	made := must.Value(plan.Make(p, "rake", 0, true, 0, nil))(t)
	shape := counts.NewShape(p.Workload, counts.Params{MaxCells: plan.CountedCells})
	kept := counts.Shape{Sizes: p.Domain.RecordSizes(), Records: true, Coarse: &shape}
	rows := randomRows(rand.New(rand.NewPCG(1, 2)), p.Domain)
	want, data := made.CountBytes-8*float64(made.Workload.MeasCells), float64(len(rows)/madeRows*units)
	for name, ask := range map[string]func(*counts.Table){
		"hashed":  func(table *counts.Table) { table.Digest() },
		"counted": func(table *counts.Table) { table.Marginal(domain.Clique{0}) },
	} {
		got := math.Inf(1)
		for try := 0; try < 10 && got > 1.05*want; try++ { // what goroutines of earlier tests allocate meanwhile is counted too
			table := tableOf(t, kept, rows, units/2)
			must.Do(t, table.Merge(tableOf(t, kept, rows, units/2)))
			got = min(got, data+float64(dptest.Allocated(func() { ask(table) })))
		}
		must.Hold(t, got >= .95*want && got <= 1.05*want, "%s: %g bytes, planned are %g", name, got, want)
	}
}

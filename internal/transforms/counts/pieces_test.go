package counts

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/internal/transforms/internal/records"
	"github.com/dapple-dp/dapple/internal/transforms/internal/sensitive"
	"github.com/dapple-dp/dapple/internal/transforms/private"
)

// bundle returns what a bundle of some batches of records sends.
func bundle(t *testing.T, s Shape, batches ...[]byte) map[int]*Piece {
	f, sent := &countPiecesFn{Shape: s}, map[int]*Piece{}
	emit := func(key int, p *Piece) {
		must.Need(t, sent[key] == nil, "two pieces with key %d", key)
		sent[key] = p
	}
	must.Do(t, f.StartBundle(emit))
	for _, rows := range batches {
		must.Do(t, f.ProcessElement(&records.Batch{Rows: rows}, emit))
	}
	must.Do(t, f.FinishBundle(emit))
	return sent
}

// combine adds up pieces by key, in an order drawn, from and to what is sent.
func combine(t *testing.T, rng *rand.Rand, values map[int][]*Piece) map[int]*Piece {
	sums := map[int]*Piece{}
	for key, list := range values {
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		for _, p := range list {
			p, err := decodePiece(encodePiece(p))
			must.Do(t, err)
			if sums[key] != nil {
				p, err = mergePieces(sums[key], p)
				must.Do(t, err)
			}
			sums[key] = p
		}
	}
	return sums
}

// each is an iterator as Beam has them.
func each(list ...*Piece) func(**Piece) bool {
	return func(p **Piece) bool {
		if len(list) == 0 {
			return false
		}
		*p, list = list[0], list[1:]
		return true
	}
}

// Tables in pieces add up in two levels to the table of all records, however they are divided into bundles and in
// whatever order they arrive. One group of bundles is a small part of them.
func TestPieces(t *testing.T) {
	s := Shape{Sizes: []int{200, 300, 7}, Cliques: []domain.Clique{{0, 1}, {0, 2}, {1, 2}}}
	rng := rand.New(rand.NewPCG(6, 6))
	var codes []domain.Code
	const n = 20_000
	for range n {
		for _, k := range s.Sizes {
			codes = append(codes, domain.Code(min(rng.IntN(k), rng.IntN(k))))
		}
	}
	rows := s.layout().Pack(nil, codes)
	width := s.layout().Width()
	one := NewTable(s)
	one.add(rows)
	want := one.Encode()
	many := []int{1, 2, 7, 300, 2000}
	if testing.Short() {
		many = []int{2, 300}
	}
	for _, bundles := range many {
		parts := make([][]byte, bundles)
		for i := range n {
			b := rng.IntN(bundles)
			parts[b] = append(parts[b], rows[i*width:][:width]...)
		}
		sent := map[int][]*Piece{}
		for _, rows := range parts {
			for key, p := range bundle(t, s, rows) {
				sent[key] = append(sent[key], p)
			}
		}
		grouped, most := map[int][]*Piece{}, 0
		for _, list := range sent {
			most = max(most, len(list))
		}
		for key, p := range combine(t, rng, sent) {
			key, p = regroup(key, p)
			grouped[key] = append(grouped[key], p)
		}
		for _, list := range grouped {
			must.Hold(t, len(list) <= FirstSums, "%d bundles: %d groups", bundles, len(list))
		}
		// the records, and so the groups, are the same in each run
		must.Hold(t, most <= 6+2*bundles/FirstSums, "%d bundles: %d in one group", bundles, most)
		var all []*Piece
		for _, p := range combine(t, rng, grouped) {
			all = append(all, p)
		}
		must.Need(t, len(all) == 4, "%d pieces of 63,500 cells", len(all))
		got := must.Value(Assemble(s, each(all...)))(t)
		must.Hold(t, slices.Equal(got.Encode(), want), "%d bundles: another table", bundles)
	}
}

// A bundle that is run again, with its records in another order and other batches, sends the same pieces under the same
// keys.
func TestPiecesOfABundleRunAgain(t *testing.T) {
	s := Shape{Sizes: []int{5, 4}, Cliques: []domain.Clique{{0, 1}}}
	pack := func(codes ...domain.Code) []byte { return s.layout().Pack(nil, codes) }
	for v := range domain.Code(4) {
		first := bundle(t, s, pack(0, v, 1, 2, 4, 3), pack(3, 3))
		again := bundle(t, s, pack(3, 3, 4, 3), pack(1, 2), pack(0, v))
		for key, p := range first {
			must.Hold(t, again[key] != nil && slices.Equal(encodePiece(again[key]), encodePiece(p)), "another key or piece, if v is %d", v)
		}
	}
}

// A lost or repeated piece ends the run.
func TestAssembleRefuses(t *testing.T) {
	s := Shape{Sizes: []int{100, 300}, Cliques: []domain.Clique{{0, 1}}}
	pieces := NewTable(s).Pieces()
	for name, list := range map[string][]*Piece{
		"a lost piece": pieces[:1], "the first lost": pieces[1:], "a repeated one": {pieces[0], pieces[1], pieces[1]},
		"an unknown one": {pieces[0], pieces[1], {at: 2}}, "a short one": {pieces[0], {at: 1}},
	} {
		must.Fails(Assemble(s, each(list...)))(t, "", "%s: a table", name)
	}
	must.Fails(mergePieces(pieces[0], pieces[1]))(t, "", "different pieces add up")
	must.Fails(mergePieces(&Piece{weight: math.MaxInt64}, &Piece{weight: 1}))(t, "", "more units than an int64 counts add up")
	for _, b := range [][]byte{nil, {0}, {0, 0, 1}, {0, 0, 1, 0, 1, 1}, {0, 0, 0xff, 0xff, 0xff, 1, 0}} {
		must.Fails(decodePiece(b))(t, "", "%v is a piece", b)
	}
	none, err := Assemble(s, each())
	must.Hold(t, err == nil && none.Units() == 0 && slices.Equal(none.Encode(), NewTable(s).Encode()), "no pieces are not the counts of no units: %v", err)
}

// Count with Divide counts the same on both runners, and adds up in two levels; without, in one.
func TestDivide(t *testing.T) {
	d := adult("id")
	for _, n := range []int{5000, 0} { // two chunks
		chunks := sample(d, n)
		for _, runner := range []string{"prism", "direct"} {
			pl, s := beam.NewPipelineWithRoot()
			units := private.Bound(s, private.Encode(s, transformtest.Create(s, chunks...), d, private.EncodeParams{}), private.BoundParams{})
			stats := Count(s, units, query.AllMarginals(d.Sizes(), 2, 10000), Params{MaxCells: 1 << 17, Divide: true})
			got := transformtest.Capture[*Piece](s, sensitive.Reveal(stats.Collection()))
			transformtest.Performant(t, pl)
			levels := combines(t, pl)
			must.Hold(t, levels == 2 && stats.Pieces(), "%d levels", levels)
			must.Do(t, transformtest.RunOn(runner, pl))
			sum := must.Value(Assemble(stats.Shape(), each(got.Elements()...)))(t)
			want := NewTable(stats.Shape())
			if n > 0 {
				want = count(t, runner, d, Params{MaxCells: 1 << 17}, chunks...)[0]
			}
			must.Hold(t, slices.Equal(sum.Encode(), want.Encode()), "%s, %d records: other counts", runner, n)
		}
	}
	pl, s := beam.NewPipelineWithRoot()
	units := private.Bound(s, private.Encode(s, transformtest.Create(s, sample(d, 1)...), d, private.EncodeParams{}), private.BoundParams{})
	stats := Count(s, units, query.AllMarginals(d.Sizes(), 2, 10000), Params{})
	must.Hold(t, combines(t, pl) == 1 && !stats.Pieces(), "a run without pieces has not one level")
}

func combines(t *testing.T, p *beam.Pipeline) (n int) {
	edges, _, err := p.Build()
	must.Do(t, err)
	for _, e := range edges {
		if e.Op == graph.Combine {
			n++
		}
	}
	return n
}

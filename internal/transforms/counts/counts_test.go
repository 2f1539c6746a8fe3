package counts

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/contribution"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
)

func TestMain(m *testing.M) { transformtest.Main(m) }

var sizes = []int{3, 300, 2, 5}

// shapes has every way to keep counts.
func shapes() map[string]Shape {
	pairs := query.AllMarginals(sizes, 2, 1000)
	return map[string]Shape{
		"universe": NewShape(pairs, Params{}),
		"cliques":  {Sizes: sizes, Cliques: []domain.Clique{{0, 1}, {0, 1, 3}, {0, 2, 3}, {1}, {2, 3}}},
		"records":  NewShape(pairs, Params{MaxCells: 10}),
	}
}

// random returns codes of n records, row-major.
func random(rng *rand.Rand, n int) []domain.Code {
	codes := make([]domain.Code, 0, n*len(sizes))
	for range n {
		for _, k := range sizes {
			codes = append(codes, domain.Code(rng.IntN(1+rng.IntN(k))))
		}
	}
	return codes
}

func pack(codes []domain.Code) []byte { return contribution.NewLayout(sizes).Pack(nil, codes) }

func TestMarginals(t *testing.T) {
	codes := random(rand.New(rand.NewPCG(1, 1)), 3000)
	cliques := []domain.Clique{{}, {0}, {1}, {3}, {0, 1}, {0, 3}, {2, 3}, {0, 2, 3}, {0, 1, 3}}
	for name, s := range shapes() {
		table := NewTable(s)
		table.add(pack(codes[:len(sizes)*1500]))
		table.add(pack(codes[len(sizes)*1500:]))
		for _, c := range cliques {
			want := make([]int64, cells(sizes, c))
			for i := 0; i < len(codes); i += len(sizes) {
				want[c.Cell(sizes, codes[i:i+len(sizes)])]++
			}
			for range 2 { // computed, then remembered
				must.Hold(t, slices.Equal(table.Marginal(c), want), "%s: marginal %v differs from a count by hand", name, c)
			}
		}
		must.Hold(t, table.Units() == 3000, "%s: %d units, want 3000", name, table.Units())
	}
}

// An answer that was remembered is forgotten when records are added or merged.
func TestMarginalsFollowTheCounts(t *testing.T) {
	for name, s := range shapes() {
		table, more := NewTable(s), NewTable(s)
		row := pack([]domain.Code{0, 0, 0, 0})
		more.add(row)
		for want := int64(1); want < 5; want++ {
			if want%2 == 0 {
				table.add(row)
			} else if err := table.Merge(recode(t, more)); err != nil {
				t.Fatal(err)
			}
			got := table.Marginal(domain.Clique{0})[0]
			must.Hold(t, got == want, "%s: %d records counted as %d", name, want, got)
		}
	}
}

func TestShape(t *testing.T) {
	pairs := query.AllMarginals(sizes, 2, 10000)
	s := NewShape(pairs, Params{})
	must.Hold(t, len(s.Cliques) == 1 && len(s.Cliques[0]) == 4, "a small universe is counted as %v", s.Cliques)
	s = NewShape(pairs, Params{MaxCells: 5000})
	must.Hold(t, !s.Records && len(s.Cliques) == 6, "pairs that fit are counted as %v", s)
	s = NewShape(pairs, Params{MaxCells: 5000, Cliques: []domain.Clique{{0, 2, 3}}})
	must.Hold(t, len(s.Cliques) == 4, "a clique that holds three pairs leaves %v", s.Cliques)
	s = NewShape(pairs, Params{MaxCells: 100})
	must.Hold(t, s.Records && s.Cliques == nil, "pairs that do not fit are counted as %v", s)
}

// Every permutation, bundling and merge tree of the same records gives the same bytes and digest.
func TestEncodingIsCanonical(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	codes := random(rng, 120)
	d := len(sizes)
	for name, s := range shapes() {
		var want []byte
		for trial := range 1000 {
			rng.Shuffle(120, func(i, j int) {
				for a := range d {
					codes[i*d+a], codes[j*d+a] = codes[j*d+a], codes[i*d+a]
				}
			})
			var bundles []*Table
			for rest := codes; len(rest) > 0; {
				n := d * (1 + rng.IntN(len(rest)/d))
				table := NewTable(s)
				table.add(pack(rest[:n]))
				bundles, rest = append(bundles, table), rest[n:]
			}
			for len(bundles) > 1 {
				i := rng.IntN(len(bundles) - 1)
				a := bundles[i]
				if rng.IntN(8) == 0 {
					a = recode(t, a)
				}
				must.Do(t, a.Merge(bundles[i+1]))
				bundles = slices.Replace(bundles, i, i+2, a)
			}
			got := bundles[0].Encode()
			if trial == 0 {
				want = got
			}
			must.Need(t, bytes.Equal(got, want), "%s: a permutation changed the encoding", name)
		}
	}
}

func recode(t *testing.T, a *Table) *Table {
	b := must.Value(DecodeTable(a.Encode()))(t)
	must.Need(t, b.Digest() == a.Digest() && b.Units() == a.Units(), "a table came back different")
	return b
}

func TestDigestSeesOneRecord(t *testing.T) {
	for name, s := range shapes() {
		a, b := NewTable(s), NewTable(s)
		a.add(pack([]domain.Code{0, 0, 0, 0, 1, 2, 1, 3}))
		b.add(pack([]domain.Code{0, 0, 0, 0, 1, 2, 1, 4}))
		must.Hold(t, a.Digest() != b.Digest(), "%s: tables of different records have one digest", name)
	}
}

// TestWeights: counts of weighted records are sums of their weights, in tables, in kept records and in those coarsened to
// either, and they come back from the wire.
func TestWeights(t *testing.T) {
	const bits, units = 3, 600
	rng := rand.New(rand.NewPCG(8, 1))
	layout := contribution.NewWeightedLayout(sizes, bits)
	var rows []byte
	var codes []domain.Code
	for range units {
		for left := domain.Code(1 << bits); left > 0; {
			w := 1 + domain.Code(rng.IntN(int(left)))
			record := append(random(rng, 1), w)
			rows, codes, left = layout.Pack(rows, record), append(codes, record...), left-w
		}
	}
	coarse := query.Recoding{{0, 1, 1}, nil, nil, nil}
	merged := query.AllMarginals(coarse.Sizes(sizes), 2, 1000)
	for name, s := range shapes() {
		s.WeightBits = bits
		if s.Records {
			later := NewShape(merged, Params{})
			later.WeightBits = bits
			s.Coarse = &later
		}
		table := NewTable(s)
		table.add(rows)
		again, err := DecodeTable(table.Encode())
		if err != nil || table.Units() != units || again.Units() != units || again.Digest() != table.Digest() {
			t.Fatalf("%s: %d units of %d, after the wire: %v", name, table.Units(), units, err)
		}
		for _, c := range []domain.Clique{{0}, {1}, {0, 3}, {2, 3}} {
			want := make([]int64, cells(sizes, c))
			for i := 0; i < len(codes); i += len(sizes) + 1 {
				want[c.Cell(sizes, codes[i:i+len(sizes)])] += int64(codes[i+len(sizes)])
			}
			must.Hold(t, slices.Equal(again.Marginal(c), want), "%s: marginal %v differs from a plain sum", name, c)
			if s.Records {
				for _, keep := range []*Shape{s.Coarse, nil} {
					again.shape.Coarse = keep
					got := again.Coarsen(coarse).Marginal(c)
					must.Hold(t, slices.Equal(got, coarse.Merge(c, sizes, want)), "coarsened: marginal %v differs from a plain sum", c)
				}
				again.shape.Coarse = s.Coarse
			}
		}
		got := table.Marginal(domain.Clique{})
		must.Hold(t, got[0] == units<<bits, "%s: %d steps in all, want %d", name, got[0], units<<bits)
	}
	_, err := DecodeTable(append(NewTable(Shape{Sizes: sizes, Records: true, WeightBits: bits}).Encode(), layout.Pack(nil, []domain.Code{0, 0, 0, 0, 3})...))
	must.Hold(t, err != nil, "records that add up to no number of units are accepted")
}

// TestPartOfARecord: bytes that are no whole number of records are refused, and not read as codes of others.
func TestPartOfARecord(t *testing.T) {
	for _, s := range []Shape{{Sizes: []int{2, 300}, Records: true}, {Sizes: []int{2, 300}, Cliques: []domain.Clique{{0}}}} {
		func() {
			defer func() {
				must.Need(t, recover() != nil, "%+v: 5 bytes of records of 3 are counted", s)
			}()
			NewTable(s).add([]byte{1, 1, 0, 1, 1})
		}()
	}
}

func TestMergeRefusesOverflow(t *testing.T) {
	s := Shape{Sizes: []int{2}, Cliques: []domain.Clique{{0}}}
	a, b := NewTable(s), NewTable(s)
	a.weight, a.tables[0][1] = math.MaxInt64, math.MaxInt64
	b.add([]byte{1})
	must.Fail(t, a.Merge(b), "", "more units than an int64 counts were merged")
}

func TestDecodeRefusesOtherBytes(t *testing.T) {
	for name, s := range shapes() {
		table := NewTable(s)
		table.add(pack(random(rand.New(rand.NewPCG(3, 3)), 10)))
		b := table.Encode()
		for _, cut := range []int{0, 1, 5, len(b) / 2, len(b) - 1} {
			must.Fails(DecodeTable(b[:cut]))(t, "", "%s: %d of %d bytes decode", name, cut, len(b))
		}
		must.Fails(DecodeTable(append(b, 0)))(t, "", "%s: a byte too many decodes", name)
	}
}

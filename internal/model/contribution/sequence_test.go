package contribution

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// histories returns a domain of (sex, day, kind, cost) in the order of days, in which kinds and costs are remembered. Costs can
// be NULL.
func histories(t *testing.T, least, most int64, strict bool) *domain.Domain {
	t.Helper()
	many := make([]string, 256) // one more takes two bytes
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{
		{Name: "sex", Type: domain.String, Values: []string{"F", "M"}, HasFallback: true},
		{Name: "day", Type: domain.Int64, Cuts: []int64{0, 999}, Resolution: 1, Learned: 20, HasFallback: true},
		{Name: "kind", Type: domain.String, Values: many, HasFallback: true},
		{Name: "cost", Type: domain.Int64, Cuts: domain.EqualCuts(0, 4, 5), Resolution: 1, Null: true},
	}}
	cuts := domain.EqualRatioCuts(most)
	if least == 0 {
		cuts = slices.Insert(cuts, 0, 0)
	}
	d, err := d.WithEvents([]string{"sex"}, []string{"kind"}, cuts, most)
	if err == nil {
		d, err = d.WithSequence(domain.Sequence{Column: "day", Previous: []string{"kind", "cost"}, Strict: strict})
	}
	must.Do(t, err)
	return d
}

// The rows of a person say what another program finds that writes all of them down one by one, sorts them and looks back. It
// shares the order of equal values alone.
func TestHistory(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, strict := range []bool{false, true} {
		const most = 12
		d := histories(t, 1, most, strict)
		s, rank, in := NewSummary(d), NewRanker(make([]byte, RunKeySize)), NewRecordLayout(d)
		out := NewWeightedLayout(d.RecordSizes(), d.WeightBits())
		for range 3000 {
			type row struct {
				codes []domain.Code
				rank  [RankSize]byte
			}
			var all []row
			var packed []byte
			var times []uint64
			sex, span := domain.Code(rng.IntN(2)), 1+rng.IntN(40)
			distinct := map[string]bool{}
			for range 1 + rng.IntN(8) {
				r := []domain.Code{sex, domain.Code(rng.IntN(span)), domain.Code(250 + rng.IntN(6)), domain.Code(rng.IntN(6))}
				one := in.Pack(nil, r)
				if distinct[string(one)] {
					continue
				}
				distinct[string(one)] = true
				n := uint64(1 + rng.IntN(3))
				packed, times = append(packed, one...), append(times, n)
				for range n {
					all = append(all, row{r, rank.Rank([]byte("p"), one, 0)})
				}
			}
			slices.SortFunc(all, func(a, b row) int {
				if a.codes[1] != b.codes[1] {
					return int(a.codes[1]) - int(b.codes[1])
				}
				return bytes.Compare(a.rank[:], b.rank[:])
			})
			kept := all[:min(len(all), most)]
			want := map[string]int{}
			for i, r := range kept {
				gap, kind, cost := domain.Code(d.Attributes[1].RecordSize()-1), domain.Code(256), domain.Code(6)
				if i > 0 {
					before := kept[i-1].codes
					gap, kind, cost = r.codes[1]-before[1], before[2], before[3]
					if strict {
						gap = max(gap, 1) - 1
					}
				}
				want[fmt.Sprint(r.codes[0], gap, r.codes[2:], all[0].codes[1], kind, cost)]++
			}
			bytes, n := s.Append(nil, rank, []byte("p"), packed, times)
			columns := make([][]domain.Code, out.Attributes())
			for a := range columns {
				columns[a] = make([]domain.Code, n)
			}
			out.Unpack(columns, bytes)
			weight := 0
			for i := range n {
				c := func(a int) domain.Code { return columns[a][i] }
				key := fmt.Sprint(c(0), c(1), []domain.Code{c(2), c(3)}, c(6), c(7), c(8))
				exact := 4096 * float64(want[key]) / float64(len(kept))
				if off := float64(c(9)) - exact; off <= -1 || off >= 1 {
					t.Fatalf("a row that is %d times among %d weighs %d of 4096", want[key], len(kept), c(9))
				}
				delete(want, key)
				weight += int(c(9))
			}
			must.Need(t, weight == 4096 && len(want) == 0, "a person weighs %d of 4096, and %d kinds of rows are missing", weight, len(want))
		}
	}
}

// Of somebody with more rows than anybody is written with, those first in the order are kept, and a row that is there too
// often only as often as there is room.
func TestFirstRowsAreKept(t *testing.T) {
	d := histories(t, 1, 3, false)
	s, rank, in := NewSummary(d), NewRanker(make([]byte, RunKeySize)), NewRecordLayout(d)
	for _, test := range []struct {
		times []uint64
		want  []byte // kinds of the rows that are kept
	}{
		{[]uint64{1, 1, 1, 1, 1}, []byte{10, 11, 12}},
		{[]uint64{2, 5, 1, 1, 1}, []byte{10, 11}},
		{[]uint64{1 << 63, 1 << 63, 1 << 63, 1, 1}, []byte{10}},
	} {
		var codes []domain.Code
		for i := range domain.Code(5) {
			codes = append(codes, 0, 100*i, 10+i, 0)
		}
		packed, n := s.Append(nil, rank, []byte("p"), in.Pack(nil, codes), test.times)
		kinds, weight := map[byte]bool{}, 0
		for i := range n {
			row := packed[i*s.OutWidth():][:s.OutWidth()]
			kinds[row[3]] = true
			weight += int(row[len(row)-2]) | int(row[len(row)-1])<<8
		}
		for _, k := range test.want {
			must.Hold(t, kinds[k], "%v: no row of kind %d", test.times, k)
		}
		must.Hold(t, len(kinds) == len(test.want) && weight == 4096, "%v: rows of %d kinds, a weight of %d", test.times, len(kinds), weight)
	}
}

// A person without rows is one row that says that nothing was before it, nor begins.
func TestNoHistory(t *testing.T) {
	d := histories(t, 0, 9, false)
	s, rank, in := NewSummary(d), NewRanker(make([]byte, RunKeySize)), NewRecordLayout(d)
	out := NewWeightedLayout(d.RecordSizes(), d.WeightBits())
	packed, n := s.Append(nil, rank, []byte("p"), in.Pack(nil, []domain.Code{1, 1, 0, 0, 0}), []uint64{1})
	columns := make([][]domain.Code, out.Attributes())
	for a := range columns {
		columns[a] = make([]domain.Code, n)
	}
	out.Unpack(columns, packed)
	for a, want := range []domain.Code{1, 1000, 256, 5, 0, 256, 1000, 256, 6, 4096} {
		must.Hold(t, n == 1 && columns[a][0] == want, "column %d is %v, want %d", a, columns[a], want)
	}
	if record := []domain.Code{1, 20, 256, 5, 0, 256, 20, 256, 6}; !d.Possible(record) { // on learned bins
		t.Error("somebody without rows is impossible")
	}
}

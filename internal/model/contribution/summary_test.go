package contribution

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func visits(t *testing.T) *domain.Domain {
	t.Helper()
	many := make([]string, 300) // two bytes
	for i := range many {
		many[i] = string(rune('a'+i%26)) + string(rune('a'+i/26))
	}
	d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{
		{Name: "sex", Type: domain.String, Values: []string{"F", "M"}, HasFallback: true},
		{Name: "kind", Type: domain.String, Values: many, HasFallback: true},
	}}
	d = must.Value(d.WithEvents([]string{"sex"}, []string{"kind"}, domain.EqualRatioCuts(10), 10))(t)
	return d
}

// A bin has as many bytes as the layout says, for any number of bins.
func TestManyBins(t *testing.T) {
	for _, bins := range []int64{1, 2, 255, 256, 257, 300, 1 << 16, 1<<16 + 1} {
		d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{
			{Name: "sex", Type: domain.String, Values: []string{"F", "M"}, HasFallback: true},
			{Name: "kind", Type: domain.String, Values: []string{"a", "b", "c"}, HasFallback: true},
		}}
		var cuts []int64
		for i := range bins {
			cuts = append(cuts, i+1)
		}
		d, err := d.WithEvents([]string{"sex"}, []string{"kind"}, cuts, bins+1)
		if err != nil {
			must.Need(t, bins > 1<<15, "%v, %v", bins, err)
			continue
		}
		s, rank, out := NewSummary(d), NewRanker(make([]byte, RunKeySize)), NewWeightedLayout(d.RecordSizes(), d.WeightBits())
		for _, total := range []int64{1, bins/2 + 1, bins} {
			packed, n := s.Append(nil, rank, []byte("p"), []byte{1, 2}, []uint64{uint64(total)})
			if n != 1 || len(packed) != out.Width() || out.Width() != s.OutWidth() {
				t.Fatalf("%d bins: %d rows of %d bytes, want %d", bins, n, len(packed), out.Width())
			}
			columns := make([][]domain.Code, 5)
			for a := range columns {
				columns[a] = make([]domain.Code, 1)
			}
			out.Unpack(columns, packed)
			for a, want := range []domain.Code{1, 2, domain.Code(total - 1), 2, 4096} {
				must.Hold(t, columns[a][0] == want, "%d bins, %d records: column %d is %d, want %d", bins, total, a, columns[a][0], want)
			}
		}
	}
}

// The summary of a person is what a second count of its records says: the bin of their number, all of them and not only
// the different ones, and a commonest value.
func TestSummary(t *testing.T) {
	d := visits(t)
	s, rank := NewSummary(d), NewRanker(make([]byte, RunKeySize))
	in, out := NewLayout(d.Recorded().RecordSizes()), NewWeightedLayout(d.RecordSizes(), d.WeightBits())
	rng := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		var rows []byte
		var times []uint64
		total, often := uint64(0), map[domain.Code]uint64{}
		for i := range 1 + rng.IntN(4) {
			row := []domain.Code{domain.Code(rng.IntN(2)), domain.Code(100*i + 37*rng.IntN(2))}
			n := uint64(1 + rng.IntN(5))
			rows, times = in.Pack(rows, row), append(times, n)
			total, often[row[1]] = total+n, often[row[1]]+n
		}
		packed, n := s.Append(nil, rank, []byte("p"), rows, times)
		if n != len(times) || len(packed) != n*out.Width() || s.OutWidth() != out.Width() {
			t.Fatalf("%d rows of %d bytes, want %d of %d", n, len(packed), len(times), out.Width())
		}
		columns := make([][]domain.Code, 5)
		for a := range columns {
			columns[a] = make([]domain.Code, n)
		}
		out.Unpack(columns, packed)
		least := rank.Least([]byte("p"), rows, times)
		weight := uint64(0)
		for i := range n {
			must.Need(t, columns[0][i] == domain.Code(rows[least*s.Width]) && columns[2][i] == columns[2][0] && columns[3][i] == columns[3][0],
				"what is known of a person changes from row to row")
			want := domain.Code(rows[i*s.Width+1]) | domain.Code(rows[i*s.Width+2])<<8
			must.Need(t, columns[1][i] == want, "row %d is of kind %d, want %d", i, columns[1][i], want)
			weight += uint64(columns[4][i])
			off := float64(columns[4][i]) - 4096*float64(times[i])/float64(total)
			must.Need(t, off > -1 && off < 1, "a row that is %d times of %d weighs %d of 4096", times[i], total, columns[4][i])
		}
		must.Need(t, weight == 4096, "a person weighs %d of 4096", weight)
		cuts := d.Attributes[2].Cuts
		bin := 0
		for bin < len(cuts)-2 && uint64(cuts[bin+1]) <= total {
			bin++
		}
		got := columns[2][0]
		must.Hold(t, got == domain.Code(bin), "%d records are in bin %d, want %d", total, got, bin)
		for v, n := range often {
			must.Hold(t, n <= often[columns[3][0]], "value %d is %d times there, and %d is usual", v, n, columns[3][0])
		}
	}
	// Sums that no number holds are in the last bin.
	got, _ := s.Append(nil, rank, []byte("p"), []byte{0, 0, 0, 0, 1, 0}, []uint64{1<<64 - 1, 5})
	must.Hold(t, got[s.Width] == byte(len(s.Cuts)-1), "a sum beyond all numbers is in bin %d", got[s.Width])
}

// Of values that are equally common each is usual for some people: 200 fair coins all fall alike with a chance of 1e-60.
func TestTiesAreNotAlwaysTheFirst(t *testing.T) {
	s, rank := NewSummary(visits(t)), NewRanker(make([]byte, RunKeySize))
	seen := map[byte]int{}
	for i := range 200 {
		out, _ := s.Append(nil, rank, []byte{byte(i), 'x'}, []byte{0, 0, 0, 0, 1, 0}, []uint64{2, 2})
		seen[out[s.Width+1]]++
	}
	must.Hold(t, len(seen) == 2, "usual values %v, want both", seen)
}

// If people without rows exist, a person's columns come from the table of people, nobody outside it has rows, and
// a person without rows is one row of the whole weight.
func TestSummaryOfPeopleWithoutRows(t *testing.T) {
	with := visits(t)
	d := must.Value(with.Recorded().WithEvents([]string{"sex"}, []string{"kind"}, append([]int64{0}, domain.EqualRatioCuts(10)...), 10))(t)
	s, rank, in := NewSummary(d), NewRanker(make([]byte, RunKeySize)), NewRecordLayout(d)
	out := NewWeightedLayout(d.RecordSizes(), d.WeightBits())
	got := func(times []uint64, records ...domain.Code) (rows [][]domain.Code) {
		packed, n := s.Append(nil, rank, []byte("p"), in.Pack(nil, records), times)
		for i := range n {
			columns := [][]domain.Code{{0}, {0}, {0}, {0}, {0}}
			out.Unpack(columns, packed[i*out.Width():(i+1)*out.Width()])
			rows = append(rows, slices.Concat(columns...))
		}
		return rows
	}
	const null = 300
	for _, test := range []struct {
		what    string
		times   []uint64
		records []domain.Code // table, sex, kind
		want    [][]domain.Code
	}{
		{"a stranger", []uint64{2, 1}, []domain.Code{0, 0, 7, 0, 0, 290}, nil},
		{"nobody's rows", []uint64{1}, []domain.Code{1, 1, 0}, [][]domain.Code{{1, null, 0, null, 4096}}},
		{"rows", []uint64{3, 1, 1}, []domain.Code{0, 0, 7, 0, 0, 290, 1, 1, 0}, [][]domain.Code{{1, 7, 4, 7, 3072}, {1, 290, 4, 7, 1024}}},
		{"named twice", []uint64{1, 2}, []domain.Code{0, 0, 290, 1, 1, 0}, [][]domain.Code{{1, 290, 1, 290, 4096}}},
	} {
		rows := got(test.times, test.records...)
		must.Hold(t, slices.EqualFunc(rows, test.want, slices.Equal[[]domain.Code]), "%s: rows %v, want %v", test.what, rows, test.want)
	}
}

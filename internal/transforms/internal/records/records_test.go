package records

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/internal/model/contribution"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

var testKey = []byte("a public run key")

// fact is one row of one unit.
type fact struct{ id, row string }

// facts returns rows of units with few and many rows, exact repeats and empty IDs.
func facts(rng *rand.Rand, n int) []fact {
	f := make([]fact, n)
	for i := range f {
		f[i] = fact{fmt.Sprint("u", rng.IntN(n/3+1)), string([]byte{byte(rng.IntN(3)), byte(rng.IntN(2))})}
		switch {
		case i%11 == 0:
			f[i].id = "busy"
		case i%17 == 0:
			f[i].id = ""
		}
	}
	return f
}

// tally counts the rows of every unit by the definition.
func tally(fs []fact) map[fact]uint64 {
	times := map[fact]uint64{}
	for _, f := range fs {
		if f.id != "" {
			times[f]++
		}
	}
	return times
}

// collect adds up what lists hold, and fails if they are not in order.
func collect(t *testing.T, got map[fact]uint64, lists ...*Units) {
	t.Helper()
	var before []byte
	Each(lists, func(id, rows []byte, times []uint64) {
		must.Need(t, before == nil || Hash(before) <= Hash(id) && (Hash(before) != Hash(id) || bytes.Compare(before, id) < 0), "units are not in ascending order")
		before = bytes.Clone(id)
		must.Need(t, len(times) != 0, "a unit without a row")
		width := len(rows) / len(times)
		for j, n := range times {
			row := rows[j*width : (j+1)*width]
			must.Need(t, j <= 0 || bytes.Compare(rows[(j-1)*width:j*width], row) < 0, "rows of a unit are not in ascending order")
			got[fact{string(id), string(row)}] += n
		}
	})
}

func TestSetCountsRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	fs := facts(rng, 5000)
	set := NewSet(2, 1<<20)
	for _, f := range fs {
		set.Add([]byte(f.id), []byte(f.row))
	}
	got := map[fact]uint64{}
	set.Flush(7, func(shard int, u *Units) {
		collect(t, got, u)
		for i := range u.Len() {
			if id := u.id(i); Shard(Hash(id), 7) != shard {
				t.Errorf("unit %q in shard %d", id, shard)
			} else if i > 0 && bytes.Equal(id, u.id(i-1)) {
				t.Fatalf("unit %q is there twice", id)
			}
		}
	})
	want := tally(fs)
	must.Hold(t, maps.Equal(got, want), "%d rows of units, want %d, or other counts of them", len(got), len(want))
	must.Hold(t, set.Len() == 0, "%d rows after Flush, want 0", set.Len())
}

// A unit of 10,000 records, some of them equal, some hundred thousand of them seen before, is counted in full.
func TestManyRowsOfOneUnit(t *testing.T) {
	var fs []fact
	for i := range 10_000 {
		fs = append(fs, fact{"busy", string([]byte{byte(i % 97), byte(i % 89)})}, fact{fmt.Sprint("u", i%3), "ab"})
	}
	var all []*Units
	got := map[fact]uint64{}
	for from := 0; from < len(fs); from += 3000 {
		set := NewSet(2, 1<<20)
		for _, f := range fs[from:min(from+3000, len(fs))] {
			set.Add([]byte(f.id), []byte(f.row))
		}
		set.Flush(1, func(_ int, u *Units) { all = append(all, recode(u)) })
	}
	collect(t, got, all...)
	want := tally(fs)
	must.Hold(t, maps.Equal(got, want), "%d rows of units, want %d, or other counts of them", len(got), len(want))
}

// colliding returns n IDs of 16 bytes with the hash 0: the second half of each undoes what the first made, and
// the rest of the hash is then the hash of nothing.
func colliding(n int) (ids [][]byte) {
	const k0, k1 = 0xa0761d6478bd642f, 0xe7037ed1a0b428db
	for i := range uint64(n) {
		id := binary.LittleEndian.AppendUint64(nil, i)
		ids = append(ids, binary.LittleEndian.AppendUint64(id, fold(16^k0^i, k1)))
	}
	return ids
}

// TestIDsOfOneHash: the hash only places IDs. Units of equal hash, which anybody can make, stay apart in a bundle
// and where bundles meet: merged, one of them would change what is kept of the other.
func TestIDsOfOneHash(t *testing.T) {
	ids := colliding(100)
	var all []*Units
	for from := range 2 { // 0…98 in one bundle, 1…99 in another
		set := NewSet(1, 1<<20)
		for i, id := range ids[from : from+99] {
			must.Need(t, Hash(id) == 0, "ID %d has the hash %x: the test is blind", i, Hash(id))
			set.Add(id, []byte{byte(from+i) / 2})
		}
		if from == 1 {
			set.compact() // before it is sorted
		}
		set.Flush(1, func(_ int, u *Units) {
			must.Hold(t, u.Len() == 99, "%d units in a bundle of 99", u.Len())
			all = append(all, recode(u))
		})
	}
	units := 0
	Each(all, func(id, rows []byte, _ []uint64) {
		units++
		must.Hold(t, uint64(rows[0]) == binary.LittleEndian.Uint64(id)/2, "unit %d has the row of unit %d", binary.LittleEndian.Uint64(id), rows[0])
	})
	must.Need(t, units == len(ids), "%d units of %d", units, len(ids))
}

// Logs that grow past their limits count the same rows, and memory follows different rows and not records.
func TestLogsAreCompacted(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	var fs []fact
	for range 20_000 {
		fs = append(fs, fact{fmt.Sprintf("%02000d", rng.IntN(7)), string([]byte{byte(rng.IntN(3)), 'x'})})
	}
	set := NewSet(2, 1<<20)
	for _, f := range fs {
		set.Add([]byte(f.id), []byte(f.row))
	}
	limit := 7 * 2 * minCompact
	must.Hold(t, set.bytes <= limit && !set.Full(), "21 rows of 7 units take %d bytes, want at most %d", set.bytes, limit)
	got := map[fact]uint64{}
	set.Flush(3, func(_ int, u *Units) { collect(t, got, u) })
	want := tally(fs)
	must.Hold(t, maps.Equal(got, want), "%d rows of units, want %d, or other counts of them", len(got), len(want))
}

// A set is full if a quarter of it cannot be freed, and gives up early where an eighth of it has not freed that much.
func TestFullSets(t *testing.T) {
	const n = 1 << 12
	late := func(id []byte) bool { return Hash(id)>>partShift >= parts/4 }
	for name, c := range map[string]struct {
		twice func(id []byte) bool
		full  bool
		held  [2]int // at least, below
	}{
		"all rows differ":              {func([]byte) bool { return false }, true, [2]int{n, n + 1}},
		"each row is there twice":      {func([]byte) bool { return true }, false, [2]int{n / 2, n/2 + 1}},
		"the rows of late logs are so": {late, true, [2]int{n * 7 / 8, n + 1}},
	} {
		set, before := NewSet(1, n), 0
		for i := 0; before < n; i++ {
			id := fmt.Append(nil, i)
			set.Add(id, []byte{0})
			if before++; before < n && c.twice(id) {
				set.Add(id, []byte{0})
				before++
			}
		}
		if set.Full() != c.full || set.Len() < c.held[0] || set.Len() >= c.held[1] {
			t.Errorf("%s: after %d records a set holds %d, full: %v", name, n, set.Len(), set.Full())
		}
	}
}

// bundled counts fs in bundles of random sizes, with random early flushes and in random order, and returns the units
// of each shard and the rows that stand for its units.
func bundled(rng *rand.Rand, fs []fact, shards int) []byte {
	rank := contribution.NewRanker(testKey)
	parts := make([][]*Units, shards)
	for len(fs) > 0 {
		n := 1 + rng.IntN(len(fs))
		set := NewSet(2, 1+rng.IntN(200))
		flush := func() { set.Flush(shards, func(s int, u *Units) { parts[s] = append(parts[s], recode(u)) }) }
		batch := &Batch{HasID: true}
		for _, f := range fs[:n] {
			batch.N++
			batch.Rows = append(batch.Rows, f.row...)
			batch.AddID([]byte(f.id))
		}
		for i := 0; i < batch.N; flush() {
			i = set.AddBatch(batch, i)
		}
		fs = fs[n:]
	}
	var out []byte
	for _, lists := range parts {
		rng.Shuffle(len(lists), func(i, j int) { lists[i], lists[j] = lists[j], lists[i] })
		for i := range lists {
			if rng.IntN(2) == 0 {
				lists[i] = recode(lists[i])
			}
		}
		Each(lists, func(id, rows []byte, times []uint64) {
			out = fmt.Appendf(out, "%s %x %v\n", id, rows, times)
		})
		out = append(out, One(lists, rank).Rows...)
	}
	return out
}

// Rows that begin with the same eight bytes are told apart and put in order, few of a unit and many.
func TestRowsThatBeginAlike(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, n := range []int{2, 5, 16, 17, 100} {
		var fs []fact
		for range n {
			fs = append(fs, fact{"u", "the same" + string([]byte{byte(rng.IntN(6)), byte(rng.IntN(6))})})
		}
		var lists []*Units
		for _, f := range fs {
			set := NewSet(10, 1<<20)
			set.Add([]byte(f.id), []byte(f.row))
			set.Flush(1, func(_ int, u *Units) { lists = append(lists, recode(u)) })
		}
		got := map[fact]uint64{}
		collect(t, got, lists...)
		want := tally(fs)
		must.Hold(t, maps.Equal(got, want), "%d records: %v, want %v", n, got, want)
	}
}

// A unit without rows, or a row that it has no times, is no encoding of units.
func TestUnitsWithoutRows(t *testing.T) {
	set := NewSet(2, 10)
	set.Add([]byte("a"), []byte{7, 8})
	set.Flush(1, func(_ int, u *Units) {
		b := u.Encode(nil) // width, units, length, ID, rows of the unit, times of the row, row
		for at, want := range map[int]bool{4: false, 5: false, 6: true} {
			c := bytes.Clone(b)
			c[at] = 0
			_, err := DecodeUnits(c)
			must.Hold(t, (err == nil) == want, "byte %d of %x is 0: error %v", at, b, err)
		}
	})
}

// recode sends units over the wire.
func recode(u *Units) *Units {
	v, err := DecodeUnits(u.Encode(nil))
	if err != nil {
		panic(err)
	}
	return v
}

func TestBoundingIgnoresOrderAndBundles(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	fs := facts(rng, 400)
	want := bundled(rng, fs, 4)
	for range 300 {
		rng.Shuffle(len(fs), func(i, j int) { fs[i], fs[j] = fs[j], fs[i] })
		must.Need(t, bytes.Equal(bundled(rng, fs, 4), want), "a permutation of the input changed the bounded units")
	}
}

// one returns the rows that stand for the units of a set.
func one(set *Set, key []byte) (rows []byte) {
	rank := contribution.NewRanker(key)
	set.Flush(1, func(_ int, u *Units) { rows = One([]*Units{u}, rank).Rows })
	return rows
}

// Each record of a unit stands for it equally often over run keys, so that a row that it has three times does so
// three times as often as one that it has once: χ² with 3 degrees of freedom, critical value 30.7 at a
// false-alarm rate of 1e-6.
func TestChoiceIsUniformOverRecords(t *testing.T) {
	const keys = 4000
	times := [4]float64{1, 3, 4, 12}
	hits := map[byte]float64{}
	for k := range keys {
		set := NewSet(1, 10)
		for row, n := range times {
			for range int(n) {
				set.Add([]byte("unit"), []byte{byte(row)})
			}
		}
		hits[one(set, fmt.Appendf(nil, "%016d", k))[0]]++
	}
	chi := 0.0
	for row, n := range times {
		want := keys * n / 20
		chi += (hits[byte(row)] - want) * (hits[byte(row)] - want) / want
	}
	must.Hold(t, chi <= 30.7, "rows stood for their unit %v times: chi squared %g", hits, chi)
}

// The ID is part of the rank: units with the same two rows do not all prefer the same one. Of 4000
// units, each row is kept by half of them; the difference is within 310 with a false-alarm rate of 1e-6.
func TestUnitsChooseIndependently(t *testing.T) {
	const units = 4000
	set := NewSet(1, 4*units)
	for i := range units {
		set.Add(fmt.Appendf(nil, "u%d", i), []byte{0})
		set.Add(fmt.Appendf(nil, "u%d", i), []byte{1})
	}
	difference := 0
	for _, row := range one(set, testKey) {
		difference += 2*int(row) - 1
	}
	must.Hold(t, difference <= 310 && difference >= -310, "the two rows are kept with a difference of %d in %d units", difference, units)
}

func TestBatchRoundTrip(t *testing.T) {
	with := &Batch{N: 2, Rows: []byte{1, 2, 3, 4}, HasID: true}
	with.AddID([]byte("x"))
	with.AddID(nil)
	for _, b := range []*Batch{with, {N: 1, Rows: []byte{9}}, {}} {
		got := must.Value(DecodeBatch(b.Encode()))(t)
		must.Hold(t, bytes.Equal(got.Encode(), b.Encode()) && got.N == b.N && got.HasID == b.HasID, "batch of %d records came back different", b.N)
	}
}

// FuzzDecode feeds both decoders arbitrary bytes: they fail or return something that encodes again.
func FuzzDecode(f *testing.F) {
	set := NewSet(2, 10)
	set.Add([]byte("a"), []byte{1, 2})
	set.Flush(1, func(_ int, u *Units) { f.Add(u.Encode(nil)) })
	f.Add((&Batch{N: 1, Rows: []byte{9}}).Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		if u, err := DecodeUnits(b); err == nil {
			u.Encode(nil)
			u.index() // what merging wants
			u.Encode(nil)
		}
		if b, err := DecodeBatch(b); err == nil {
			b.Encode()
		}
	})
}

package families_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/integration/research/families"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// hash identifies the codes of a table.
func hash(t *families.Table) string {
	h := sha256.New()
	for _, column := range t.Columns {
		for _, v := range column {
			h.Write(binary.LittleEndian.AppendUint16(nil, uint16(v)))
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// Figures of different days are of one table: equal names, units and seeds give equal codes.
func TestPinned(t *testing.T) {
	want := map[string]string{
		"near-deterministic pairs":                      "baa6f15acf404e26",
		"columns of 100 values that follow from others": "b1971fd35a3c0d6d",
		"23 binary columns with structural zeros":       "b2235cc4f92b31d2",
		"12 binary columns, zeros declared":             "9ee2984c33936812",
		"ties":                                          "4aa9dcb4deff3251",
		"constants":                                     "1bf881f0a3d24399",
		"one value of 99.9 %":                           "344f82296b5931e2",
		"a small universe":                              "8fdc09d8a0ef43eb",
		"schedule":                                      "de6253232744de6c",
	}
	for _, f := range families.All() {
		must.Equal(t, hash(f.Make(1000, 1)), want[f.Name], "%q", f.Name)
	}
}

// The tables are what they are meant to be.
func TestStructure(t *testing.T) {
	made := map[string]*families.Table{}
	for _, f := range families.All() {
		made[f.Name] = f.Make(20_000, 2)
		n := f.Make(1, 3).Units()
		must.Hold(t, n == 1, "%q: %d records of 1 unit", f.Name, n)
	}
	s := made["schedule"]
	must.Hold(t, len(s.Sizes) == 16 && slices.Min(s.Sizes) == 12 && slices.Max(s.Sizes) == 104,
		"the schedule has columns of %v cells, want 16 of 12 to 104", s.Sizes)
	must.Equal(t, conflicts(s, []int{8}, 9), 0, "the hour does not follow from the time, in records")
	must.Equal(t, conflicts(s, []int{4, 5}, 6), 0, "the distance does not follow from the route, in records")
	d := made["columns of 100 values that follow from others"]
	for of, from := range map[int]int{1: 0, 2: 1, 4: 3} {
		must.Equal(t, conflicts(d, []int{from}, of), 0, "column %d does not follow from column %d, in records", of, from)
	}
	for _, name := range []string{"23 binary columns with structural zeros", "12 binary columns, zeros declared"} {
		must.Equal(t, made[name].Marginal(domain.Clique{0, 1})[1], 0, "%q: records in a structural zero", name)
	}
	// 100 of 20,000 do not follow on average, and 60 or fewer, or 160 or more, with probability below 1e-4 each; 25 of
	// those that do not follow would not be seen to at most.
	n := conflicts(made["near-deterministic pairs"], []int{7}, 8)
	must.Hold(t, n >= 35 && n <= 160, "%d of 20,000 records are not what the pair says, want about 100", n)
	share := made["one value of 99.9 %"].Shares(domain.Clique{3})[0]
	must.Hold(t, math.Abs(share-.999) <= .001, "the frequent value has %.4f of the records", share)
	x := made["12 binary columns, zeros declared"]
	for r := range x.Columns[0] {
		record := make([]domain.Code, len(x.Sizes))
		for a := range record {
			record[a] = x.Columns[a][r]
		}
		must.Need(t, x.Domain.Possible(record), "record %d is excluded", r)
	}
}

// conflicts counts the records whose value of column of is not the most frequent one for their values of from.
func conflicts(t *families.Table, from []int, of int) int64 {
	c := append(slices.Clone(domain.Clique(from)), of)
	slices.Sort(c)
	n := t.Marginal(c)
	k := t.Sizes[of]
	if c[len(c)-1] != of {
		panic("the column that follows must be the last of the clique")
	}
	out := int64(0)
	for i := 0; i < len(n); i += k {
		sum, most := int64(0), int64(0)
		for _, x := range n[i : i+k] {
			sum, most = sum+x, max(most, x)
		}
		out += sum - most
	}
	return out
}

func TestMarginalByBruteForce(t *testing.T) {
	x := families.All()[0].Make(9_001, 4)
	c := domain.Clique{1, 4, 6}
	want := make([]int64, len(x.Marginal(c)))
	for r := range x.Columns[0] {
		record := make([]domain.Code, len(x.Sizes))
		for a := range record {
			record[a] = x.Columns[a][r]
		}
		want[c.Cell(x.Sizes, record)]++
	}
	must.Hold(t, slices.Equal(want, x.Marginal(c)), "Marginal does not count records")
}

// The resample floor of a table of n records that are all different is known: half the mean distance of a
// Poisson count from 1, which is 1/e.
func TestResampled(t *testing.T) {
	const n = 10_000
	column := make([]domain.Code, n)
	for r := range column {
		column[r] = domain.Code(r)
	}
	x := families.NewTable("all different", families.Coded([]string{"id"}, []int{n}), [][]domain.Code{column})
	one := domain.Clique{0}
	tv, _ := x.Errors([]domain.Clique{one}, x.Resampled(5).Shares)
	must.Hold(t, math.Abs(tv-1/math.E) <= .02, "total variation %.4f, want %.4f", tv, 1/math.E) // seven standard deviations
}

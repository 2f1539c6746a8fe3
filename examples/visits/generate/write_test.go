package generate

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"math"
	"slices"
	"strconv"
	"testing"
	"time"
)

// table returns the records of a table, without its header, by column.
func table(t *testing.T, p Params) map[string][]string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, p); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(records[0], Header) {
		t.Fatalf("header %v, want %v", records[0], Header)
	}
	columns := map[string][]string{}
	for _, record := range records[1:] {
		for i, cell := range record {
			columns[Header[i]] = append(columns[Header[i]], cell)
		}
	}
	return columns
}

func TestBytesArePinned(t *testing.T) {
	var b, more bytes.Buffer
	if err := errors.Join(Write(&b, Params{People: 200, Seed: 7}), Write(&more, Params{People: 300, Seed: 7})); err != nil {
		t.Fatal(err)
	}
	const want = "b6226a3ed6ffa3c04874d0c1c07b863235bbbb973e8b60e5482ba7d41e63cd90"
	if sum := sha256.Sum256(b.Bytes()); hex.EncodeToString(sum[:]) != want {
		t.Errorf("SHA-256 of 200 people = %x, want %s", sum, want)
	}
	if !bytes.HasPrefix(more.Bytes(), b.Bytes()) {
		t.Error("200 people are not the beginning of 300")
	}
	var other bytes.Buffer
	if err := Write(&other, Params{People: 200, Seed: 8}); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(b.Bytes(), other.Bytes()) {
		t.Error("another seed gives the same table")
	}
}

// share returns the share of rows, among those that given holds for, where is holds.
func share(c map[string][]string, is, given func(row int) bool) float64 {
	n, hits := 0, 0
	for row := range c["person_id"] {
		if given == nil || given(row) {
			n++
			if is(row) {
				hits++
			}
		}
	}
	return float64(hits) / float64(n)
}

// The table is one fixed table: the limits below are of what it should look like, and not of chance.
func TestTableHasWhatMakesTablesHard(t *testing.T) {
	c := table(t, Params{People: 5000, Seed: 1})
	cell := func(column, value string) func(int) bool {
		return func(row int) bool { return c[column][row] == value }
	}
	number := func(column string, row int) float64 {
		v, err := strconv.ParseFloat(c[column][row], 64)
		if err != nil {
			return math.NaN()
		}
		return v
	}
	child := func(row int) bool { return number("age", row) < 12 }
	adult := func(row int) bool { return number("age", row) >= 18 }
	dear := func(row int) bool { return number("cost", row) >= 600 }
	winter := func(row int) bool { return c["visited"][row] < "2024-04-01" }
	summer := func(row int) bool { return c["visited"][row] >= "2024-07-01" && c["visited"][row] < "2024-10-01" }
	for _, row := range []struct {
		name      string
		got       float64
		low, high float64
	}{
		{"missing sex", share(c, cell("sex", ""), nil), 0.02, 0.04},
		{"sex outside the domain", share(c, cell("sex", "X"), nil), 0.001, 0.01},
		{"missing income", share(c, cell("income", ""), nil), 0.15, 0.3},
		{"missing income of adults", share(c, cell("income", ""), adult), 0.05, 0.11},
		{"missing cost", share(c, cell("cost", ""), nil), 0.01, 0.03},
		{"commonest region", share(c, cell("region", "North"), nil), 0.4, 0.5},
		{"rarest region", share(c, cell("region", "Overseas"), nil), 0.0005, 0.01},
		{"children at the paediatrician's", share(c, cell("department", "Paediatrics"), child), 0.6, 0.9},
		{"adults at the paediatrician's", share(c, cell("department", "Paediatrics"), adult), 0, 0},
		{"men at the obstetrician's", share(c, cell("department", "Obstetrics"), cell("sex", "Male")), 0, 0},
		{"dear visits of the admitted", share(c, dear, cell("admitted", "true")), 0.7, 1},
		{"dear visits of the others", share(c, dear, cell("admitted", "false")), 0, 0.1},
		{"general practice in winter", share(c, cell("department", "General practice"), winter), 0.41, 0.48},
		{"general practice in summer", share(c, cell("department", "General practice"), summer), 0.36, 0.41},
	} {
		if !(row.got >= row.low && row.got <= row.high) {
			t.Errorf("%s: %g, want %g to %g", row.name, row.got, row.low, row.high)
		}
	}
}

func TestPeopleHaveSeveralVisits(t *testing.T) {
	c := table(t, Params{People: 5000, Seed: 1})
	visits := map[string]int{}
	for _, id := range c["person_id"] {
		visits[id]++
	}
	most, least := 0, math.MaxInt
	for _, n := range visits {
		most, least = max(most, n), min(least, n)
	}
	if mean := float64(len(c["person_id"])) / 5000; len(visits) != 5000 || least != 1 || most != 20 || mean < 4 || mean > 5 {
		t.Errorf("%d people with %d to %d visits, %g in the mean; want 5000 with 1 to 20, 4 to 5 in the mean",
			len(visits), least, most, mean)
	}
}

func TestCellsHaveTheirTypes(t *testing.T) {
	c := table(t, Params{People: 2000, Seed: 3})
	cents := func(s string) error { _, err := strconv.ParseFloat(s, 64); return err }
	for column, parse := range map[string]func(string) error{
		"age":      func(s string) error { _, err := strconv.Atoi(s); return err },
		"visited":  func(s string) error { _, err := time.Parse(time.DateOnly, s); return err },
		"admitted": func(s string) error { _, err := strconv.ParseBool(s); return err },
		"income":   cents,
		"cost":     cents,
	} {
		for row, cell := range c[column] {
			if cell == "" {
				continue
			}
			if err := parse(cell); err != nil {
				t.Fatalf("row %d, column %s: %v", row, column, err)
			}
		}
	}
}

type full struct{}

var errFull = errors.New("disk full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteReportsTheError(t *testing.T) {
	if err := Write(full{}, Params{People: 300}); !errors.Is(err, errFull) {
		t.Errorf("error %v, want that of the writer", err)
	}
}

func BenchmarkWrite(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		var w bytes.Buffer
		if err := Write(&w, Params{People: 5000, Seed: 1}); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(w.Len()))
	}
}

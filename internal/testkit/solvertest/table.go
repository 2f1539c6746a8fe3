package solvertest

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/lists"
	"github.com/dapple-dp/dapple/internal/kit/summation"
)

// DataVariable is the environment variable that names the directory of the larger test tables:
// adult7/adult7.csv (codes with a header) and adult7/adult7-domain.json (cells per column) inside it.
const DataVariable = "DAPPLE_DATA"

// Table is a private table for tests: a count for every cell of the universe, row-major.
type Table struct {
	Sizes  []int
	Counts []float64
}

// Units returns the number of records.
func (t *Table) Units() float64 {
	return summation.InOrder(t.Counts)
}

// Domain returns a domain with the table's sizes; attributes are called a0, a1 and so on.
func (t *Table) Domain() *domain.Domain {
	d := &domain.Domain{}
	for i, s := range t.Sizes {
		a := domain.Attribute{Name: "a" + strconv.Itoa(i), Type: domain.String}
		for v := range s {
			a.Values = append(a.Values, "v"+strconv.Itoa(v))
		}
		d.Attributes = append(d.Attributes, a)
	}
	return d
}

// NewTable returns a table without records.
func NewTable(sizes ...int) *Table {
	k := 1
	for _, s := range sizes {
		k *= s
	}
	return &Table{Sizes: sizes, Counts: make([]float64, k)}
}

// RandomTable returns a table of n records whose attributes depend on each other.
func RandomTable(rng *rand.Rand, n int, sizes ...int) *Table {
	t := NewTable(sizes...)
	for range n {
		z, bias := 0, rng.Float64()
		for _, s := range sizes {
			z = z*s + int(float64(s)*math.Pow(rng.Float64(), .3+2*bias))
		}
		t.Counts[z]++
	}
	return t
}

// Tree10 returns the table of 10,000 records over ten binary attributes that the reference figures
// speak of: attribute i depends on ⌊(i−1)/2⌋, P(x0=1) = .3, P(xi=1 | parent 0) = .1 + .05·(i mod 5),
// P(xi=1 | parent 1) = .9 − .07·(i mod 4), and counts are 10,000·P(z) rounded by largest remainder,
// smaller z first among equals. No random numbers are involved.
func Tree10() *Table {
	t := NewTable(2, 2, 2, 2, 2, 2, 2, 2, 2, 2)
	order, rest := make([]int, len(t.Counts)), make([]float64, len(t.Counts))
	left := 10_000.0
	for z := range t.Counts {
		x := 10_000 * tree10(z)
		t.Counts[z] = math.Floor(x)
		rest[z], order[z] = x-t.Counts[z], z
		left -= t.Counts[z]
	}
	sort.SliceStable(order, func(i, j int) bool { return rest[order[i]] > rest[order[j]] })
	for _, z := range order[:int(left)] {
		t.Counts[z]++
	}
	return t
}

// tree10 returns P(z), attribute 0 in the most significant of ten bits.
func tree10(z int) float64 {
	bit := func(i int) int { return z >> (9 - i) & 1 }
	p := 1.0
	for i := range 10 {
		one := .3
		if i > 0 {
			one = .1 + .05*float64(i%5)
			if bit((i-1)/2) == 1 {
				one = .9 - .07*float64(i%4)
			}
		}
		if bit(i) == 0 {
			one = 1 - one
		}
		p *= one
	}
	return p
}

// Adult7 returns seven columns of the Adult census extract, 48,842 records over 336,000 cells, and
// skips the test if it is not at hand.
func Adult7(t testing.TB) *Table {
	t.Helper()
	dir := filepath.Join(os.Getenv(DataVariable), "adult7")
	if os.Getenv(DataVariable) == "" {
		t.Skipf("missing: the table adult7; set %s to the directory that holds adult7/adult7.csv", DataVariable)
	}
	sizes := map[string]int{}
	b, err := os.ReadFile(filepath.Join(dir, "adult7-domain.json"))
	if err == nil {
		err = json.Unmarshal(b, &sizes)
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, "adult7.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	s := lists.Of(rows[0], func(name string) int { return sizes[name] })
	table := NewTable(s...)
	for _, row := range rows[1:] {
		z := 0
		for i, cell := range row {
			code, err := strconv.Atoi(cell)
			if err != nil || code < 0 || code >= s[i] {
				t.Fatal("adult7.csv has a code outside its domain")
			}
			z = z*s[i] + code
		}
		table.Counts[z]++
	}
	return table
}

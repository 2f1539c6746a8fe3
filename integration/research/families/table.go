package families

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"sync"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/summation"
	"github.com/dapple-dp/dapple/internal/model/marginal"
	"github.com/dapple-dp/dapple/internal/request/evaluate"
)

// Table is a table of codes, one record per unit. It answers a curator by counting, and keeps what it counted.
type Table struct {
	Name    string
	Domain  *domain.Domain
	Sizes   []int
	Columns [][]domain.Code
	Values  *evaluate.Table // of a table that was read: as they are written; else nil
	rows    int
	lock    sync.Mutex
	counted map[string][]int64
}

// NewTable returns a table over the domain. All columns have the same length.
func NewTable(name string, d *domain.Domain, columns [][]domain.Code) *Table {
	return &Table{Name: name, Domain: d, Sizes: d.RecordSizes(), Columns: columns, rows: len(columns[0]), counted: map[string][]int64{}}
}

// Coded returns a domain of whole numbers 0 … size−1 for each named column.
func Coded(names []string, sizes []int) *domain.Domain {
	d := &domain.Domain{}
	for a, name := range names {
		at := domain.Attribute{Name: name, Type: domain.Int64, Resolution: 1}
		for v := range sizes[a] {
			at.Values = append(at.Values, strconv.Itoa(v))
		}
		d.Attributes = append(d.Attributes, at)
	}
	return d
}

// Units returns the number of records.
func (t *Table) Units() int64 { return int64(t.rows) }

// Marginal counts, and keeps what it counted: callers must not change it.
func (t *Table) Marginal(c domain.Clique) []int64 {
	t.lock.Lock()
	defer t.lock.Unlock()
	if n, ok := t.counted[c.Key()]; ok {
		return n
	}
	cells, err := c.Cells(t.Sizes)
	if err != nil {
		panic("families: a clique whose cells cannot be counted")
	}
	n := make([]int64, cells)
	marginal.Count(n, t.Sizes, c, t.Columns, t.rows)
	t.counted[c.Key()] = n
	return n
}

// Shares returns the marginal of c as parts of 1.
func (t *Table) Shares(c domain.Clique) []float64 {
	n := t.Marginal(c)
	x := make([]float64, len(n))
	for i := range n {
		x[i] = float64(n[i]) / float64(t.rows)
	}
	return x
}

// Errors returns the average total variation and the largest cell difference, as shares, between the table's
// marginals of the cliques and others, which are in any unit.
func (t *Table) Errors(cliques []domain.Clique, other func(domain.Clique) []float64) (tv, largest float64) {
	for _, c := range cliques {
		g := other(c)
		sum := summation.InOrder(g)
		for i, h := range t.Marginal(c) {
			d := math.Abs(float64(h)/float64(t.rows) - g[i]/sum)
			tv += d / 2 / float64(len(cliques))
			largest = math.Max(largest, d)
		}
	}
	return tv, largest
}

// Resampled returns a table of as many records drawn with replacement. Its distance from t is what someone
// would miss by who knew the population perfectly and not these people.
func (t *Table) Resampled(seed uint64) *Table {
	rng := rand.New(rand.NewPCG(seed, 0x7265))
	columns := make([][]domain.Code, len(t.Columns))
	for a := range columns {
		columns[a] = make([]domain.Code, t.rows)
	}
	for r := range t.rows {
		from := rng.IntN(t.rows)
		for a := range columns {
			columns[a][r] = t.Columns[a][from]
		}
	}
	return NewTable(t.Name+" resampled", t.Domain, columns)
}

// builder collects the columns of a made-up table.
type builder struct {
	rng     *rand.Rand
	units   int
	names   []string
	sizes   []int
	columns [][]domain.Code
}

func newBuilder(units int, seed uint64) *builder {
	return &builder{rng: rand.New(rand.NewPCG(seed, 0x66616d)), units: units}
}

// add appends a column of the given size; value is asked for every record in turn. It returns the column.
func (b *builder) add(name string, size int, value func(r int) int) []domain.Code {
	column := make([]domain.Code, b.units)
	for r := range column {
		v := value(r)
		if v < 0 || v >= size {
			panic(fmt.Sprintf("families: %s: code %d of %d", name, v, size))
		}
		column[r] = domain.Code(v)
	}
	b.names, b.sizes, b.columns = append(b.names, name), append(b.sizes, size), append(b.columns, column)
	return column
}

func (b *builder) table(name string) *Table {
	return NewTable(name, Coded(b.names, b.sizes), b.columns)
}

// zipf returns a sampler of 0 … size−1 with shares ∝ (v+1)^−power.
func (b *builder) zipf(size int, power float64) func() int {
	shares := make([]float64, size)
	for v := range shares {
		shares[v] = math.Pow(float64(v+1), -power)
	}
	return b.choose(shares)
}

// choose returns a sampler of 0 … len(shares)−1.
func (b *builder) choose(shares []float64) func() int {
	sum := summation.InOrder(shares)
	return func() int {
		u := b.rng.Float64() * sum
		for v, s := range shares {
			if u -= s; u < 0 {
				return v
			}
		}
		return len(shares) - 1
	}
}

// clamp returns x in 0 … size−1.
func clamp(x float64, size int) int { return min(max(int(math.Floor(x)), 0), size-1) }

// Sample returns a table of so many records of t, drawn without replacement.
func (t *Table) Sample(n int, seed uint64) *Table {
	rng := rand.New(rand.NewPCG(seed, 0x7361))
	columns := make([][]domain.Code, len(t.Columns))
	for _, r := range rng.Perm(t.rows)[:n] {
		for a := range columns {
			columns[a] = append(columns[a], t.Columns[a][r])
		}
	}
	return NewTable(t.Name+" sampled", t.Domain, columns)
}

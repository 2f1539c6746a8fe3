package oracles

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
)

// tables are what every oracle has to read as it was written.
func tables() map[string]*table {
	r := rand.New(rand.NewPCG(1, 2))
	with, without := mixed(true), mixed(false)
	return map[string]*table{
		"mixed":     {with, []*domain.Chunk{random(with, 700, 0.1, r), random(with, 300, 0.1, r)}},
		"required":  {without, []*domain.Chunk{random(without, 1000, 0, r)}},
		"no_rows":   {with, nil},
		"one_row":   {with, []*domain.Chunk{random(with, 1, 0, r)}},
		"all_null":  {with, []*domain.Chunk{random(with, 50, 1, r)}},
		"no_null":   {with, []*domain.Chunk{random(with, 50, 0, r)}},
		"constants": {with, []*domain.Chunk{constant(random(with, 2000, 0, r))}},
		"extremes":  extremes(),
		"texts":     texts(),
		"batches":   {with, []*domain.Chunk{random(with, 70000, 0.05, r)}},
	}
}

// constant makes every row equal to the first.
func constant(c *domain.Chunk) *domain.Chunk {
	for k := range c.Columns {
		col := &c.Columns[k]
		for i := range col.Ints {
			col.Ints[i] = col.Ints[0]
		}
		for i := range col.Floats {
			col.Floats[i] = col.Floats[0]
		}
	}
	return c
}

// extremes has the ends of each type's range, as far as all oracles have them.
func extremes() *table {
	t := &table{&domain.Domain{}, []*domain.Chunk{{Rows: 6}}}
	add := func(a domain.Attribute, ints []int64, floats []float64) {
		a.Null = true
		form := domain.Ints
		if floats != nil {
			form = domain.Floats
		}
		t.d.Attributes = append(t.d.Attributes, a)
		t.chunks[0].Columns = append(t.chunks[0].Columns, domain.Column{Form: form, Ints: ints, Floats: floats})
	}
	const day, year1, year9999 = 86400e6, -62135596800e6, 253402300799999999
	add(domain.Attribute{Name: "i", Type: domain.Int64}, []int64{math.MinInt64, -1, 0, 1, math.MaxInt64, 7}, nil)
	add(domain.Attribute{Name: "n9", Type: domain.Numeric, Scale: 9}, []int64{math.MinInt64, -1, 0, 1, math.MaxInt64, 7}, nil)
	add(domain.Attribute{Name: "n0", Type: domain.Numeric}, []int64{math.MinInt64, -1, 0, 1, math.MaxInt64, 7}, nil)
	add(domain.Attribute{Name: "d", Type: domain.Date}, []int64{-719162, -1, 0, 1, 2932896, 7}, nil)
	add(domain.Attribute{Name: "dt", Type: domain.DateTime}, []int64{year1, -1, 0, 1, year9999, 7}, nil)
	add(domain.Attribute{Name: "ts", Type: domain.Timestamp}, []int64{year1, -1, 0, 1, year9999, 7}, nil)
	add(domain.Attribute{Name: "t", Type: domain.Time}, []int64{0, 1, day / 2, day - 2, day - 1, 7}, nil)
	add(domain.Attribute{Name: "f", Type: domain.Float64}, nil,
		[]float64{math.Inf(-1), math.Copysign(0, -1), math.NaN(), math.SmallestNonzeroFloat64, math.MaxFloat64, math.Inf(1)})
	add(domain.Attribute{Name: "nan", Type: domain.Float64}, nil, []float64{math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()})
	add(domain.Attribute{Name: "zero", Type: domain.Float64}, nil, []float64{0, math.Copysign(0, -1), 0, 0, 0, 0})
	return t
}

// texts come with a dictionary that changes from chunk to chunk, or without one.
func texts() *table {
	chunk := func(c domain.Column, n int) *domain.Chunk {
		return &domain.Chunk{Rows: n, Columns: []domain.Column{c}}
	}
	dictionary := func(n int, dict ...string) *domain.Chunk {
		c := domain.Column{Form: domain.Dictionary, Dict: dict}
		for i := range n {
			c.Ints = append(c.Ints, int64(i%len(dict)))
		}
		return chunk(c, n)
	}
	many := make([]string, 3000)
	for i := range many {
		many[i] = fmt.Sprint("text ", i*i)
	}
	return &table{&domain.Domain{Attributes: []domain.Attribute{{Name: "s", Type: domain.String, Null: true}}}, []*domain.Chunk{
		dictionary(10, "a", "b"), dictionary(9, "c", "a", ""),
		chunk(domain.Column{Form: domain.Text, Bytes: []byte("bcüa"), Offsets: []uint32{0, 1, 4, 4}}, 3),
		chunk(domain.Column{Form: domain.Dictionary, Dict: []string{"x"}, Ints: []int64{9, 0}, Nulls: []bool{true, false}}, 2),
		dictionary(5000, many...), dictionary(100, "a")}}
}

// options are the ways of writing a table.
var options = map[string]parquetio.Options{
	"groups": {GroupRows: 300},
	"one":    {},
	"large":  {GroupRows: 1 << 14},
}

// written is a table in a file of our writer.
type written struct {
	*table
	path string
	o    parquetio.Options
}

// writeAll writes every table in every way, under dir.
func writeAll(tb testing.TB, dir string) map[string]written {
	files := map[string]written{}
	for name, t := range tables() {
		for how, o := range options {
			if name == "batches" && o.GroupRows == 300 { // 230 groups say nothing more, slowly
				continue
			}
			file := name + "_" + how
			files[file] = written{t, filepath.Join(dir, file+".parquet"), o}
			save(tb, files[file].path, t.bytes(tb, o))
		}
	}
	return files
}

// want is the number of row groups of a file.
func (w *written) groups() int {
	rows, size := 0, int(w.o.GroupRows)
	for _, c := range w.chunks {
		rows += c.Rows
	}
	if size == 0 {
		size = 1 << 18
	}
	return (rows + size - 1) / size
}

// python is the Python that has the libraries, and modules the directory of Node's.
func python(t *testing.T) string {
	return tool(t, "DAPPLE_PYTHON", "a Python that imports pyarrow, polars, duckdb and fastparquet")
}

func modules(t *testing.T) string {
	return tool(t, "DAPPLE_NODE_MODULES", "a directory that holds hyparquet")
}

// tool skips a test where a variable is not set. On CI `make integration` fails if it cannot set it.
func tool(t *testing.T, variable, what string) string {
	path := os.Getenv(variable)
	if path == "" {
		t.Skipf("missing: %[2]s, which %[1]s does not name; `make integration` sets it", variable, what)
	}
	return path
}

package oracles

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// table is rows of a domain, in chunks as a writer gets them.
type table struct {
	d      *domain.Domain
	chunks []*domain.Chunk
}

// null is the text of a NULL; no text of the tests is equal to it.
const null = "NULL"

// cells returns the cells of every column as text: numbers in the native unit, NUMERIC as a multiple of
// 10^−9, FLOAT64 by its bits. Every oracle prints cells in this form.
func (t *table) cells() [][]string {
	out := make([][]string, t.d.Len())
	for k := range t.d.Attributes {
		out[k] = []string{}
		for _, c := range t.chunks {
			for i := range c.Rows {
				out[k] = append(out[k], text(&t.d.Attributes[k], &c.Columns[k], i))
			}
		}
	}
	return out
}

func text(a *domain.Attribute, c *domain.Column, i int) string {
	switch {
	case c.Null(i):
		return null
	case c.Form == domain.Dictionary:
		return c.Dict[c.Ints[i]]
	case c.Form == domain.Text:
		return string(c.Text(i))
	case c.Form == domain.Floats:
		return floatText(c.Floats[i])
	case a.Type == domain.Numeric:
		p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(9-a.Scale)), nil)
		return p.Mul(p, big.NewInt(c.Ints[i])).String()
	}
	return strconv.FormatInt(c.Ints[i], 10)
}

// floatText tells all floats apart but the many NaN.
func floatText(f float64) string {
	if math.IsNaN(f) {
		return "nan"
	}
	return fmt.Sprintf("%016x", math.Float64bits(f))
}

// nulls counts the NULLs of each column.
func nulls(cells []string) (n int) {
	for _, c := range cells {
		if c == null {
			n++
		}
	}
	return n
}

// bytes returns the table as a file of our writer.
func (t *table) bytes(tb testing.TB, o parquetio.Options) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := must.Value(parquetio.NewWriter(&b, t.d, o))(tb)
	for _, c := range t.chunks {
		must.Do(tb, w.Write(c))
	}
	must.Value(w.Close())(tb)
	return b.Bytes()
}

// write writes the table to a file of a new directory, and returns its path.
func (t *table) write(tb testing.TB, o parquetio.Options) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "ours.parquet")
	save(tb, path, t.bytes(tb, o))
	return path
}

func save(tb testing.TB, path string, b []byte) {
	tb.Helper()
	must.Do(tb, os.WriteFile(path, b, 0o600))
}

// mixed has a column of each type and seven categories; with null all of them can be NULL.
func mixed(null bool) *domain.Domain {
	d := &domain.Domain{}
	for typ := domain.String; typ <= domain.Time; typ++ {
		a := domain.Attribute{Name: "c_" + typ.String(), Type: typ, Null: null, Resolution: 1}
		switch typ {
		case domain.String:
			a.Values = []string{"Female", "Male", "", "Büro", "a,b", "\"", "日本"}
		case domain.Bool:
			a.Values = []string{"false", "true"}
		case domain.Float64:
			a.FloatCuts = []float64{0, 1}
		case domain.Numeric:
			a.Scale, a.Cuts = 2, []int64{-5000, 5000}
		case domain.Date:
			a.Cuts = []int64{-20000, 20000}
		case domain.DateTime, domain.Timestamp:
			a.Cuts = []int64{-1e15, 2e15}
		case domain.Time:
			a.Cuts = []int64{0, 86400e6}
		default:
			a.Cuts = []int64{-1000, 1000}
		}
		d.Attributes = append(d.Attributes, a)
	}
	return d
}

// random draws rows of d with the given share of NULLs where an attribute has them.
func random(d *domain.Domain, rows int, nulls float64, r *rand.Rand) *domain.Chunk {
	c := &domain.Chunk{Rows: rows, Columns: make([]domain.Column, d.Len())}
	for k := range d.Attributes {
		a, col := &d.Attributes[k], &c.Columns[k]
		if a.Null {
			col.Nulls = make([]bool, rows)
			for i := range col.Nulls {
				col.Nulls[i] = r.Float64() < nulls
			}
		}
		if a.Type == domain.Float64 {
			col.Form, col.Floats = domain.Floats, make([]float64, rows)
			for i := range col.Floats {
				col.Floats[i] = r.NormFloat64()
			}
			continue
		}
		lo, span := int64(0), int64(len(a.Values))
		if col.Form = domain.Ints; a.Type == domain.String {
			col.Form, col.Dict = domain.Dictionary, a.Values
		}
		if len(a.Cuts) > 0 {
			lo, span = a.Cuts[0], a.Cuts[len(a.Cuts)-1]-a.Cuts[0]
		}
		col.Ints = make([]int64, rows)
		for i := range col.Ints {
			col.Ints[i] = lo + r.Int64N(span)
		}
	}
	return c
}

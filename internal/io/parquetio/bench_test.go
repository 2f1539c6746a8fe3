package parquetio

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// mixedDomain has 15 columns of all types, 5 of them categorical; all can be NULL.
func mixedDomain() *domain.Domain {
	d := &domain.Domain{}
	add := func(a domain.Attribute) {
		a.Name, a.Null = fmt.Sprintf("c%02d", d.Len()), true
		d.Attributes = append(d.Attributes, a)
	}
	for range 5 {
		add(domain.Attribute{Type: domain.String, Values: []string{"Female", "Male", "Married", "Single", "Widowed", "Private", "Government"}})
	}
	for range 3 {
		add(domain.Attribute{Type: domain.Int64, Cuts: []int64{0, 100, 1 << 40}, Resolution: 1})
	}
	for range 2 {
		add(domain.Attribute{Type: domain.Float64, FloatCuts: []float64{0, 1}})
	}
	add(domain.Attribute{Type: domain.Numeric, Scale: 2, Cuts: []int64{0, 1 << 40}, Resolution: 1})
	add(domain.Attribute{Type: domain.Bool, Values: []string{"false", "true"}})
	add(domain.Attribute{Type: domain.Date, Cuts: []int64{0, 20000}, Resolution: 1})
	add(domain.Attribute{Type: domain.Timestamp, Cuts: []int64{0, 1 << 50}, Resolution: 1})
	add(domain.Attribute{Type: domain.Time, Cuts: []int64{0, 86400e6}, Resolution: 1})
	return d
}

// randomChunk draws rows of d with the given share of NULLs where an attribute has them.
func randomChunk(d *domain.Domain, rows int, nulls float64, r *rand.Rand) *domain.Chunk {
	c := &domain.Chunk{Rows: rows, Columns: make([]domain.Column, d.Len())}
	for k := range d.Attributes {
		a, col := &d.Attributes[k], &c.Columns[k]
		if a.Null {
			col.Nulls = make([]bool, rows)
			for i := range col.Nulls {
				col.Nulls[i] = r.Float64() < nulls
			}
		}
		switch a.Type {
		case domain.String:
			col.Form, col.Dict = domain.Dictionary, a.Values
		case domain.Float64:
			col.Form, col.Floats = domain.Floats, make([]float64, rows)
			for i := range col.Floats {
				col.Floats[i] = r.NormFloat64()
			}
			continue
		default:
			col.Form = domain.Ints
		}
		col.Ints = make([]int64, rows)
		for i := range col.Ints {
			switch {
			case len(a.Values) > 0:
				col.Ints[i] = r.Int64N(int64(len(a.Values)))
			default:
				col.Ints[i] = a.Cuts[0] + r.Int64N(a.Cuts[len(a.Cuts)-1]-a.Cuts[0])
			}
		}
	}
	return c
}

const benchRows = 1 << 18

func BenchmarkWrite(b *testing.B) {
	d := mixedDomain()
	c := randomChunk(d, benchRows/4, 0.05, rand.New(rand.NewPCG(1, 2)))
	b.ReportAllocs()
	for b.Loop() {
		w := must.Value(NewWriter(io.Discard, d, Options{}))(b)
		for range 4 {
			must.Do(b, w.Write(c))
		}
		rows, err := w.Close()
		must.Need(b, err == nil && rows == benchRows, "%v %v", rows, err)
	}
	b.ReportMetric(float64(benchRows*b.N)/b.Elapsed().Seconds(), "rows/s")
}

// fileOf returns a Parquet file of the chunks.
func fileOf(tb testing.TB, d *domain.Domain, o Options, chunks ...*domain.Chunk) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := must.Value(NewWriter(&b, d, o))(tb)
	for _, c := range chunks {
		must.Do(tb, w.Write(c))
	}
	must.Value(w.Close())(tb)
	return b.Bytes()
}

func BenchmarkRead(b *testing.B) {
	d := mixedDomain()
	data := fileOf(b, d, Options{}, randomChunk(d, benchRows, 0.05, rand.New(rand.NewPCG(1, 2))))
	b.ReportAllocs()
	for b.Loop() {
		r := must.Value(Open(bytes.NewReader(data), "x.parquet", d, ReadOptions{}))(b)
		rows := 0
		for c, err := range r.Chunks() {
			must.Do(b, err)
			rows += c.Rows
		}
		must.Need(b, rows == benchRows, "%v", rows)
	}
	b.ReportMetric(float64(benchRows*b.N)/b.Elapsed().Seconds(), "rows/s")
}

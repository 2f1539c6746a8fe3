package parquetio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/parquetio/internal/codec"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

var marginalsDomain = &domain.Domain{Attributes: []domain.Attribute{
	{Name: "marginal", Type: domain.String}, {Name: "cell", Type: domain.String}, {Name: "fitted", Type: domain.Float64},
	{Name: "fitted_standard_error", Type: domain.Float64, Null: true},
	{Name: "noisy", Type: domain.Float64, Null: true}, {Name: "standard_error", Type: domain.Float64, Null: true},
	{Name: "fitted_error_from", Type: domain.String, Values: []string{"measured", "pooled"}, Null: true},
	{Name: "fitted_high", Type: domain.Float64, Null: true}}}

func TestMarginals(t *testing.T) {
	marginals := []*Marginal{
		{Names: []string{"sex"}, Labels: [][]string{{"Female", "Male"}}, Fitted: []float64{0.25, 0.75},
			FittedError: []float64{0.125, math.NaN()}, FittedFrom: []string{"pooled", "measured"}, FittedHigh: []float64{0.5, math.NaN()}, Noisy: []float64{-0.125, 1}, NoisyError: 0.5},
		{Names: []string{"sex", "age"}, Labels: [][]string{{"a,b"}, {`c\`, "d", "e"}}, Fitted: []float64{0, 0.75, 1}},
	}
	want := []string{"sex|Female|0.25|0.125|-0.125|0.5|pooled|0.5", "sex|Male|0.75|NULL|1|0.5|measured|NULL",
		`sex, age|a\,b, c\\|0|NULL|NULL|NULL|NULL|NULL`, `sex, age|a\,b, d|0.75|NULL|NULL|NULL|NULL|NULL`, `sex, age|a\,b, e|1|NULL|NULL|NULL|NULL|NULL`}
	var b bytes.Buffer
	rows, err := WriteMarginals(&b, marginals)
	must.Need(t, rows == 5 && err == nil, "%v, %v", rows, err)
	r := must.Value(Open(bytes.NewReader(b.Bytes()), "_marginals.parquet", marginalsDomain, ReadOptions{}))(t)
	c := onlyChunk(t, r)
	for i, want := range want {
		var got []string
		for k := range c.Columns {
			if col := &c.Columns[k]; col.Form == domain.Floats && !col.Null(i) {
				got = append(got, fmt.Sprint(col.Floats[i]))
			} else {
				got = append(got, cell(col, i))
			}
		}
		must.Equal(t, strings.Join(got, "|"), want)
	}
}

// TestReadMarginals: names with commas and backslashes, NULLs and the order of cells come back.
func TestReadMarginals(t *testing.T) {
	marginals := []*Marginal{
		{Names: []string{`a, \ b`}, Labels: [][]string{{"x", "y"}}, Fitted: []float64{0.25, 0.75},
			FittedError: []float64{0.125, math.NaN()}, FittedFrom: []string{"pooled", "measured"}, Noisy: []float64{-0.125, 1}, NoisyError: 0.5},
		{Names: []string{"", " c,"}, Labels: [][]string{{"x"}, {"y", "y"}}, Fitted: []float64{1, 1e-300}},
	}
	var b bytes.Buffer
	must.Value(WriteMarginals(&b, marginals))(t)
	got, err := ReadMarginals(bytes.NewReader(b.Bytes()), "_marginals.parquet")
	must.Need(t, err == nil && len(got) == len(marginals), "%v, %v", got, err)
	for i, m := range got {
		want := marginals[i]
		must.Hold(t, slices.Equal(m.Names, want.Names) && slices.Equal(m.Fitted, want.Fitted) && slices.Equal(m.Noisy, want.Noisy) && (m.Noisy == nil || m.NoisyError == want.NoisyError),
			"got %+v, want %+v", m, want)
	}
	m := got[0]
	must.Hold(t, m.FittedError[0] == .125 && math.IsNaN(m.FittedError[1]) && slices.Equal(m.FittedFrom, marginals[0].FittedFrom), "got %+v", m)
	if m := got[1]; !math.IsNaN(m.FittedError[1]) || m.FittedFrom[0] != "" {
		t.Errorf("got %+v", m)
	}
	must.Fails(ReadMarginals(bytes.NewReader(b.Bytes()[:20]), "_marginals.parquet"))(t, "_marginals.parquet", "a file that is cut")
}

// many is one marginal of n cells whose labels all differ.
func many(n int) *Marginal {
	m := &Marginal{Names: []string{"a"}, Labels: [][]string{make([]string, n)}, Fitted: make([]float64, n), FittedError: make([]float64, n),
		FittedFrom: slices.Repeat([]string{"measured"}, n)}
	for i := range n {
		m.Labels[0][i], m.Fitted[i], m.FittedError[i] = fmt.Sprint(i), float64(i), 1
		if i%3 == 0 {
			m.FittedError[i] = math.NaN()
		}
	}
	return m
}

// Many cells, all labels different, in several batches.
func TestManyMarginals(t *testing.T) {
	const n = 2*codec.BatchRows + 10
	var b bytes.Buffer
	rows, err := WriteMarginals(&b, []*Marginal{many(n)})
	must.Need(t, rows == n && err == nil, "%v, %v", rows, err)
	r := must.Value(Open(bytes.NewReader(b.Bytes()), "_marginals.parquet", marginalsDomain, ReadOptions{}))(t)
	at := 0
	for c, err := range r.Chunks() {
		must.Do(t, err)
		for i := range c.Rows {
			must.Need(t, cell(&c.Columns[1], i) == fmt.Sprint(at) && c.Columns[2].Floats[i] == float64(at) && c.Columns[3].Null(i) == (at%3 == 0) && c.Columns[4].Null(i),
				"row %d", at)
			at++
		}
	}
	must.Hold(t, at == n, "%d rows", at)
}

func TestMarginalsErrors(t *testing.T) {
	for name, m := range map[string]*Marginal{
		"no names":       {},
		"names, labels":  {Names: []string{"a"}, Labels: [][]string{{"x"}, {"y"}}, Fitted: []float64{1}},
		"labels, fitted": {Names: []string{"a"}, Labels: [][]string{{"x"}}, Fitted: []float64{1, 2}},
		"labels, errors": {Names: []string{"a"}, Labels: [][]string{{"x"}}, Fitted: []float64{1}, FittedError: []float64{}},
		"labels, from":   {Names: []string{"a"}, Labels: [][]string{{"x"}}, Fitted: []float64{1}, FittedFrom: []string{"a", "b"}},
		"labels, noisy":  {Names: []string{"a"}, Labels: [][]string{{"x"}}, Fitted: []float64{1}, Noisy: []float64{1, 2}},
	} {
		must.Fails(WriteMarginals(&bytes.Buffer{}, []*Marginal{m}))(t, "differ in number", "%s", name)
	}
	good := []*Marginal{{Names: []string{"a"}, Labels: [][]string{{"x"}}, Fitted: []float64{1}}}
	for n := 1; ; n++ {
		f := &failing{n: n, closed: new(bool)}
		_, err := WriteMarginals(f, good)
		if f.n > 0 {
			break
		}
		must.Need(t, errors.Is(err, errDisk), "write %d failed: %v", n, err)
	}
}

// BenchmarkMarginals writes 300 marginals of 2,500 cells, about what 14 columns give.
func BenchmarkMarginals(b *testing.B) {
	labels := make([]string, 50)
	for v := range labels {
		labels[v] = fmt.Sprintf("[%d, %d)", 5*v, 5*v+5)
	}
	figures := make([]float64, 2500)
	for i := range figures {
		figures[i] = 1 / float64(i+1)
	}
	var list []*Marginal
	for k := range 300 {
		list = append(list, &Marginal{Names: []string{fmt.Sprint("column", k), "other"}, Labels: [][]string{labels, labels}, Fitted: figures, FittedError: figures})
	}
	b.ReportAllocs()
	for b.Loop() {
		must.Value(WriteMarginals(io.Discard, list))(b)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/750_000, "ns/cell")
}

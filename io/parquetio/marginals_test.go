package parquetio

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
)

var marginalsDomain = &domain.Domain{Attributes: []domain.Attribute{
	{Name: "marginal", Type: domain.String}, {Name: "cell", Type: domain.String}, {Name: "fitted", Type: domain.Float64},
	{Name: "noisy", Type: domain.Float64, Null: true}, {Name: "standard_error", Type: domain.Float64, Null: true}}}

func TestMarginals(t *testing.T) {
	cells := []MarginalCell{
		{Names: []string{"sex"}, Labels: []string{"Female"}, Fitted: 0.25, Measured: true, Noisy: -0.125, StandardError: 0.5},
		{Names: []string{"sex", "age"}, Labels: []string{"a,b", `c\`}, Fitted: 0.75, Noisy: 9},
	}
	var b bytes.Buffer
	if rows, err := WriteMarginals(&b, slices.Values(cells)); rows != 2 || err != nil {
		t.Fatal(rows, err)
	}
	r, err := Open(bytes.NewReader(b.Bytes()), "_marginals.parquet", marginalsDomain, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var c domain.Chunk
	if err := r.ReadGroup(0, &c); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"sex|Female|0.25|-0.125|0.5", `sex, age|a\,b, c\\|0.75|NULL|NULL`} {
		var got []string
		for k := range c.Columns {
			if col := &c.Columns[k]; col.Form == domain.Floats && !col.Null(i) {
				got = append(got, fmt.Sprint(col.Floats[i]))
			} else {
				got = append(got, cell(col, i))
			}
		}
		if s := strings.Join(got, "|"); s != want {
			t.Errorf("got %s, want %s", s, want)
		}
	}
}

// Many cells, all labels different: the dictionary grows from batch to batch.
func TestManyMarginals(t *testing.T) {
	const n = 2*batchRows + 10
	var b bytes.Buffer
	rows, err := WriteMarginals(&b, func(yield func(MarginalCell) bool) {
		for i := range n {
			if !yield(MarginalCell{Names: []string{"a"}, Labels: []string{fmt.Sprint(i)}, Fitted: float64(i), Measured: i%3 == 0, Noisy: 1}) {
				return
			}
		}
	})
	if rows != n || err != nil {
		t.Fatal(rows, err)
	}
	r, err := Open(bytes.NewReader(b.Bytes()), "_marginals.parquet", marginalsDomain, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for c, err := range r.Chunks() {
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.Rows {
			if cell(&c.Columns[1], i) != fmt.Sprint(at) || c.Columns[2].Floats[i] != float64(at) || c.Columns[3].Null(i) != (at%3 != 0) {
				t.Fatalf("row %d", at)
			}
			at++
		}
	}
	if at != n {
		t.Errorf("%d rows", at)
	}
}

func TestMarginalsErrors(t *testing.T) {
	bad := []MarginalCell{{Names: []string{"a"}, Labels: []string{"x", "y"}}}
	if _, err := WriteMarginals(&bytes.Buffer{}, slices.Values(bad)); err == nil || !strings.Contains(err.Error(), "2 labels of a marginal of 1") {
		t.Error(err)
	}
	good := []MarginalCell{{Names: []string{"a"}, Labels: []string{"x"}}}
	for n := 1; ; n++ {
		f := &failing{n: n, closed: new(bool)}
		_, err := WriteMarginals(f, slices.Values(good))
		if f.n > 0 {
			break
		}
		if !errors.Is(err, errDisk) {
			t.Fatalf("write %d failed: %v", n, err)
		}
	}
}

package parquetio

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/file"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// NUMERIC is DECIMAL of the digits of its range, and every number of the range is read as it was written.
func TestDecimalsOfTheRange(t *testing.T) {
	for _, tt := range []struct {
		lo, hi int64
		scale  int
		want   string
		width  int
	}{
		{0, 250_000, 0, "precision=6, scale=0", 3},
		{-25, 10, 1, "precision=2, scale=1", 1},
		{0, 127, 0, "precision=3, scale=0", 2}, // 999 takes more than a byte
		{0, 5, 3, "precision=3, scale=3", 2},   // 0.005
		{-1_000_000_000, 3, 2, "precision=10, scale=2", 5},
		{0, 999_999_999_999_999_999, 9, "precision=18, scale=9", 8},
		{math.MinInt64 + 1, math.MaxInt64, 9, "precision=19, scale=9", 9}, // the least number has no text
	} {
		d := &domain.Domain{Attributes: []domain.Attribute{{Name: "x", Type: domain.Numeric, Scale: tt.scale, Cuts: []int64{tt.lo, tt.hi}, Resolution: 1}}}
		c := &domain.Chunk{Rows: 3, Columns: []domain.Column{{Form: domain.Ints, Ints: []int64{tt.lo, tt.hi, tt.lo/2 + tt.hi/2}}}}
		b := fileOf(t, d, Options{}, c)
		sameRows(t, b, d, c)
		sameRows(t, fileOf(t, d, Options{Wide: true}, c), d, c)
		r := must.Value(file.NewParquetReader(bytes.NewReader(b)))(t)
		col := r.MetaData().Schema.Column(0)
		if got := fmt.Sprint(col.LogicalType()); !strings.Contains(got, tt.want) || col.TypeLength() != tt.width {
			t.Errorf("[%d, %d]: %s in %d bytes, want %s in %d", tt.lo, tt.hi, got, col.TypeLength(), tt.want, tt.width)
		}
	}
	d := &domain.Domain{Attributes: []domain.Attribute{{Name: "x", Type: domain.Numeric, Scale: 2, Values: []string{"-1.5", "20", "3.25"}}}}
	c := &domain.Chunk{Rows: 3, Columns: []domain.Column{{Form: domain.Ints, Ints: []int64{325, -150, 2000}}}}
	b := fileOf(t, d, Options{}, c)
	sameRows(t, b, d, c)
	r := must.Value(file.NewParquetReader(bytes.NewReader(b)))(t)
	must.Contain(t, fmt.Sprint(r.MetaData().Schema.Column(0).LogicalType()), "precision=4, scale=2", "of a list of values")
	d = &domain.Domain{Attributes: []domain.Attribute{{Name: "x", Type: domain.Numeric, Scale: 1, Cuts: []int64{-38, 34}, Exact: []int64{-99999, 12200}, Resolution: 1}}}
	c = &domain.Chunk{Rows: 3, Columns: []domain.Column{{Form: domain.Ints, Ints: []int64{-99999, 12200, 34}}}}
	sameRows(t, fileOf(t, d, Options{}, c), d, c) // exact values may lie beyond the range
	d = &domain.Domain{Attributes: []domain.Attribute{{Name: "x", Type: domain.Numeric, Cuts: []int64{0, 99}, Resolution: 1}}}
	for v, fits := range map[int64]bool{99: true, -99: true, 100: false, -100: false} {
		w, err := NewWriter(new(bytes.Buffer), d, Options{})
		if err == nil {
			err = w.Write(&domain.Chunk{Rows: 1, Columns: []domain.Column{{Form: domain.Ints, Ints: []int64{v}}}})
		}
		must.Hold(t, (err == nil) == fits, "%d in two digits: %v", v, err)
	}
}

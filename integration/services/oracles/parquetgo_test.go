package oracles

import (
	"errors"
	"io"
	"math/big"
	"os"
	"strconv"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func TestParquetGoReadsOurs(t *testing.T) {
	for name, w := range writeAll(t, t.TempDir()) {
		t.Run(name, func(t *testing.T) {
			f := must.Value(os.Open(w.path))(t)
			defer f.Close()
			info := must.Value(f.Stat())(t)
			p := must.Value(parquet.OpenFile(f, info.Size()))(t)
			w.check(t, parquetGoSees(t, p, w.d), parquetGoTypes)
		})
	}
}

// parquetGoSees is a file as parquet-go sees it.
func parquetGoSees(t *testing.T, p *parquet.File, d *domain.Domain) *seen {
	m := p.Metadata()
	got := &seen{Rows: int(p.NumRows()), Groups: len(p.RowGroups()), Root: m.Schema[0].RepetitionType.V.String()}
	for _, e := range m.Schema[1:] {
		got.Columns = append(got.Columns, column{Name: e.Name, Type: e.Type.V.String() + " " + e.LogicalType.String(), Optional: e.RepetitionType.V == format.Optional, Cells: []string{}})
	}
	for _, g := range p.RowGroups() {
		for k, c := range g.ColumnChunks() {
			got.Columns[k].Cells = append(got.Columns[k].Cells, chunkCells(t, &d.Attributes[k], c)...)
		}
	}
	for _, g := range m.RowGroups {
		for k, c := range g.Columns {
			got.Columns[k].Footer = append(got.Columns[k].Footer, parquetGoFooter(&d.Attributes[k], &c.MetaData))
		}
	}
	return got
}

// parquetGoTypes are physical and logical types in parquet-go's words.
var parquetGoTypes = map[domain.Type]string{
	domain.String: "BYTE_ARRAY STRING", domain.Int64: "INT64 INT(64,true)", domain.Float64: "DOUBLE ", domain.Bool: "BOOLEAN ",
	domain.Numeric: "FIXED_LEN_BYTE_ARRAY DECIMAL(4,2)", domain.Date: "INT32 DATE",
	domain.DateTime:  "INT64 TIMESTAMP(isAdjustedToUTC=false,unit=MICROS)",
	domain.Timestamp: "INT64 TIMESTAMP(isAdjustedToUTC=true,unit=MICROS)", domain.Time: "INT64 TIME(isAdjustedToUTC=false,unit=MICROS)"}

func chunkCells(t *testing.T, a *domain.Attribute, c parquet.ColumnChunk) (out []string) {
	pages := c.Pages()
	defer pages.Close()
	for {
		p, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return out
		}
		must.Do(t, err)
		values := make([]parquet.Value, p.NumValues())
		n, err := p.Values().ReadValues(values)
		must.Need(t, n >= len(values) && (err == nil || errors.Is(err, io.EOF)), "%v %v", n, err)
		for _, v := range values {
			out = append(out, valueText(a, v))
		}
		parquet.Release(p)
	}
}

func valueText(a *domain.Attribute, v parquet.Value) string {
	switch {
	case v.IsNull():
		return null
	case a.Type == domain.Numeric:
		places := a.Scale
		if len(a.Cuts) == 0 { // no range is declared
			places = 9
		}
		return bigEndian(v.ByteArray(), 9-places)
	case a.Type == domain.String:
		return string(v.ByteArray())
	case a.Type == domain.Float64:
		return floatText(v.Double())
	case a.Type == domain.Bool && v.Boolean():
		return "1"
	case a.Type == domain.Bool:
		return "0"
	case a.Type == domain.Date:
		return strconv.Itoa(int(v.Int32()))
	}
	return strconv.FormatInt(v.Int64(), 10)
}

// bigEndian prints a number in two's complement, with so many more decimal places.
func bigEndian(b []byte, more int) string {
	x := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return x.Mul(x, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(more)), nil)).String()
}

func parquetGoFooter(a *domain.Attribute, m *format.ColumnMetaData) (f footer) {
	n := int(m.Statistics.NullCount)
	f.Nulls = &n
	kinds := map[domain.Type]parquet.Kind{domain.String: parquet.ByteArray, domain.Numeric: parquet.FixedLenByteArray,
		domain.Float64: parquet.Double, domain.Bool: parquet.Boolean, domain.Date: parquet.Int32}
	kind, ok := kinds[a.Type]
	if !ok {
		kind = parquet.Int64
	}
	end := func(b []byte) *string {
		if b == nil {
			return nil
		}
		s := valueText(a, kind.Value(b))
		return &s
	}
	f.Min, f.Max = end(m.Statistics.MinValue), end(m.Statistics.MaxValue)
	return f
}

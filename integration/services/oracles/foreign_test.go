package oracles

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// foreign is a table that every writer can hold exactly, in types narrower and coarser than ours: small
// whole numbers, whole seconds, quarters.
func foreign() *table {
	d := &domain.Domain{}
	add := func(name string, a domain.Attribute) {
		a.Name, a.Null, a.Resolution = name, true, 1
		d.Attributes = append(d.Attributes, a)
	}
	unique := make([]string, 900)
	for i := range unique {
		unique[i] = fmt.Sprintf("number %d of many", i*i)
	}
	add("s", domain.Attribute{Type: domain.String, Values: []string{"Female", "", "Büro", "a,b\t\"", "日本"}})
	add("u", domain.Attribute{Type: domain.String, Values: unique})
	add("i", domain.Attribute{Type: domain.Int64, Cuts: []int64{0, 128}})
	add("big", domain.Attribute{Type: domain.Int64, Cuts: []int64{-1 << 61, 1 << 61}})
	add("f", domain.Attribute{Type: domain.Float64, FloatCuts: []float64{0, 1}})
	add("d", domain.Attribute{Type: domain.Numeric, Scale: 2, Cuts: []int64{-99999, 99999}})
	add("b", domain.Attribute{Type: domain.Bool, Values: []string{"false", "true"}})
	add("da", domain.Attribute{Type: domain.Date, Cuts: []int64{-20000, 20000}})
	add("dt", domain.Attribute{Type: domain.DateTime, Cuts: []int64{-1e9, 2e9}})
	add("ts", domain.Attribute{Type: domain.Timestamp, Cuts: []int64{-1e9, 2e9}})
	add("ti", domain.Attribute{Type: domain.Time, Cuts: []int64{0, 86400}})
	c := random(d, 500, 0.1, rand.New(rand.NewPCG(5, 6)))
	for k := range d.Attributes {
		if d.Attributes[k].Type >= domain.DateTime { // whole seconds
			for i := range c.Columns[k].Ints {
				c.Columns[k].Ints[i] *= 1e6
			}
		}
		for i, f := range c.Columns[k].Floats {
			c.Columns[k].Floats[i] = float64(int(f*100)) / 4
		}
	}
	return &table{d, []*domain.Chunk{c}}
}

// reads fails unless the file at path reads as the table, at launch and at work.
func (t *table) reads(tb testing.TB, path string) {
	tb.Helper()
	got, err := readBack(path, t.d)
	if err != nil {
		tb.Error(err)
		return
	}
	want := t.cells()
	for k, cells := range got.cells() {
		must.Hold(tb, slices.Equal(cells, want[k]), "%s: column %s: other cells", filepath.Base(path), t.d.Attributes[k].Name)
	}
}

func readBack(path string, d *domain.Domain) (*table, error) {
	r, err := parquetio.OpenFile(path, d, parquetio.ReadOptions{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	t := &table{d: d}
	for c, err := range r.Chunks() {
		if err != nil {
			return nil, err
		}
		t.chunks = append(t.chunks, c)
	}
	return t, nil
}

// refused says of a file's column x what it is, and as which type it must not be read.
var refused = map[string]struct {
	types []domain.Type
	want  string
}{
	"int96":     {everyType(domain.DateTime, domain.Timestamp), "INT96"},
	"struct":    {everyType(), `column "x": RECORD or REPEATED does not read as`},
	"list":      {everyType(), "RECORD or REPEATED does not read as"},
	"text_list": {everyType(), "RECORD or REPEATED does not read as"},
	"map":       {everyType(), "RECORD or REPEATED does not read as"},
	"binary":    {everyType(domain.String), `column "x": BYTE_ARRAY without a logical type does not read as`},
	"fixed":     {everyType(), "FIXED_LEN_BYTE_ARRAY of 4 bytes without a logical type does not read as"},
	"uuid":      {everyType(domain.String), "UUID does not read as"},
	"half":      {everyType(domain.Float64, domain.Int64), "does not read as"},
	"decimal76": {everyType(), "Decimal(precision=76, scale=38) does not read as"},
	"double":    {everyType(domain.Float64, domain.Int64), "DOUBLE without a logical type does not read as"},
	"text":      {everyType(domain.String), "BYTE_ARRAY String does not read as"},
	"integer":   {everyType(domain.Int64), "INT64 without a logical type does not read as"},
	"local":     {everyType(domain.DateTime), "Timestamp not adjusted"},
	"instant":   {everyType(domain.Timestamp), "Timestamp adjusted"},
	"date":      {everyType(domain.Date), "INT32 Date does not read as"},
	"time":      {everyType(domain.Time), "INT64 Time"},

	"checksum":         {[]domain.Type{domain.Int64}, `column "x": a page does not have the checksum that its header states: the file is damaged`},
	"twice":            {everyType(), `column "x": the file has several columns of this name; rename all but one`},
	"encrypted":        {everyType(), "it is encrypted, its footer too; write it again without encryption"},
	"encrypted_column": {[]domain.Type{domain.Int64}, `column "x": an encrypted column does not read as INT64; change the domain, or convert the column`},
}

func everyType(but ...domain.Type) (out []domain.Type) {
	for t := domain.String; t <= domain.Time; t++ {
		if !slices.Contains(but, t) {
			out = append(out, t)
		}
	}
	return out
}

// refuses fails unless column x of the file cannot be read as any of the types.
func refuses(t *testing.T, path string, types []domain.Type, want string) {
	t.Helper()
	for _, typ := range types {
		d := &domain.Domain{Attributes: []domain.Attribute{{Name: "x", Type: typ, Null: true}}}
		if _, err := readBack(path, d); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s as %s: %v, want %q", filepath.Base(path), typ, err, want)
		}
	}
}

func TestOursReadsPyarrowAndPolars(t *testing.T) {
	py := python(t)
	dir, tab := t.TempDir(), foreign()
	source := tab.write(t, parquetio.Options{})
	script(t, py, "testdata/write.py", source, dir)
	same, err := filepath.Glob(filepath.Join(dir, "same", "*"))
	must.Need(t, err == nil && len(same) >= 90, "%v, %v", len(same), err)
	for _, path := range same {
		t.Run(filepath.Base(path), func(t *testing.T) { tab.reads(t, path) })
	}
	// What is beside an encrypted column, or one whose checksum is wrong, is read.
	y := &domain.Domain{Attributes: []domain.Attribute{{Name: "y", Type: domain.Int64}}}
	for _, name := range []string{"encrypted_column", "checksum"} {
		(&table{y, []*domain.Chunk{{Rows: 3, Columns: []domain.Column{{Form: domain.Ints, Ints: []int64{4, 5, 6}}}}}}).reads(t, filepath.Join(dir, "refused", name+".parquet"))
	}
	for name, r := range refused {
		t.Run("refused/"+name, func(t *testing.T) {
			refuses(t, filepath.Join(dir, "refused", name+".parquet"), r.types, r.want)
		})
	}
}

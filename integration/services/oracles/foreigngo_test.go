package oracles

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Rows of foreign in two struct types of parquet-go: the types nearest to ours, and others. It takes
// times that may be NULL as *time.Duration alone, and writes their number as it is, whatever their unit.
type (
	plainRow struct {
		S   *string        `parquet:"s,optional"`
		U   *string        `parquet:"u,optional"`
		I   *int64         `parquet:"i,optional"`
		Big *int64         `parquet:"big,optional"`
		F   *float64       `parquet:"f,optional"`
		D   *int64         `parquet:"d,optional,decimal(2:18)"`
		B   *bool          `parquet:"b,optional"`
		Da  *int32         `parquet:"da,optional,date"`
		Dt  *int64         `parquet:"dt,optional,timestamp(microsecond:local)"`
		Ts  *int64         `parquet:"ts,optional,timestamp(microsecond)"`
		Ti  *time.Duration `parquet:"ti,optional,time(microsecond)"`
	}
	otherRow struct {
		S   *string        `parquet:"s,optional"`
		U   *string        `parquet:"u,optional"`
		I   *uint32        `parquet:"i,optional"`
		Big *int64         `parquet:"big,optional"`
		F   *float32       `parquet:"f,optional"`
		D   *int32         `parquet:"d,optional,decimal(2:9)"`
		B   *bool          `parquet:"b,optional"`
		Da  *int32         `parquet:"da,optional,date"`
		Dt  *int64         `parquet:"dt,optional,timestamp(millisecond:local)"`
		Ts  *int64         `parquet:"ts,optional,timestamp(nanosecond)"`
		Ti  *time.Duration `parquet:"ti,optional,time(millisecond)"`
	}
)

// optional returns cell i of a column as a pointer, nil for NULL, after a change of its unit.
func optional[T int32 | int64 | uint32 | time.Duration](c *domain.Column, i int, change func(int64) int64) *T {
	if c.Null(i) {
		return nil
	}
	v := T(change(c.Ints[i]))
	return &v
}

func same(v int64) int64       { return v }
func thousandth(v int64) int64 { return v / 1000 }
func thousand(v int64) int64   { return v * 1000 }

func optionalText(c *domain.Column, i int) *string {
	if c.Null(i) {
		return nil
	}
	return &c.Dict[c.Ints[i]]
}

func optionalFloat[T float32 | float64](c *domain.Column, i int) *T {
	if c.Null(i) {
		return nil
	}
	v := T(c.Floats[i])
	return &v
}

func optionalBool(c *domain.Column, i int) *bool {
	if c.Null(i) {
		return nil
	}
	v := c.Ints[i] != 0
	return &v
}

func goRows(t *table) (plain []plainRow, other []otherRow) {
	c := t.chunks[0].Columns
	for i := range t.chunks[0].Rows {
		p := plainRow{optionalText(&c[0], i), optionalText(&c[1], i), optional[int64](&c[2], i, same), optional[int64](&c[3], i, same),
			optionalFloat[float64](&c[4], i), optional[int64](&c[5], i, same), optionalBool(&c[6], i), optional[int32](&c[7], i, same),
			optional[int64](&c[8], i, same), optional[int64](&c[9], i, same), optional[time.Duration](&c[10], i, same)}
		plain = append(plain, p)
		other = append(other, otherRow{p.S, p.U, optional[uint32](&c[2], i, same), p.Big, optionalFloat[float32](&c[4], i),
			optional[int32](&c[5], i, same), p.B, p.Da, optional[int64](&c[8], i, thousandth), optional[int64](&c[9], i, thousand),
			optional[time.Duration](&c[10], i, thousandth)})
	}
	return plain, other
}

func goFile[R any](tb testing.TB, rows []R, options ...parquet.WriterOption) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[R](&b, options...)
	n, err := w.Write(rows)
	must.Need(tb, err == nil && n == len(rows), "%v, %v", n, err)
	must.Do(tb, w.Close())
	return b.Bytes()
}

func TestOursReadsParquetGo(t *testing.T) {
	tab, dir := foreign(), t.TempDir()
	plain, other := goRows(tab)
	for _, version := range []int{1, 2} {
		for name, codec := range map[string]compress.Codec{"none": &parquet.Uncompressed, "snappy": &parquet.Snappy, "gzip": &parquet.Gzip,
			"zstd": &parquet.Zstd, "brotli": &parquet.Brotli, "lz4": &parquet.Lz4Raw} {
			o := []parquet.WriterOption{parquet.DataPageVersion(version), parquet.Compression(codec), parquet.MaxRowsPerRowGroup(300), parquet.PageBufferSize(500)}
			delta := append(o[:len(o):len(o)], parquet.DefaultEncodingFor(parquet.Int32, &parquet.DeltaBinaryPacked),
				parquet.DefaultEncodingFor(parquet.Int64, &parquet.DeltaBinaryPacked), parquet.DefaultEncodingFor(parquet.Double, &parquet.ByteStreamSplit),
				parquet.DefaultEncodingFor(parquet.ByteArray, &parquet.DeltaByteArray))
			dict := append(o[:len(o):len(o)], parquet.DefaultEncodingFor(parquet.Int64, &parquet.RLEDictionary),
				parquet.DefaultEncodingFor(parquet.ByteArray, &parquet.RLEDictionary), parquet.DefaultEncodingFor(parquet.Double, &parquet.RLEDictionary))
			for rows, b := range map[string][]byte{"plain": goFile(t, plain, o...), "delta": goFile(t, plain, delta...),
				"dict": goFile(t, plain, dict...), "other": goFile(t, other, o...)} {
				t.Run(fmt.Sprintf("v%d_%s_%s", version, name, rows), func(t *testing.T) {
					path := filepath.Join(dir, "x.parquet")
					save(t, path, b)
					tab.reads(t, path)
				})
			}
		}
	}
}

// An ENUM is text.
func TestOursReadsEnum(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.parquet")
	save(t, path, goFile(t, []struct {
		X string `parquet:"x,enum"`
	}{{"red"}, {"green"}, {"red"}}))
	c := domain.Column{Form: domain.Dictionary, Dict: []string{"red", "green"}, Ints: []int64{0, 1, 0}}
	d := &domain.Domain{Attributes: []domain.Attribute{{Name: "x", Type: domain.String}}}
	(&table{d, []*domain.Chunk{{Rows: 3, Columns: []domain.Column{c}}}}).reads(t, path)
}

func TestOursRefusesOfParquetGo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.parquet")
	for name, tc := range map[string]struct {
		file  []byte
		types []domain.Type
		want  string
	}{
		"uuid": {goFile(t, []struct {
			X [16]byte `parquet:"x,uuid"`
		}{{}}), everyType(domain.String), "UUID does not read as"},
		"json": {goFile(t, []struct {
			X string `parquet:"x,json"`
		}{{"[]"}}), everyType(domain.String), "JSON does not read as"},
		"list": {goFile(t, []struct {
			X []int64 `parquet:"x,list"`
		}{{[]int64{1}}}), everyType(), "RECORD or REPEATED does not read as"},
		"bare": {goFile(t, []struct {
			X []int64 `parquet:"x"`
		}{{[]int64{1}}}), everyType(), "RECORD or REPEATED does not read as"},
		"struct": {goFile(t, []struct {
			X struct{ Y int64 } `parquet:"x"`
		}{{}}), everyType(), "RECORD or REPEATED does not read as"},
		"fixed": {goFile(t, []struct {
			X [5]byte `parquet:"x"`
		}{{}}), everyType(), "FIXED_LEN_BYTE_ARRAY of 5 bytes without a logical type does not read as"},
		"int96": {goFile(t, []struct {
			X [12]byte `parquet:"x"`
		}{{}}), everyType(), "does not read as"},
	} {
		save(t, path, tc.file)
		t.Run(name, func(t *testing.T) { refuses(t, path, tc.types, tc.want) })
	}
}

// A struct without fields hides no other column.
func TestOursReadsBesideAnEmptyGroup(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.parquet")
	save(t, path, goFile(t, []struct {
		Empty struct{} `parquet:"empty"`
		X     int64    `parquet:"x"`
	}{{X: 7}, {X: -8}}))
	d := &domain.Domain{Attributes: []domain.Attribute{{Name: "x", Type: domain.Int64}}}
	(&table{d, []*domain.Chunk{{Rows: 2, Columns: []domain.Column{{Form: domain.Ints, Ints: []int64{7, -8}}}}}}).reads(t, path)
}

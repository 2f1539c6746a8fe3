package parquetio

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/parquetio/internal/codec"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// everyNode returns a column "id" of every pair of a physical and a logical type that the format has.
func everyNode() (list []schema.Node) {
	logical := []schema.LogicalType{schema.NoLogicalType{}, schema.StringLogicalType{}, schema.EnumLogicalType{}, schema.DateLogicalType{},
		schema.JSONLogicalType{}, schema.BSONLogicalType{}, schema.UUIDLogicalType{}, schema.IntervalLogicalType{}, schema.NullLogicalType{}}
	for _, bits := range []int8{8, 16, 32, 64} {
		logical = append(logical, schema.NewIntLogicalType(bits, true), schema.NewIntLogicalType(bits, false))
	}
	for _, unit := range []schema.TimeUnitType{schema.TimeUnitMillis, schema.TimeUnitMicros, schema.TimeUnitNanos} {
		for _, utc := range []bool{false, true} {
			logical = append(logical, schema.NewTimestampLogicalType(utc, unit), schema.NewTimeLogicalType(utc, unit))
		}
	}
	for _, p := range [][2]int32{{9, 0}, {9, 2}, {18, 0}, {18, 3}, {38, 0}, {38, 9}} {
		logical = append(logical, schema.NewDecimalLogicalType(p[0], p[1]))
	}
	for physical := parquet.Types.Boolean; physical <= parquet.Types.FixedLenByteArray; physical++ {
		for _, l := range logical {
			for _, width := range []int{1, 8, 12, 16} {
				if width > 1 && physical != parquet.Types.FixedLenByteArray {
					break
				}
				if n, err := schema.NewPrimitiveNodeLogical("id", parquet.Repetitions.Optional, l, physical, width, -1); err == nil {
					list = append(list, n)
				}
			}
		}
	}
	return list
}

// Values that are far apart, close together, at the ends, or that look alike.
var (
	ends32    = []int32{math.MinInt32, math.MinInt32 + 1, -256, -129, -128, -2, -1, 0, 1, 127, 128, 255, 256, 65535, math.MaxInt32 - 1, math.MaxInt32}
	ends64    = []int64{math.MinInt64, math.MinInt64 + 1, -1 << 53, -1<<53 - 1, math.MinInt32, -2, -1, 0, 1, 1 << 32, 1<<32 + 1, 1 << 53, 1<<53 + 1, math.MaxInt64 - 1, math.MaxInt64}
	endsBytes = []string{"0", "00", "-0", "1", " 1", "1 ", "1\x00", "\x00", "a", "A", "\xff", "\xff\xff", "\xfe", "é", "e\u0301", "NULL", "nan", "?", "\r\n", "\n", strings.Repeat("x", 5000), strings.Repeat("x", 5001)}
	endsUUID  = []string{"00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000001", "ffffffff-ffff-ffff-ffff-ffffffffffff",
		"01000000-0000-0000-0000-000000000000", "123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174001"}
)

// idFile writes the values that the column's physical type has, every one after a NULL.
func idFile(t *testing.T, node schema.Node, o ...parquet.WriterProperty) (b []byte, bits []uint64) {
	t.Helper()
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{node}, -1)
	must.Do(t, err)
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, root, file.WithWriterProps(parquet.NewWriterProperties(o...)))
	col := must.Value(w.AppendRowGroup().NextColumn())(t)
	levels := func(n int) (l []int16) {
		for range n {
			l = append(l, 0, 1)
		}
		return l
	}
	switch col := col.(type) {
	case *file.Int32ColumnChunkWriter:
		_, err = col.WriteBatch(ends32, levels(len(ends32)), nil)
		for _, v := range ends32 {
			bits = append(bits, uint64(uint32(v)))
		}
	case *file.Int64ColumnChunkWriter:
		_, err = col.WriteBatch(ends64, levels(len(ends64)), nil)
		for _, v := range ends64 {
			bits = append(bits, uint64(v))
		}
	case *file.ByteArrayColumnChunkWriter:
		var texts []parquet.ByteArray
		for _, s := range endsBytes {
			texts = append(texts, parquet.ByteArray(s))
		}
		_, err = col.WriteBatch(texts, levels(len(texts)), nil)
	case *file.FixedLenByteArrayColumnChunkWriter:
		var values []parquet.FixedLenByteArray
		for _, s := range endsUUID {
			b := must.Value(hex.DecodeString(strings.ReplaceAll(s, "-", "")))(t)
			values = append(values, b)
		}
		_, err = col.WriteBatch(values, levels(len(values)), nil)
	}
	must.Do(t, errors.Join(err, w.Close()))
	return out.Bytes(), bits
}

// Privacy IDs map one to one: a type is refused at launch, or all its values stay apart, in every encoding,
// and read as CSV files and structs have them. Which types are taken is listed here, so that no other one
// comes in unseen.
func TestPrivacyIDsAreInjective(t *testing.T) {
	d := &domain.Domain{PrivacyID: "id"}
	var taken []string
	for _, node := range everyNode() {
		b, f := emptyFile(t, node)
		name := f.TypeName()
		if _, err := Open(bytes.NewReader(b), "x.parquet", d, ReadOptions{}); err != nil {
			want := `parquet: x.parquet: column "id": ` + name + " cannot be the privacy ID, which is a text or a whole number; convert the column to one of these"
			must.Hold(t, err.Error() == want, "%s: %q", name, err)
			continue
		}
		if f.Kind == codec.KindNull { // records of nobody
			continue
		}
		taken = append(taken, name)
		kinds := []parquet.WriterProperty{parquet.WithDictionaryDefault(true), parquet.WithEncoding(parquet.Encodings.Plain)}
		if f.Kind == codec.KindUUID {
			kinds = kinds[:2] // all that the library writes
		} else if f.Physical == parquet.Types.ByteArray {
			kinds = append(kinds, parquet.WithEncoding(parquet.Encodings.DeltaLengthByteArray), parquet.WithEncoding(parquet.Encodings.DeltaByteArray))
		} else {
			kinds = append(kinds, parquet.WithEncoding(parquet.Encodings.DeltaBinaryPacked))
		}
		for i, kind := range kinds {
			for _, pages := range []parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2} {
				b, bits := idFile(t, node, parquet.WithDictionaryDefault(i == 0), kind, parquet.WithDataPageVersion(pages))
				got := idsOf(t, b, d)
				seen := slices.Clone(got)
				slices.Sort(seen)
				n := len(slices.Compact(seen))
				must.Hold(t, n == len(got) && n == values(f, bits), "%s, encoding %d: %d different IDs", name, i, n)
				for k, s := range got {
					want := trueID(f, bits, k)
					must.Hold(t, s == want, "%s, encoding %d: an ID reads as %q, want %q", name, i, s, want)
				}
			}
		}
	}
	want := []string{
		"INT32 without a logical type", "INT32 Int(bitWidth=8, isSigned=true)", "INT32 Int(bitWidth=8, isSigned=false)",
		"INT32 Int(bitWidth=16, isSigned=true)", "INT32 Int(bitWidth=16, isSigned=false)", "INT32 Int(bitWidth=32, isSigned=true)", "INT32 Int(bitWidth=32, isSigned=false)",
		"INT64 without a logical type", "INT64 Int(bitWidth=64, isSigned=true)", "INT64 Int(bitWidth=64, isSigned=false)",
		"BYTE_ARRAY without a logical type", "BYTE_ARRAY String", "BYTE_ARRAY Enum", "BYTE_ARRAY JSON", "FIXED_LEN_BYTE_ARRAY UUID",
	}
	must.Hold(t, slices.Equal(taken, want), "taken for IDs:\n%s\nwant\n%s", strings.Join(taken, "\n"), strings.Join(want, "\n"))
}

// values is how many values idFile has written.
func values(f *codec.Field, bits []uint64) int {
	switch {
	case f.Kind == codec.KindUUID:
		return len(endsUUID)
	case bits == nil:
		return len(endsBytes)
	}
	return len(bits)
}

// emptyFile is a file of one column, and what its footer states of it.
func emptyFile(t *testing.T, node schema.Node) ([]byte, *codec.Field) {
	t.Helper()
	root := must.Value(schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{node}, -1))(t)
	var out bytes.Buffer
	must.Do(t, file.NewParquetWriter(&out, root).Close())
	f := must.Value(codec.Open(bytes.NewReader(out.Bytes()), int64(out.Len()), 0))(t)
	return out.Bytes(), &f.Leaves[0]
}

// idsOf returns the IDs of a file that name somebody.
func idsOf(t *testing.T, b []byte, d *domain.Domain) (ids []string) {
	t.Helper()
	r := must.Value(Open(bytes.NewReader(b), "x.parquet", d, ReadOptions{}))(t)
	for c, err := range r.Chunks() {
		must.Do(t, err)
		for i := range c.Rows {
			if s := cell(&c.ID, i); !c.ID.Null(i) && s != "" {
				ids = append(ids, s)
			}
		}
	}
	return ids
}

// trueID is the k-th value of idFile as CSV files and structs have it.
func trueID(f *codec.Field, bits []uint64, k int) string {
	switch {
	case f.Kind == codec.KindUUID:
		return endsUUID[k]
	case bits == nil:
		return endsBytes[k]
	case f.Unsigned:
		return fmt.Sprint(bits[k])
	case f.Physical == parquet.Types.Int32:
		return fmt.Sprint(int32(bits[k]))
	}
	return fmt.Sprint(int64(bits[k]))
}

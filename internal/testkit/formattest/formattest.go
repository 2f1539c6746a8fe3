// Package formattest tests formats of files that are registered with package table: what is written is read back, whole
// and in parts, and no damaged file does more than end the reading with an error that holds no cell.
package formattest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
)

// Domain returns a domain with columns of all types, twice: with NULL and without.
func Domain() *domain.Domain {
	d := &domain.Domain{}
	for _, null := range []bool{false, true} {
		for _, t := range domain.Types() {
			a := domain.Attribute{Name: strings.ToLower(t.String()), Type: t, Null: null}
			if null {
				a.Name += "_null"
			}
			switch f := facts(t); {
			case t == domain.String:
				a.Values, a.Other, a.OtherValue = texts, !null, "?"
			case t == domain.Bool:
				a.Values = []string{"false", "true"}
			case t == domain.Float64:
				a.FloatCuts = []float64{-1e300, 0, 1e300}
			default:
				a.Cuts, a.Resolution = []int64{f.Least, 0, f.Most}, f.Resolution
			}
			if t == domain.Numeric {
				a.Scale = 2
			}
			if !null && t != domain.String {
				a.HasFallback = true
			}
			d.Attributes = append(d.Attributes, a)
		}
	}
	return d
}

// facts are the facts of a type, without the one number that text does not hold for every type: it saturates at its opposite.
func facts(t domain.Type) domain.Facts {
	f := t.Facts()
	f.Least = max(f.Least, -math.MaxInt64)
	return f
}

// texts are what formats have to escape, to quote or to keep apart.
var texts = []string{"plain", "", " blank ", "a,b;\"c\"\\d", "line\nend\r\n", "Größe 😀", "null", "\\N", "\x00\x1f", "<&>", "123", "\u2028"}

// Chunk returns rows of Domain.
func Chunk(rng *rand.Rand, d *domain.Domain, rows int) *domain.Chunk {
	c := &domain.Chunk{Rows: rows, Columns: make([]domain.Column, d.Len())}
	for k := range d.Attributes {
		a, col := &d.Attributes[k], &c.Columns[k]
		if a.Null {
			col.Nulls = make([]bool, rows)
			for i := range col.Nulls {
				col.Nulls[i] = rng.IntN(4) == 0
			}
		}
		f := facts(a.Type)
		switch col.Form = f.Form; f.Form {
		case domain.Text:
			col.Form, col.Dict = domain.Dictionary, texts
			for range rows {
				col.Ints = append(col.Ints, rng.Int64N(int64(len(texts))))
			}
		case domain.Floats:
			special := []float64{0, math.Copysign(0, -1), 1.5, -1e-300, math.MaxFloat64, math.SmallestNonzeroFloat64, 123456789.125}
			for range rows {
				col.Floats = append(col.Floats, special[rng.IntN(len(special))])
			}
		default:
			for range rows {
				v := f.Least + int64(rng.Uint64N(uint64(f.Most-f.Least))+rng.Uint64N(2))
				if rng.IntN(8) == 0 {
					v = []int64{f.Least, f.Most, 0}[rng.IntN(3)]
				}
				col.Ints = append(col.Ints, v)
			}
		}
	}
	return c
}

// Cell returns a cell as text, whatever the form in which it comes; "NULL" is no text of these tests.
func Cell(a *domain.Attribute, c *domain.Column, i int) string {
	if c.Form == domain.Absent || c.Null(i) {
		return "NULL"
	}
	text := ""
	switch c.Form {
	case domain.Ints:
		return strconv.FormatInt(c.Ints[i], 10)
	case domain.Floats:
		return strconv.FormatFloat(c.Floats[i], 'g', -1, 64)
	case domain.Dictionary:
		text = c.Dict[c.Ints[i]]
	case domain.Text:
		text = string(c.Text(i))
	}
	if v, ok := a.ParseNative(text); ok {
		return strconv.FormatInt(v, 10)
	}
	if v, ok := domain.ParseFloat(text); ok && a.Type == domain.Float64 {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return text
}

// Rows returns the cells of chunks, a line for each record.
func Rows(d *domain.Domain, into *[]string) func(*domain.Chunk) error {
	return func(c *domain.Chunk) error {
		for i := range c.Rows {
			var b strings.Builder
			if c.ID.Form != domain.Absent {
				fmt.Fprintf(&b, "%q ", Cell(&domain.Attribute{}, &c.ID, i))
			}
			for k := range c.Columns {
				fmt.Fprintf(&b, "%q ", Cell(&d.Attributes[k], &c.Columns[k], i))
			}
			*into = append(*into, b.String())
		}
		return nil
	}
}

// Writers write files of formats that are only read.
var Writers = map[string]func(io.Writer, *domain.Domain) table.RowWriter{}

func newWriter(b io.Writer, f *table.Format, d *domain.Domain) (table.RowWriter, error) {
	if w := Writers[f.Name]; w != nil {
		return w(b, d), nil
	}
	return f.NewWriter(b, d, "") //nolint:wrapcheck // for a test
}

// File writes rows in a format into a file of a test's directory, and returns its name.
func File(t testing.TB, format string, d *domain.Domain, chunks ...*domain.Chunk) string {
	t.Helper()
	f, known := table.FormatOf(format)
	if !known {
		t.Fatalf("no format %s", format)
	}
	var b bytes.Buffer
	w, err := newWriter(&b, f, d)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range chunks {
		if err := w.Write(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "rows."+format)
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// RoundTrip writes rows of all types in a format and reads them: whole, and in several numbers of parts.
func RoundTrip(t *testing.T, format string) {
	rng := rand.New(rand.NewPCG(1, 2))
	d := Domain()
	chunks := []*domain.Chunk{Chunk(rng, d, 3), Chunk(rng, d, 0), Chunk(rng, d, 5_000), Chunk(rng, d, 1)}
	var want []string
	for _, c := range chunks {
		_ = Rows(d, &want)(c) // never fails
	}
	name := File(t, format, d, chunks...)
	ctx := context.Background()
	src, err := table.Find(ctx, name, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := src.Check(ctx, d, schema.CSV{}); err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := src.Each(ctx, d, schema.CSV{}, Rows(d, &got)); err != nil {
		t.Fatal(err)
	}
	compare(t, "whole", got, want)
	again, err := os.ReadFile(File(t, format, d, chunks...))
	first, err2 := os.ReadFile(name)
	if err != nil || err2 != nil || !bytes.Equal(first, again) {
		t.Errorf("the same rows are written as other bytes (%v, %v)", err, err2)
	}
	f, _ := table.FormatOf(format)
	if f.EachPart == nil {
		return
	}
	info, err := files.Stat(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []int{1, 2, 7, 300} {
		got = nil
		for part := range of {
			if err := f.EachPart(ctx, info, part, of, d, schema.CSV{}, Rows(d, &got)); err != nil {
				t.Fatal(err)
			}
		}
		compare(t, fmt.Sprintf("%d parts", of), got, want)
	}
}

func compare(t *testing.T, what string, got, want []string) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("%s: row %d:\n got %s\nwant %s", what, i, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d rows, want %d", what, len(got), len(want))
	}
}

// mostMemory is how much may be allocated for a damaged file of some kilobytes.
const mostMemory = 2 << 30

// Damaged reads a file of a format many times, each time with other bytes changed or the end cut off. lossless says that a
// file without its end is an error.
func Damaged(t *testing.T, format string, tries int, lossless bool) {
	rng := rand.New(rand.NewPCG(3, 4))
	d := Domain()
	whole, err := os.ReadFile(File(t, format, d, Chunk(rng, d, 300)))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "damaged."+format)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range tries {
		b := slices.Clone(whole)
		cut := rng.IntN(4) == 0
		if cut {
			b = b[:rng.IntN(len(b))]
		} else {
			for range 1 + rng.IntN(4) {
				b[rng.IntN(len(b))] = []byte{0, 1, 0x7f, 0x80, 0xff, byte(rng.Uint32())}[rng.IntN(6)]
			}
		}
		rows, err := ReadBytes(t, name, b, d)
		if cut && lossless && err == nil && len(rows) < 300 && len(b) > 0 {
			t.Errorf("a file cut off at %d of %d bytes gives %d rows and no error", len(b), len(whole), len(rows))
		}
	}
	runtime.ReadMemStats(&after)
	if per := (after.TotalAlloc - before.TotalAlloc) / uint64(tries); per > mostMemory {
		t.Errorf("%d MB are allocated for a file", per>>20)
	}
}

// ReadBytes reads bytes as a file of a name. It fails if the error holds a long piece of them.
func ReadBytes(t testing.TB, name string, b []byte, d *domain.Domain) (rows []string, err error) {
	t.Helper()
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	src, err := table.Find(ctx, name, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err = src.Check(ctx, d, schema.CSV{}); err == nil {
		err = src.Each(ctx, d, schema.CSV{}, Rows(d, &rows))
	}
	if _, _, other := src.Describe(ctx, schema.CSV{}); err == nil {
		err = other
	}
	if err != nil {
		for i := 0; i+40 <= len(b); i += 20 {
			if strings.Contains(err.Error(), string(b[i:i+40])) {
				t.Fatalf("the error holds a piece of the file: %v", err)
			}
		}
	}
	return rows, err
}

package oracles

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// benchRows is a million rows of 15 columns; a cell in 20 is NULL.
const benchRows = 1_000_000

// uniform has numbers that hardly repeat: no dictionary helps. household has few different ones, as rows
// that were sampled from bins.
func uniform() *domain.Domain   { return fifteen(1<<40, 1<<40, 20000, 1<<50, 86400e6) }
func household() *domain.Domain { return fifteen(100, 2500, 1500, 24*365, 96) }

func fifteen(integers, decimals, days, instants, times int64) *domain.Domain {
	d := &domain.Domain{}
	add := func(n int, a domain.Attribute) {
		for range n {
			a.Name, a.Null, a.Resolution = fmt.Sprintf("c%02d", d.Len()), true, 1
			d.Attributes = append(d.Attributes, a)
		}
	}
	add(5, domain.Attribute{Type: domain.String, Values: []string{"Female", "Male", "Married", "Single", "Widowed", "Private", "Government"}})
	add(3, domain.Attribute{Type: domain.Int64, Cuts: []int64{0, integers}})
	add(2, domain.Attribute{Type: domain.Float64, FloatCuts: []float64{0, 1}})
	add(1, domain.Attribute{Type: domain.Numeric, Scale: 2, Cuts: []int64{0, decimals}})
	add(1, domain.Attribute{Type: domain.Bool, Values: []string{"false", "true"}})
	add(1, domain.Attribute{Type: domain.Date, Cuts: []int64{0, days}})
	add(1, domain.Attribute{Type: domain.Timestamp, Cuts: []int64{0, instants}})
	add(1, domain.Attribute{Type: domain.Time, Cuts: []int64{0, times}})
	return d
}

// bench draws rows of d in chunks.
func bench(d *domain.Domain, rows int) *table {
	t, r := &table{d: d}, rand.New(rand.NewPCG(1, 2))
	for ; rows > 0; rows -= 1 << 14 {
		t.chunks = append(t.chunks, random(d, min(rows, 1<<14), 0.05, r))
	}
	return t
}

// Our file is at most a twentieth larger than DuckDB's of the same rows with the same codec.
func TestSizeBesideDuckDB(t *testing.T) {
	db := openDuck(t)
	for name, d := range map[string]*domain.Domain{"uniform": uniform(), "household": household(), "types": mixed(true), "required": mixed(false)} {
		for _, rows := range []int{20_000, 300_000} {
			tab := bench(d, rows)
			ours, theirs := tab.write(t, parquetio.Options{}), filepath.Join(t.TempDir(), "theirs.parquet")
			run(t, db, fmt.Sprintf("copy (from '%s') to '%s' (format parquet, codec snappy)", ours, theirs))
			a, b := size(t, ours), size(t, theirs)
			t.Logf("%s, %d rows: %d bytes, DuckDB %d: %+.1f %%", name, rows, a, b, 100*(float64(a)/float64(b)-1))
			must.Hold(t, float64(a) <= 1.05*float64(b), "%s, %d rows: %d bytes, DuckDB %d", name, rows, a, b)
		}
	}
}

func size(tb testing.TB, path string) int64 {
	tb.Helper()
	info := must.Value(os.Stat(path))(tb)
	return info.Size()
}

// perCPU runs f for each iteration and reports rows by second of processor time, of all threads.
func perCPU(b *testing.B, f func()) {
	b.Helper()
	b.ReportAllocs()
	start := cpu(b)
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64(benchRows*b.N)/(cpu(b)-start), "rows/CPU-s")
}

func cpu(b *testing.B) float64 {
	var u syscall.Rusage
	must.Do(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(u.Utime) + seconds(u.Stime)
}

func BenchmarkWrite(b *testing.B) {
	tab := bench(uniform(), benchRows)
	b.Run("dapple", func(b *testing.B) {
		perCPU(b, func() {
			w := must.Value(parquetio.NewWriter(io.Discard, tab.d, parquetio.Options{}))(b)
			for _, c := range tab.chunks {
				must.Do(b, w.Write(c))
			}
			must.Value(w.Close())(b)
		})
	})
	path := tab.write(b, parquetio.Options{})
	b.Run("duckdb", func(b *testing.B) {
		db := openDuck(b)
		run(b, db, "create table t as from '"+path+"'")
		out := filepath.Join(b.TempDir(), "x.parquet")
		perCPU(b, func() { run(b, db, "copy t to '"+out+"' (format parquet)") })
	})
	rows := readGo(b, path)
	b.Run("parquet-go", func(b *testing.B) {
		perCPU(b, func() {
			w := parquet.NewGenericWriter[benchRow](io.Discard, parquet.Compression(&parquet.Snappy))
			must.Value(w.Write(rows))(b)
			must.Do(b, w.Close())
		})
	})
}

func BenchmarkRead(b *testing.B) {
	tab := bench(uniform(), benchRows)
	path := tab.write(b, parquetio.Options{})
	b.Run("dapple", func(b *testing.B) {
		perCPU(b, func() {
			r := must.Value(parquetio.OpenFile(path, tab.d, parquetio.ReadOptions{}))(b)
			defer r.Close()
			for _, err := range r.Chunks() {
				must.Do(b, err)
			}
		})
	})
	b.Run("duckdb", func(b *testing.B) {
		db := openDuck(b)
		perCPU(b, func() {
			run(b, db, "create or replace table t as from '"+path+"'")
		})
	})
	b.Run("parquet-go", func(b *testing.B) {
		perCPU(b, func() { readGo(b, path) })
	})
}

// benchRow is a row of fifteen for parquet-go.
type benchRow struct {
	C00 *string  `parquet:"c00,optional,dict"`
	C01 *string  `parquet:"c01,optional,dict"`
	C02 *string  `parquet:"c02,optional,dict"`
	C03 *string  `parquet:"c03,optional,dict"`
	C04 *string  `parquet:"c04,optional,dict"`
	C05 *int64   `parquet:"c05,optional"`
	C06 *int64   `parquet:"c06,optional"`
	C07 *int64   `parquet:"c07,optional"`
	C08 *float64 `parquet:"c08,optional"`
	C09 *float64 `parquet:"c09,optional"`
	C11 *bool    `parquet:"c11,optional"`
	C12 *int32   `parquet:"c12,optional,date"`
	C13 *int64   `parquet:"c13,optional,timestamp(microsecond)"`
	C14 *int64   `parquet:"c14,optional"`
	// Its decimals are int32 or int64: c10 is written as one, and not read.
	D10 *int64 `parquet:"d10,optional,decimal(2:18)"`
}

func readGo(b *testing.B, path string) []benchRow {
	f := must.Value(os.ReadFile(path))(b)
	r := parquet.NewGenericReader[benchRow](bytes.NewReader(f))
	defer r.Close()
	rows := make([]benchRow, benchRows)
	n, err := r.Read(rows)
	must.Need(b, n == benchRows && (err == nil || errors.Is(err, io.EOF)), "%v, %v", n, err)
	for i := range rows {
		rows[i].D10 = rows[i].C05
	}
	return rows
}

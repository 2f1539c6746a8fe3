package parquetio

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

var ctx = context.Background()

// named returns files whose state does not matter.
func named(paths ...string) []files.Info {
	var list []files.Info
	for _, p := range paths {
		list = append(list, files.Info{Name: p})
	}
	return list
}

func writeFile(tb testing.TB, path string, b []byte) string {
	tb.Helper()
	must.Do(tb, os.WriteFile(path, b, 0o600))
	return path
}

// Check of damaged files ends with an error that names the file, or finds nothing; never with a panic.
func TestCheckDamaged(t *testing.T) {
	b, d := smallFile(t)
	path := filepath.Join(t.TempDir(), "x.parquet")
	for _, n := range []int{0, 1, 4, 8, len(b) / 2, len(b) - 8, len(b) - 1} {
		writeFile(t, path, b[:n])
		err := Check(ctx, named(path), d)
		must.Hold(t, err != nil && strings.HasPrefix(err.Error(), "parquet: "+path), "%d of %d bytes: %v", n, len(b), err)
	}
	r := rand.New(rand.NewPCG(9, 9))
	found := 0
	for range 500 {
		damaged := bytes.Clone(b)
		for range 3 { // the footer is in the last half
			damaged[len(b)/2+r.IntN(len(b)/2)] ^= 1 << r.IntN(8)
		}
		writeFile(t, path, damaged)
		if err := Check(ctx, named(path), d); err != nil {
			found++
			must.Need(t, strings.HasPrefix(err.Error(), "parquet: "+path), "error %v", err)
		}
	}
	must.Hold(t, found != 0, "no damage was found")
}

func TestCheckFiles(t *testing.T) {
	b, d := smallFile(t)
	dir := t.TempDir()
	good := writeFile(t, filepath.Join(dir, "good.parquet"), b)
	must.Fail(t, Check(ctx, nil, d), "", "no file was accepted")
	err := Check(ctx, named(good, dir, filepath.Join(dir, "none")), d)
	must.Hold(t, err != nil && strings.Contains(err.Error(), "not a regular file") && strings.Contains(err.Error(), "no such file"),
		"directory and missing file: %v", err)
	list, err := files.Expand(ctx, good)
	must.Need(t, err == nil && Check(ctx, list, d) == nil, "%v, %v", list, err)
	list[0].Version += "0" // written again since, with the same size
	must.Fail(t, (&splitFn{}).ProcessElement(ctx, list[0], nil), "changed", "another time")
}

// Slices of a chunk hold what the chunk holds, in every form.
func TestSlice(t *testing.T) {
	d := mixedDomain()
	c := randomChunk(d, 100, 0.2, rand.New(rand.NewPCG(3, 3)))
	c.ID = domain.Column{Form: domain.Text, Offsets: []uint32{0}}
	for i := range c.Rows {
		c.ID.Bytes = append(c.ID.Bytes, "abcdefgh"[i%8])
		c.ID.Offsets = append(c.ID.Offsets, uint32(len(c.ID.Bytes)))
	}
	whole := encoded(d, c)
	var parts []domain.Code
	var ids string
	for from := 0; from < c.Rows; from += 33 {
		s := copyRows(c, from, min(from+33, c.Rows))
		parts = append(parts, encoded(d, s)...)
		for i := range s.Rows {
			ids += string(s.ID.Text(i))
		}
	}
	must.Hold(t, reflect.DeepEqual(parts, whole) && ids == string(c.ID.Bytes), "slices hold other cells than their chunk")
}

func encoded(d *domain.Domain, c *domain.Chunk) []domain.Code {
	codes := make([]domain.Code, c.Rows*d.Len())
	domain.NewEncoder(d).Encode(c, codes)
	return codes
}

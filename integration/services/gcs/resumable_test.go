package gcs

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/integration/services"
	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// largePart is more than two chunks of an upload; no piece is like another.
var largePart = func() []byte {
	b := make([]byte, 10<<20)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(b)
	return b
}()

// writeLarge writes largePart as the only part of a directory.
func writeLarge(d dirsink.Dir) (dirsink.FileRef, error) {
	p, err := d.Create(ctx, 0)
	if err != nil {
		return dirsink.FileRef{}, err
	}
	if _, err := p.Write(largePart); err != nil {
		return dirsink.FileRef{}, err
	}
	return p.Commit(10)
}

// A part that is sent in several requests is there once and whole, whichever of them is lost, or its answer,
// or half of it.
func TestLostChunks(t *testing.T) {
	for _, f := range []fault{before503, after503, afterDrop, halfSent} {
		for n := range 4 {
			t.Run(fmt.Sprint(f, " ", n), func(t *testing.T) {
				s := services.StartStorage(t, "bucket")
				p := startProxy(t, s)
				d := dirsink.Dir{Path: "gs://bucket/out", RunID: "run", Shards: 1, Extension: "csv"}
				times := 1
				if n == 3 { // every chunk, each time it is sent first
					n, times = 0, 2
				}
				p.inject(chunk, f, n, times)
				ref := must.Value(writeLarge(d))(t)
				sent, failed := p.seen(chunk)
				must.Hold(t, failed == times && sent == 3+times, "%d chunks were sent, of which %d were lost; want %d, %d", sent, failed, 3+times, times)
				for range 2 {
					m, err := d.Publish(ctx, []dirsink.FileRef{ref}, released, nil)
					must.Need(t, err == nil && m.Rows == 10, "%v, %v", m, err)
				}
				complete(t, d.Path, 10)
				got, err := files.ReadAll(ctx, "gs://bucket/out/part-00000-of-00001.csv", 1<<30)
				must.Hold(t, err == nil && bytes.Equal(got, largePart), "%d bytes, %v; want the %d that were written", len(got), err, len(largePart))
			})
		}
	}
}

// A chunk that is denied, or that the service says it holds and does not, ends the part with an error and
// makes no object.
func TestChunksThatAreRefused(t *testing.T) {
	for _, tt := range []struct {
		fault fault
		want  string
	}{
		{denied, `not allowed; grant this account roles/storage.objectUser on bucket "bucket"`},
		{forgotten, "gs://bucket/out.release/_tmp/run/"},
	} {
		for n := range 2 {
			s := services.StartStorage(t, "bucket")
			startProxy(t, s).inject(chunk, tt.fault, n, 1)
			d := dirsink.Dir{Path: "gs://bucket/out", RunID: "run", Shards: 1, Extension: "csv"}
			must.Fails(writeLarge(d))(t, tt.want, "%s of chunk %d", tt.fault, n)
			all := names(t, s, "bucket")
			must.Hold(t, len(all) == 0, "%s of chunk %d: the bucket holds %v", tt.fault, n, all)
		}
	}
}

package dirsink

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/io/dirsink/internal/layout"
	"github.com/dapple-dp/dapple/internal/io/dirsink/internal/rename"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// changed returns b with one random change: bits, bytes that are new, missing or there twice, or one that is another.
func changed(r *rand.Rand, b []byte) []byte {
	i := r.IntN(len(b))
	switch c := slices.Clone(b); r.IntN(5) {
	case 0:
		c[i] ^= 1 << r.IntN(8)
		return c
	case 1:
		return append(c[:i:i], c[min(len(c), i+1+r.IntN(20)):]...)
	case 2:
		return slices.Insert(c, i, byte(r.IntN(256)))
	case 3:
		return slices.Insert(c, i, c[i:min(len(c), i+1+r.IntN(20))]...)
	default:
		c[i] = b[r.IntN(len(b))]
		return c
	}
}

// A manifest is read as it was written or not at all.
func TestNoChangedManifestIsRead(t *testing.T) {
	d := published(t, filepath.Join(quickDir(t), "out"), "")
	good, err := os.ReadFile(d.in(ctx).InRelease(layout.ManifestName))
	check(t, err)
	for seed := range uint64(10_000) {
		bad := changed(rand.New(rand.NewPCG(seed, 1)), good)
		if bytes.Equal(bad, good) {
			continue
		}
		_, err := layout.Decode(bad)
		must.Need(t, err != nil, "seed %d: a changed manifest is read:\n%s", seed, bad)
	}
	m, err := layout.Decode(good)
	must.Hold(t, err == nil && m.RunID == "r" && m.Version != "", "%v %v", m, err)
}

// A key that nobody knows, one that is missing and another spelling are changes, also where the hash was made anew by
// somebody who takes the keys that are known for all.
func TestKeysOfAManifest(t *testing.T) {
	d := published(t, filepath.Join(t.TempDir(), "out"), "")
	good, err := os.ReadFile(d.in(ctx).InRelease(layout.ManifestName))
	check(t, err)
	var keys map[string]any
	check(t, json.Unmarshal(good, &keys))
	for _, change := range [][2]string{{`"released"`, `"beleased"`}, {`"released"`, `"Released"`}, {`"run_id"`, `"x": 1, "run_id"`}, {`"run_id": "r"`, `"run_id": "s"`}} {
		bad := strings.Replace(string(good), change[0], change[1], 1)
		check(t, os.WriteFile(d.in(ctx).InRelease(layout.ManifestName), []byte(bad), 0o600))
		must.Fails(Open(ctx, d.Path))(t, "the manifest ", "%s → %s", change[0], change[1])
	}
	for key := range keys {
		m, err := layout.Decode(good)
		check(t, err)
		switch key {
		case "version":
			m.Version = ""
		case "run_id":
			m.RunID = ""
		case "parts":
			m.Parts = nil
		case "released":
			m.Released = nil
		default:
			continue
		}
		must.Fails(layout.Decode(m.Encode()))(t, "", "a manifest without %s is read", key)
	}
}

// Who cannot finish a publication that was cut off reads the files where they are.
func TestReadersWhoMayNotRename(t *testing.T) {
	for k := 1; k < 60; k++ {
		d := Dir{Path: filepath.Join(quickDir(t), "out"), RunID: "old", Shards: 2, Extension: "csv", Overwrite: true}
		must.Value(d.Publish(ctx, stage(t, d), releasedFiles("old"), nil))(t)
		d.RunID = "new"
		n, cut := k, d
		cut.Disk = faulty{Disk: rename.Disk, n: &n, dead: true}
		_, publishErr := cut.Publish(ctx, stage(t, d), releasedFiles("new"), nil)
		reader := d
		reader.Disk = noRenames{rename.Disk}
		o, err := open(ctx, reader)
		if err == nil {
			err = o.Verify(ctx)
		}
		must.Hold(t, err == nil, "operation %d, whose publisher says %v: %v", k, publishErr, err)
	}
}

// noRenames is a disk that its user may only read.
type noRenames struct{ layout.Disk }

func (noRenames) Place(_, _ string) error   { return errors.New("not permitted") }
func (noRenames) Replace(_, _ string) error { return errors.New("not permitted") }

package pipelines

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// A file that was changed at random is not verified, of whatever kind it is, also without the digest. make nightly tries
// 10,000 changes of each.
func TestNoChangedFileIsVerified(t *testing.T) {
	c := shop(t, 100)
	mustRun(t, c)
	changes := 20
	if os.Getenv("DAPPLE_NIGHTLY") != "" {
		changes = 10_000
	}
	var kinds []string
	for _, dir := range []string{c.Output, c.Output + ".release"} {
		entries := must.Value(os.ReadDir(dir))(t)
		for _, e := range entries {
			kinds = append(kinds, filepath.Join(dir, e.Name()))
		}
	}
	verified := func() error {
		r, err := ValidateVerify(t.Context(), VerifyConfig{Dir: c.Output})
		if err == nil {
			_, err = Verify(t.Context(), r)
		}
		return err
	}
	if err := verified(); err != nil || len(kinds) != 8 {
		t.Fatalf("%v is not verified: %v", kinds, err)
	}
	for _, path := range kinds {
		good := must.Value(os.ReadFile(path))(t)
		for seed := range uint64(changes) {
			rng := rand.New(rand.NewPCG(seed, 2))
			i := rng.IntN(len(good))
			bad := slices.Clone(good)
			switch seed % 3 {
			case 0:
				bad[i] ^= 1 << rng.IntN(8)
			case 1:
				bad = append(bad[:i], bad[min(len(bad), i+1+rng.IntN(50)):]...)
			default:
				bad = slices.Insert(bad, i, good[rng.IntN(len(good))])
			}
			put(t, path, string(bad))
			err := verified()
			must.Need(t, err != nil || bytes.Equal(bad, good), "%s: change %d is accepted", filepath.Base(path), seed)
		}
		put(t, path, string(good))
	}
	t.Logf("figure: %d changes of each of %d files, none accepted", changes, len(kinds))
}

package dirsink

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/io/dirsink/internal/objects"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// BigQuery's only wildcard is "*", once in a URI, and it matches "/" too: gs://bucket/out/* takes whatever is
// below out, at any depth (its documentation on loading from Cloud Storage, "Wildcard support"). With that
// rule the patterns of a directory of rows must take the parts and nothing else, also while runs are at work.
func TestBigQueryWildcards(t *testing.T) {
	store := newMemory()
	matches := func(pattern string) (found []string) {
		before, after, _ := strings.Cut(pattern, "*")
		rule := regexp.MustCompile("^" + regexp.QuoteMeta(before) + ".*" + regexp.QuoteMeta(after) + "$")
		for name := range store.objects {
			if rule.MatchString(name) {
				found = append(found, name)
			}
		}
		slices.Sort(found)
		return found
	}
	d := Dir{Path: "gs://bucket/out", RunID: "r", Shards: 3, Extension: "parquet", Disk: objects.Disk(ctx, store)}
	check(t, d.Prepare(ctx))
	refs := stage(t, d)
	if got := matches("gs://bucket/out/*"); len(store.objects) == 0 || len(got) > 0 {
		t.Errorf("%v is among the rows of a run that has not published; %d objects in all", got, len(store.objects))
	}
	must.Value(d.Publish(ctx, refs, append(releasedFiles("r"), Content("_marginals.parquet", []byte("x"))), nil))(t)
	stage(t, Dir{Path: d.Path, RunID: "another", Shards: 3, Extension: "parquet", Disk: d.Disk})
	parts := []string{d.in(ctx).At(d.in(ctx).PartName(0)), d.in(ctx).At(d.in(ctx).PartName(1)), d.in(ctx).At(d.in(ctx).PartName(2))}
	for _, pattern := range []string{"gs://bucket/out/*", "gs://bucket/out/*.parquet", "gs://bucket/out/part-*"} {
		got := matches(pattern)
		must.Hold(t, slices.Equal(got, parts), "%s: %v, want the parts alone", pattern, got)
	}
	// Without the slash the other directory is taken too; README warns of it.
	for _, pattern := range []string{"gs://bucket/out*", "gs://bucket/out*.parquet"} {
		got := matches(pattern)
		must.Hold(t, slices.Contains(got, "gs://bucket/out.release/_marginals.parquet"), "%s: %v", pattern, got)
	}
}

package parquetio

import (
	"path/filepath"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	tables "github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Every type is described as it was written.
func TestDescribe(t *testing.T) {
	b, d := smallFile(t)
	path := writeFile(t, filepath.Join(t.TempDir(), "x.parquet"), b)
	got, err := Describe(ctx, named(path)[0])
	must.Need(t, err == nil && len(got) == d.Len(), "%d columns, want %d: %v", len(got), d.Len(), err)
	for i, c := range got {
		a := &d.Attributes[i]
		want := tables.Column{Name: a.Name, Type: a.Type, Nullable: true}
		if a.Type == domain.Numeric {
			want.Scale, want.Digits = a.Scale, 13
		}
		must.Hold(t, c == want, "%+v, want %+v", c, want)
	}
	writeFile(t, path, b[:len(b)/2])
	must.Fails(Describe(ctx, named(path)[0]))(t, "the footer cannot be read", "half a file")
}

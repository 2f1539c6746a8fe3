package parquetio

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	tables "github.com/dapple-dp/dapple/internal/io/table"
)

// Every type is described as it was written.
func TestDescribe(t *testing.T) {
	b, d := smallFile(t)
	path := writeFile(t, filepath.Join(t.TempDir(), "x.parquet"), b)
	got, err := Describe(ctx, named(path)[0])
	if err != nil || len(got) != d.Len() {
		t.Fatalf("%d columns, want %d: %v", len(got), d.Len(), err)
	}
	for i, c := range got {
		a := &d.Attributes[i]
		want := tables.Column{Name: a.Name, Type: a.Type, Nullable: true}
		if a.Type == domain.Numeric {
			want.Scale = a.Scale
		}
		if c != want {
			t.Errorf("%+v, want %+v", c, want)
		}
	}
	writeFile(t, path, b[:len(b)/2])
	if _, err := Describe(ctx, named(path)[0]); err == nil || !strings.Contains(err.Error(), "the footer cannot be read") {
		t.Errorf("half a file: %v", err)
	}
}

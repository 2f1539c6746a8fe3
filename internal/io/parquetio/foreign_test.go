package parquetio

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Files of other writers hold the same cells; see testdata/README.md.
func TestForeignFiles(t *testing.T) {
	d := &domain.Domain{}
	for s := range strings.FieldsSeq(`s:STRING hi:STRING i:INT64 i32:INT64 u32:INT64 u64:INT64 i8:INT64 f:FLOAT64
		f32:FLOAT64 d:NUMERIC b:BOOL da:DATE dt:DATETIME ts:TIMESTAMP tn:TIMESTAMP ti:TIME`) {
		name, typ, _ := strings.Cut(s, ":")
		a := domain.Attribute{Name: name, Scale: 2}
		a.Type, _ = domain.ParseType(typ)
		d.Attributes = append(d.Attributes, a)
	}
	want := must.Value(os.ReadFile("testdata/want.tsv"))(t)
	files, err := filepath.Glob("testdata/*.parquet")
	must.Need(t, err == nil && len(files) == 9, "%v, %v", files, err)
	for _, f := range files {
		got := must.Value(os.ReadFile(f))(t)
		must.Hold(t, cellsOf(t, got, d) == strings.NewReplacer("\t", " ", "\n", " ").Replace(string(want)), "%s: other cells than want.tsv", f)
	}
}

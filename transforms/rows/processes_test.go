package rows_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/internal/transformtest"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/io/parquetio"
	"github.com/dapple-dp/dapple/transforms/internal/dofn"
	"github.com/dapple-dp/dapple/transforms/rows"
)

func init() {
	dofn.Register[keepFn](dofn.Method1x1("ProcessElement", (*keepFn).ProcessElement))
}

// keepFn writes each trip to a file of its own.
type keepFn struct{ Dir string }

func (f *keepFn) ProcessElement(row beam.T) error {
	file, err := os.CreateTemp(f.Dir, "trip")
	if err != nil {
		return err
	}
	_, err = file.WriteString(show(row))
	return errors.Join(err, file.Close())
}

// A Parquet file becomes structs, chunks and structs again in other processes, each encoded for a shuffle
// in between, for a declared type, a pointer to it and a type made at run time.
func TestAcrossProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time to build and start Beam's programs; make integration runs it")
	}
	d := trips()
	d.PrivacyID = "" // which files do not have
	path := filepath.Join(t.TempDir(), "trips.parquet")
	source := trips()
	source.PrivacyID = ""
	source.Attributes[3].Cuts = []int64{0, 1_000_000} // digits for fares that the bins do not reach
	if err := write(path, source, cells()); err != nil {
		t.Fatal(err)
	}
	types := map[string]reflect.Type{
		"declared": reflect.TypeFor[trip](), "pointer": reflect.TypeFor[*trip](), "made at run time": anonymous,
	}
	dirs := map[string]string{}
	p, s := beam.NewPipelineWithRoot()
	records := parquetio.Read(s, []files.Info{{Name: path}}, d)
	for name, typ := range types {
		dirs[name] = t.TempDir()
		structs := beam.Reshuffle(s, rows.Structs(s, records, d, typ, rows.Params{}))
		chunks := beam.Reshuffle(s, rows.Chunks(s, structs, d, rows.Params{}))
		beam.ParDo0(s, &keepFn{Dir: dirs[name]}, beam.Reshuffle(s, rows.Structs(s, chunks, d, typ, rows.Params{})))
	}
	transformtest.RunInProcesses(t, p)
	for name, dir := range dirs {
		kept, err := filepath.Glob(filepath.Join(dir, "trip*"))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range kept {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(text))
		}
		slices.Sort(got)
		if want := slices.Sorted(slices.Values(wantTrips)); !slices.Equal(got, want) {
			t.Errorf("%s:\ngot  %q\nwant %q", name, got, want)
		}
	}
}

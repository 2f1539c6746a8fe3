package oracles

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

const readersRows = 2001

var readersColumns = []string{"sex", "age", "born", "income"}

// Rows are alone in their directory: whoever reads it, by the pattern of its parts or by its bare name, finds
// the rows that were written, with their columns, and nothing else.
func TestReadersOfADirectory(t *testing.T) {
	readDirectories(t, python(t), "duckdb", "polars", "pandas", "pyarrow")
}

func TestSparkReadsADirectory(t *testing.T) {
	readDirectories(t, sparkPython(t), "spark")
}

// readDirectories has runs write all forms of rows, and compares what the readers count.
func readDirectories(t *testing.T, py string, readers ...string) {
	t.Helper()
	home := t.TempDir()
	input, yaml, bin := filepath.Join(home, "in.csv"), filepath.Join(home, "people.yaml"), dapple(t)
	save(t, yaml, []byte(people))
	save(t, input, []byte("sex,age,born,income\n"+strings.Repeat("Female,31,1960-02-29,7.5\nMale,,1990-07-01,990\n", 1000)))
	var dirs, want []string
	for dir, flags := range map[string][]string{
		"parquet1": {"--shards=1"}, "parquet3": {"--shards=3"},
		"csv1": {"--format=csv", "--shards=1"}, "csv3": {"--format=csv", "--shards=3"},
	} {
		output := filepath.Join(home, "rows", dir)
		script(t, bin, append([]string{"synth", "--domain=" + yaml, "--input=" + input, "--output=" + output, "--epsilon=1", "--delta=1e-9", "--rows=2001", "--quiet"}, flags...)...)
		dirs = append(dirs, output)
		for _, reader := range readers {
			want = append(want, reader+" "+dir+" pattern")
			if reader != "pandas" || !strings.HasPrefix(dir, "csv") {
				want = append(want, reader+" "+dir+" bare")
			}
		}
	}
	path := filepath.Join(home, "seen.json")
	script(t, py, append([]string{"testdata/readers.py", path, strings.Join(readers, ",")}, dirs...)...)
	b := must.Value(os.ReadFile(path))(t)
	var seen map[string]struct {
		Rows    int
		Columns []string
	}
	must.Do(t, json.Unmarshal(b, &seen))
	for _, name := range want {
		if s := seen[name]; s.Rows != readersRows || !slices.Equal(s.Columns, readersColumns) {
			t.Errorf("%s: %d rows of %v, want %d of %v", name, s.Rows, s.Columns, readersRows, readersColumns)
		}
	}
}

// sparkPython is a Python that Spark runs under, and there is Java.
func sparkPython(t *testing.T) string {
	t.Helper()
	py := python(t)
	if _, err := exec.LookPath("java"); err != nil {
		t.Skip("missing: java, which Spark runs on")
	}
	if exec.CommandContext(t.Context(), py, "-c", "import pyspark").Run() != nil {
		t.Skip("missing: pyspark, in the Python that DAPPLE_PYTHON names; `make integration` installs it where java is")
	}
	return py
}

package oracles

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/program"
)

// dapple builds the command.
func dapple(t *testing.T) string {
	t.Helper()
	bin := must.Value(program.Build("../../..", t.TempDir()))(t)
	return bin
}

const people = `privacy_id: none
columns:
  - {name: sex, type: STRING, values: [Female, Male], other: true}
  - {name: age, type: INT64, min: 0, max: 100, bins: 10, null: true}
  - {name: born, type: DATE, min: 1930-01-01, max: 2020-12-31, step: year, null: true}
  - {name: income, type: NUMERIC, min: 0, max: 1000, bins: 10, null: true}
`

// A released directory, read by DuckDB as the report says: the rows by their pattern, the marginals by name.
func TestReleasedDirectory(t *testing.T) {
	db, dir := openDuck(t), t.TempDir()
	input, released, yaml := filepath.Join(dir, "in.parquet"), filepath.Join(dir, "out"), filepath.Join(dir, "people.yaml")
	save(t, yaml, []byte(people))
	run(t, db, fmt.Sprintf(`copy (select case when i %% 3 = 0 then 'Female' else 'Male' end as sex, i %% 100 as age,
		date '1930-01-01' + (i * 7)::int as born, (i %% 1000)::decimal(38, 9) as income from range(5000) t(i)) to '%s' (format parquet)`, input))
	synth := exec.CommandContext(t.Context(), dapple(t), "synth", "--domain="+yaml, "--input="+input, "--output="+released,
		"--epsilon=1", "--delta=1e-9", "--rows=4321", "--shards=3", "--quiet")
	out, err := synth.CombinedOutput()
	must.Need(t, err == nil, "%v\n%s", err, out)
	rows := "'" + released + "/*.parquet'"
	got := queryAll(t, db, "select count(*), count(*) filter (sex is null), min(age) >= 0, max(age) <= 100, min(born) >= '1930-01-01', max(born) <= '2020-12-31' from "+rows)[0]
	must.Equal(t, strings.Join(got, " "), "4321 0 true true true true", "rows")
	described := ""
	for _, r := range queryAll(t, db, "describe from "+rows) {
		described += r[0] + " " + r[1] + "\n"
	}
	want := "sex VARCHAR\nage BIGINT\nborn DATE\nincome DECIMAL(6,2)\n"
	must.Hold(t, described == want, "columns:\n%swant:\n%s", described, want)
	marginals := "'" + released + ".release/_marginals.parquet'"
	// Fitted shares of a marginal sum to 1; the sum of 10^4 shares is off by less than 10^4·2^-53.
	bad := queryAll(t, db, "select marginal from "+marginals+" group by marginal having abs(sum(fitted) - 1) > 1e-9")
	must.Hold(t, len(bad) <= 0, "fitted shares of %v do not sum to 1", bad)
	must.Hold(t, queryAll(t, db, "select count(distinct marginal) from "+marginals)[0][0] != "0", "there are no marginals")
	must.Passes(os.Stat(filepath.Join(released+".release", "_manifest.json")))(t)
}

// The long table of marginals has the same cells for every oracle in process.
func TestMarginalsByDuckDB(t *testing.T) {
	var b bytes.Buffer
	labels := make([]string, 200)
	fitted, noisy := make([]float64, 400), make([]float64, 400)
	for i := range fitted {
		labels[i/2], fitted[i], noisy[i] = fmt.Sprintf("[%d, %d)", i, i+2), 1/float64(i+1), float64(i)/8-1
	}
	rows, err := parquetio.WriteMarginals(&b, []*parquetio.Marginal{
		{Names: []string{"a", "b"}, Labels: [][]string{{"x,y", ""}, labels}, Fitted: fitted},
		{Names: []string{"b", "a"}, Labels: [][]string{labels, {"x,y", ""}}, Fitted: fitted, Noisy: noisy, NoisyError: 0.5},
	})
	must.Need(t, err == nil && rows == 800, "%v, %v", rows, err)
	path := filepath.Join(t.TempDir(), "_marginals.parquet")
	save(t, path, b.Bytes())
	d := &domain.Domain{}
	for _, name := range []string{"marginal", "cell", "fitted", "fitted_standard_error", "noisy", "standard_error", "fitted_error_from", "fitted_high"} {
		a := domain.Attribute{Name: name, Type: domain.Float64, Null: len(d.Attributes) > 2}
		if len(d.Attributes) < 2 || name == "fitted_error_from" {
			a.Type = domain.String
		}
		d.Attributes = append(d.Attributes, a)
	}
	back := must.Value(readBack(path, d))(t)
	w := written{table: back, path: path}
	w.check(t, duckSees(t, openDuck(t), path, d), duckTypes)
	if cells := back.cells(); nulls(cells[4]) != 400 || cells[2][3] != floatText(0.25) || cells[4][799] != floatText(399.0/8-1) || cells[1][0] != `x\,y, [1\, 3)` {
		t.Errorf("other marginals than were written: %d, %s, %s, %s", nulls(cells[4]), cells[2][3], cells[4][799], cells[1][0])
	}
}

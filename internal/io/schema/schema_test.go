package schema

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

var update = flag.Bool("update", false, "write the golden files again")

// TestFaults compares all faults of each faulty file with its golden file.
func TestFaults(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	must.Need(t, err == nil && len(files) >= 7, "%d files, %v", len(files), err)
	for _, path := range files {
		if strings.HasSuffix(path, "product.yaml") {
			continue
		}
		f, err := ReadFile(path)
		var faults Faults
		if !errors.As(err, &faults) || f != nil {
			t.Errorf("%s: got %v, want faults", path, err)
			continue
		}
		golden := strings.TrimSuffix(path, "yaml") + "golden"
		got := errors.Join(faults.Unwrap()...).Error() + "\n"
		if *update {
			must.Do(t, os.WriteFile(golden, []byte(got), 0o644))
		}
		want, readErr := os.ReadFile(golden)
		must.Need(t, readErr == nil, "%v", readErr)
		must.Hold(t, got == string(want), "%s:\n got\n%s\nwant\n%s", path, got, want)
		must.Equal(t, len(strings.Split(err.Error(), "\n")), min(len(faults), 21), "%s: %d faults, lines", path, len(faults))
	}
}

// TestEveryColumnIsFaulty: each column line of the faulty file has at least one fault.
func TestEveryColumnIsFaulty(t *testing.T) {
	data, err := os.ReadFile("testdata/faulty.yaml")
	must.Do(t, err)
	_, err = Parse("f", data)
	var faults Faults
	must.Need(t, errors.As(err, &faults), "%v", err)
	text := errors.Join(faults.Unwrap()...).Error()
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if strings.HasSuffix(line, ":") {
			continue
		}
		must.Hold(t, strings.Contains(text, fmt.Sprintf("f:%d:", i+1)), "no fault on line %d: %s", i+1, line)
	}
}

// TestCSVKeys reads the keys of csv, and what is wrong with keys of the privacy ID.
func TestCSVKeys(t *testing.T) {
	const head = "columns: [{name: x, type: BOOL, null: true}]\n"
	f, err := Parse("f", []byte("privacy_id: id\n"+head+"csv: {trim: true, null: [NA], trim_id: true, null_id: [\"?\", \"-\"], comma: \";\", max_record_mib: 16}\n"))
	must.Do(t, err)
	want := (CSV{Trim: true, Null: []string{"NA"}, TrimID: true, NullID: []string{"?", "-"}, Comma: ';', MaxRecord: 16 << 20})
	must.Hold(t, reflect.DeepEqual(f.CSV, want), "got %+v, want %+v", f.CSV, want)
	_, err = Parse("f", []byte("privacy_id: none\n"+head+"csv: {trim_id: true, null_id: [a], max_record_mib: 2048}\n"))
	for _, want := range []string{"csv: trim_id: the file declares no privacy_id", "csv: null_id: the file declares no privacy_id", `max_record_mib: got "2048"; a whole number of MiB from 1 to 1024 is needed`} {
		must.Fail(t, err, want)
	}
}

// A target stands in place of a list of marginals, and is a column that is modelled.
func TestTarget(t *testing.T) {
	const head = "privacy_id: none\ncolumns: [{name: x, type: BOOL, null: true}, {name: i, type: INT64, min: 0, max: 9, null: true}]\nconstraints: [{derive: y, from: i + 1}]\n"
	f, err := Parse("f", []byte(head+"workload: {target: x}\n"))
	must.Hold(t, err == nil && f.Target == "x" && len(f.Workload) <= 0, "%+v, %v", f, err)
	for text, want := range map[string]string{
		"{target: z}": `no column is called "z"; the columns are x, i`, "{target: y}": "is computed and not modelled", "{}": "no target; name a column", "{target: x, weight: 2}": "weight",
	} {
		must.Fails(Parse("f", []byte(head+"workload: "+text+"\n")))(t, want, "%s", text)
	}
}

// The number of expected rows is a whole number that a flag could name; a file without it gives 0.
func TestExpectedRows(t *testing.T) {
	const head = "privacy_id: none\ncolumns: [{name: x, type: BOOL, null: true}]\n"
	for text, want := range map[string]int64{"": 0, "expected_rows: 20000\n": 20000, "expected_rows: 1000000000000\n": MostRows} {
		f, err := Parse("f", []byte(head+text))
		must.Hold(t, err == nil && f.ExpectedRows == want, "%q: %v, %v", text, f, err)
	}
	for _, text := range []string{"0", "-5", "1.5", "many", "1000000000001"} {
		_, err := Parse("f", []byte(head+"expected_rows: "+text+"\n"))
		must.Fail(t, err, "f:3:16: expected_rows: got "+quote(text)+"; a whole number from 1 to 1000000000000 is needed", "%s", text)
	}
}

// TestLargeFiles: a file beyond the limit is refused before it is parsed, and a million faults are a few lines.
func TestLargeFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large.yaml")
	must.Do(t, os.WriteFile(path, make([]byte, 3*MaxBytes), 0o600))
	if _, err := ReadFile(path); err == nil || !strings.Contains(err.Error(), "it is larger than 8 MiB") || !strings.Contains(err.Error(), "the marginals or queries that matter most") {
		t.Errorf("got %v", err)
	}
	_, err := Parse("f", []byte("privacy_id: none\ncolumns: [{name: x, type: STRING, other: true, values: ["+strings.Repeat("a,", 300_000)+"a]}]"))
	lines := strings.Split(err.Error(), "\n")
	must.Hold(t, len(lines) == 21 && lines[20] == "and at least 9980 more", "%d lines, the last one %q", len(lines), lines[len(lines)-1])
}

// TestProduct reads the file that the documentation shows.
func TestProduct(t *testing.T) {
	f := must.Value(ReadFile("testdata/product.yaml"))(t)
	must.Pass(t, f.Domain.Validate())
	must.List(t, f.Domain.Sizes(), []int{3, 21, 6, 33, 3, 61}, "sizes")
	want := []WorkloadEntry{{Columns: []string{"age", "sex", "income"}, Weight: 2, Line: 10}, {Columns: []string{"visited"}, Weight: 1, Line: 11}}
	must.Hold(t, reflect.DeepEqual(f.Workload, want), "workload %v, want %v", f.Workload, want)
	must.Hold(t, f.CSV.Comma == ';' && f.CSV.Trim && len(f.CSV.Columns) == 8 && slices.Equal(f.CSV.Null, []string{"?"}), "csv %+v", f.CSV)
	income := f.Domain.Attributes[3]
	must.Hold(t, income.Scale == 1 && income.Resolution == 1000 && income.Label(0) == "[0, 7812.5)",
		"income: scale %d, resolution %d, first cell %s", income.Scale, income.Resolution, income.Label(0))
	hours := f.Domain.Attributes[2]
	must.Hold(t, hours.HasFallback && hours.Label(hours.Fallback) == "40", "hours: fallback %s", hours.Label(hours.Fallback))
	visited := f.Domain.Attributes[5]
	must.Hold(t, visited.Label(59) == "2024-12-01 – 2024-12-31", "visited: last cell %s", visited.Label(59))
}

// TestBeyond: the ends of a range say whether values beyond them are expected.
func TestBeyond(t *testing.T) {
	for text, want := range map[string][2]bool{"": {}, ", beyond: [min]": {true, false}, ", beyond: [max, min]": {true, true}} {
		f := must.Value(Parse("f", []byte("privacy_id: none\ncolumns: [{name: x, type: INT64, min: 3, max: 900, null: true"+text+"}]")))(t)
		must.Equal(t, f.Domain.Attributes[0].Beyond, want)
	}
	for _, column := range []string{"type: INT64, min: 3, max: 9, beyond: [most], null: true", "type: INT64, edges: [3, 9], beyond: [max], null: true", "type: STRING, values: [a], beyond: [max], null: true"} {
		must.Fails(Parse("f", []byte("privacy_id: none\ncolumns: [{name: x, "+column+"}]")))(t, "beyond")
	}
}

// TestColumns has one row per kind of column: its labels, first, second and last, and its resolution.
func TestColumns(t *testing.T) {
	tests := []struct{ column, want string }{
		{"type: INT64, min: 0, max: 63, null: true", "0 1 NULL; 64+1 cells, scale 0, resolution 1"},
		{"type: INT64, min: 0, max: 64, null: true", "0 1 NULL; 20+1 cells, scale 0, resolution 1"},
		{"type: INT64, min: -3, max: 1048572, null: true", "-3 -2 NULL; 20+1 cells, scale 0, resolution 1"},
		{"type: INT64, min: -3, max: 1048573, null: true", ""},
		{"type: INT64, min: 1, max: 1000, resolution: 10, fallback: 20", "10 20 1000; 20+0 cells, scale 0, resolution 10"},
		{"type: NUMERIC, min: 0, max: 99.95, resolution: 0.05, null: true", "0 0.05 NULL; 20+1 cells, scale 2, resolution 5"},
		{"type: NUMERIC, min: 0, max: 1, resolution: 0.02, null: true", "[0, 0.02) [0.02, 0.04) NULL; 51+1 cells, scale 2, resolution 2"},
		{"type: NUMERIC, min: 0, max: 1000000, null: true", ""},
		{"type: FLOAT64, min: 0, max: 1, null: true", ""},
		{"type: FLOAT64, min: 0, max: 1, resolution: 0.01, null: true", "0 0.01 NULL; 20+1 cells, scale 0, resolution 0.01"},
		{"type: NUMERIC, min: 0, max: 8.3, resolution: 0.00001, exact: [6.160541, 0], null: true", "0 0.00001 NULL; 20+1 cells, scale 6, resolution 10"},
		{"type: FLOAT64, min: 0.05, max: 1, resolution: 0.1, null: true", "[0.05, 0.2) [0.2, 0.3) NULL; 10+1 cells, scale 0, resolution 0.1"},
		{"type: FLOAT64, min: 0, max: 0.01, resolution: 0.1, null: true", "[0, 0.01] NULL NULL; 1+1 cells, scale 0, resolution 0.1"},
		{"type: DATE, min: 2020-01-01, max: 2021-12-31, null: true", "2020-01-01 2020-01-02 NULL; 20+1 cells, scale 0, resolution 1"},
		{"type: DATETIME, min: 2020-01-01, max: 2020-12-31, null: true", ""},
		{"type: DATETIME, min: 2020-01-01, max: 2020-12-31, resolution: minute, null: true",
			"2020-01-01T00:00:00 2020-01-01T00:01:00 NULL; 20+1 cells, scale 0, resolution 6e+07"},
		{"type: INT64, values: [007x], null: true", ""},
		{"type: INT64, values: [7, -1], other: true, other_value: 99", "7 -1 other; 2+1 cells, scale 0, resolution 0"},
		{"type: INT64, edges: [0, 1, 1], null: true", "0 1 NULL; 2+1 cells, scale 0, resolution 1"},
		{"type: BOOL, values: [True, false], fallback: false", "true false false; 2+0 cells, scale 0, resolution 0"},
		{"type: STRING, values: [No, 007, 1_0, '', 'null'], null: true", "No 007 NULL; 5+1 cells, scale 0, resolution 0"},
		{"type: NUMERIC, min: 0, max: 1, bins: 4, null: true", "[0, 0.25) [0.25, 0.5) NULL; 4+1 cells, scale 2, resolution 1"},
		{"type: NUMERIC, min: 0, max: 1, bins: 3, null: true", "[0, 0.34) [0.34, 0.67) NULL; 3+1 cells, scale 2, resolution 1"},
		{"type: NUMERIC, min: 0, max: 0.001, bins: 2, null: true", "[0, 0.0005) [0.0005, 0.001] NULL; 2+1 cells, scale 4, resolution 10"},
		{"type: NUMERIC, edges: [-1.5, 0, 1e3], null: true", "[-1.5, 0) [0, 1000] NULL; 2+1 cells, scale 2, resolution 1"},
		{"type: FLOAT64, min: 0, max: 1, bins: 10, resolution: 0.05, null: true", "[0, 0.1) [0.1, 0.2) NULL; 10+1 cells, scale 0, resolution 0.05"},
		{"type: FLOAT64, edges: [0, 1e10, 1e100], null: true", ""},
		{"type: FLOAT64, edges: [0, 1e10, 9e99], null: true", "[0, 10000000000) [10000000000, 9e+99] NULL; 2+1 cells, scale 0, resolution 0"},
		{"type: DATE, min: 2020-01-01, max: 2020-01-31, bins: 31, null: true", "2020-01-01 2020-01-02 NULL; 31+1 cells, scale 0, resolution 1"},
		{"type: TIMESTAMP, min: 2020-01-01, max: 2021-01-01, step: quarter, resolution: hour, null: true",
			"[2020-01-01T00:00:00Z, 2020-04-01T00:00:00Z) [2020-04-01T00:00:00Z, 2020-07-01T00:00:00Z) NULL; 4+1 cells, scale 0, resolution 3.6e+09"},
		{"type: TIME, min: '00:00', max: '23:59:59', step: hour, resolution: 0.5, fallback: '12:30'",
			"[00:00:00, 01:00:00) [01:00:00, 02:00:00) [23:00:00, 23:59:59]; 24+0 cells, scale 0, resolution 500000"},
	}
	for _, test := range tests {
		f, err := Parse("f", []byte("privacy_id: none\ncolumns: [{name: x, "+test.column+"}]"))
		if test.want == "" {
			must.Hold(t, err != nil, "%s: no fault", test.column)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.column, err)
			continue
		}
		a := f.Domain.Attributes[0]
		got := fmt.Sprintf("%s %s %s; %d+%d cells, scale %d, resolution %g", a.Label(0), a.Label(1), a.Label(domain.Code(a.RecordSize()-1)),
			a.Bins(), a.Size()-a.Bins(), a.Scale, float64(a.Resolution)+a.FloatResolution)
		must.Hold(t, got == test.want, "%s:\n got %s\nwant %s", test.column, got, test.want)
	}
}

// FuzzParse: no text makes the reader panic, and what it accepts is a valid domain.
func FuzzParse(f *testing.F) {
	files := must.Value(filepath.Glob("testdata/*.yaml"))(f)
	for _, path := range files {
		data := must.Value(os.ReadFile(path))(f)
		f.Add(data)
	}
	f.Add([]byte("privacy_id: none\ncolumns: [{name: x, type: TIME, min: 00:00, max: '23:59', step: minute, resolution: 1, fallback: 12:30}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse("f", data)
		if err != nil {
			return
		}
		err = file.Domain.Validate()
		must.Need(t, err == nil, "an accepted file has faults: %v", err)
	})
}

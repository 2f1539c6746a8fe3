package schema

import (
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestOpenFaults: what cannot be found is refused with its place and a mend, also beside other faults; a file with open parts is
// no domain yet.
func TestOpenFaults(t *testing.T) {
	for _, c := range []struct{ column, says string }{
		{"type: INT64, min: 0, max: find, bins: 4, null: true", "bins of a range that is to be found"},
		{"type: INT64, max: find", "no cells; add min and max"},
		{"type: INT64, fallback: 3", "fallback is one of the cells, which are to be found"},
		{"type: DATE, values: find", "DATE columns have no values"},
		{"type: STRING, values: find, prefix: [3, 0]", `prefix: got "0"`},
		{"type: INT64, prefix: [1]", "INT64 columns have no prefix"},
		{"type: BOOL", "does not say what an unusable value becomes"},
		{"type: TIMESTAMP, resolution: microsecond, min: 2024-01-01, max: 2024-12-31, null: true", "more than 2^20"},
		{"type: FLOAT64, resolution: -1", "resolution: got"},
		{"type: NUMERIC, min: a, max: find", "min: got"},
		{"type: TIME, resolution: millisecond", "more than 2^20"},
		{"type: INT64, values: find, other: true", "add other_value"},
	} {
		text := "privacy_id: id\ncolumns:\n  - {name: a, " + c.column + "}\n"
		if _, open, err := ParseOpen("open.yaml", []byte(text)); err == nil || open != nil || !strings.Contains(err.Error(), "open.yaml:3:") || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: want %q: %v", c.column, c.says, err)
		}
	}
	for text, says := range map[string]string{"privacy_id: id\n": ":1:1: no columns; declare them under the key columns, or let", "privacy_id: id\ncolumns: find\n": ":2:10: columns: is to be found, which"} {
		must.Fails(Parse("open.yaml", []byte(text)))(t, says)
	}
	text := "privacy_id: id\ncolumns:\n  - {name: a, type: STRING, values: find}\n  - {name: b, type: INT64, min: 1, max: find, null: true}\nevents: {person: [a], rows: {max: find}}\n"
	_, err := Parse("open.yaml", []byte(text))
	must.Hold(t, err != nil && strings.Count(err.Error(), "is to be found, which `dapple synth`") == 3, "want three parts refused: %v", err)
}

// TestOpenColumns: each form of an open part is read, what is declared is no part of it, and what stands for it is a domain.
func TestOpenColumns(t *testing.T) {
	for column, want := range map[string]string{
		"type: STRING": "a (values)",
		"type: STRING, prefix: [3, 1], other: true":           "a (values)",
		"type: STRING, values: find, null: true":              "a (values)",
		"type: INT64":                                         "a (min, max)",
		"type: INT64, values: find, null: true":               "a (values)",
		"type: INT64, min: 5, max: find":                      "a (max)",
		"type: NUMERIC, min: find, max: 99.25, null: true":    "a (min)",
		"type: NUMERIC, resolution: 0.001":                    "a (min, max)",
		"type: FLOAT64, min: 9e99, max: find":                 "a (max)",
		"type: FLOAT64, min: find, max: find, resolution: .5": "a (min, max)",
		"type: DATE, min: 9999-01-01, max: find":              "a (max)",
		"type: TIMESTAMP, resolution: microsecond":            "a (min, max)",
		"type: TIME, resolution: second":                      "a (min, max)",
		"type: DATETIME, min: find, max: 2024-12-31 10:00":    "a (min)",
	} {
		f, open, err := ParseOpen("open.yaml", []byte("privacy_id: none\ncolumns:\n  - {name: a, "+column+"}\n"))
		if err != nil {
			t.Errorf("%s: %v", column, err)
			continue
		}
		must.Hold(t, open != nil && len(open.Columns) == 1 && open.Columns[0].String() == want && !open.Rows, "%s: open is %+v, want %s", column, open, want)
		must.Pass(t, f.Domain.Validate(), "%s", column)
	}
	_, open, err := ParseOpen("whole.yaml", []byte(ofVisits))
	must.Hold(t, err == nil && open == nil, "a whole file: %v, %v", open, err)
}

// TestFill: what was found fills the parts that are open, and nothing else; a column without any is gone, also where events and
// csv name it; the charge stands in the file, also in one that is JSON.
func TestFill(t *testing.T) {
	const file = `{"privacy_id": "id", "columns": [
  {"name": "a", "type": "STRING", "other": true, "other_value": "x"},
  {"name": "gone", "type": "INT64"}, {"name": "b", "type": "INT64", "min": "find", "max": 90, "resolution": 3}],
  "events": {"person": ["gone"], "usual": ["a"], "rows": {"max": "find"}}, "csv": {"written": {"gone": "1,234.5"}}}`
	const found = `privacy_id: id
columns:
  - {name: a, type: STRING, values: ["v", "x", "other"], other: true, other_value: "other value", null: true}
  - {name: b, type: INT64, min: 2, max: 7, resolution: 30, fallback: 2}
`
	_, open, err := ParseOpen("open.json", []byte(file))
	must.Do(t, err)
	charge := Charge{ID: "one", PrivacyID: "id", Neighbouring: "add_remove", Epsilon: 1, Delta: 1e-9, Accounting: "GDP", Loss: "1/2", NoisyNumbers: 3}
	text := must.Value(open.Fill([]byte(found), 16, map[string]string{"gone": "nobody has it"}, &charge))(t)
	f, err := Parse("filled", text)
	must.Need(t, err == nil, "%v\n%s", err, text)
	a, b := f.Domain.Attributes[f.Domain.Index("a")], f.Domain.Attributes[f.Domain.Index("b")]
	must.Hold(t, strings.Join(a.Values, " ") == "v other" && a.OtherValue == "x" && !a.Null && a.Other, "a is %+v", a)
	must.Hold(t, f.Domain.Index("gone") < 0 && b.Resolution == 30 && strings.Contains(string(text), `"max": 90`) && strings.Contains(string(text), `"min": 2`) && len(f.CSV.Written) <= 0,
		"filled:\n%s", text)
	must.Hold(t, f.Charge != nil && *f.Charge == charge && f.Domain.Events != nil && strings.Contains(string(text), "# left out: gone: nobody has it"),
		"filled:\n%s", text)
}

// TestFillWhole: what was found fills a file without columns, also one that is JSON. What the file declares stands: people, the
// rows of a person, how cells are written. A column that is left out is gone where events name it.
func TestFillWhole(t *testing.T) {
	const found = `# a comment
privacy_id: "id"
expected_rows: 17
columns:
  - {name: a, type: STRING, values: ["v", "x"], other: true}
  # - {name: "gone"}  # left out: nobody has it
  - {name: b, type: INT64, min: 0, max: 7, fallback: 0}
events: {person: [a], rows: {max: 4}}
csv: {comma: ";", trim: true, written: {"b": "1,234.5"}}
`
	for file, want := range map[string]string{
		`{"privacy_id": "id", "events": {"person": ["gone", "a"], "rows": {"max": "find"}}, "csv": {"comma": ";"}}`: "expected_rows, columns, csv: written",
		"privacy_id: id\ncolumns: find # all\nexpected_rows: 5\ncsv: {trim: true, null: [y]}\n":                     "columns, events, csv: written",
	} {
		_, open, err := ParseOpen("open", []byte(file))
		must.Need(t, err == nil && open.Whole && open.Events == strings.Contains(file, "events"), "%s: %+v, %v", file, open, err)
		text := must.Value(open.Fill([]byte(found), 16, map[string]string{"gone": "nobody has it"}, nil))(t)
		f, err := Parse("filled", text)
		must.Need(t, err == nil, "%v\n%s", err, text)
		must.Hold(t, strings.Contains(string(text), "# released: "+want+"\n") && strings.Contains(string(text), "# left out: gone: nobody has it\n"),
			"want %s:\n%s", want, text)
		given, events := strings.Contains(file, "expected_rows"), f.Domain.Events
		must.Hold(t, f.Domain.Index("a") >= 0 && f.CSV.Written["b"] == PointNumbers && f.CSV.Comma == ';' && f.CSV.Trim && events != nil && given == (f.ExpectedRows == 5) && given == (events.MaxRows == 4),
			"filled:\n%s", text)
	}
}

// TestChargeOfFileIsChecked: a file carries what finding it has cost as it was written, and everything else in it may be
// edited. An edit of any part of the charge is refused, and so is an edit of who it was charged for.
func TestChargeOfFileIsChecked(t *testing.T) {
	for _, unit := range []string{"person", ""} {
		c := Charge{
			ID: "QX7", PrivacyID: unit, Neighbouring: "add_remove", Epsilon: .1, Delta: 1e-10, Accounting: "GDP", Loss: "1561/1099511627776",
			ValuesDelta: 6.25e-12, NoisyNumbers: 1317,
		}
		name := unit
		if name == "" {
			name = NoPrivacyID
		}
		body := "privacy_id: " + name + "\ncolumns:\n  - {name: sex, type: STRING, values: [M, F], other: true}\n"
		f := must.Value(Parse("found.yaml", []byte(body+c.String())))(t)
		must.Hold(t, *f.Charge == c, "read %+v, want %+v", *f.Charge, c)
		edited := strings.Replace(body, "M, F", "M", 1) + "expected_rows: 500\n"
		if f, err := Parse("found.yaml", []byte(edited+c.String())); err != nil || *f.Charge != c {
			t.Errorf("an edit beside the charge: %v", err)
		}
		for _, edit := range [][2]string{
			{"QX7", "QX8"}, {"add_remove", "replace"}, {`"0.1"`, `"0.01"`}, {"1e-10", "1e-12"}, {"GDP", "zCDP"}, {"1561/", "1/"}, {"6.25e-12", "0"}, {"1317", "1"},
			{"sha256: ", "sha256: 0"}, {`loss: "1561/1099511627776", `, ""}, {`"0.1"`, `"0.10"`},
		} {
			line := strings.Replace(c.String(), edit[0], edit[1], 1)
			must.Need(t, line != c.String(), "no %s in %s", edit[0], line)
			must.Fails(Parse("found.yaml", []byte(body+line)))(t, "found: ", "%s for %s", edit[1], edit[0])
		}
		_, err := Parse("found.yaml", []byte(strings.Replace(body, "privacy_id: "+name, "privacy_id: other", 1)+c.String()))
		must.Fail(t, err, "was found for privacy_id", "a domain of other people")
	}
}

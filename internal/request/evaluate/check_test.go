package evaluate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// checked is the text of a check.
func checked(t *testing.T, c CheckConfig) string {
	t.Helper()
	r := must.Value(OpenCheck(context.Background(), c))(t)
	var out bytes.Buffer
	must.Do(t, r.Run(context.Background(), &out))
	return out.String()
}

func TestCheckCountsWhatDoesNotFit(t *testing.T) {
	dir := t.TempDir()
	name := write(t, filepath.Join(dir, "d.yaml"), `
privacy_id: id
columns:
  - {name: sex, type: STRING, values: [Female, Male], other: true}
  - {name: age, type: INT64, min: 0, max: 79, bins: 8, null: true}
  - {name: code, type: INT64, values: [1, 2], fallback: 1}
  - {name: fare, type: NUMERIC, min: 0, max: 500, resolution: 0.05, fallback: 5}
csv: {null: ["?"]}
`)
	input := write(t, filepath.Join(dir, "a.csv"), "id,sex,age,code,fare\n"+
		"p1,Female,5,1,3.20\n,X,200,7,\"1,042\"\np2,Male,n/a,x,-4\np3,?,?,2,?\np4,Male,2.0,2,500\n")
	figures := filepath.Join(dir, "fit.json")
	out := checked(t, CheckConfig{Domain: name, Input: input, JSON: figures})
	must.Hold(t, strings.HasPrefix(out, Banner), "the text does not begin with the banner:\n%s", out)
	text := must.Value(os.ReadFile(figures))(t)
	var got Fit
	must.Do(t, json.Unmarshal(text, &got))
	want := []ColumnFit{
		{"sex", "valid UTF-8", 3, Misfits{1, "other", nil}, Misfits{Becomes: "other"}, Misfits{}, Misfits{1, "other", []string{"X"}}, 0, ""},
		{"age", "an INT64", 2, Misfits{1, "NULL", nil}, Misfits{1, "NULL", []string{"n/a"}}, Misfits{1, "", []string{"200"}}, Misfits{Becomes: "NULL"}, 0, ""},
		{"code", "one of its values", 3, Misfits{Becomes: "1"}, Misfits{1, "1", []string{"x"}}, Misfits{}, Misfits{1, "1", []string{"7"}}, 0, ""},
		{"fare", "a NUMERIC", 2, Misfits{1, "its fallback", nil}, Misfits{1, "its fallback", []string{"1,042"}}, Misfits{1, "", []string{"-4"}}, Misfits{Becomes: "its fallback"}, 0, ""},
	}
	must.Hold(t, got.Records == 5 && got.NoID == 1 && reflect.DeepEqual(got.Columns, want),
		"%d records, %d without ID\ngot  %+v\nwant %+v", got.Records, got.NoID, got.Columns, want)
	for _, line := range []string{`age: 1 out of range (20.0%) become the nearest value; first: "200"`, `code: 1 not in the list (20.0%) become 1; first: "7"`} {
		must.Hold(t, strings.Contains(out, line), "no line %q in\n%s", line, out)
	}
}

func TestMisfitsKeepFewShortTexts(t *testing.T) {
	var m Misfits
	for _, s := range []string{"a", "a", strings.Repeat("é", 50), "b", "c"} {
		m.add(s)
	}
	must.Hold(t, m.Count == 5 && reflect.DeepEqual(m.First, []string{"a", strings.Repeat("é", 20) + "…", "b"}), "%d, %q", m.Count, m.First)
}

// TestCheckCountsBrokenConstraints: records that break what is declared between columns, by entry; derived columns that
// the table has are compared with what they follow from.
func TestCheckCountsBrokenConstraints(t *testing.T) {
	dir := t.TempDir()
	name := write(t, filepath.Join(dir, "d.yaml"), `
privacy_id: none
columns:
  - {name: start, type: DATE, min: 2024-01-01, max: 2024-12-31, null: true}
  - {name: end, type: DATE, min: 2024-01-01, max: 2025-12-31, null: true}
  - {name: time, type: INT64, min: 0, max: 2359, null: true}
  - {name: net, type: NUMERIC, min: 0, max: 500, null: true}
  - {name: tax, type: NUMERIC, min: 0, max: 500, resolution: 0.005, null: true}
  - {name: m, type: INT64, min: 1, max: 12, null: true}
  - {name: d, type: INT64, min: 1, max: 31, null: true}
  - {name: y, type: INT64, min: 2020, max: 2024, null: true}
  - {name: city, type: STRING, values: [Austin, Boston], other: true}
  - {name: sex, type: STRING, values: [M, F], null: true}
  - {name: pregnant, type: BOOL, null: true}
constraints:
  - {order: [start, end]}
  - {order: [tax, net]}
  - {date: [y, m, d]}
  - {derive: hour, from: time / 100}
  - {sum: total, of: [net, tax]}
  - {derive: state, from: city, map: {Austin: TX, Boston: MA}, else: "?"}
  - {derive: minute, from: time % 100}
impossible:
  - {sex: M, pregnant: true}
`)
	input := write(t, filepath.Join(dir, "a.csv"), "hour,start,end,time,net,tax,total,m,d,y,city,state,sex,pregnant\n"+
		"5,2024-03-01,2024-02-28,510,10.00,1.005,11.005,2,29,2024,Austin,TX,M,true\n"+
		"5,,2024-02-28,610,1.00,1.005,2.00,2,29,2023,Boston,TX,F,true\n"+
		",2024-03-01,2024-03-05,710,1.00,,,2,29,,Chicago,?,M,false\n"+
		",2024-03-01,2024-03-02,,x,1.00,,,31,2023,Boston,MA,,\n")
	out := checked(t, CheckConfig{Domain: name, Input: input})
	for _, line := range []string{
		"order: start <= end: 1 records (25.0%) violate it; they are used as they are, and no synthetic row violates it\n",
		"order: tax <= net: 1 records", "date: y, m, d: 1 records", "derive: hour, from time / 100: 2 records",
		"sum: total, of net, tax: 1 records", "derive: state, from city: 1 records", "impossible: sex: M; pregnant: true: 1 records",
	} {
		must.Hold(t, strings.Contains(out, line), "no %q in\n%s", line, out)
	}
	must.Hold(t, !strings.Contains(out, "minute"), "a column that the table does not have breaks something:\n%s", out)
}

// Check names what holds in every record and is not declared: of two dates in order and a copy all of it,
// of what is declared and of what holds in few records nothing, and of person columns nothing.
func TestCheckFindsWhatIsNotDeclared(t *testing.T) {
	dir := t.TempDir()
	var rows strings.Builder
	rows.WriteString("id,start,end,month,city,state,lo,hi,born,joined\n")
	for i := range 60 {
		day := time.Date(2024, 1, 1+3*i, 0, 0, 0, 0, time.UTC)
		city := []string{"Austin", "Boston", "Dallas"}[i/2%3]
		fmt.Fprintf(&rows, "%d,%s,%s,%d,%s,%s,%d,%d,1980-01-02,2001-02-03\n", i/2, day.Format(time.DateOnly), day.AddDate(0, 0, i%5).Format(time.DateOnly),
			day.Month(), city, map[string]string{"Austin": "TX", "Boston": "MA", "Dallas": "TX"}[city], i%7, i%7+i%2)
	}
	input := write(t, filepath.Join(dir, "a.csv"), rows.String())
	columns := `
privacy_id: id
columns:
  - {name: start, type: DATE, min: 2024-01-01, max: 2024-12-31, null: true}
  - {name: end, type: DATE, min: 2024-01-01, max: 2024-12-31, null: true}
  - {name: month, type: INT64, min: 1, max: 12, null: true}
  - {name: city, type: STRING, values: [Austin, Boston, Dallas], null: true}
  - {name: state, type: STRING, values: [MA, TX], null: true}
  - {name: lo, type: INT64, min: 0, max: 9, null: true}
  - {name: hi, type: INT64, min: 0, max: 9, null: true}
  - {name: born, type: DATE, min: 1950-01-01, max: 2010-12-31, null: true}
  - {name: joined, type: DATE, min: 1950-01-01, max: 2010-12-31, null: true}
`
	for _, tt := range []struct {
		name, more string
		want       []string
	}{
		{"nothing is declared", "", []string{
			"{derive: state, from: city, map: {Austin: TX, Boston: MA, Dallas: TX}}",
			"{order: [start, end]}", "{order: [lo, hi]}", "{order: [born, joined]}", "{order: [joined, start]}",
		}},
		{"orders are declared", "constraints:\n  - {order: [start, end]}\n  - {order: [lo, hi]}\n  - {order: [born, joined, start]}\n", []string{
			"{derive: state, from: city, map: {Austin: TX, Boston: MA, Dallas: TX}}",
		}},
		{"people", "events: {person: [city, born, joined], rows: {max: 2}}\n", []string{
			"{order: [start, end]}", "{order: [lo, hi]}",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			name := write(t, filepath.Join(t.TempDir(), "d.yaml"), columns+tt.more)
			out := checked(t, CheckConfig{Domain: name, Input: input})
			n := strings.Count(out, "is not declared")
			must.Hold(t, n == len(tt.want), "%d lines, want %d:\n%s", n, len(tt.want), out)
			for _, want := range tt.want {
				must.Hold(t, strings.Contains(out, want+" holds in every record and is not declared"), "no %s in\n%s", want, out)
			}
		})
	}
}

// Check names a map that holds in nearly all records, with the part.
func TestCheckNamesMapsOfNearlyAll(t *testing.T) {
	dir, rows := t.TempDir(), "city,state\n"
	for i := range 900 {
		rows += []string{"Austin,TX\n", "Boston,MA\n", "Dallas,TX\n"}[i%3]
	}
	name := write(t, filepath.Join(dir, "d.yaml"), "privacy_id: none\ncolumns:\n  - {name: city, type: STRING, values: [Austin, Boston, Dallas], null: true}\n"+
		"  - {name: state, type: STRING, values: [MA, TX], null: true}\n")
	out := checked(t, CheckConfig{Domain: name, Input: write(t, filepath.Join(dir, "a.csv"), rows+"Austin,MA\n")})
	other := write(t, filepath.Join(dir, "o.yaml"), "privacy_id: none\ncolumns:\n  - {name: city, type: STRING, values: [Austin, Boston, Dallas], other: true}\n"+
		"  - {name: state, type: STRING, values: [MA, TX], null: true}\n")
	got, want := checked(t, CheckConfig{Domain: other, Input: filepath.Join(dir, "a.csv")}), "{derive: state, from: city, else: TX, map: "
	must.Hold(t, strings.Contains(got, want), "no %s in\n%s", want, got)
	want = "{derive: state, from: city, map: {Austin: TX, Boston: MA, Dallas: TX}} holds in 99.88 % of records and is not declared"
	must.Hold(t, strings.Contains(out, want), "no %s in\n%s", want, out)
}

// Derived columns have their written form too: of three German dates that follow from the day before, one is another day.
func TestCheckReadsWrittenDerivedColumns(t *testing.T) {
	dir := t.TempDir()
	name := write(t, filepath.Join(dir, "d.yaml"), `
privacy_id: none
columns:
  - {name: in, type: DATE, min: 2024-01-01, max: 2024-12-31, null: true}
  - {name: out, type: DATE}
  - {name: days, type: INT64, min: 0, max: 30, null: true}
constraints:
  - {derive: out, from: in + days}
csv: {comma: ";", written: {in: 31.12.2024, out: 31.12.2024}}
`)
	input := write(t, filepath.Join(dir, "a.csv"), "in;out;days\n01.03.2024;05.03.2024;4\n20.12.2024;02.01.2025;13\n01.02.2024;02.02.2024;2\n")
	r := must.Value(OpenCheck(context.Background(), CheckConfig{Domain: name, Input: input}))(t)
	var out bytes.Buffer
	err := r.Run(context.Background(), &out)
	must.Hold(t, err == nil && strings.Contains(out.String(), "derive: out, from in + days: 1 records (33.3%) violate it"), "%v in\n%s", err, out.String())
}

// What people are declared to be is counted: two of four change their sex as the domain has it, one has more rows than are
// written; records without an ID are nobody's.
func TestCheckCountsPeople(t *testing.T) {
	dir := t.TempDir()
	name := write(t, filepath.Join(dir, "d.yaml"), `
privacy_id: who
columns:
  - {name: kind, type: INT64, min: 0, max: 9, null: true}
  - {name: sex, type: STRING, values: [F, M], other: true}
  - {name: born, type: INT64, min: 1900, max: 1999, bins: 10, null: true}
constraints:
  - {derive: twice, from: kind * 2}
events: {person: [sex, born], rows: {max: 2}}
`)
	input := write(t, filepath.Join(dir, "a.csv"), "who,kind,sex,born,twice\na,1,F,1950,2\nb,1,M,1951,2\na,2,M,1950,4\nb,3,M,1959,6\nb,3,M,1950,6\nb,3,M,1950,6\n"+
		"c,1,x,1900,2\nc,2,y,1900,4\nd,1,F,1901,2\nd,1,,1901,2\n,5,F,1999,10\n,6,M,1900,12\n")
	figures := filepath.Join(dir, "f.json")
	out := checked(t, CheckConfig{Domain: name, Input: input, JSON: figures})
	for _, want := range []string{
		"4 people, nobody with more than 4 rows\n", "more than 2 rows: 1 person (25.0%), with 2 rows beyond that; they count as having 2\n",
		"sex: a person column whose value changes from row to row for 2 people (50.0%); all person columns come from one row of each person\n",
	} {
		must.Hold(t, strings.Contains(out, want), "got %s, which lacks %s", out, want)
	}
	must.Hold(t, !strings.Contains(out, "born: a person column"), "born changes inside its bin alone: %s", out)
	b, err := os.ReadFile(figures)
	must.Hold(t, err == nil && strings.Contains(string(b), `"rows_over": 2`) && strings.Contains(string(b), `"column": "sex"`), "%s, %v", b, err)
}

// TestCheckOfADomainAlone: without a table the domain file is checked, and written as JSON that declares the same.
func TestCheckOfADomainAlone(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "domain.yaml"), "privacy_id: none\ncolumns: [{name: sex, type: STRING, values: [No, yes], other: true}]\n")
	r := must.Value(OpenCheck(t.Context(), CheckConfig{Domain: path, JSON: Stdout}))(t)
	var out strings.Builder
	must.Do(t, r.Run(t.Context(), &out))
	const want = `{"privacy_id":"none","columns":[{"name":"sex","type":"STRING","values":["No","yes"],"other":true}]}`
	must.Equal(t, strings.TrimSpace(out.String()), want)
	_, err := OpenCheck(t.Context(), CheckConfig{Domain: write(t, filepath.Join(t.TempDir(), "bad.yaml"), "columns: []\n")})
	must.Hold(t, err != nil, "a faulty domain file passed")
}

// Rows of a person that lie at the same place are counted, and those that have none: of a, two of three lie on day 3, one of
// them beyond the range; of b one is NULL and one is no number, and both lie at the fallback.
func TestCheckCountsTies(t *testing.T) {
	const columns = "privacy_id: who\ncolumns:\n  - {name: day, type: INT64, min: 0, max: 3, fallback: 0}\n  - {name: kind, type: STRING, values: [k, l], fallback: k}\n"
	for strict, says := range map[string]string{
		"":               "rows, and 2 lie where another row of the person does; a public rule orders them\n",
		", strict: true": "rows, and 2 lie where another row of the person does; a public rule orders them, and the gap between them counts as the smallest one\n",
	} {
		text := checkedTable(t, columns+"events: {rows: {max: 3}, order: day"+strict+"}\n", "who,day,kind\na,3,k\na,1,k\na,9,l\nb,,k\nb,x,k\nc,3,k\n")
		for _, want := range []string{"day: it orders the " + says, "day: it orders the rows, and 2 have no usable value there; they lie at its fallback\n"} {
			must.Hold(t, strings.Contains(text, want), "no %q in\n%s", want, text)
		}
	}
	text := checkedTable(t, columns+"events: {rows: {max: 3}}\n", "who,day,kind\na,3,k\na,3,l\n")
	must.Hold(t, !strings.Contains(text, "orders"), "ties of rows without an order:\n%s", text)
}

// checkedTable is the text of a check of rows.
func checkedTable(t *testing.T, domain, rows string) string {
	t.Helper()
	dir := t.TempDir()
	return checked(t, CheckConfig{Domain: write(t, filepath.Join(dir, "d.yaml"), domain), Input: write(t, filepath.Join(dir, "a.csv"), rows)})
}

// TestCheckIsShort: whatever a check finds, its text has at most 20 lines; columns that do not fit come before others, and what is
// left out is said.
func TestCheckIsShort(t *testing.T) {
	for columns := range 30 {
		for broken := range 30 {
			f := Fit{NotPrivate: Banner, Records: 10, Advice: []string{"the file is odd"}}
			for i := range columns {
				f.Columns = append(f.Columns, ColumnFit{Name: fmt.Sprintf("c%d", i), Usable: 10})
			}
			if columns > 0 {
				f.Columns[columns-1].NotInList = Misfits{Count: 3, Becomes: "NULL"}
			}
			for i := range broken {
				f.Broken = append(f.Broken, Broken{Declared: fmt.Sprintf("order: %d", i), Records: 1})
			}
			if broken%3 == 0 {
				f.PeopleRows = &Fit{Records: 5, Columns: f.Columns}
			}
			var b strings.Builder
			must.Do(t, f.WriteText(&b))
			text := b.String()
			n := strings.Count(text, "\n")
			must.Need(t, n <= 20, "%d lines of %d columns and %d notes:\n%s", n, columns, broken, text)
			must.Hold(t, columns <= 0 || strings.Contains(text, fmt.Sprintf("\nc%d ", columns-1)), "the column that does not fit is not there:\n%s", text)
			all := 9 + columns + broken
			must.Hold(t, f.PeopleRows != nil || (all > 20) == strings.Contains(text, "--json=FILE has all"), "%d columns and %d notes:\n%s", columns, broken, text)
		}
	}
}

// TestViolations: rows that two combinations hold for count once in the sum.
func TestViolations(t *testing.T) {
	d := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "sex", Type: domain.String, Values: []string{"F", "M"}, HasFallback: true},
		{Name: "pregnant", Type: domain.Bool, Values: []string{"false", "true"}, Null: true},
	}, StructuralZeros: domain.Exclusions{
		{Clique: domain.Clique{0, 1}, Codes: [][]domain.Code{{1}, {1, 2}}},
		{Clique: domain.Clique{0, 1}, Codes: [][]domain.Code{{1}, {1}}},
	}}
	truth := &Table{Sizes: d.Sizes(), Rows: 5, Columns: [][]domain.Code{{1, 1, 1, 0, 0}, {1, 1, 2, 1, 2}}}
	other := &Table{Sizes: d.Sizes(), Rows: 2, Columns: [][]domain.Code{{1, 0}, {0, 1}}}
	r, err := Compare(context.Background(), Tables{Real: truth, Synthetic: other}, query.AllMarginals(d.Sizes(), 2, 100), d)
	must.Do(t, err)
	v := r.Real.Violations
	must.Hold(t, v.Real == 3 && v.Synthetic == 0 && v.Each[0].Real == 3 && v.Each[1].Real == 2 && strings.Join(v.Each[0].Cells[1], "|") == "true|NULL", "%+v", v)
	d.StructuralZeros = nil
	r, err = Compare(context.Background(), Tables{Real: truth, Synthetic: other}, query.AllMarginals(d.Sizes(), 2, 100), d)
	must.Do(t, err)
	b, err := json.Marshal(r)
	must.Hold(t, err == nil && !strings.Contains(string(b), "violations"), "violations of nothing")
}

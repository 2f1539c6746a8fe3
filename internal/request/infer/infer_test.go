package infer

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/examples/visits/generate"
	"github.com/dapple-dp/dapple/internal/io/csvio"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/io/yamltext"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

var update = flag.Bool("update", false, "write the golden files anew")

func put(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.Do(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func propose(t testing.TB, p Params) string {
	t.Helper()
	s := must.Value(Open(context.Background(), p))(t)
	b := must.Value(s.Propose(context.Background()))(t)
	return string(b)
}

func visits(t testing.TB) string {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, generate.Write(&b, generate.Params{People: 2000, Seed: 1}))
	return put(t, "visits.csv", b.String())
}

// visitsParquet converts visits with the types of its domain file, privacy ID included.
func visitsParquet(t testing.TB) string {
	t.Helper()
	d := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "person_id", Type: domain.String}, {Name: "sex", Type: domain.String, Null: true}, {Name: "age", Type: domain.Int64, Null: true},
		{Name: "region", Type: domain.String}, {Name: "income", Type: domain.Numeric, Scale: 2, Null: true}, {Name: "visited", Type: domain.Date},
	}}
	path := filepath.Join(t.TempDir(), "visits.parquet")
	f, err := os.Create(path)
	must.Do(t, err)
	w := must.Value(parquetio.NewWriter(f, d, parquetio.Options{GroupRows: 1000}))(t)
	err = csvio.EachFile(visits(t), d, schema.CSV{}, func(c *domain.Chunk) error {
		for k := range c.Columns {
			a, col := &d.Attributes[k], &c.Columns[k]
			if a.Type == domain.String {
				continue
			}
			col.Form = domain.Ints
			for i := range c.Rows {
				v, _ := a.ParseNative(string(col.Text(i)))
				col.Ints = append(col.Ints, v)
			}
		}
		return w.Write(c)
	})
	_, closing := w.Close()
	must.Do(t, errors.Join(err, closing, f.Close()))
	return path
}

func TestGolden(t *testing.T) {
	csv, pq := visits(t), visitsParquet(t)
	for _, tt := range []struct {
		golden string
		p      Params
		valid  bool
	}{
		{"csv-names", Params{Input: csv, PrivacyID: "person_id"}, false},
		{"csv-data", Params{Input: csv, FromData: true, PrivacyID: "person_id"}, true},
		{"parquet-schema", Params{Input: pq, PrivacyID: "person_id"}, false},
		{"parquet-data", Params{Input: pq, FromData: true, PrivacyID: "person_id"}, true},
		{"records-data", Params{Input: pq, FromData: true}, true},
	} {
		got := propose(t, tt.p)
		path := filepath.Join("testdata", tt.golden+".yaml")
		if *update {
			must.Do(t, os.WriteFile(path, []byte(got), 0o666))
		}
		want := must.Value(os.ReadFile(path))(t)
		must.Hold(t, got == string(want), "%s has changed; run go test -update where that is meant. Now:\n%s", path, got)
		_, err := schema.Parse(path, []byte(got))
		must.Hold(t, (err == nil) == tt.valid, "%s: valid should be %v: %v", path, tt.valid, err)
		must.Hold(t, tt.p.FromData == strings.HasPrefix(got, yamltext.ForEditors+"# NOT PRIVATE: derived_from_data lists what was read off the table."),
			"%s: is it private? It says the other thing", path)
	}
}

// TestTypes has one row per rule: the cells of a column, and the line that is proposed for it. Every cell
// stands 20 times.
func TestTypes(t *testing.T) {
	for _, tt := range []struct {
		name  string
		cells []string
		want  string
	}{
		{"booleans", []string{"true", "FALSE"}, "BOOL, fallback: false"},
		{"booleans and numbers", []string{"true", "1"}, "STRING, values: [1, true], fallback: "},
		{"few whole numbers", []string{"3", "-2", ""}, "INT64, min: -2, max: 3, null: true"},
		{"one number", []string{"7"}, "INT64, min: 7, max: 7, fallback: 7"},
		{"whole numbers", []string{"18", "79", "33"}, "INT64, min: 18, max: 79, fallback: 18"},
		{"negative numbers", []string{"-58", "-5", "-20"}, "INT64, min: -58, max: -5, fallback: -58"},
		{"codes", []string{"100", "2000", "30"}, `INT64, values: [30, 100, 2000], fallback: 100`},
		{"leading zeros", []string{"01234", "81234"}, "STRING, values: [01234, 81234], fallback: "},
		{"plus signs", []string{"+1", "2"}, `STRING, values: ["+1", 2], fallback: `},
		{"least INT64", []string{"-9223372036854775808", "9223372036854775807", "5"}, "INT64, values:"},
		{"beyond INT64", []string{"9223372036854775808", "1"}, "STRING, values: [1, 9223372036854775808], fallback: "},
		{"decimals", []string{"0.5", "12", "7.25"}, "NUMERIC, min: 0.5, max: 12, resolution: 0.25, fallback: 0.5"},
		{"whole decimals", []string{"3.0", "4.0"}, "INT64, min: 3, max: 4, fallback: 3"},
		{"whole and not", []string{"3.0", "4", "4.5"}, "NUMERIC, min: 3, max: 4.5, resolution: 0.5, fallback: 3"},
		{"whole with exponents", []string{"3.0", "-400.00", "2"}, "INT64, min: -400, max: 5, fallback: -400"},
		{"points at the ends", []string{".5", "+0.5", "5.", "-.25"}, "NUMERIC, min: -0.25, max: 5, resolution: 0.25, fallback: -0.25"},
		{"points alone", []string{".", "+.", "1"}, "STRING, values:"},
		{"nine places", []string{"0.000000001", "1.5"}, "NUMERIC, values: [0.000000001, 1.5], fallback: 0.000000001"},
		{"ten places", []string{"0.0000000001", "1.5"}, "FLOAT64, min: 0, max: 1.5, resolution: 1e-05, exact: [1e-10], fallback: 0"},
		{"large with places", []string{"9000000000000000000", "0.25"}, "FLOAT64, min: 0, max: 9e+18, resolution: 10000000000000, exact: [0.25], fallback: 0"},
		{"exponents", []string{"1e3", "250", "-0.5"}, "FLOAT64, min: -10, max: 1000, resolution: 0.5, fallback: -10"},
		{"tiny", []string{"1e-100", "2e-100"}, "FLOAT64, min:"},
		{"not finite", []string{"NaN", "1.5"}, "NUMERIC, min: 1.5, max: 2, resolution: 0.5, null: true"},
		{"hexadecimal", []string{"0x10", "1_000"}, "STRING, values: [0x10, 1_000], fallback: "},
		{"dates", []string{"2024-02-29", "2023-12-31"}, "DATE, min: 2023-12-01, max: 2024-02-29, fallback: 2023-12-01"},
		{"days", []string{"2024-02-29", "2024-03-02"}, "DATE, min: 2024-02-29, max: 2024-03-02, fallback: 2024-02-29"},
		{"centuries", []string{"1066-10-14", "2024-03-02"}, "DATE, min: 1066-01-01, max: 2024-12-31, fallback: 1066-01-01"},
		{"no such date", []string{"2024-02-30", "2024-03-02"}, "DATE, min: 2024-03-02, max: 2024-03-02, null: true"},
		{"times", []string{"2024-02-29", "2024-02-29 10:30:00Z"}, `TIMESTAMP, min: "2024-02-29T00:00:00Z", max: "2024-02-29T10:59:59Z", resolution: minute, fallback: "2024-02-29T00:00:00Z"`},
		{"a year of minutes", []string{"2023-01-01 00:07:00Z", "2023-12-31 10:30:00Z"}, `TIMESTAMP, min: "2023-01-01T00:00:00Z", max: "2023-12-31T23:59:59Z", resolution: minute, fallback: "2023-01-01T00:00:00Z"}` + "\n"},
		{"a year of seconds", []string{"2023-01-01 00:07:01Z", "2023-12-31 10:30:00Z"}, `TIMESTAMP, min: "2023-01-01T00:00:00Z", max: "2023-12-31T23:59:59Z", resolution: minute, fallback: "2023-01-01T00:00:00Z"}  # review: ` + coarser},
		{"days as times", []string{"2023-01-01", "2023-12-31 00:00:00Z"}, "DATE, min: 2023-01-01, max: 2023-12-31, fallback: "},
		{"day of the year", []string{"1.0", "365", "17"}, "INT64, min: 1, max: 366, fallback: 1"},
		{"times as numbers", []string{"0", "2359.0", "1207"}, "INT64, min: 0, max: 2360, fallback: 0"},
		{"percentages", []string{"0.3", "99.8", "50"}, "NUMERIC, min: 0.1, max: 100, resolution: 0.1, fallback: 0.1"},
		{"hundreds", []string{"300.0", "90500", ""}, "INT64, min: 100, max: 90500, resolution: 100, null: true"},
		{"few values far apart", []string{"11399.99", "0.010", ".5", "2"}, `NUMERIC, values: [0.010, ".5", 2, 11399.99], fallback: ".5"}`},
		{"two ways of a value", []string{"0.01", "0.010", "11399.99"}, "NUMERIC, min: 0, max: 11400, resolution: 0.1, exact: [0.01, 11399.99], fallback: 0}  # review: " + coarser},
		{"dates and numbers", []string{"2024-02-29", "1"}, "STRING, values: [1, 2024-02-29], fallback: "},
		{"YAML", []string{"null", "~", "No", "- a", "a: b", "#x", `"`, `\`, "[", "é", " x"}, `STRING, values: [" x", "\"", "#x", "- a", No, "[", "\\", "a: b", "null", "~", "é"], fallback: `},
		{"controls", []string{"a\nb", "\x7f", "\u0085", "\u2028", "\ufeff"}, `STRING, values: ["a\u000Ab", "\u007F", "\u0085", "\u2028", "\uFEFF"], fallback: `},
		{"the word other", []string{"other", "other value", "x"}, "STRING, values: [other, other value, x], fallback: other"},
	} {
		var b strings.Builder
		b.WriteString("x\n")
		for range MinSupport {
			for _, cell := range tt.cells {
				fmt.Fprintf(&b, "\"%s\"\n", strings.ReplaceAll(cell, `"`, `""`))
			}
		}
		got := propose(t, Params{Input: put(t, "x.csv", b.String()), FromData: true})
		must.Hold(t, strings.Contains(inLine(got), "  - {name: x, type: "+tt.want), "%s: no %s in\n%s", tt.name, tt.want, got)
		f, err := schema.Parse("x.yaml", []byte(got))
		if err != nil {
			t.Errorf("%s: %v\n%s", tt.name, err, got)
			continue
		}
		for i, v := range f.Domain.Attributes[0].Values {
			if a := f.Domain.Attributes[0]; a.Type == domain.String && strings.Count(b.String(), strings.ReplaceAll(v, `"`, `""`)) == 0 {
				t.Errorf("%s: category %d is no cell of the table", tt.name, i)
			}
		}
	}
}

// inLine writes columns over several lines as they stand in one.
func inLine(text string) string { return regexp.MustCompile(`,\n {6}`).ReplaceAllString(text, ", ") }

// Columns above 100 characters stand on several lines, and read back as the same domain. What is asked of many columns stands once.
func TestLongColumnsAreFolded(t *testing.T) {
	var b strings.Builder
	b.WriteString("town,size,left\n")
	for i := range 3000 {
		fmt.Fprintf(&b, "\"a town, [no. %d]: {x} \"\"y\"\"\",%d,name %d\n", i%40, i%7, i)
	}
	got := propose(t, Params{Input: put(t, "x.csv", b.String()), FromData: true})
	f, err := schema.Parse("x.yaml", []byte(got))
	must.Need(t, err == nil && len(f.Domain.Attributes[0].Values) == 40, "%v\n%s", err, got)
	columns := false
	for line := range strings.Lines(got) {
		columns = columns || line == "columns:\n"
		must.Hold(t, !columns || strings.Contains(line, "# ") || len(line) <= 101, "%d characters: %s", len(line), line)
	}
	must.Hold(t, strings.Contains(got, "  - {name: town, type: STRING, values: [\"a town, [no. 0]") && strings.Contains(got, "\n      \"a town, ") && strings.Contains(got, "  - {name: size, "),
		"not folded, or no line:\n%s", got)
	for _, legend := range []string{"is each list complete?", "it is what an unusable value becomes"} {
		must.Hold(t, strings.Count(got, legend) == 1, "%q is not there once:\n%s", legend, got)
	}
}

// TestHostile: tables that are not what they seem end in an error without a cell, or in a valid file.
func TestHostile(t *testing.T) {
	const rows = 30
	for _, tt := range []struct{ name, table, want string }{
		{"empty", "", "the file is empty"},
		{"header only", "a,b\n", "no column has values"},
		{"nothing but NULL", "a,b\n" + strings.Repeat(",\n", rows), "no column has values"},
		{"ragged", "a,b\nSECRET\n" + strings.Repeat("1,2,3\n", rows), ""},
		{"open quote", "a,b\n\"SECRET,1\n", "a quote opens a cell and never closes"},
		{"same names", "SECRET,SECRET\n1,2\n", "columns 1 and 2 have one name"},
		{"no name", ",a,b\n" + strings.Repeat("1,2,3\n", rows), ""},
		{"an empty name", "a,,b\n" + strings.Repeat("1,2,3\n", rows), "two separators stand between names"},
		{"a record for a header line", "SECRET,1952-05-27,4.5\n" + strings.Repeat("1,2,3\n", rows), "the header line looks like a record"},
		{"another, with semicolons", "SECRET;491,2\n" + strings.Repeat("1;2,5\n", rows), "the header line looks like a record"},
		{"JSON lines", "{\"a\": \"SECRET\", \"b\": 1}\n", "it is JSON; let its name end in .jsonl if it has one object a line, or turn it into Parquet"},
		{"control in a name", "a,\"SECRET\x01\"\n" + strings.Repeat("1,2\n", rows), ""},
		{"semicolons", "a;b\n" + strings.Repeat("1;x\n", rows), ""},
		{"tabs", "a\tb\n" + strings.Repeat("1\tx\n", rows), ""},
		{"YAML names", "\"a: {b}\",'#',\"a\"\"b\"\n" + strings.Repeat("1,2,3\n", rows), ""},
		{"invalid UTF-8", "a,b\n" + strings.Repeat("\xff\xfe,1\n", rows), ""},
		{"huge cells", "a,b\n" + strings.Repeat(strings.Repeat("SECRET", 1000)+",1\n", rows), ""},
		{"byte order mark", "\ufeffa,b\n" + strings.Repeat("x,1\n", rows), ""},
	} {
		s, err := Open(context.Background(), Params{Input: put(t, "x.csv", tt.table), FromData: true})
		var b []byte
		if err == nil {
			b, err = s.Propose(context.Background())
		}
		if tt.want == "" {
			_, faults := schema.Parse("x.yaml", b)
			must.Hold(t, err == nil && faults == nil && !strings.Contains(string(b), "SECRET"), "%s: %v, %v\n%s", tt.name, err, faults, b)
			must.Hold(t, tt.name != "control in a name" || strings.Contains(string(b), "left out: column 2: the name holds a control character; rename it"),
				"a column whose name no domain file holds is left out without a word:\n%s", b)
			must.Hold(t, tt.name != "no name" || strings.Contains(string(b), "left out: it has no name"),
				"a column without a name is left out without a word:\n%s", b)
			continue
		}
		must.Hold(t, err != nil && strings.Contains(err.Error(), tt.want) && !strings.Contains(err.Error(), "SECRET"),
			"%s: error %v, want %q", tt.name, err, tt.want)
	}
	must.Fails(Open(context.Background(), Params{Input: put(t, "x.parquet", "PAR1"), FromData: true}))(t, "", "a damaged Parquet file was opened")
	must.Fails(Open(context.Background(), Params{Input: put(t, "x.csv", "a\n1\n"), PrivacyID: "id"}))(t, `no column "id"`, "missing privacy ID")
}

// TestOutward: ranges are around the numbers and little wider, and survive the ends of int64 and float64.
func TestOutward(t *testing.T) {
	for _, r := range [][2]float64{{0, 100}, {1, 366}, {-7, 1300}, {999, 1e6}, {-1 << 63, 1<<63 - 1024}, {1 << 62, 1<<63 - 1024}, {-1 << 63, -1 << 62}} {
		for _, typ := range []domain.Type{domain.Int64, domain.Float64} {
			x := newTally(table.Column{Type: typ}, 1)
			for _, v := range r {
				if typ == domain.Int64 {
					x.native(int64(v))
				} else {
					x.float(v)
				}
			}
			cells, remark := x.number()
			f, err := schema.Parse("x.yaml", []byte("privacy_id: none\ncolumns:\n  - {name: x, type: "+typ.String()+cells.String()+", null: true}\n"))
			if err != nil {
				t.Errorf("%v: %s: %v", r, cells, err)
				continue
			}
			a := f.Domain.Attributes[0]
			lo, hi := 0.0, 0.0
			if typ == domain.Int64 {
				lo, hi = float64(a.Cuts[0]), float64(a.Cuts[1])
			} else {
				lo, hi = a.FloatCuts[0], a.FloatCuts[1]
			}
			slack := (r[1] - r[0]) / 50
			must.Hold(t, lo <= r[0] && hi >= r[1] && lo >= r[0]-slack && hi <= r[1]+slack, "%v: %s is not around it", r, cells)
			coarse := r[1]-r[0] >= domain.MaxFine
			must.Hold(t, coarse == (remark != ""), "%v: %s: remark %q", r, cells, remark)
		}
	}
}

func FuzzTypes(f *testing.F) {
	f.Add(",1e30\xff\x7f-d4-01-01\n1e308\f")
	f.Add("1,2.5,x,2024-01-01\n1e308,-0,true,")
	f.Add(",2.\x80,x,2024-01-01\n1e308,-0,t") // b follows from c, and is not read
	f.Fuzz(func(t *testing.T, cells string) {
		var b strings.Builder
		for range MinSupport {
			b.WriteString(cells + "\n")
		}
		s := must.Value(Open(context.Background(), Params{Input: put(t, "x.csv", "a,b,c,d\n"+b.String()), FromData: true}))(t)
		text, err := s.Propose(context.Background())
		if err != nil {
			return
		}
		_, err = schema.Parse("x.yaml", text)
		must.Need(t, err == nil, "%v\n%s", err, text)
	})
}

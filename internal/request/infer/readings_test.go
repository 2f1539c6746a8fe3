package infer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Exports as programs of several countries write them: what is proposed for each column, and how it is read.
func TestExports(t *testing.T) {
	for _, tt := range []struct {
		name, header string
		row          func(i int) string
		lines        []string
	}{
		{"Excel in Germany", "Datum;Betrag;Menge;Anteil;PLZ;Breite;Zeit", func(i int) string {
			return fmt.Sprintf("%02d.%02d.2024;%d.%03d,%02d €;%d.%03d;%d,5 %%;0%d;%d,%03d;%02d:%02d", i%31%28+1, i%12+1, i%9+1, i, i%100, i%7+1, i,
				i%100, 1000+i%5, i%9, i, 8+i%10, i%4*15)
		}, []string{
			"{name: Datum, type: DATE, min: 2024-01-01, max: 2024-12-31, fallback: 2024-01-01}\n",
			"{name: Betrag, type: NUMERIC, min: 1000, max: 9200, resolution: 0.01, fallback: 1000}\n",
			"{name: Menge, type: INT64, min: 1000, max: 7200, fallback: 1000}  # review: which of 1,234 and 1.234 is above a thousand? (csv: written)\n",
			"{name: Anteil, type: NUMERIC, min: 0.5, max: 99.5, resolution: 0.5, fallback: 0.5}\n",
			"{name: PLZ, type: STRING, values: [",
			"{name: Breite, type: NUMERIC, min: 0, max: 8.2, resolution: 0.001, fallback: 0}\n",
			`{name: Zeit, type: TIME, min: "00:00:00", max: "23:59:59", resolution: minute, fallback: "00:00:00"}`,
			`csv: {comma: ";", written: {Datum: 31.12.2024, Betrag: "1.234,5", Menge: "1.234,5", Anteil: "1.234,5", Breite: "1.234,5"}}` + "\n",
		}},
		{"shop in the USA", "Order Date,Ship Date,Total,Units,Discount,Balance,Zip,Time", func(i int) string {
			return fmt.Sprintf("%d/%d/2024,%d/%d/24 3:%02d PM,\"$%d,%03d.%02d\",\"%d,%03d\",%d%%,($%d.50),%05d,%d:%02d %s", i%12+1, i%28+1, i%12+1, i%12+1, i%60,
				i%9+1, i, i%100, i%5+1, i, i%100, i%1000, 10000+i%30, i%12+1, i%60, []string{"AM", "PM"}[i%2])
		}, []string{
			"{name: Order Date, type: DATE, min: 2024-01-01, max: 2024-12-31, fallback: 2024-01-01}\n",
			`{name: Ship Date, type: DATETIME, min: "2024-01-01T00:00:00", max: "2024-12-31T23:59:59", resolution: minute, fallback: "2024-01-01T00:00:00"}` + "\n",
			"{name: Total, type: NUMERIC, min: 1000, max: 9200, resolution: 0.01, fallback: 1000}\n",
			"{name: Units, type: INT64, min: 1000, max: 5200, fallback: 1000}  # review: which of 1,234 and 1.234 is above a thousand? (csv: written)\n",
			"{name: Discount, type: INT64, min: 0, max: 99, fallback: 0}",
			"{name: Balance, type: NUMERIC, min: -200, max: 0, resolution: 0.5, fallback: -200}",
			`{name: Time, type: TIME, min: "00:00:00", max: "23:59:59", resolution: minute, fallback: "00:00:00"}`,
			`csv: {written: {Order Date: "12/31/2024", Ship Date: "12/31/2024", Total: "1,234.5", Units: "1,234.5", Discount: "1,234.5", Balance: "1,234.5"}}` + "\n",
		}},
		{"administration in France", "date;naissance;montant", func(i int) string {
			return fmt.Sprintf("%d/%d/2023;%d%02d%02d;%d\u202f%03d,%02d", i%12+1, i*5%12+1, 1930+i%80, i%12+1, i%28+1, i%40+1, i%1000, i%100)
		}, []string{
			"{name: date, type: DATE, min: 2023-01-01, max: 2023-12-31, null: true}  # review: is 03/04/2024 in March, or in April?",
			"{name: naissance, type: DATE, min: 1930-01-01, max: 2009-12-31, null: true}  # review: numbers of eight digits that are all dates",
			"{name: montant, type: NUMERIC, min: 1000, max: 40200, resolution: 0.1, null: true}",
			`csv: {comma: ";", written: {date: 31.12.2024, naissance: 20241231, montant: "1.234,5"}}` + "\n",
		}},
		{"pandas and Spark", "a,b,c,d", func(i int) string {
			return fmt.Sprintf("%d.0,%s,2024-01-%02dT00:00:00.000Z,%s", i, []string{"NaT", "2024-02-03 00:00:00"}[i%2], i%28+1, []string{"inf", "0.25", "<NA>"}[i%3])
		}, []string{
			"{name: a, type: INT64, min: 0, max: 199,", "{name: b, type: DATE, min: 2024-02-03, max: 2024-02-03, null: true}",
			"{name: c, type: DATE, min: 2024-01-01, max: 2024-01-28,", "{name: d, type: NUMERIC, min: 0.25, max: 0.5, resolution: 0.25, null: true}",
			`csv: {null: ["<NA>", "NaT", "inf"]}`,
		}},
		{"Excel in France", "Pays;Montant", func(i int) string { return fmt.Sprintf("%s;%d,5 \x80", []string{"C\xf4te", "Br\xe9sil"}[i%2], i) }, []string{
			`{name: Pays, type: STRING, values: ["Brésil", "Côte"],`, "{name: Montant, type: NUMERIC, min: 0.5,",
			`csv: {comma: ";", encoding: windows-1252, written: {Montant: "1.234,5"}}`,
		}},
		{"MySQL with backslashes", "city;said;sum", func(i int) string {
			return fmt.Sprintf(`%s;"she said \"%s\", twice";%d`, []string{`Paris\; FR`, "Rome"}[i%2], []string{"yes", "no"}[i%2], i)
		}, []string{
			`{name: city, type: STRING, values: ["Paris; FR", Rome],`, `values: ["she said \"no\", twice", "she said \"yes\", twice"],`,
			`csv: {comma: ";", escape: "\\"}`,
		}},
		{"two currencies and codes", "price;code;phone;dose", func(i int) string {
			return fmt.Sprintf("%s%d;A%d;+49%d;%d mg", []string{"$", "€"}[i%2], i, i%10, i%20, i%5)
		}, []string{
			"{name: price, type: INT64, min: 0, max: 199, fallback: 0}\n",
			"{name: code, type: STRING", "{name: phone, type: STRING", "{name: dose, type: STRING",
		}},
	} {
		got := proposed(t, tt.header, 200, func(i int) string {
			if row := tt.row(i); tt.name != "administration in France" || i > 0 {
				return row
			}
			return ";;" // NULL
		})
		t.Run(tt.name, func(t *testing.T) { hasLines(t, got, tt.lines...) })
	}
}

// What Postgres writes: t and f, and times with a zone and without one. The proposal reads every cell.
func TestPostgres(t *testing.T) {
	header := "alive,consent,seen,local,sex"
	row := func(i int) string {
		return fmt.Sprintf("%c,%c,2020-01-%02d 10:%02d:00.%06d+00,2020-01-%02d 10:%02d:00,f", "tf"[i%2], "TF"[i%3%2], i%28+1, i%60, i%2*500_000, i%28+1, i%60)
	}
	got := proposed(t, header, 200, row)
	hasLines(t, got, "{name: alive, type: BOOL, fallback: false}\n", "{name: consent, type: BOOL, fallback: false}\n",
		`{name: seen, type: TIMESTAMP, min: "2020-01-01T00:00:00Z", max: "2020-01-28T23:59:59Z", resolution: minute, fallback: "2020-01-01T00:00:00Z"}  # review: `+coarser+"\n",
		`{name: local, type: DATETIME, min: "2020-01-01T00:00:00", max: "2020-01-28T23:59:59", resolution: minute, fallback: "2020-01-01T00:00:00"}`+"\n",
		"{name: sex, type: STRING, values: [f], fallback: f}\n") // one letter alone may mean another thing
	must.Hold(t, !strings.Contains(got, "written:"), "Postgres needs no forms:\n%s", got)
	file := must.Value(schema.Parse("t.yaml", []byte(got)))(t)
	e := domain.NewEncoder(file.Domain)
	for i := range 200 {
		for k, cell := range strings.Split(row(i), ",") {
			_, usable := e.FromString(k, cell)
			must.Need(t, usable, "%s is no %v", cell, file.Domain.Attributes[k].Type)
		}
	}
}

// A header with blanks after its separators makes cells with blanks.
func TestBlanksInTheHeader(t *testing.T) {
	got := proposed(t, "age, sex, fare", 60, func(i int) string { return fmt.Sprintf("%d, %s, %d.5", i%5, []string{"F", "M"}[i%2], i) })
	hasLines(t, got, "{name: sex, type: STRING, values: [F, M],", "{name: fare, type: NUMERIC, min: 0.5,", "csv: {trim: true}\n")
	must.Hold(t, !strings.Contains(got, "written"), "blanks are a form:\n%s", got)
}

// Of a column of months, quarters or weeks all texts of the form are proposed, of the years that it has, as they are found privately:
// also with few records each, NULLs, marks of NULL, odd texts and a wild year. Columns with too many other texts stay as they are.
func TestPeriods(t *testing.T) {
	for name, p := range map[string]cellkind.Period{"month": cellkind.Months, "quarter": cellkind.Quarters, "plain": cellkind.PlainQuarters, "week": cellkind.Weeks} {
		list := p.Texts(2021, 2024)
		for _, c := range []struct {
			what  string
			rows  int
			cell  func(i int) string
			end   string
			found bool
		}{
			{"alone", 2 * len(list), func(i int) string { return list[i%len(list)] }, fmt.Sprintf("%s], fallback: %s}", list[len(list)-1], list[0]), true},
			{"with NULL", 900, func(i int) string { return []string{"", list[i*7%len(list)]}[min(i%5, 1)] }, list[len(list)-1] + "], null: true}", true},
			{"odd ones", 1000, func(i int) string {
				return []string{"unknown", "NA", "NA", p.Texts(1950, 1950)[0], list[i*7%len(list)]}[min(i%100, 4)]
			}, list[len(list)-1] + "], other: true}", true},
			{"half", 8000, func(i int) string { return []string{"summer", "winter", list[0], list[1]}[i%4] }, list[1] + ", summer, winter], fallback: " + list[0] + "}", false},
		} {
			text := proposed(t, "at;n", c.rows, func(i int) string { return fmt.Sprintf("%s;%d", c.cell(i), i%5) })
			f, err := schema.Parse("t.yaml", []byte(text))
			must.Need(t, err == nil, "%s %s: %v\n%s", name, c.what, err, text)
			must.Hold(t, strings.Contains(inLine(text), c.end) && (len(f.Domain.Attributes[0].Values) == len(list)) == c.found,
				"%s %s: no %q with %d values in\n%s", name, c.what, c.end, len(list), text)
		}
	}
}

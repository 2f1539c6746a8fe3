package schema

import (
	"strings"
	"testing"
)

// TestCanonical has one row per rule; a result of "" is none.
func TestCanonical(t *testing.T) {
	const (
		nbsp, narrow = "\u00a0", "\u202f"
	)
	for _, tt := range []struct {
		form       Written
		cell, want string
	}{
		{PointNumbers, "1,234.50", "1234.50"},
		{PointNumbers, "1234.50", "1234.50"},
		{PointNumbers, "1,234,567", "1234567"},
		{PointNumbers, "12,34,567.8", "1234567.8"}, // lakhs
		{PointNumbers, "1'234'567.8", "1234567.8"},
		{PointNumbers, "1’234", "1234"},
		{PointNumbers, "1,5", ""},
		{PointNumbers, "1,2345", ""},
		{PointNumbers, "1234,567", ""},
		{PointNumbers, "1,234'567", ""},
		{PointNumbers, "12,34", ""},
		{PointNumbers, "1,2,345", ""},
		{PointNumbers, "$1,234", "1234"},
		{PointNumbers, "-$1,234.5", "-1234.5"},
		{PointNumbers, "$-1.5", "-1.5"},
		{PointNumbers, "($1,234.50)", "-1234.50"},
		{PointNumbers, "$(12)", "-12"},
		{PointNumbers, "-(12)", ""},
		{PointNumbers, "US$ 12", "12"},
		{PointNumbers, "12.5 %", "12.5"},
		{PointNumbers, ".5%", ".5"},
		{PointNumbers, "5.", "5."},
		{PointNumbers, "12 kg", ""},
		{PointNumbers, "A12", ""},
		{PointNumbers, ".", ""},
		{PointNumbers, "$", ""},
		{PointNumbers, "", ""},
		{PointNumbers, "()", ""},
		{PointNumbers, "1.2.3", ""},
		{PointNumbers, "1e3", "1e3"},
		{PointNumbers, "1e", ""},
		{CommaNumbers, "1.234,50 €", "1234.50"},
		{CommaNumbers, "EUR 1.234,50", "1234.50"},
		{CommaNumbers, "-1.234", "-1234"},
		{CommaNumbers, "−3,5", "-3.5"},
		{CommaNumbers, "1.234,50-", "-1234.50"}, // SAP
		{CommaNumbers, "-5-", ""},
		{CommaNumbers, "1" + nbsp + "234" + nbsp + "567,5" + nbsp + "€", "1234567.5"},
		{CommaNumbers, "1" + narrow + "234,5" + narrow + "%", "1234.5"},
		{CommaNumbers, "12 345 kr", "12345"},
		{CommaNumbers, ",5", ".5"},
		{CommaNumbers, "1,5E+06", "1.5E+06"}, // Excel
		{CommaNumbers, "48.1372", ""},
		{CommaNumbers, "1.5", ""},
		{DayFirst, "31.12.2024", "2024-12-31"},
		{DayFirst, "1/2/2024", "2024-2-1"},
		{DayFirst, "31-12-24", "2024-12-31"},
		{DayFirst, "31.12.45", "1945-12-31"},
		{DayFirst, "2024-12-31", "2024-12-31"},
		{DayFirst, "31.12/2024", ""},
		{DayFirst, "31.12", ""},
		{DayFirst, "31.12.202", ""},
		{DayFirst, "31.12.2024 23:59", "2024-12-31 23:59"},
		{DayFirst, "31/12/2024, 11:59:00 PM", "2024-12-31 11:59:00 PM"},
		{DayFirst, "31.12.2024x", ""},
		{MonthFirst, "12/31/2024 0:00", "2024-12-31 0:00"},
		{MonthFirst, "1/2/24", "2024-1-2"},
		{NamedMonth, "31-DEC-24", "2024-12-31"},
		{NamedMonth, "31DEC2024", "2024-12-31"},
		{NamedMonth, "Dec 31, 2024", "2024-12-31"},
		{NamedMonth, "September 1, 2024 8:05 AM", "2024-9-1 8:05 AM"},
		{NamedMonth, "31 Abc 2024", ""},
		{NamedMonth, "1.2.2024", ""},
		{NamedMonth, "Dec Jan 2024", ""},
		{PointNumbers, "+1,234", "+1234"},
		{NamedMonth, "31 anf 2024", ""},
		{DateDigits, "20241231", "2024-12-31"},
		{DateDigits, "20241231 23:59", "2024-12-31 23:59"},
		{DateDigits, "202412311", ""},
		{DateDigits, "2024", ""},
	} {
		got, ok := tt.form.Canonical([]byte("rest"), []byte(tt.cell), 2024)
		if ok != (tt.want != "") || ok && string(got) != tt.want {
			t.Errorf("%s: %q is %q, %v; want %q", tt.form, tt.cell, got, ok, tt.want)
		}
	}
}

// FuzzCanonical: no cell is a fault, and what was read is read again as the same.
func FuzzCanonical(f *testing.F) {
	for _, w := range WrittenForms {
		f.Add(string(w))
	}
	f.Add("(US$ 1’234.5e3-%)")
	f.Fuzz(func(t *testing.T, cell string) {
		for _, w := range WrittenForms {
			got, ok := w.Canonical(nil, []byte(cell), 2024)
			if !ok || w == CommaNumbers {
				continue
			}
			if again, same := w.Canonical(nil, got, 2024); w.numbers() && (!same || string(again) != string(got)) {
				t.Errorf("%s: %q, then %q", w, got, again)
			}
		}
	})
}

func TestWrittenFaults(t *testing.T) {
	const head = "privacy_id: none\ncolumns:\n" +
		"  - {name: price, type: NUMERIC, min: 0, max: 10, null: true}\n" +
		"  - {name: born, type: DATE, min: 1900-01-01, max: 2024-12-31, null: true}\n" +
		"  - {name: at, type: TIME, min: 00:00:00, max: 23:59:59, null: true}\n" +
		"  - {name: city, type: STRING, values: [A, B], null: true}\n"
	f, err := Parse("f", []byte(head+"csv: {written: {price: \"1.234,5\", born: 31.12.2024}}\n"))
	if err != nil || len(f.CSV.Written) != 2 || f.CSV.Written["price"] != CommaNumbers || f.CSV.Written["born"] != DayFirst {
		t.Errorf("%v, %v", f, err)
	}
	_, err = Parse("f", []byte(head+"csv: {written: {price: 31.12.2024, born: D.M.Y, city: \"1.234,5\", at: 12/31/2024, town: 1}}\n"))
	_, encoding := Parse("f", []byte(head+"csv: {encoding: latin1}\n"))
	if encoding == nil || !strings.Contains(encoding.Error(), `csv: encoding: got "latin1"; it is one of windows-1252`) {
		t.Error(encoding)
	}
	for text, want := range map[string]string{
		"csv: {mark: true}": "csv: mark: it is for files without a header line",
		"csv: {encoding: windows-1252, mark: true, columns: [price]}": "csv: mark: windows-1252 has no byte order mark",
		"csv: {header: true, columns: [price]}":                       "csv: header: files with a header line have no csv: columns",
	} {
		if _, err := Parse("f", []byte(head+text+"\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, want := range []string{
		`csv: written: column "price" is a NUMERIC, whose forms are "1,234.5", "1.234,5"`,
		`csv: written: born: got "D.M.Y"; the forms are "1,234.5", "1.234,5", "31.12.2024", "12/31/2024", "31 Dec 2024", "20241231"`,
		`csv: written: column "city" is a STRING, which is written in one way only; leave it out`,
		`csv: written: column "at" is a TIME, which is written in one way only`,
		`csv: written: unknown key "town"; the keys are price, born, at, city`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
}

package cellkind

import (
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
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
		must.Hold(t, ok == (tt.want != "") && (!ok || string(got) == tt.want), "%s: %q is %q, %v; want %q", tt.form, tt.cell, got, ok, tt.want)
	}
}

// FuzzCanonical: no cell is a fault, what was read is read again as the same, and what cannot be written so is not.
func FuzzCanonical(f *testing.F) {
	for _, w := range WrittenForms {
		f.Add(string(w))
	}
	for _, cell := range []string{"(US$ 1’234.5e3-%)", "SEK 5", "sept 3, 2024", "R$1", "n5 EUR", "ſep 1 2024"} {
		f.Add(cell)
	}
	f.Fuzz(func(t *testing.T, cell string) {
		for _, w := range WrittenForms {
			got, ok := w.Canonical(nil, []byte(cell), 2024)
			must.Hold(t, !ok || MayBeWritten([]byte(cell)), "%s: %q is read, and may not be written so", w, cell)
			if !ok || w == CommaNumbers {
				continue
			}
			again, same := w.Canonical(nil, got, 2024)
			must.Hold(t, !w.Numbers() || same && string(again) == string(got), "%s: %q, then %q", w, got, again)
		}
	})
}

package discover

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// A text is of one form at most, and one that could be of two is of neither.
func TestForms(t *testing.T) {
	for text, want := range map[string]int{
		"": plainCell, "A1": plainCell, "12 Main St": plainCell, "31.13.2024": plainCell, "1,2,3": plainCell, "00501": plainCell,
		"$1,234.50": pointCell, "1,234": pointCell, "(12.5)": pointCell, "45 %": pointCell, "1.234,50": commaCell, "0,5": commaCell, "12,50 €": commaCell,
		"03/04/2024": eitherDate, "31/12/2024": dayDate, "31.12.24": dayDate, "12/31/2024": monthDate, "12/31/2024 10:15": monthStamp,
		"3/4/2024 23:59:59": eitherStamp, "31-12-2024 07:00": dayStamp, "31 Dec 2024": namedDate, "Dec 31, 2024 8:05 AM": namedStamp,
	} {
		cell, read, kind := form([]byte(text))
		must.Hold(t, cell == want && (cell == plainCell) == (kind == cellkind.Text) && (cell != plainCell || string(read) == text),
			"%q is in cell %d, want %d; %v, read as %q", text, cell, want, kind, read)
	}
}

// Dates and numbers as people write them are found with their form, and codes are categories if some begin with 0.
func TestWrittenColumnsAreFound(t *testing.T) {
	names := []string{"us", "de", "named", "seen", "pay", "paid", "zip", "mixed", "either", "room"}
	var table rows
	for i := range 20_000 {
		day := time.Date(2015+i%9, time.Month(1+i%12), 1+i%28, i%24, i%60, 0, 0, time.UTC)
		price := float64(i%5000) + .25
		mixed := day.Format("01/02/2006")
		if i%2 == 0 {
			mixed = day.Format("02.01.2006")
		}
		table = append(table, []string{
			day.Format("01/02/2006"), day.Format("2.1.06"), day.Format("Jan 2, 2006"), day.Format("1/2/2006 15:04"),
			fmt.Sprintf("$%d,%03d.%02d", 1+i%7, i%1000, i%100), fmt.Sprintf("%d,%02d", i%1000, i%100), []string{"02134", "10001", "94105", "60601"}[i%4],
			mixed, day.Format("01/") + "05/2020", fmt.Sprintf("%.2f m²", price),
		})
	}
	f := foundIn(t, params("", names...), counted(t, params("", names...), table))
	file, err := schema.Parse("found.yaml", f.File("trim: true"))
	must.Need(t, err == nil, "%v\n%s", err, f.File("trim: true"))
	want := map[string]string{
		"us": "DATE 2023-12-31 12/31/2024", "de": "DATE 2023-12-31 31.12.2024", "named": "DATE 2023-12-31 31 Dec 2024",
		"seen": "DATETIME 2023-12-31T23:59:59 12/31/2024", "pay": "NUMERIC 8191.99 1,234.5", "paid": "NUMERIC 1023.99 1.234,5",
		"zip": "STRING  ", "either": "DATE 2020-12-31 31.12.2024",
	}
	for i := range f.Columns {
		c := &f.Columns[i]
		got := fmt.Sprintf("%v %s %s", c.Type, c.Max, c.Written)
		text, there := want[c.Name]
		must.Hold(t, there == (c.Left == "") && (!there || got == text), "%s: %s, left out for %q; want %s", c.Name, got, c.Left, text)
		w := file.CSV.Written[c.Name]
		must.Hold(t, c.Left != "" || w == c.Written, "%s: written as %q in the file, %q as found", c.Name, w, c.Written)
		slices.Sort(c.Values)
		must.Hold(t, c.Name != "zip" || slices.Equal(c.Values, []string{"02134", "10001", "60601", "94105"}), "zip: %q", c.Values)
	}
}

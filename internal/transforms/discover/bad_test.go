package discover

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestFindBadTables: whatever a table holds, something is found or columns are left out with a reason, and the file is a
// domain file. No record ends a discovery.
func TestFindBadTables(t *testing.T) {
	many := func(n int, cell func(i int) string) rows {
		return rowsOf(n, func(i int) []string { return []string{cell(i), fmt.Sprint(i % 50)} })
	}
	mixed := []string{"1", "2024-01-02", "x", "true", "2.5", "12:30"}
	for name, c := range map[string]struct {
		data rows
		left int // columns that are left out
	}{
		"one person":        {many(1, func(int) string { return "a" }), 2},
		"all unique":        {many(3000, func(i int) string { return fmt.Sprint("key-", i) }), 1},
		"mixed types":       {many(12_000, func(i int) string { return mixed[i%len(mixed)] }), 0},
		"long cells, few":   {many(500, func(i int) string { return strings.Repeat("x", 1<<16) + fmt.Sprint(i) }), 1},
		"signs":             {many(3000, func(int) string { return "a\x01b" }), 0},
		"not UTF-8":         {many(3000, func(int) string { return "\xff\xfe" }), 1},
		"nothing but NULL":  {many(3000, func(int) string { return "\x00" }), 1},
		"exponents":         {many(3000, func(i int) string { return fmt.Sprintf("1e-%d", 1+i%400_000_000) }), 0},
		"numbers too large": {many(3000, func(int) string { return "1e999" }), 0},
		"marks of YAML":     {many(3000, func(int) string { return `"]}: # & *` }), 0},
	} {
		p := params("", "odd", "plain")
		f := foundIn(t, p, counted(t, p, c.data))
		if got := len(f.LeftOut()); got != c.left {
			t.Errorf("%s: %d columns are left out, want %d: %+v", name, got, c.left, f.LeftOut())
		}
		for _, out := range f.LeftOut() {
			must.Hold(t, !strings.HasSuffix(out, ": "), "%s: left out without a reason: %s", name, out)
		}
		if len(f.LeftOut()) < 2 {
			must.Passes(schema.Parse(name, f.File("trim: true")))(t, "%s", name)
		}
	}
	var names []string
	wide := make(rows, 20)
	for k := range 2000 {
		names = append(names, fmt.Sprint("c", k))
		for i := range wide {
			wide[i] = append(wide[i], "v")
		}
	}
	p := params("", names...)
	if f := foundIn(t, p, counted(t, p, wide)); len(f.LeftOut()) < 1985 { // noise alone shows one in 1,000, and more than 15 of them in one of 10^8 tables
		t.Errorf("of 20 rows with 2,000 columns %d are left out", len(f.LeftOut()))
	}
}

package oracles

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// seen is what an oracle sees in a file.
type seen struct {
	Rows    int      `json:"rows"`
	Groups  int      `json:"groups"`
	Root    string   `json:"root"` // repetition of the schema's root; empty if the oracle hides it
	Columns []column `json:"columns"`
}

type column struct {
	Name     string     `json:"name"`
	Type     string     `json:"type"`     // in the oracle's words
	Optional bool       `json:"optional"` // OPTIONAL, not REQUIRED
	Cells    []string   `json:"cells"`
	Footer   []footer   `json:"footer"` // one for each row group
	Sum      *float64   `json:"sum"`    // as the oracle adds up the cells
	Range    [2]*string `json:"range"`  // as the oracle finds the least and the largest cell
}

// footer is the statistics of a column chunk.
type footer struct {
	Nulls *int    `json:"nulls"`
	Min   *string `json:"min"`
	Max   *string `json:"max"`
}

// undeclared makes of the NUMERIC of these tests, of four digits with two places, the widest one.
var undeclared = strings.NewReplacer("(4, 2)", "(38, 9)", "(4,2)", "(38,9)", "=4", "=38", "=2", "=9", " 4 2", " 38 9")

// check compares all that an oracle sees with what was written. types are the oracle's words for our
// types; loose ones are compared as float64 only.
func (w *written) check(t *testing.T, got *seen, types map[domain.Type]string, loose ...domain.Type) {
	t.Helper()
	want := w.cells()
	rows := len(want[0])
	must.Need(t, got.Rows == rows && got.Groups == w.groups() && len(got.Columns) == len(want),
		"%d rows in %d groups of %d columns, want %d, %d, %d", got.Rows, got.Groups, len(got.Columns), rows, w.groups(), len(want))
	if got.Root != "" && got.Root != "NULL" && got.Root != "REQUIRED" { // the format gives the root none
		t.Errorf("the root is %s", got.Root)
	}
	for k := range want {
		a, c := &w.d.Attributes[k], &got.Columns[k]
		typ := types[a.Type]
		if a.Type == domain.Numeric && len(a.Cuts) == 0 { // no range is declared
			typ = undeclared.Replace(typ)
		}
		must.Hold(t, c.Name == a.Name && c.Optional == a.Null && c.Type == typ,
			"column %q, optional %v, of type %q; want %q, %v, %q", c.Name, c.Optional, c.Type, a.Name, a.Null, typ)
		if slices.Contains(loose, a.Type) {
			sameNumbers(t, a.Name, c.Cells, want[k])
			continue
		} else if !slices.Equal(c.Cells, want[k]) {
			t.Errorf("column %s: other cells", a.Name)
		}
		w.checkFooter(t, a, c.Footer, want[k])
		checkTotals(t, a, c, want[k])
	}
}

// sameNumbers compares NUMERIC cells that an oracle knows as float64 only.
func sameNumbers(t *testing.T, name string, got, want []string) {
	t.Helper()
	must.Need(t, len(got) == len(want), "column %s: %d cells, want %d", name, len(got), len(want))
	for i := range want {
		if got[i] == want[i] {
			continue
		}
		x, err1 := strconv.ParseFloat(got[i], 64)
		y, err2 := strconv.ParseFloat(want[i], 64)
		// Three roundings, of 2^-53 each: to float64, times 10^-9, back.
		must.Need(t, err1 == nil && err2 == nil && math.Abs(x-y/1e9) <= 1e-15*math.Abs(y/1e9), "column %s, row %d: %s is not %s", name, i, got[i], want[i])
	}
}

// checkFooter compares null counts, and ranges where the oracle shows them in our form.
func (w *written) checkFooter(t *testing.T, a *domain.Attribute, groups []footer, cells []string) {
	t.Helper()
	size := int(w.o.GroupRows)
	if size == 0 {
		size = 1 << 18
	}
	for g, f := range groups {
		part := cells[g*size : min(len(cells), (g+1)*size)]
		must.Hold(t, f.Nulls != nil && *f.Nulls == nulls(part), "column %s, group %d: the footer states other NULLs", a.Name, g)
		lo, hi, any := ends(a, part)
		if f.Min != nil && (!any || *f.Min != lo) || f.Max != nil && (!any || *f.Max != hi) {
			t.Errorf("column %s, group %d: the footer states other ends than %q, %q: %q, %q", a.Name, g, lo, hi, show(f.Min), show(f.Max))
		}
		must.Hold(t, !any || f.Min != nil && f.Max != nil, "column %s, group %d: the footer states no ends", a.Name, g)
	}
}

func show(s *string) string {
	if s == nil {
		return "none"
	}
	return *s
}

// checkTotals compares sums and ends that the oracle itself computes.
func checkTotals(t *testing.T, a *domain.Attribute, c *column, cells []string) {
	t.Helper()
	if c.Sum != nil {
		sum, scale := 0.0, 0.0
		for _, s := range cells {
			if s != null {
				x := must.Value(strconv.ParseFloat(s, 64))(t)
				sum, scale = sum+x, scale+math.Abs(x)
			}
		}
		// A sum of n terms is off by less than n·2^-53 of the terms' size, ours and theirs.
		must.Hold(t, math.Abs(sum-*c.Sum) <= float64(len(cells)+1)*2.3e-16*scale, "column %s: sum %g, want %g", a.Name, *c.Sum, sum)
	}
	if c.Range != [2]*string{} {
		if lo, hi, any := ends(a, cells); !any || show(c.Range[0]) != lo || show(c.Range[1]) != hi {
			t.Errorf("column %s: ends %q, %q, want %q, %q", a.Name, show(c.Range[0]), show(c.Range[1]), lo, hi)
		}
	}
}

// ends returns the least and the largest cell that is neither NULL nor NaN, if there is one. The format
// has a zero at the lower end be −0 and at the upper end be +0, whichever there is.
func ends(a *domain.Attribute, cells []string) (lo, hi string, any bool) {
	for _, c := range cells {
		if c == null || c == "nan" {
			continue
		}
		if !any || less(a, c, lo) {
			lo = c
		}
		if !any || less(a, hi, c) {
			hi = c
		}
		any = true
	}
	if a.Type == domain.Float64 && any {
		if number(lo) == 0 {
			lo = floatText(math.Copysign(0, -1))
		}
		if number(hi) == 0 {
			hi = floatText(0)
		}
	}
	return lo, hi, any
}

func less(a *domain.Attribute, x, y string) bool {
	switch a.Type {
	case domain.String:
		return x < y
	case domain.Float64:
		return number(x) < number(y)
	}
	if neg := x[0] == '-'; neg != (y[0] == '-') {
		return neg
	} else if neg {
		x, y = y[1:], x[1:]
	}
	return len(x) < len(y) || len(x) == len(y) && x < y
}

// number reads a text of floatText.
func number(s string) float64 {
	b, err := strconv.ParseUint(s, 16, 64)
	if err != nil {
		return math.NaN()
	}
	return math.Float64frombits(b)
}

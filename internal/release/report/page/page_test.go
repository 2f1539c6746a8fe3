package page

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/pagetest"
)

func TestFormats(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Percent(.1234, 1), "12.3\u00a0%"}, {Percent(-.00001, 1), "0.0\u00a0%"}, {Percent(-.5, 0), "-50\u00a0%"},
		{Figures(.001234, 2), "0.12\u00a0%"}, {Figures(.5, 2), "50\u00a0%"}, {Figures(0, 2), "0\u00a0%"}, {Figures(1e-12, 2), "0.000000\u00a0%"},
		{Count(1234567.4), "1,234,567"}, {Count(-1000), "-1,000"}, {Count(-.2), "0"},
		{Small(1e-9), "10⁻⁹"}, {Small(2.5e-5), "2.5·10⁻⁵"}, {Small(1.23456e-10), "1.23·10⁻¹⁰"}, {Small(.05), "0.05"}, {Small(0), "0"},
		{Short("häßlich", 4), "häß…"}, {Short("ab", 2), "ab"},
		{fmt.Sprint(Decimals(.002), Decimals(.0002), Decimals(.5), Decimals(0), Decimals(1e-12)), "2 3 0 1 5"},
	} {
		must.Hold(t, c.got == c.want, "got %q, want %q", c.got, c.want)
	}
}

// TestPicturesStayInside: no path leaves its picture, whatever the shares, so that nothing is cut off.
func TestPicturesStayInside(t *testing.T) {
	cells := func(n int, share, err float64) (list []Bar) {
		for i := range n {
			list = append(list, Bar{Label: fmt.Sprint(i), Share: share, Error: err, Other: share * 1.5, Apart: i == n-1 && n > 1})
		}
		return list
	}
	for _, b := range []Bars{
		{}, {Ordered: true}, {Cells: cells(1, 0, 0)}, {Cells: cells(1, 1, 2)}, {Cells: cells(1000, 1e-3, math.NaN())},
		{Ordered: true, Cells: cells(1, 1, 0)}, {Ordered: true, Cells: cells(5, .2, .3)}, {Ordered: true, Cells: cells(5000, 2e-4, 1)},
		{Ordered: true, Paired: true, Cells: cells(90, .01, 0)}, {Paired: true, Cells: cells(9, .1, 0)},
		{Ordered: true, Cells: cells(5, .2, .3), Fine: []float64{.5, 0, .3, 0}},
	} {
		if h := b.Histogram(); h != nil {
			for _, path := range []string{h.Fill, h.Apart, h.Other, h.Errors} {
				inside(t, path, float64(h.Width), 100)
			}
		}
		for _, r := range b.List() {
			for _, path := range []string{r.Fill, r.Other, r.Error} {
				inside(t, path, 1000, 10)
			}
		}
		rows := b.Table()
		must.Hold(t, len(rows) <= tabled, "%d rows of figures", len(rows))
	}
	for _, p := range (Split{Labels: make([]string, 20), Shares: []float64{.5, 0, 1e-9, .5}}).Parts() {
		inside(t, p.Path, 1000, 10)
	}
}

var step = regexp.MustCompile(`([MHVhvz])(-?[\d.]+)?(?: (-?[\d.]+))?`)

// inside follows a path.
func inside(t *testing.T, path string, width, height float64) {
	t.Helper()
	x, y := 0.0, 0.0
	must.Need(t, !strings.Contains(path, "NaN") && !strings.Contains(path, "Inf"), "%.80s", path)
	for _, m := range step.FindAllStringSubmatch(path, -1) {
		var a, b float64
		fmt.Sscan(m[2], &a)
		fmt.Sscan(m[3], &b)
		switch m[1] {
		case "M":
			x, y = a, b
		case "H":
			x = a
		case "V":
			y = a
		case "h":
			x += a
		case "v":
			y += a
		}
		must.Need(t, x >= -.1 && x <= width+.1 && y >= -.1 && y <= height+.1, "(%g, %g) is outside of %g by %g in %.80s", x, y, width, height, path)
	}
}

// Figures of a list: the most frequent values, and what the others hold together.
func TestManyValues(t *testing.T) {
	b := Bars{Name: "x", Series: []string{"share", "95 %"}}
	for i := range 1000 {
		b.Cells = append(b.Cells, Bar{Label: fmt.Sprint("v", i), Share: float64(i) / 499500})
	}
	list := b.List()
	must.Hold(t, len(list) == listed && list[0].Label == "v999" && list[0].Figures[0] == "0.2\u00a0%", "%v %v", len(list), list[0])
	want := "The 12 most frequent of 1,000 values; the others have 97.6\u00a0% together."
	must.Hold(t, b.Rest() == want, "got %q, want %q", b.Rest(), want)
	must.Equal(t, len(b.Table()), 1000, "rows of figures")
}

func TestHeat(t *testing.T) {
	h := Heat{Names: []string{"a", "b", "c"}, Values: [][]float64{{0, .5, math.NaN()}, {.5, 0, 1}, {math.NaN(), 1, 0}}}
	rows := h.Rows()
	got := fmt.Sprint(rows[0].Cells, rows[2].Cells[1])
	must.Hold(t, got == "[{self  } {h4 .50 } {hx – }] {h7 1 }", "%v", got)
	legend := h.Legend()
	must.Hold(t, legend[len(legend)-1].Class == "hx", "unknown pairs are not explained")
	big := Heat{Names: make([]string, 200), Values: make([][]float64, 200)}
	for i := range big.Values {
		big.Values[i] = make([]float64, 200)
	}
	must.Hold(t, big.Rows() == nil && len(big.Levels()) == 1, "a large map is no picture of one shade")
}

// A map with columns of its own has figures on its diagonal, and numbers for the columns that its rows are called as.
func TestHeatWithColumns(t *testing.T) {
	h := Heat{Names: []string{"first", "a", "b"}, Columns: []string{"a", "b"}, Values: [][]float64{{.5, .5}, {1, 0}, {math.NaN(), math.NaN()}}, Top: .5}
	got := fmt.Sprint(h.Rows(), h.Heads(), h.N(), h.Height())
	must.Hold(t, got == "[{first 0 [{h7 .50 } {h7 .50 }]} {a 1 [{h7 1 } {h0 .00 }]} {b 2 [{hx – } {hx – }]}] [{a 1 []} {b 2 []}] 2 3", "%v", got)
	got = fmt.Sprint(h.Levels())
	must.Hold(t, got == "[{h0  M1 1h1v1h-1z} {h7  M0 0h1v1h-1zM1 0h1v1h-1zM0 1h1v1h-1z} {hx  M0 2h1v1h-1zM1 2h1v1h-1z}]", "%v", got)
}

// TestHostileText: whatever names and labels hold, the page is well-formed and holds no element of theirs.
func TestHostileText(t *testing.T) {
	tmpl := Parse(`{{define "header"}}<h1>{{.Name}}</h1>{{end}}{{define "contents"}}{{end}}{{define "main"}}{{template "bars" .}}{{end}}`)
	for _, text := range pagetest.Hostile {
		for _, ordered := range []bool{false, true} {
			b := Bars{Name: text, Note: text, Ordered: ordered, Ticks: []string{text, text}, Series: []string{"share", "95 %"},
				Cells: []Bar{{Label: text, Share: .5}, {Label: text, Share: .5, Apart: true}}}
			var page bytes.Buffer
			must.Do(t, Write(&page, tmpl, Head{Title: text, Banner: text}, b))
			pagetest.WellFormed(t, page.Bytes())
		}
	}
	must.Fail(t, Write(io.Discard, template.New("x"), Head{}, nil), "", "a template without layout is no error")
}

// TestSplitColours: no two parts of a bar share a colour, whatever their number.
func TestSplitColours(t *testing.T) {
	for _, n := range []int{1, 9, 12, 13, 40} {
		s := Split{}
		for i := range n {
			s.Labels, s.Shares = append(s.Labels, fmt.Sprint(i)), append(s.Shares, 1/float64(n))
		}
		seen := map[string]bool{}
		for _, p := range s.Parts() {
			must.Hold(t, !seen[p.Class] && strings.Contains(style, "path."+p.Class+"{"), "of %d parts: the colour %s is there twice or nowhere", n, p.Class)
			seen[p.Class] = true
		}
	}
}

package evaluate

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/internal/release/report/page"
)

const (
	textItems = 4 // columns, and pairs of columns, that are listed
	textWidth = 80
)

// WriteText writes the report for a terminal of 80 columns, in at most 20 lines: scores, and the columns and pairs of
// largest total variation. The JSON form and the page have all.
func (r *Report) WriteText(w io.Writer) error {
	var b bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	r.writeHead(&b)
	c := &r.Real
	if p := c.People; p != nil {
		line("people        true %s, synthetic %s; TV of rows per person %s", thousands(p.True), thousands(p.Synthetic), share(p.RowsPerson.TV))
		if q := p.Sequences; q != nil {
			list := q.errors()
			line("in order      TV of a row and the one before %s, shuffled %s; gaps %s, %s", share(list[0].TV), share(list[0].Dealt), share(q.Gaps.TV), share(q.Gaps.Dealt))
		}
	}
	if v := c.Values; v != nil {
		line("SDMetrics     Column Shapes %s, Column Pair Trends %s; 1 is best", v.Shapes.Average, strings.TrimLeft(v.Trends.Average.String(), " "))
		if left := slices.DeleteFunc(slices.Clone(v.Shapes.Items), func(i Item) bool { return i.Reason == "" }); len(left) > 0 {
			more := ""
			if n := len(left) - 1; n > 0 {
				more = fmt.Sprintf(", and %d more %s", n, page.Plural(n, "column"))
			}
			line("  without     %s: %s%s", page.Short(left[0].Columns[0], 18), left[0].Reason, more)
		}
	}
	line("average TV    %s; 0 is best", averages(c.Widths))
	if h := r.Holdout; h != nil {
		line("  holdout     %s, synthetic table", averages(h.Synthetic.Widths))
		line("  holdout     %s, true table", averages(h.Real))
	}
	if q := c.Queries; q != nil {
		line("queries       %s linear ones, average error %s, largest %s", thousands(q.Number), share(q.Average), share(q.Largest))
	}
	if x := c.Violations; x != nil {
		line("impossible    true %s rows, synthetic %s rows", thousands(x.Real), thousands(x.Synthetic))
	}
	if n := len(r.Follows); n > 0 {
		line("follows       %s %s; `dapple check` writes the map%s", r.Follows[0].Entry, r.Follows[0].Records, map[bool]string{true: fmt.Sprintf(", and %d more", n-1)}[n > 1])
	}
	if v := c.Values; v != nil {
		line("scores        %s", ownRanges)
		columns, pairs := farthest(v.Shapes.Items), farthest(v.Trends.Items)
		line("\n%-33s %s", "    TV  score  column", "    TV  score  pair")
		for i := range min(textItems, max(len(columns), len(pairs))) {
			line("%s", strings.TrimRight(fmt.Sprintf("%-33s %s", scoreLine(columns, i, 18), scoreLine(pairs, i, 32)), " "))
		}
	}
	return writeAll(w, b.Bytes())
}

func (r *Report) writeHead(b *bytes.Buffer) {
	fmt.Fprintf(b, "%s\n\nSynthetic table (%s rows) against the true table (%s rows)\n", r.NotPrivate, thousands(r.Real.SyntheticRows), thousands(r.Real.TrueRows))
}

func writeAll(w io.Writer, text []byte) error {
	if _, err := w.Write(text); err != nil {
		return fmt.Errorf("evaluate: write text: %w", err)
	}
	return nil
}

// averages lists the average TV of marginals by width.
func averages(widths []Width) string {
	var parts []string
	for _, k := range widths {
		parts = append(parts, fmt.Sprintf("%d-way %s", k.K, share(k.AverageTV)))
	}
	return strings.Join(parts, ", ")
}

// ownRanges says how SDMetrics' score of a pair may differ from its total variation.
const ownRanges = "SDMetrics bins each table by its own range: a far value moves all"

// farthest returns the items of largest total variation, those without one last, by their scores.
func farthest(items []Item) []Item {
	items = slices.Clone(items)
	slices.SortStableFunc(items, func(x, y Item) int {
		return cmp.Or(cmp.Compare(y.TV.orElse(-1), x.TV.orElse(-1)), cmp.Compare(x.Score.orElse(2), y.Score.orElse(2)))
	})
	return items
}

func scoreLine(items []Item, i, width int) string {
	if i >= len(items) {
		return ""
	}
	return fmt.Sprintf("%s %s  %s", items[i].TV, items[i].Score, page.Short(strings.Join(items[i].Columns, " × "), width))
}

// orElse returns the score, or x if it is not defined.
func (s Score) orElse(x float64) float64 {
	if !s.Defined() {
		return x
	}
	return float64(s)
}

// String returns the score with four decimals, or a dash of the same width.
func (s Score) String() string {
	if !s.Defined() {
		return "     –"
	}
	return strconv.FormatFloat(float64(s), 'f', 4, 64)
}

// share writes an error in at most 9 characters and at least 3 digits.
func share(x float64) string {
	if x != 0 && x < 1e-3 {
		return strconv.FormatFloat(x, 'e', 2, 64)
	}
	return strconv.FormatFloat(x, 'f', 5, 64)
}

// thousands writes n with a comma after every three digits.
func thousands(n int) string { return page.Count(float64(n)) }

// percent writes a share in at most 6 characters.
func percent(s Score) string {
	if !s.Defined() {
		return "–"
	}
	return strconv.FormatFloat(100*float64(s), 'f', 1, 64) + "%"
}

package evaluate

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/internal/report/page"
)

const (
	textItems = 5 // columns, and pairs of columns, that the short text lists
	textMore  = 10
	textCells = 2 // cells of each of the worst marginals
	textWidth = 80
)

// WriteText writes the report for a terminal of 80 columns, in at most 20 lines: scores, and the columns and pairs of
// lowest score.
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
	if v := c.Values; v != nil {
		columns, pairs := lowest(v.Shapes.Items), lowest(v.Trends.Items)
		line("\n%-31s %s", "lowest Column Shapes", "lowest Column Pair Trends")
		for i := range min(textItems, max(len(columns), len(pairs))) {
			line("%s", strings.TrimRight(fmt.Sprintf("%-31s %s", scoreLine(columns, i, 22), scoreLine(pairs, i, 40)), " "))
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

// lowest returns the items that have a score, the lowest first.
func lowest(items []Item) []Item {
	items = slices.DeleteFunc(slices.Clone(items), func(i Item) bool { return !i.Score.Defined() })
	slices.SortStableFunc(items, func(x, y Item) int { return cmp.Compare(x.Score, y.Score) })
	return items
}

func scoreLine(items []Item, i, width int) string {
	if i >= len(items) {
		return ""
	}
	return fmt.Sprintf("%s  %s", items[i].Score, page.Short(strings.Join(items[i].Columns, " × "), width))
}

// WriteDetails writes the whole report. Of columns and pairs it lists the ten of lowest score, and of the worst marginals
// the cells that differ most; the JSON form has all.
func (r *Report) WriteDetails(w io.Writer) error {
	var b bytes.Buffer
	r.writeHead(&b)
	fmt.Fprintln(&b)
	r.Real.People.writeText(&b, r.Real.TrueRows, r.Real.SyntheticRows)
	r.Real.Values.writeText(&b)
	fmt.Fprintf(&b, "Marginals. TV, total variation: the share of the rows that would have to change\nfor a marginal to be exact; cells are shares of the rows\n\n")
	writeWidths(&b, r.Real.Widths)
	fmt.Fprintln(&b)
	r.Real.Queries.writeText(&b)
	r.Real.Violations.writeText(&b)
	writeWorst(&b, r.Real.Worst)
	if r.Holdout != nil {
		fmt.Fprintln(&b)
		r.Holdout.writeText(&b)
	}
	return writeAll(w, b.Bytes())
}

func (h *Holdout) writeText(b *bytes.Buffer) {
	rows := thousands(h.Synthetic.TrueRows)
	fmt.Fprintf(b, "Population error: synthetic table against the holdout (%s rows)\n\n", rows)
	writeWidths(b, h.Synthetic.Widths)
	fmt.Fprintf(b, "\nThe floor: the true table itself against the holdout\n\n")
	writeWidths(b, h.Real)
	if v := h.Synthetic.Values; v != nil {
		fmt.Fprintf(b, "\nHoldout by SDMetrics: Column Shapes %s, Column Pair Trends %s\n", v.Shapes.Average, v.Trends.Average)
	}
}

func writeWidths(b *bytes.Buffer, widths []Width) {
	fmt.Fprintf(b, "%2s %9s %11s %9s %9s %9s\n", "", "", "", "average", "largest", "largest")
	fmt.Fprintf(b, "%2s %9s %11s %9s %9s %9s\n", "k", "marginals", "cells", "TV", "TV", "cell")
	for _, row := range widthRows(widths) {
		fmt.Fprintf(b, "%2s %9s %11s %9s %9s %9s\n", row[0], row[1], row[2], row[3], row[4], row[5])
	}
}

// writeProperty lists the items of lowest score, lowest first, those without a score last.
func writeProperty(b *bytes.Buffer, name string, p Property) {
	fmt.Fprintf(b, "%-20s average %s\n", name, p.Average)
	items := slices.Clone(p.Items)
	slices.SortStableFunc(items, func(x, y Item) int { return cmp.Compare(x.Score.rank(), y.Score.rank()) })
	for _, item := range items[:min(textMore, len(items))] {
		name := strings.Join(item.Columns, " × ")
		if item.Reason != "" {
			name += ": " + item.Reason
		}
		fmt.Fprintf(b, "  %s  %-21s  %s\n", item.Score, item.Metric, page.Short(name, 47))
	}
	if rest := len(items) - textMore; rest > 0 {
		fmt.Fprintf(b, "  and %s more, none lower\n", thousands(rest))
	}
	fmt.Fprintln(b)
}

func writeWorst(b *bytes.Buffer, worst []Marginal) {
	fmt.Fprintf(b, "Worst marginals\n%7s %8s %8s\n", "TV", "true", "synth.")
	for _, m := range worst {
		fmt.Fprintf(b, "%7.5f  %s\n", m.TV, page.Short(strings.Join(m.Columns, " × "), textWidth-9))
		for _, c := range m.Largest[:min(textCells, len(m.Largest))] {
			fmt.Fprintf(b, "%7s %8.5f %8.5f  %s\n", "", c.Real, c.Synthetic, page.Short(strings.Join(c.Labels, ", "), textWidth-27))
		}
	}
}

// rank orders scores with the undefined ones last.
func (s Score) rank() float64 {
	if !s.Defined() {
		return 2
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

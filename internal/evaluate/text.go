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
	textItems = 10 // columns, and pairs of columns, that the text form lists
	textCells = 2  // cells of each of the worst marginals that it lists
	textWidth = 80
)

// WriteText writes the report for a terminal of 80 columns. Of the columns and pairs it lists those of
// lowest score, and of the worst marginals the cells that differ most; the JSON form has all.
func (r *Report) WriteText(w io.Writer) error {
	var b bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s\n", r.NotPrivate)
	line("Synthetic table (%s rows) against the true table (%s rows)\n",
		thousands(r.Real.SyntheticRows), thousands(r.Real.TrueRows))
	r.Real.People.writeText(&b, r.Real.TrueRows, r.Real.SyntheticRows)
	r.Real.Values.writeText(&b)
	line("On the domain's cells. TV, total variation: the share of the rows that would\nhave to change for a marginal to be exact; cells are shares of the rows\n")
	writeWidths(&b, r.Real.Widths)
	line("")
	for _, k := range r.Real.Widths {
		line("%d-way score %.1f: as good as a random subsample of %s true rows",
			k.K, k.Score, thousands(k.SubsampleRows))
	}
	line("")
	if v := r.Real.Values; v != nil && v.OwnBins != nil {
		line("In the bins that the release has learned, to which its predicted errors refer\n")
		writeWidths(&b, v.OwnBins)
		line("")
	}
	writeProperty(&b, "Columns on cells", r.Real.CellShapes)
	writeProperty(&b, "Pairs on cells", r.Real.CellTrends)
	r.Real.Queries.writeText(&b)
	r.Real.Violations.writeText(&b)
	writeWorst(&b, r.Real.Worst)
	if r.Holdout != nil {
		line("")
		r.Holdout.writeText(&b)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("evaluate: write text: %w", err)
	}
	return nil
}

func (h *Holdout) writeText(b *bytes.Buffer) {
	rows := thousands(h.Synthetic.TrueRows)
	fmt.Fprintf(b, "Population error: synthetic table against the holdout (%s rows)\n\n", rows)
	writeWidths(b, h.Synthetic.Widths)
	fmt.Fprintf(b, "\nThe floor: the true table itself against the holdout\n\n")
	writeWidths(b, h.Real)
	fmt.Fprintf(b, "\nHoldout on cells: columns %s, pairs %s\n", h.Synthetic.CellShapes.Average, h.Synthetic.CellTrends.Average)
	if v := h.Synthetic.Values; v != nil {
		fmt.Fprintf(b, "Holdout by SDMetrics: Column Shapes %s, Column Pair Trends %s\n", v.Shapes.Average, v.Trends.Average)
	}
}

func writeWidths(b *bytes.Buffer, widths []Width) {
	fmt.Fprintf(b, "%2s %9s %11s %9s %9s %9s %9s %9s\n", "", "", "", "average", "largest", "largest", "mean", "rms")
	fmt.Fprintf(b, "%2s %9s %11s %9s %9s %9s %9s %9s\n", "k", "marginals", "cells", "TV", "TV", "cell", "cell", "cell")
	for _, k := range widths {
		fmt.Fprintf(b, "%2d %9s %11s %9s %9s %9s %9s %9s\n", k.K, thousands(k.Marginals), thousands(int(k.Cells)),
			share(k.AverageTV), share(k.LargestTV), share(k.LargestCell), share(k.MeanCell), share(k.RMSCell))
	}
}

// writeProperty lists the items of lowest score, lowest first, those without a score last.
func writeProperty(b *bytes.Buffer, name string, p Property) {
	fmt.Fprintf(b, "%-20s average %s\n", name, p.Average)
	items := slices.Clone(p.Items)
	slices.SortStableFunc(items, func(x, y Item) int { return cmp.Compare(x.Score.rank(), y.Score.rank()) })
	for _, item := range items[:min(textItems, len(items))] {
		name := strings.Join(item.Columns, " × ")
		if item.Reason != "" {
			name += ": " + item.Reason
		}
		fmt.Fprintf(b, "  %s  %-21s  %s\n", item.Score, item.Metric, page.Short(name, 47))
	}
	if rest := len(items) - textItems; rest > 0 {
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

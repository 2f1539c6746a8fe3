package evaluate

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/internal/report/page"
)

// writeText writes nothing if only cells are known.
func (v *Values) writeText(b *bytes.Buffer) {
	if v == nil {
		return
	}
	line := func(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }
	line("Values. SDMetrics %s, QualityReport; 1 is best", v.SDMetrics)
	if v.Every != [2]int{1, 1} {
		line("of one row in %d of the true table and one row in %d of the synthetic one", v.Every[0], v.Every[1])
	}
	line("\nColumn Shapes %s, Column Pair Trends %s, overall %s", v.Shapes.Average, v.Trends.Average, v.Overall)
	line("Pair Trends with both tables in bins of the true one's range: %s", v.TrueBins.Average)
	line("Pairs with a score have |r| > %v or Cramér's V > %v in the true table: %d of %d\n", correlated, associated,
		len(lowest(v.Trends.Items)), len(v.Trends.Items))
	writeProperty(b, "Column Shapes", v.Shapes)
	writeProperty(b, "Column Pair Trends", Property{Average: v.Trends.Average, Items: lowest(v.Trends.Items)})
	writeColumns(b, v.Columns)
}

// writeColumns sets each column of the true table beside that of the synthetic one.
func writeColumns(b *bytes.Buffer, columns []Column) {
	fmt.Fprintf(b, "Columns: true above synthetic\n%-13s %9s %9s %10s %10s %10s %6s %6s\n", "", "mean", "sd", "5 %", "median", "95 %", "zero", "NULL")
	for i := range columns {
		c := &columns[i]
		if c.SDType == categorical.String() || c.SDType == boolean.String() {
			continue
		}
		for k, s := range []*Summary{&c.Real, &c.Synthetic} {
			name := page.Short(c.Name, 13)
			if k == 1 {
				name = ""
			}
			fmt.Fprintf(b, "%-13s %9s %9s %10s %10s %10s %6s %6s\n", name, c.figure(s.Mean), c.spread(s.SD),
				c.quantile(s, .05), c.quantile(s, .5), c.quantile(s, .95), percent(s.Zeros), percent(s.Nulls))
		}
	}
	fmt.Fprintf(b, "\nMost frequent values: true, synthetic\n")
	for i := range columns {
		c := &columns[i]
		var parts []string
		for _, f := range c.Frequent[:min(3, len(c.Frequent))] {
			parts = append(parts, fmt.Sprintf("%s %s, %s", page.Short(f.Value, 16), percent(Score(f.Real)), percent(Score(f.Synthetic))))
		}
		fmt.Fprintf(b, "%-13s %s\n", page.Short(c.Name, 13), page.Short(strings.Join(parts, "; "), textWidth-14))
	}
	fmt.Fprintln(b)
}

// figure writes a mean, which of dates and times is left to the quantiles.
func (c *Column) figure(x Score) string {
	if !x.Defined() || c.SDType == datetime.String() || c.Type == "TIME" {
		return "–"
	}
	return short(float64(x))
}

// spread writes a standard deviation, of dates and times in days or hours.
func (c *Column) spread(x Score) string {
	switch {
	case !x.Defined():
		return "–"
	case c.Type == "DATE":
		return short(float64(x)) + " d"
	case c.SDType == datetime.String():
		return short(float64(x)/86400e6) + " d"
	case c.Type == "TIME":
		return short(float64(x)/3600e6) + " h"
	}
	return short(float64(x))
}

func (c *Column) quantile(s *Summary, p float64) string {
	for _, q := range s.Quantiles {
		if q.P == p {
			if c.SDType == datetime.String() || c.Type == "TIME" {
				return q.Text[:min(len(q.Text), 10)]
			}
			return short(q.Value)
		}
	}
	return "–"
}

// short writes a number in at most 9 characters.
func short(x float64) string {
	if a := math.Abs(x); a >= 1e6 || a > 0 && a < 1e-3 {
		return strconv.FormatFloat(x, 'e', 2, 64)
	}
	return strconv.FormatFloat(x, 'g', 5, 64)
}

// percent writes a share in at most 6 characters.
func percent(s Score) string {
	if !s.Defined() {
		return "–"
	}
	return strconv.FormatFloat(100*float64(s), 'f', 1, 64) + "%"
}

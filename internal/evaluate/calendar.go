package evaluate

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/report/page"
)

// Cycle is how the dates or times of a column lie in a week, Monday first, or in a day, by hours from midnight: shares
// of the values that are not NULL, in each table.
type Cycle struct {
	Real      []float64 `json:"real"`
	Synthetic []float64 `json:"synthetic"`
}

var weekdays = []string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}

// thursday is the day of the week of 1970-01-01, with which native units begin.
const thursday = 3

// cycles returns how dates lie in the week and times in the day; nil if the column has none. Dates written as times at
// midnight have no hours.
func cycles(t, o *values) (week, hours *Cycle) {
	if t.attr.Type == domain.Time || t.kind == datetime && t.attr.Type != domain.Date {
		hours = newCycle(t, o, 24, hourOf)
	}
	if t.kind == datetime {
		week = newCycle(t, o, len(weekdays), func(a *domain.Attribute, x float64) int {
			d := math.Floor(x/float64(a.Type.Facts().Day)) + thursday
			return int(d - 7*math.Floor(d/7))
		})
		if hours != nil && hours.Real[0] == 1 && hours.Synthetic[0] == 1 {
			hours = nil
		}
	}
	return week, hours
}

func hourOf(a *domain.Attribute, x float64) int {
	day := math.Floor(x / microsPerDay)
	return int((x - day*microsPerDay) / microsPerDay * 24)
}

const microsPerDay = 86_400e6

func newCycle(t, o *values, parts int, of func(a *domain.Attribute, x float64) int) *Cycle {
	shares := func(v *values) []float64 {
		out, n := make([]float64, parts), 0.0
		for _, x := range v.numbers {
			if x == x {
				out[of(v.attr, x)]++
				n++
			}
		}
		for i := range out {
			out[i] /= max(n, 1)
		}
		return out
	}
	return &Cycle{shares(t), shares(o)}
}

// writeCycles sets days of the week and hours, three together, of the true table above those of the synthetic one.
func writeCycles(b *bytes.Buffer, columns []Column) {
	lines := func(title string, names []string, of func(c *Column) *Cycle) {
		for i := range columns {
			c := &columns[i]
			y := of(c)
			if y == nil {
				continue
			}
			if title != "" {
				fmt.Fprintf(b, "\n%s: true above synthetic\n%-13s", title, "")
				for _, n := range names {
					fmt.Fprintf(b, " %6s", n)
				}
				fmt.Fprintln(b)
				title = ""
			}
			for k, shares := range [][]float64{y.Real, y.Synthetic} {
				fmt.Fprintf(b, "%-13s", strings.Repeat(page.Short(c.Name, 13), 1-k))
				each := len(shares) / len(names)
				for j := range names {
					sum := 0.0
					for _, x := range shares[j*each : (j+1)*each] {
						sum += x
					}
					fmt.Fprintf(b, " %6s", percent(Score(sum)))
				}
				fmt.Fprintln(b)
			}
		}
	}
	lines("Days of the week", weekdays, func(c *Column) *Cycle { return c.Week })
	lines("Hours of the day", []string{"0–2", "3–5", "6–8", "9–11", "12–14", "15–17", "18–20", "21–23"}, func(c *Column) *Cycle { return c.Hours })
}

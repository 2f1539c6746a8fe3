package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

const (
	listed   = 12    // values in a list of bars
	tabled   = 2000  // rows of a table of figures
	topScale = 100.0 // height of a histogram
)

// Bar is one cell of a column.
type Bar struct {
	Label string
	Share float64
	Error float64 // half of the interval around Share; 0 or NaN: none is shown
	Other float64 // the share that it is compared with
	Apart bool    // no value of the axis: NULL and other
}

// Bars is a column: the shares of its cells, with intervals or beside another table's.
type Bars struct {
	Name    string
	Note    string
	Cells   []Bar
	Fine    []float64 // shares of equal pieces of the axis: drawn in place of its cells, if they are known
	Ordered bool      // cells lie along an axis, those Apart last
	Ticks   []string  // texts below the axis, the first at its left end and the last at its right one
	Series  []string  // heads of the figures: share and interval, or two shares and their difference
	Paired  bool      // Other is compared with Share
}

// Row is one line of figures.
type Row struct {
	Label   string
	Figures []string
	Columns int

	Fill, Other, Error string // paths in a picture of 1000 by 10
}

// Histogram is the picture of an ordered column, in a picture of Width by 100.
type Histogram struct {
	Top                        string
	Width                      int
	Fill, Apart, Other, Errors string // paths
	Ticks                      []string
	Rest                       string // width right of the axis, in percent
	Beside                     []string
}

// drawn returns the bars of the histogram.
func (b Bars) drawn() (list []Bar) {
	if len(b.Fine) == 0 {
		return b.Cells
	}
	for _, x := range b.Fine {
		list = append(list, Bar{Share: x})
	}
	for _, c := range b.Cells {
		if c.Apart {
			list = append(list, c)
		}
	}
	return list
}

// top returns the end of the scale: the largest share with its interval.
func top(cells []Bar) float64 {
	m := 0.0
	for _, c := range cells {
		m = max(m, c.Share, c.Other)
		if c.Error > 0 {
			m = max(m, c.Share+c.Error)
		}
	}
	return cmp.Or(m, 1)
}

// decimals returns how many decimals the figures of the column have.
func (b Bars) decimals() int {
	var errs []float64
	for _, c := range b.Cells {
		if b.Paired {
			errs = append(errs, math.Abs(c.Share-c.Other))
		} else if c.Error > 0 {
			errs = append(errs, c.Error)
		}
	}
	if len(errs) == 0 {
		return 1
	}
	slices.Sort(errs)
	return max(1, Decimals(errs[len(errs)/2]))
}

func (b Bars) figures(c Bar, decimals int) []string {
	share := Percent(c.Share, decimals)
	if b.Paired {
		return []string{Percent(c.Other, decimals), share, signed(c.Share-c.Other, decimals)}
	}
	if !(c.Error > 0) {
		return []string{share, "–"}
	}
	return []string{share, "±" + noBreak + strings.TrimSuffix(Percent(c.Error, decimals), noBreak+"%")}
}

// signed writes a difference of shares in percentage points.
func signed(x float64, decimals int) string {
	s := strings.TrimSuffix(Percent(math.Abs(x), decimals), noBreak+"%")
	switch {
	case !nonZero(s):
		return s
	case x < 0:
		return "−" + s
	}
	return "+" + s
}

// Table returns the figures of all cells that the list does not show, in their order; none if it shows all.
func (b Bars) Table() (rows []Row) {
	if !b.Ordered && len(b.Cells) <= listed {
		return nil
	}
	d := b.decimals()
	for _, c := range b.Cells[:min(len(b.Cells), tabled)] {
		rows = append(rows, Row{Label: c.Label, Figures: b.figures(c, d)})
	}
	return rows
}

// TableTitle is the title of Table.
func (b Bars) TableTitle() string {
	return fmt.Sprintf("Figures of all %s values", Count(float64(len(b.Cells))))
}

// Cut says that Table is cut.
func (b Bars) Cut() string {
	if len(b.Cells) <= tabled {
		return ""
	}
	return fmt.Sprintf("The first %s of %s values.", Count(tabled), Count(float64(len(b.Cells))))
}

// Summary says in a sentence what the picture shows.
func (b Bars) Summary() string {
	if len(b.Cells) == 0 {
		return "No values"
	}
	most := slices.MaxFunc(b.Cells, func(x, y Bar) int { return cmp.Compare(x.Share, y.Share) })
	return fmt.Sprintf("Shares of the %s values of %s; the most frequent one is %s with %s",
		Count(float64(len(b.Cells))), Short(b.Name, labelRunes), Short(most.Label, labelRunes), Percent(most.Share, b.decimals()))
}

// most returns all cells, or the most frequent ones.
func (b Bars) most() []Bar {
	if len(b.Cells) <= listed {
		return b.Cells
	}
	cells := slices.Clone(b.Cells)
	slices.SortStableFunc(cells, func(x, y Bar) int { return cmp.Compare(max(y.Share, y.Other), max(x.Share, x.Other)) })
	return cells[:listed]
}

// List returns the bars of a column without order: all, or the most frequent ones. It is empty if the column
// is ordered.
func (b Bars) List() (rows []Row) {
	if b.Ordered {
		return nil
	}
	d, scale := b.decimals(), 1000/top(b.Cells)
	for _, c := range b.most() {
		r := Row{Label: c.Label, Figures: b.figures(c, d), Columns: 1 + len(b.Series)}
		if b.Paired {
			r.Fill = fmt.Sprintf("M0 5.5h%.1fv4.5h-%.1fz", scale*c.Share, scale*c.Share)
			r.Other = fmt.Sprintf("M0 0h%.1fv4.5h-%.1fz", scale*c.Other, scale*c.Other)
		} else {
			r.Fill = fmt.Sprintf("M0 2h%.1fv6h-%.1fz", scale*c.Share, scale*c.Share)
			if c.Error > 0 {
				r.Error = fmt.Sprintf("M%.1f 5H%.1f", scale*max(0, c.Share-c.Error), scale*(c.Share+c.Error))
			}
		}
		rows = append(rows, r)
	}
	return rows
}

// Rest says what List leaves out.
func (b Bars) Rest() string {
	if b.Ordered || len(b.Cells) <= listed {
		return ""
	}
	all, shown := 0.0, 0.0
	for _, c := range b.Cells {
		all += c.Share
	}
	for _, c := range b.most() {
		shown += c.Share
	}
	return fmt.Sprintf("The %d most frequent of %s values; the others have %s together.",
		listed, Count(float64(len(b.Cells))), Percent(max(0, all-shown), 1))
}

// Histogram returns the picture of an ordered column; nil if it has no order.
func (b Bars) Histogram() *Histogram {
	if !b.Ordered {
		return nil
	}
	cells := b.drawn()
	top := top(cells)
	h := &Histogram{Top: Percent(top, max(0, b.decimals()-1)), Ticks: b.Ticks}
	var fill, apart, other, errs strings.Builder
	x, axis, gap := 0.0, 0.0, .12
	if len(cells) > 60 {
		gap = 0
	}
	separated := false
	for _, c := range cells {
		if c.Apart && !separated {
			x, separated = x+max(1, float64(len(cells))/20), true
		}
		width := 1.0
		if c.Apart {
			width = max(1, float64(len(cells))/20)
			h.Beside = append(h.Beside, c.Label)
		} else {
			axis = x + width
		}
		y := topScale * (1 - c.Share/top)
		path := &fill
		if c.Apart {
			path = &apart
		}
		fmt.Fprintf(path, "M%.2f 100V%.2fh%.2fV100z", x+gap*width, y, width*(1-2*gap))
		if b.Paired {
			fmt.Fprintf(&other, "M%.2f %.2fh%.2f", x, topScale*(1-c.Other/top), width)
		} else if c.Error > 0 {
			fmt.Fprintf(&errs, "M%.2f %.2fV%.2f", x+width/2, topScale*(1-min(1, (c.Share+c.Error)/top)), topScale*(1-max(0, c.Share-c.Error)/top))
		}
		x += width
	}
	h.Fill, h.Apart, h.Other, h.Errors = fill.String(), apart.String(), other.String(), errs.String()
	h.Width = int(math.Ceil(x))
	h.Rest = strconv.FormatFloat(100*(1-axis/float64(max(1, h.Width))), 'f', 1, 64)
	return h
}

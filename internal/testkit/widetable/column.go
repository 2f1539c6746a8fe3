package widetable

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"
)

// kind is the type of a column.
type kind uint8

const (
	category kind = iota
	number
	date
	truth
	constant
)

// lookup is the length of a table of quantiles, a power of two.
const lookup = 1 << 12

// column is how the cells of one column are drawn and written. Values are 0 … size−1; size stands for a
// missing cell if nulls is above 0.
type column struct {
	name    string
	kind    kind
	size    int
	parents []int    // earlier columns that it may follow
	follow  uint64   // of 1024 cells so many follow a parent …
	image   [][]byte // … whose value v then makes image[parent][v]
	draw    []byte   // the other cells: value of each quantile
	nulls   uint64   // of 1024 cells so many are missing
	text    []string // of each value, or for numbers and dates of every value and digit
}

// fine is how many different cells of a number or a date are one value of the domain.
const fine = 10

// newColumn makes up column i after the given ones. The plan repeats every twenty columns, so that any
// table of some width holds everything; the sizes and the dependences are drawn.
func newColumn(i int, before []column, r *rand.Rand) column {
	c := column{kind: category, size: 2 + r.IntN(14)}
	switch i % 20 {
	case 3, 12:
		c.kind, c.size = number, 12+r.IntN(40)
	case 6:
		c.kind, c.size = date, 12+r.IntN(12)
	case 8, 17:
		c.kind, c.size = truth, 2
	case 9:
		c.kind, c.size = constant, 1
	case 15:
		c.size = 30 + r.IntN(31)
	}
	if c.kind != constant && i%5 == 2 {
		c.nulls = uint64(5 + r.IntN(60))
	}
	c.dependOn(i, before, r)
	c.drawSkewed(r.IntN(3))
	c.name = fmt.Sprintf("c%03d_%s", i, [...]string{"category", "number", "date", "truth", "constant"}[c.kind])
	c.write()
	return c
}

// dependOn gives the column parents among the earlier ones: none, a strong one, a weak one, two, or
// one that determines it but for a few cells in a thousand.
func (c *column) dependOn(i int, before []column, r *rand.Rand) {
	if i == 0 || c.kind == constant {
		return
	}
	switch i % 10 {
	case 0:
		return
	case 4:
		c.parents, c.follow = []int{i - 1}, 1016 // all but determined by its neighbour
		c.size = max(2, min(60, before[i-1].size))
	case 1, 5:
		c.parents, c.follow = []int{i - 1}, 700
	case 7:
		c.parents, c.follow = []int{r.IntN(i), r.IntN(i)}, 600
	default:
		c.parents, c.follow = []int{r.IntN(i)}, uint64(100+r.IntN(300))
	}
	if c.kind == truth {
		c.size = 2
	}
	for _, p := range c.parents {
		image := make([]byte, before[p].size+1) // the last one for missing cells
		for v := range image {
			image[v] = byte((v + r.IntN(3)) % c.size)
		}
		c.image = append(c.image, image)
	}
}

// drawSkewed fills the quantiles with weights ∝ 1, 1/(v+1) or 1/(v+1)².
func (c *column) drawSkewed(power int) {
	weights, sum := make([]int, c.size), 0
	for v := range weights {
		weights[v] = 1 << 30
		for range power {
			weights[v] /= v + 1
		}
		sum += weights[v]
	}
	c.draw = make([]byte, lookup)
	v, below := 0, weights[0]
	for q := range c.draw {
		for q*sum/lookup >= below && v < c.size-1 {
			v++
			below += weights[v]
		}
		c.draw[q] = byte(v)
	}
}

// firstDay is the earliest date.
var firstDay = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// write prepares the text of all cells.
func (c *column) write() {
	switch c.kind {
	case number:
		for x := range c.size * fine {
			c.text = append(c.text, strconv.Itoa(x))
		}
	case date:
		for x := range c.size * fine {
			c.text = append(c.text, firstDay.AddDate(0, 0, x).Format(time.DateOnly))
		}
	case truth:
		c.text = []string{"false", "true"}
	default:
		for v := range c.size {
			c.text = append(c.text, fmt.Sprintf("v%02d", v))
		}
	}
}

// value draws a cell: w are fresh random bits, row the values of the earlier columns.
func (c *column) value(w uint64, row []byte) byte {
	if w&1023 < c.nulls {
		return byte(c.size)
	}
	if w>>10&1023 < c.follow {
		k := 0
		if len(c.parents) > 1 {
			k = int(w >> 20 & 1)
		}
		return c.image[k][row[c.parents[k]]]
	}
	return c.draw[w>>21&(lookup-1)]
}

// cell returns the text of a value.
func (c *column) cell(v byte, w uint64) string {
	switch {
	case int(v) == c.size:
		return ""
	case c.kind == number || c.kind == date:
		return c.text[int(v)*fine+int((w>>40&0xffff)*fine>>16)]
	}
	return c.text[v]
}

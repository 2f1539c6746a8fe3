package discover

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/cellkind"
)

// Found is what was released of a table. It is public.
type Found struct {
	PrivacyID string
	Units     float64 // about how many there are
	Columns   []FoundColumn
	MaxRows   int64    `json:",omitempty"` // of a person; 0: one each, or no people
	Person    []string `json:",omitempty"` // columns that stay the same within a person

	Prior accountant.Prior // what the discovery has charged to the budget: see synth.SolveParams
}

// FoundColumn is what was released of a column.
type FoundColumn struct {
	Name       string
	Type       domain.Type
	Scale      int              `json:",omitempty"`
	Values     []string         `json:",omitempty"`
	Min        string           `json:",omitempty"`
	Max        string           `json:",omitempty"`
	Resolution string           `json:",omitempty"`
	Null       bool             `json:",omitempty"`
	Written    cellkind.Written `json:",omitempty"` // how numbers or dates are written, if not as dapple writes them
	Needed     float64          `json:",omitempty"` // people who have to share a value for it to be found, of a text
	Prefixes   []int            `json:",omitempty"` // numbers of characters at which rare codes are cut, if nothing declares them
	Left       string           `json:",omitempty"` // why the column is left out

	there float64 // units that have a value, noisy
	codes bool    // nearly all of them are codes, whose prefixes are asked for
}

// Encode returns f as JSON.
func (f *Found) Encode() ([]byte, error) {
	b, err := json.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("discover: describing what was found: %w", err)
	}
	return b, nil
}

// Decode reads what Discover has emitted.
func Decode(data []byte) (*Found, error) {
	var f Found
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("discover: not what was found of a table: %w", err)
	}
	return &f, nil
}

const unseen = "too few people have a value in it for anything to be seen at this budget"

// foreign is how many standard deviations of noise a cell of another kind has to stand above for a column not to be of a kind:
// noise alone does that to one column in 2,000. One cell has less noise than the sum of all others: postcodes of which a tenth
// begin with 0 are no numbers.
const foreign = 3.8

// kinds picks the type of a column of text, and whether a value can be missing: a kind is what a column is if all other
// kinds together are a hundredth of it, or less than the noise shows, and so is each of them.
func (f *FoundColumn) kinds(c Column, k noisy) {
	f.Null = k.cells[nullCell] > 3*k.sigma
	there := sum(k.cells[boolCell:])
	f.there = there
	if there+k.cells[markCell] <= 3*k.sigma*math.Sqrt(kindCells-1) {
		f.Left = unseen
		return
	}
	if !c.Untyped {
		return
	}
	f.Type = domain.String
	for _, t := range []struct {
		typ   domain.Type
		cells []int
	}{
		{domain.Bool, []int{boolCell}}, {domain.Int64, []int{wholeCell, decimalCell}}, {domain.Date, []int{dateCell, stampCell}}, {domain.Time, []int{clockCell}},
	} {
		own, most := 0., 0. // most is the largest of the other kinds
		for cell := boolCell; cell < kindCells; cell++ {
			if slices.Contains(t.cells, cell) {
				own += k.cells[cell]
			} else {
				most = max(most, k.cells[cell])
			}
		}
		others := kindCells - boolCell - len(t.cells)
		if most <= max(.01*there, foreign*k.sigma) && there-own <= max(.01*there, 3*k.sigma*math.Sqrt(float64(others))) && own > max(there/2, 3*k.sigma*math.Sqrt(float64(len(t.cells)))) {
			if f.Type = t.typ; t.typ == domain.Date && k.cells[stampCell] > shown*k.sigma {
				f.Type = domain.Timestamp
			}
			return
		}
	}
}

// mostValues is the largest number of values of a column without declared bins.
const mostValues = 1 << 20

// number picks type, range and resolution of a number. Of a column whose places are not open there are none.
func (f *FoundColumn) number(c Column, units float64, kinds, places, magnitudes noisy) {
	k := 0
	if places.cells != nil {
		k = places.needed(0, cellkind.MaxPlaces+1, units)
	}
	if c.Untyped && f.Written == "" { // one cell of kinds has less noise than the sum of all places
		switch decimals := kinds.cells[decimalCell] > max(.001*units, shown*kinds.sigma); {
		case !decimals:
			k = 0
		case k == 0:
			k = places.most(1, cellkind.MaxPlaces)
		}
	}
	if c.Untyped {
		switch {
		case k > cellkind.MaxPlaces:
			f.Type = domain.Float64
		case k > 0:
			f.Type = domain.Numeric
		}
	}
	cells, at := f.held(magnitudes)
	first, last, ok := cells.seen(func(first, last int) float64 {
		low, _ := within(at[first])
		_, high := within(at[last])
		return high - low
	})
	if !ok {
		f.Left = unseen
		return
	}
	first, last = at[first], at[last]
	if first > powers && last-first > 6 { // what is far below the largest numbers is near 0
		first = powers
	}
	if last < powers && last-first > 6 {
		last = powers
	}
	f.span(c, first, last, min(k, cellkind.MaxPlaces))
}

// shown is how many standard deviations of noise a finer resolution has to stand above, so that whole numbers get decimal
// places, and days hours, in one of 300,000 columns. By 3 it would be one of 700.
const shown = 4.5

// needed is the first of some cells beyond which less than a thousandth of the units are, or less than noise can be.
func (n noisy) needed(first, last int, units float64) (k int) {
	for ; first+k < last; k++ {
		beyond := n.cells[first+k+1 : last+1]
		if sum(beyond) < max(.001*units, shown*n.sigma*math.Sqrt(float64(len(beyond)))) {
			break
		}
	}
	return k
}

// most is the cell from first to last with the most units.
func (n noisy) most(first, last int) (at int) {
	at = first
	for i := first; i <= last; i++ {
		if n.cells[i] > n.cells[at] {
			at = i
		}
	}
	return at
}

// held are the cells of magnitudes that the type can have, and where they are: whole numbers have none between 0 and 1.
func (f *FoundColumn) held(magnitudes noisy) (list noisy, at []int) {
	list.sigma = magnitudes.sigma
	for i, x := range magnitudes.cells[:magnitudeCells-1] {
		if low, high := within(i); f.Type == domain.Int64 && i != powers && low >= -1 && high <= 1 {
			continue
		}
		list.cells, at = append(list.cells, x), append(at, i)
	}
	return list, at
}

// span declares the range from one cell to another at a resolution of so many decimal places, or the finest at which there
// are no more values than a domain can have. What the column declares stays, but a resolution of too many values.
func (f *FoundColumn) span(c Column, first, last, places int) {
	step := new(big.Rat).SetFrac(big.NewInt(1), power10(places))
	if c.Step != "" {
		step = decimal(c.Step)
	}
	from, to := c.ends(first, last)
	declared := step
	for {
		lo, hi := floorTo(from, step), floorTo(to, step)
		if hi.Cmp(to) == 0 && last > powers && c.Max == "" { // the cell ends before
			hi.Sub(hi, step)
		}
		if first < powers && lo.Cmp(from) == 0 && c.Min == "" {
			lo.Add(lo, step)
		}
		switch {
		case lo.Cmp(hi) < 0:
		case c.Max != "":
			lo.Sub(hi, step)
		default:
			hi.Add(lo, step)
		}
		n := new(big.Rat).Quo(new(big.Rat).Sub(hi, lo), step)
		if n.Cmp(big.NewRat(mostValues-1, 1)) <= 0 && f.holds(lo) && f.holds(hi) {
			f.Min, f.Max = cmp.Or(c.Min, text(lo)), cmp.Or(c.Max, text(hi))
			if c.Step == "" || step.Cmp(declared) != 0 {
				f.Resolution = text(step)
			}
			return
		}
		if !f.holds(lo) || !f.holds(hi) { // beyond the type
			from, to = least(from, f.most()), least(to, f.most())
		}
		step = new(big.Rat).Mul(step, big.NewRat(10, 1))
	}
}

// ends are where the first and the last cell begin and end, or what is declared of them.
func (c *Column) ends(first, last int) (from, to *big.Rat) {
	low, _ := within(first)
	_, high := within(last)
	from, to = new(big.Rat).SetFloat64(low), new(big.Rat).SetFloat64(high)
	switch {
	case c.Min != "":
		if from = decimal(c.Min); to.Cmp(from) < 0 {
			to = from
		}
	case c.Max != "":
		if to = decimal(c.Max); from.Cmp(to) > 0 {
			from = to
		}
	}
	return from, to
}

// decimal reads a number of a domain file, whose reader has accepted it.
func decimal(s string) *big.Rat {
	x, ok := new(big.Rat).SetString(s)
	if !ok {
		panic("discover: a column declares what is no number")
	}
	return x
}

// least keeps a number between −limit and limit.
func least(x, limit *big.Rat) *big.Rat {
	if new(big.Rat).Abs(x).Cmp(limit) <= 0 {
		return x
	}
	if x.Sign() < 0 {
		return new(big.Rat).Neg(limit)
	}
	return limit
}

// holds reports whether the type has room for a number, with all decimal places.
func (f *FoundColumn) holds(x *big.Rat) bool {
	return f.Type == domain.Float64 || new(big.Rat).Abs(x).Cmp(f.most()) <= 0
}

// most is the largest number that the type has room for, if it is no FLOAT64.
func (f *FoundColumn) most() *big.Rat {
	most := new(big.Rat).SetInt64(math.MaxInt64 / 2)
	if f.Type == domain.Numeric {
		most.Quo(most, new(big.Rat).SetInt(power10(cellkind.MaxPlaces)))
	}
	return most
}

func power10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

func floorTo(x, step *big.Rat) *big.Rat {
	q := new(big.Rat).Quo(x, step)
	n := new(big.Int).Div(q.Num(), q.Denom()) // rounds down
	return new(big.Rat).Mul(new(big.Rat).SetInt(n), step)
}

// text writes a decimal number in full.
func text(x *big.Rat) string {
	if x.IsInt() {
		return x.Num().String()
	}
	return strings.TrimRight(x.FloatString(cellkind.MaxPlaces+1), "0")
}

// years picks the first and last day, and the resolution: as fine as the times are, if there are not too many values.
func (f *FoundColumn) years(c Column, units float64, y, steps noisy) {
	cells := noisy{y.cells[:yearCells-1], y.sigma}
	first, last, ok := cells.seen(nil)
	if !ok {
		f.Left = unseen
		return
	}
	first, last = first+firstYear, last+firstYear
	if year, ok := c.year(c.Min); ok {
		first, last = year, max(last, year)
	} else if year, ok := c.year(c.Max); ok {
		first, last = min(first, year), year
	}
	f.Min, f.Max = cmp.Or(c.Min, fmt.Sprintf("%04d-01-01", first)), cmp.Or(c.Max, fmt.Sprintf("%04d-12-31", last))
	n := last - first + 1
	if f.Type == domain.Date || c.Unit > 0 && int64(n)*366*f.Type.Facts().Day/c.Unit < mostValues {
		return
	}
	step := 2 // of stepsOfTime
	if steps.cells != nil {
		step = min(step, steps.needed(dayCell, finerCell, units))
	}
	switch {
	case n > 100:
		step = 0
	case n > 1:
		step = min(step, 1)
	}
	f.Resolution = stepsOfTime[step]
}

// clock declares the times of a day.
func (f *FoundColumn) clock(c Column, units float64, steps noisy) {
	f.Min = cmp.Or(c.Min, "00:00:00")
	if steps.cells == nil {
		f.Max = cmp.Or(c.Max, "23:59:59")
		return
	}
	step := max(1, steps.needed(dayCell, finerCell, units)) // a day has no times
	f.Max, f.Resolution = cmp.Or(c.Max, [...]string{"", "23:00:00", "23:59:00", "23:59:59"}[step]), stepsOfTime[step]
}

// year is that of a day or moment that is declared.
func (c *Column) year(text string) (year int, ok bool) {
	a := c.attribute()
	v, ok := a.ParseNative(text)
	if !ok {
		return 0, false
	}
	return a.Type.Time(v).Year(), true
}

// LeftOut returns the columns that are left out.
func (f *Found) LeftOut() (list []FoundColumn) {
	return slices.DeleteFunc(slices.Clone(f.Columns), func(c FoundColumn) bool { return c.Left == "" })
}

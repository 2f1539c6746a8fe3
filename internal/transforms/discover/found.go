package discover

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
)

// Found is what was released of a table. It is public.
type Found struct {
	PrivacyID string
	Units     float64 // about how many there are
	Columns   []FoundColumn
	MaxRows   int64      `json:",omitempty"` // of a person; 0: one each, or no people
	More      float64    `json:",omitempty"` // about the part of the people that have more rows, if noise lets one see it
	Person    []string   `json:",omitempty"` // columns that stay the same within a person
	Orders    [][]string `json:",omitempty"` // columns of dates that do not descend

	Prior  accountant.Prior // what the discovery has charged to the budget, under the ID of its noise: see synth.SolveParams
	Config string           // hash of the parameters that it was drawn with, in hex
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
	Exact      []string         `json:",omitempty"` // values beyond the range: codes, or what stands for a tail
	Beyond     [2]bool          `json:",omitzero"`  // whether noise may hide values below Min, and above Max
	Common     string           `json:",omitempty"` // a value of the fullest part of the range
	Null       bool             `json:",omitempty"`
	Written    cellkind.Written `json:",omitempty"` // how numbers or dates are written, if not as dapple writes them
	Needed     float64          `json:",omitempty"` // people who have to share a value for it to be found, of a text
	Prefixes   []int            `json:",omitempty"` // numbers of characters at which rare codes are cut, if nothing declares them
	Left       string           `json:",omitempty"` // why the column is left out
	Note       string           `json:",omitempty"` // what did not fit, and what it became
	Part       float64          `json:",omitempty"` // of its values that Note is about

	there  float64         // units that have a value, noisy
	blur   float64         // the standard deviation of there
	least  float64         // of a NUMERIC, the least number above 0
	marked float64         // part of its cells that say that there is no value of its type, if noise lets one see it
	unfit  float64         // part of its values that are of another type
	either bool            // its dates do not tell whether the day or the month is first
	codes  bool            // nearly all of them are codes, whose prefixes are asked for
	period cellkind.Period // nearly all of them are of this form, whose texts are public
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

const unsaid = "no value is seen in it but texts such as - or ?, which say that a value is missing"

// foreign is how many standard deviations of noise a cell of another kind has to stand above for a column not to be of a kind:
// noise alone does that to one column in 2,000. One cell has less noise than the sum of all others: postcodes of which a tenth
// begin with 0 are no numbers.
const foreign = 3.8

// settled returns the cells of a column with the sum that all columns tell together: each unit is in one cell.
func (n noisy) settled(units float64) noisy {
	cells, rest := make([]float64, len(n.cells)), units-sum(n.cells)
	for i, x := range n.cells {
		cells[i] = x + rest/float64(len(n.cells))
	}
	return noisy{cells, n.sigma}
}

// ofCells is the standard deviation of the sum of so many cells of one of so many columns, once they are settled.
func (n noisy) ofCells(cells, columns int) float64 {
	m := float64(cells)
	return n.sigma * math.Sqrt(m-m*m/float64(len(n.cells))*(1-1/float64(columns)))
}

// kinds picks the type of a column of text, and whether a value can be missing: a kind is what a column is if all other
// kinds together are a hundredth of it, or less than the noise shows, and so is each of them. Where the noise leaves several,
// it is the largest.
func (f *FoundColumn) kinds(c Column, k noisy, units float64, columns int) {
	if letters := k.cells[boolCell]; c.Untyped && letters > foreign*k.sigma && fewLetters*letters < k.of(wholeCell, decimalCell) {
		k.cells[markCell], k.cells[boolCell] = k.cells[markCell]+letters, 0 // T among numbers is a trace
	}
	f.Null = !c.Required && k.cells[nullCell] > 3*k.sigma
	there, marks := sum(k.cells[boolCell:]), k.cells[markCell]
	f.there, f.blur = max(0, there), k.ofCells(kindCells-boolCell, columns)
	bar := quantile(firstFalse/(kindCells-1)) * k.sigma
	switch most := slices.Max(k.cells[boolCell:]); {
	case most > bar:
	case there+marks <= 3*k.ofCells(kindCells-1, columns) && marks <= bar:
		f.Left = unseen
		return
	case c.Untyped && there <= 3*k.ofCells(kindCells-markCell-1, columns) && marks > bar:
		f.Left = unsaid
		return
	}
	if marks > max(shown*k.sigma, leastNoted*(there+marks)) {
		f.marked = marks / (there + marks)
	}
	if !c.Untyped {
		return
	}
	f.Type = domain.String
	largest := k.cells[textCell]
	for _, t := range []struct {
		typ   domain.Type
		cells []int
	}{
		{domain.Bool, []int{boolCell}}, {domain.Int64, []int{wholeCell, decimalCell}}, {domain.Date, []int{dateCell, stampCell, zonedCell}}, {domain.Time, []int{clockCell}},
	} {
		own, most := k.of(t.cells...), 0. // most is the largest of the other kinds
		for cell := boolCell; cell < kindCells; cell++ {
			if !slices.Contains(t.cells, cell) {
				most = max(most, k.cells[cell])
			}
		}
		if t.typ == domain.Time && marks > own || own <= largest { // durations: some are times of a day too
			continue
		}
		others := foreign * k.ofCells(kindCells-boolCell-len(t.cells), columns)
		if most > max(.01*there, foreign*k.sigma) || there-own > max(.01*there, others) || own <= max(there/2, leastKind*k.ofCells(len(t.cells), columns)) {
			continue
		}
		if f.Type, largest = t.typ, own; t.typ == domain.Date {
			f.Type = dateType(k.cells[stampCell], k.cells[zonedCell], shown*k.sigma)
		}
		f.unfit = 0
		if there-own >= others {
			f.unfit = 1 - own/max(there, 1)
		}
	}
}

// fewLetters is how many times as many numbers as truth values a column of numbers has.
const fewLetters = 4

// leastKind is how many standard deviations of noise a kind has to stand above. A text that is taken for a number is lost, as is a
// number that is taken for a text: its values have no names.
const leastKind = 2

// dateType is DATETIME or TIMESTAMP if enough values have a time of the day, without or with a zone. A TIMESTAMP reads both.
func dateType(stamps, zoned, enough float64) domain.Type {
	switch {
	case zoned > enough:
		return domain.Timestamp
	case stamps > enough:
		return domain.DateTime
	}
	return domain.Date
}

// misfits notes how many cells of a column are no values of the type that was found, as far as noise lets one see.
func (f *FoundColumn) misfits(c Column) {
	became := "its fallback"
	if f.Null {
		became = "NULL"
	}
	switch {
	case f.marked == 0 || f.Type == domain.String:
	case c.Untyped:
		f.noted(f.marked, fmt.Sprintf("about %s of its cells say that there is no %v, such as ?, T or 0000-00-00, and became %s", percent(f.marked), f.Type, became))
	default:
		f.noted(f.marked, fmt.Sprintf("about %s of its values are no %v that can be used, and became %s", percent(f.marked), f.Type, became))
	}
	if f.unfit >= leastNoted {
		f.noted(f.unfit, fmt.Sprintf("about %s of its values did not fit %v and became %s", percent(f.unfit), f.Type, became))
	}
}

// noted adds a note on a part of a column; that on the largest part stands first.
func (f *FoundColumn) noted(part float64, note string) {
	switch {
	case f.Note == "":
		f.Part, f.Note = part, note
	case part > f.Part:
		f.Part, f.Note = part, note+"; "+f.Note
	default:
		f.Note += "; " + note
	}
}

// leastNoted is the least part of a column's values that is worth the line of a note.
const leastNoted = .01

// percent writes a part that noise has blurred.
func percent(part float64) string { return fmt.Sprintf("%.2g %%", 100*min(part, 1)) }

// mostValues is the largest number of values of a column without declared bins.
const mostValues = 1 << 20

// shown is how many standard deviations of noise a finer resolution has to stand above, so that whole numbers get decimal
// places, and days hours, in one of 300,000 columns. By 3 it would be one of 700.
const shown = 4.5

// shownAlone is the same for one of ten cells by itself.
const shownAlone = 5

// needed is the first of some cells beyond which less than a thousandth of the units are, or less than noise can be.
func (n noisy) needed(first, last int, units float64) (k int) {
	for ; first+k < last; k++ {
		beyond := n.cells[first+k+1 : last+1] // one cell has less noise than the sum of all
		if sum(beyond) < max(.001*units, shown*n.sigma*math.Sqrt(float64(len(beyond)))) && slices.Max(beyond) < max(.001*units, shownAlone*n.sigma) {
			break
		}
	}
	return k
}

// most is the cell from first to last with the most units.
func (n noisy) most(first, last int) int {
	cells := n.cells[first : last+1]
	return first + slices.Index(cells, slices.Max(cells))
}

// clock declares the times of a day. A range holds all times up to its end, also those that its resolution rounds down.
func (f *FoundColumn) clock(c Column, units float64, steps noisy) {
	f.Min = cmp.Or(c.Min, "00:00:00")
	if steps.cells == nil {
		f.Max = cmp.Or(c.Max, "23:59:59.999999")
		return
	}
	step := max(1, steps.needed(dayCell, finerCell, units)) // a day has no times
	f.Max, f.Resolution = cmp.Or(c.Max, [...]string{"", "23:59:59", "23:59:59", "23:59:59.999999"}[step]), stepsOfTime[step]
}

// year is the year of a declared day or moment.
func (c *Column) year(text string) (year int, ok bool) {
	a := c.attribute()
	v, ok := a.ParseNative(text)
	if !ok {
		return 0, false
	}
	return a.Type.Time(v).Year(), true
}

// Misfits says of each kept column with values that did not fit how many they are, the worst first; nothing of nil.
func (f *Found) Misfits() (list []string) {
	if f == nil {
		return nil
	}
	columns := slices.Clone(f.Columns)
	if f.More > 0 {
		columns = append(columns, FoundColumn{Name: f.PrivacyID, Part: f.More, Note: fmt.Sprintf("about %s have more than %d rows, and these are left out", percent(f.More), f.MaxRows)})
	}
	slices.SortStableFunc(columns, func(a, b FoundColumn) int { return cmp.Compare(b.Part, a.Part) })
	for _, c := range columns {
		if c.Left == "" && c.Note != "" {
			list = append(list, c.Name+": "+c.Note)
		}
	}
	return list
}

// LeftOut names the columns that are left out, with the reason.
func (f *Found) LeftOut() (list []string) {
	for _, c := range f.Columns {
		if c.Left != "" {
			list = append(list, c.Name+": "+c.Left)
		}
	}
	return list
}

package discover

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Values that are missing and cannot be seen are NULL, if they may be many; columns that can lack few values have none.
func TestMissingValuesThatNobodySees(t *testing.T) {
	for _, tt := range []struct {
		columns int
		null    bool
	}{{4, false}, {60, true}} {
		var names []string
		for i := range tt.columns {
			names = append(names, fmt.Sprintf("c%d", i))
		}
		table := rowsOf(20_000, func(i int) []string {
			row := make([]string, tt.columns)
			for k := range row {
				if row[k] = fmt.Sprint(20 + (i+k)%40); tt.null && (i+k)%50 == 0 {
					row[k] = "NA"
				}
			}
			return row
		})
		f := foundIn(t, params("", names...), counted(t, params("", names...), table))
		for _, c := range f.Columns {
			whole := c.Type == domain.Int64 || c.Type == domain.Numeric && c.Resolution == "1"
			must.Need(t, c.Left == "" && whole && c.Null == tt.null, "%d columns: %+v", tt.columns, c)
		}
	}
}

// TestWholeNumbersHaveNoPlaces: a column that is declared as INT64 is not asked for decimal places: noise would give it some once in
// a thousand times, and its file would be refused.
func TestWholeNumbersHaveNoPlaces(t *testing.T) {
	p := Params{
		Columns: []Column{{Name: "age", Type: domain.Int64}, {Name: "fee", Type: domain.Numeric, Scale: 2}}, Epsilon: 1, Delta: 1e-9, Share: dp.ShareOf(1, 1),
	}
	found := foundIn(t, p, counted(t, p, rowsOf(5000, func(i int) []string { return []string{fmt.Sprint(i % 100), fmt.Sprintf("%d.25", i%100)} })))
	for _, e := range found.Prior.Events {
		must.Hold(t, e.Stage != placesStage || len(e.Scales) == 1, "asked for places: %+v", e)
	}
	age := found.Columns[0]
	must.Hold(t, age.Resolution == "1" && age.Max == "120", "found %+v", age)
}

// Times are found as fine as people write them, if a domain has room for so many: minutes in one year.
func TestResolutionOfTimes(t *testing.T) {
	names := []string{"midnight", "hour", "minute", "second", "long", "clock", "tick"}
	var table rows
	for i := range 20_000 {
		day := fmt.Sprintf("2024-%02d-%02d", 1+i%12, 1+i%28)
		table = append(table, []string{day + " 00:00:00", day + fmt.Sprintf(" %02d:00:00", i%24), day + fmt.Sprintf("T%02d:%02d:00Z", i%24, i%60),
			day + fmt.Sprintf(" %02d:%02d:%02d", i%24, i%60, i%59), fmt.Sprintf("%d-01-01 10:%02d:00", 2000+i%20, i%60), fmt.Sprintf("%02d:00", i%24), fmt.Sprintf("%02d:00:%02d", i%24, i%60)})
	}
	f := foundIn(t, params("", names...), counted(t, params("", names...), table))
	for i, want := range []string{"DATE ", "DATETIME hour", "TIMESTAMP minute", "DATETIME minute", "DATETIME hour", "TIME hour", "TIME second"} {
		c := f.Columns[i]
		must.Hold(t, fmt.Sprint(c.Type, " ", c.Resolution) == want, "%+v, want %s", c, want)
	}
	c := f.Columns[5]
	must.Hold(t, c.Max == "23:59:59", "%+v", c)
}

// Cells that are noise alone ask for a finer resolution beyond 4.5 standard deviations of their sum, and for no more than they hold.
func TestFinerResolutionsHaveToStandOut(t *testing.T) {
	for _, tt := range []struct {
		at   int
		many float64
		want int
	}{{4, 4.4, 0}, {4, 4.6 * 3, 4}, {2, 4.6 * 3, 2}, {0, 100, 0}} {
		n := noisy{make([]float64, 10), 1}
		if n.cells[tt.at] = tt.many; n.needed(0, 9, 1000) != tt.want {
			t.Errorf("%g in cell %d: resolution %d, want %d", tt.many, tt.at, n.needed(0, 9, 1000), tt.want)
		}
	}
}

// Decimals that one value in four has are found among many columns of few people, and numbers such as 12.0 are whole.
func TestFewDecimalsAreFound(t *testing.T) {
	var names []string
	var table rows
	for i := range 9 {
		names = append(names, fmt.Sprint("c", i))
	}
	for i := range 6000 {
		row := make([]string, len(names))
		for k := range row {
			row[k] = fmt.Sprint(10+(i+k)%30, ".0")
		}
		if row[8] = "7"; i%4 == 0 {
			row[8] = "2.5"
		}
		table = append(table, row)
	}
	f := foundIn(t, params("", names...), counted(t, params("", names...), table))
	for i, c := range f.Columns {
		want := "1" // whole, of a type that loses no decimals
		if i == 8 {
			want = "0.1"
		}
		must.Hold(t, c.Resolution == want && c.Type != domain.Float64, "%+v, want steps of %s", c, want)
	}
}

// Texts by which people write that there is no number make no texts of numbers and dates, and are values of texts, but where there is
// nothing else.
func TestMarksOfMissingValues(t *testing.T) {
	names := []string{"size", "day", "grade", "void"}
	var table rows
	for i := range 20_000 {
		row := []string{fmt.Sprint(i % 70), fmt.Sprintf("2024-05-%02d", 1+i%28), []string{"good", "bad", "?"}[i%3], "-"}
		if i%10 == 0 {
			row[0], row[1] = "?", "None"
		}
		table = append(table, row)
	}
	f := foundIn(t, params("", names...), counted(t, params("", names...), table))
	for i, want := range []string{"INT64 true", "DATE true", "STRING false", "STRING false"} {
		if c := f.Columns[i]; fmt.Sprint(c.Type, " ", c.Null) != want && fmt.Sprint(c.Type, " ", c.Null, " ", c.Resolution) != "NUMERIC true 1" || (c.Left == unsaid) != (i == 3) {
			t.Errorf("%+v, want %s", c, want)
		}
	}
	v := f.Columns[2].Values
	must.Hold(t, slices.Contains(v, "?") && len(v) == 3, "values %q", v)
}

// TestMostlyOther: a column of texts whose found values are few of its texts is left out, unless it is asked for.
func TestMostlyOther(t *testing.T) {
	var table rows
	for i := range 20_040 {
		tail, port := fmt.Sprint("N", i), []string{"north", "south"}[i%2]
		if i%40 == 0 {
			tail = "N0JB"
		}
		if i%5 > 0 { // one in five is known by name
			port = fmt.Sprint("port ", i)
		}
		table = append(table, []string{tail, port})
	}
	p := params("", "tail", "port")
	f := foundIn(t, p, counted(t, p, table))
	left := f.Columns[0].Left
	must.Hold(t, strings.HasPrefix(left, "values found: 1, of 2.") && f.Columns[1].Left == "" && len(f.Columns[1].Values) == 2, "%+v", f.Columns)
	for i := range p.Columns {
		p.Columns[i].Untyped, p.Columns[i].Type, p.Columns[i].Values = false, domain.String, true
	}
	if f := foundIn(t, p, counted(t, p, table)); f.Columns[0].Left != "" || len(f.Columns[0].Values) != 1 {
		t.Errorf("asked for: %+v", f.Columns[0])
	}
}

// TestPostcodesAreNoNumbers: a tenth of texts that begin with 0 stands out of the noise of its own cell, though not of that
// of all kinds that are no numbers.
func TestPostcodesAreNoNumbers(t *testing.T) {
	k := noisy{make([]float64, kindCells), 300}
	k.cells[wholeCell], k.cells[textCell] = 18_000, 1_800
	var f FoundColumn
	f.kinds(Column{Untyped: true}, k, sum(k.cells), 1)
	must.Hold(t, f.Type == domain.String, "the column is of %v", f.Type)
	k.cells[textCell] = 1_000 // 3.3 standard deviations of noise
	f.kinds(Column{Untyped: true}, k, sum(k.cells), 1)
	must.Hold(t, f.Type == domain.Int64, "numbers are of %v", f.Type)
}

// TestPlacesOfFewPeople: the decimal places that nine tenths of the values have are found as soon as their own cell stands out of the
// noise, whatever the noise of all cells together is.
func TestPlacesOfFewPeople(t *testing.T) {
	for places := 1; places <= 9; places++ {
		n := noisy{make([]float64, placesCells), 40}
		n.cells[places], n.cells[places-1] = 450, 50
		k := n.needed(0, 10, 500)
		must.Hold(t, k == places, "%d places of %d", k, places)
	}
}

// TestFewPeopleAndManyColumns: what all columns tell of the number of people shows that a column has values where its own kinds
// would not. Of columns of 450 values noise hides fewer than 1 in 100, and of empty ones it shows 1 in 700: the bounds are
// passed with a probability below 1e-9.
func TestFewPeopleAndManyColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	const columns, sigma, rounds = 30, 71, 100
	hidden, shown := 0, 0
	for range rounds {
		kinds := map[int]noisy{}
		for i := range columns {
			k := blurred(rng, noisy{make([]float64, kindCells), sigma})
			if i%2 == 0 {
				k.cells[nullCell] += 500
			} else {
				k.cells[wholeCell] += 450
				k.cells[nullCell] += 50
			}
			kinds[i] = k
		}
		units := unitsOf(kinds)
		for i := range columns {
			f := FoundColumn{}
			f.kinds(Column{Untyped: true}, kinds[i].settled(units), units, columns)
			switch {
			case i%2 == 0 && f.Left == "":
				shown++
			case i%2 == 1 && f.Left != "":
				hidden++
			}
		}
	}
	one := noisy{make([]float64, kindCells), 100} // of a column alone
	one.cells[wholeCell] = 450
	var f FoundColumn
	f.kinds(Column{Untyped: true}, one, sum(one.cells), 1)
	must.Hold(t, f.Left == "", "a kind that stands out is not seen")
	must.Hold(t, hidden <= 100 && shown <= 40, "of 1,500 columns with values %d are left out, and of 1,500 empty ones %d are not", hidden, shown)
}

// TestMostlyDecimals: a column of more decimals than whole numbers has decimal places, however few people there are, and whole
// numbers have none: 450 of them are 4.5 standard deviations of the difference above, which noise makes up for in 1 of 250,000.
func TestMostlyDecimals(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	wrong := 0
	for i := range 400 {
		f := FoundColumn{Name: "x", Type: domain.Int64}
		k, places := noisy{make([]float64, kindCells), 70}, noisy{make([]float64, placesCells), 70}
		decimal, place := i%2 == 0, 0
		for cell := range k.cells {
			k.cells[cell] = min(k.sigma*rng.NormFloat64(), 140)
		}
		for cell := range places.cells {
			places.cells[cell] = min(places.sigma*rng.NormFloat64(), 140)
		}
		if k.cells[wholeCell] += 450; decimal {
			k.cells[wholeCell], k.cells[decimalCell], place = 0, 300, 6
		}
		places.cells[place] += 450
		if got := f.numberType(Column{Untyped: true}, 450, figures{kinds: k, places: places}); (got > 0) != decimal {
			wrong++
		}
	}
	must.Hold(t, wrong <= 4, "%d of 400 columns have the wrong places", wrong)
}

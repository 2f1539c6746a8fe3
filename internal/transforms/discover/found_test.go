package discover

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Cells of magnitudes hold their numbers.
func TestMagnitudes(t *testing.T) {
	for _, x := range []float64{0, 1, -1, 2, 3, 4, 1000, -1000, .5, .01, 1e-12, 1e18, -1e18, 1e30} {
		low, high := within(magnitude(x))
		if inside := low <= x && x <= high; !inside && x < 1e19 && x != 1e-12 {
			t.Errorf("%g is in a cell from %g to %g", x, low, high)
		}
	}
	for i := range magnitudeCells - 2 {
		_, a := within(i)
		if b, _ := within(i + 1); a > b {
			t.Errorf("cell %d ends at %g, and the next begins at %g", i, a, b)
		}
	}
}

// TestUsedPlaces: the number decides its places, however it is written, and no text costs more than its length.
func TestUsedPlaces(t *testing.T) {
	for text, want := range map[string]int{
		"0": 0, "-0.000": 0, "0e-5": 0, "7": 0, "1500": 0, "1.0": 0, "1.50": 1, "+.25": 2, "-12.340": 2, "5.": 0, "12.5e1": 0, "12.5e0": 1, "1500e-2": 0, "1500e-3": 1,
		"1E-7": 7, "2.5e-08": 9, "1.23456789": 8, "0.1234567891": 10, "1e-300": 10, "1e300": 0, "1e-300000000": 10, "1e300000000": 0, "1e-99999999999999999999": 10,
		"1.000000000000000000000000000000000000000000000": 0, "1" + strings.Repeat("0", 60): 0,
	} {
		must.Equal(t, usedPlaces([]byte(text)), want, "%s: places", text)
	}
	c, _ := (&reader{Column: Column{Untyped: true}}).place([]byte("1e-300000000"), false)
	must.Hold(t, c[kindOf] == decimalCell && c[magnitudeOf] == powers, "a number below all floats is in cells %v, want 0", c)
}

// TestFarCellsHaveToStandOut: of noise alone a cell far from the range never makes an end of it: farFalse of the columns at
// most, which 10,000 draws see with probability .001. Cells at the end are found at 4.8 standard deviations, and cells far
// off at 7. The noise alone makes a range longer by the cells next to it in nearFalse of the columns: more than
// 4 of 10,000 are there with a probability below 1e-5. Where nothing is, a range is seen in firstFalse of the columns: more
// than 35 with a probability below 1e-6.
func TestFarCellsHaveToStandOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	draw := func(signal map[int]float64) noisy {
		n := noisy{make([]float64, magnitudeCells-1), 20}
		for i := range n.cells {
			n.cells[i] = n.sigma * (signal[i] + rng.NormFloat64())
		}
		return n
	}
	far, near, nothing := 0, 0, 0
	for range 10_000 {
		first, last, ok := draw(map[int]float64{100: 50, 101: 50}).seen(nil)
		must.Need(t, ok && first <= 100 && last >= 101, "a range from 100 to 101 is seen from %d to %d, %v", first, last, ok)
		if first < 100 || last > 101 {
			near++
		}
		if first < 100-2*reach-widest || last > 101+2*reach+widest {
			far++
		}
		if _, _, ok := draw(nil).seen(nil); ok {
			nothing++
		}
	}
	if far > 0 || near > 4 || nothing > 35 {
		t.Errorf("noise makes %d far ends, %d near ones and %d ranges where nothing is, of 10,000", far, near, nothing)
	}
	for _, c := range []struct {
		signal      map[int]float64
		first, last int
	}{
		{map[int]float64{100: 50, 102: 4.8}, 100, 102},
		{map[int]float64{100: 50, 104: 5}, 100, 100}, // above the bar of single cells, and far
		{map[int]float64{100: 50, 150: 6}, 100, 100},
		{map[int]float64{100: 50, 150: 7, 152: 4.8}, 100, 152},
		{map[int]float64{50: 7, 100: 50}, 50, 100},
		{map[int]float64{100: 50, 101: 3.5, 102: 3.5}, 100, 101},                   // two together
		{map[int]float64{100: 50, 120: 4, 121: 3.8, 122: 3.8, 123: 4.8}, 100, 123}, // the four together, then one by one
		{map[int]float64{100: 50, 98: 4.8, 96: 4.8, 0: 5, magnitudeCells - 2: 5}, 96, 100},
		{map[int]float64{0: 50, magnitudeCells - 2: 50}, 0, magnitudeCells - 2},
	} {
		n := noisy{make([]float64, magnitudeCells-1), 20}
		for i, x := range c.signal {
			n.cells[i] = n.sigma * x
		}
		if first, last, ok := n.seen(nil); !ok || first != c.first || last != c.last {
			t.Errorf("%v: seen from %d to %d, want %d to %d", c.signal, first, last, c.first, c.last)
		}
	}
}

// TestRangesReachAcrossZero: of temperatures few are below 0. They stand out where a cell far above does not, since the range is
// hardly wider with them; and noise alone makes it longer in nextFalse of the columns at each end, and at 0: more than 1,800 of
// 10,000 are there with a probability below 1e-6.
func TestRangesReachAcrossZero(t *testing.T) {
	find := func(cells []float64, sigma float64) (lo, hi string) {
		f := FoundColumn{Type: domain.Numeric}
		f.number(Column{Type: domain.Numeric}, 10_000, figures{sizes: noisy{cells, sigma}})
		return f.Min, f.Max
	}
	below := func(power int) int { return power + 1 - leastPower } // cells from 0 to the one of the numbers below 2^power
	cells := make([]float64, magnitudeCells)
	cells[powers+below(5)], cells[powers+below(6)], cells[powers+below(7)] = 40, 60, 30 // of numbers from 16 to 127
	cells[powers-below(4)] = 5.8                                                        // -15 to -8
	if lo, hi := find(cells, 1); lo != "-15" || hi != "127" {
		t.Errorf("found from %s to %s", lo, hi)
	}
	cells[powers-below(4)], cells[powers+below(11)] = 0, 5.8 // 1024 and more
	if lo, hi := find(cells, 1); lo != "16" || hi != "127" {
		t.Errorf("found from %s to %s", lo, hi)
	}
	rng, longer := rand.New(rand.NewPCG(9, 9)), 0
	for range 10_000 {
		for i := range cells {
			cells[i] = rng.NormFloat64()
		}
		cells[powers+below(5)], cells[powers+below(6)], cells[powers+below(7)] = 40, 60, 30
		if lo, hi := find(cells, 1); lo != "16" || hi != "127" {
			longer++
		}
	}
	must.Hold(t, longer <= 1800, "noise makes %d of 10,000 ranges longer", longer)
}

// TestEndsThatFade: of few people, values that fade out over some magnitudes are cut off where less than a twentieth of them is
// beyond, in the mean of 2,000 draws. Its standard deviation is below .001, and the bound 20 of them away.
func TestEndsThatFade(t *testing.T) {
	rng, cut := rand.New(rand.NewPCG(3, 1)), 0.
	const people, sigma, draws = 740, 12, 2000
	for range draws {
		truth := make([]float64, magnitudeCells)
		for range people {
			truth[magnitude(math.Exp(4+1.6*rng.NormFloat64()))]++
		}
		n := noisy{slices.Clone(truth), sigma}
		for i := range n.cells {
			n.cells[i] += sigma * rng.NormFloat64()
		}
		f := FoundColumn{Type: domain.Numeric}
		e, ok := f.extent(n)
		must.Need(t, ok, "nothing is seen")
		cut += 1 - sum(truth[e.first:e.last+1])/people
	}
	if cut /= draws; cut > .05 {
		t.Errorf("%.3f of the values are beyond the range", cut)
	}
}

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
		var table rows
		for i := range 20_000 {
			row := make([]string, tt.columns)
			for k := range row {
				if row[k] = fmt.Sprint(20 + (i+k)%40); tt.null && (i+k)%50 == 0 {
					row[k] = "NA"
				}
			}
			table = append(table, row)
		}
		f := foundIn(t, params("", names...), counted(t, params("", names...), table))
		for _, c := range f.Columns {
			if whole := c.Type == domain.Int64 || c.Type == domain.Numeric && c.Resolution == "1"; c.Left != "" || !whole || c.Null != tt.null {
				t.Fatalf("%d columns: %+v", tt.columns, c)
			}
		}
	}
}

// TestWholeNumbersHaveNoPlaces: a column that is declared as INT64 is not asked for decimal places: noise would give it some once in
// a thousand times, and its file would be refused.
func TestWholeNumbersHaveNoPlaces(t *testing.T) {
	p := Params{
		Columns: []Column{{Name: "age", Type: domain.Int64}, {Name: "fee", Type: domain.Numeric, Scale: 2}}, Epsilon: 1, Delta: 1e-9, Share: dp.ShareOf(1, 1),
	}
	var table rows
	for i := range 5000 {
		table = append(table, []string{fmt.Sprint(i % 100), fmt.Sprintf("%d.25", i%100)})
	}
	found := foundIn(t, p, counted(t, p, table))
	for _, e := range found.Prior.Events {
		if e.Stage == placesStage && len(e.Scales) != 1 {
			t.Errorf("asked for places: %+v", e)
		}
	}
	if age := found.Columns[0]; age.Resolution != "1" || age.Max != "120" {
		t.Errorf("found %+v", age)
	}
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
		if c := f.Columns[i]; fmt.Sprint(c.Type, " ", c.Resolution) != want {
			t.Errorf("%+v, want %s", c, want)
		}
	}
	if c := f.Columns[5]; c.Max != "23:59:59" {
		t.Errorf("%+v", c)
	}
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

// Texts by which people write that there is no number make no texts of numbers and dates, and are values of texts.
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
		if c := f.Columns[i]; fmt.Sprint(c.Type, " ", c.Null) != want && fmt.Sprint(c.Type, " ", c.Null, " ", c.Resolution) != "NUMERIC true 1" || c.Left != "" {
			t.Errorf("%+v, want %s", c, want)
		}
	}
	if v := f.Columns[2].Values; !slices.Contains(v, "?") || len(v) != 3 {
		t.Errorf("values %q", v)
	}
}

// TestMostlyOther: a column of texts whose found values are few of its texts is left out, unless it is asked for.
func TestMostlyOther(t *testing.T) {
	var table rows
	for i := range 20_000 {
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
	if left := f.Columns[0].Left; !strings.HasPrefix(left, "values found: 1, of 2.") || f.Columns[1].Left != "" || len(f.Columns[1].Values) != 2 {
		t.Errorf("%+v", f.Columns)
	}
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
	if f.kinds(Column{Untyped: true}, k, sum(k.cells), 1); f.Type != domain.String {
		t.Errorf("the column is of %v", f.Type)
	}
	k.cells[textCell] = 1_000 // 3.3 standard deviations of noise
	if f.kinds(Column{Untyped: true}, k, sum(k.cells), 1); f.Type != domain.Int64 {
		t.Errorf("numbers are of %v", f.Type)
	}
}

// TestPlacesOfFewPeople: the decimal places that nine tenths of the values have are found as soon as their own cell stands out of the
// noise, whatever the noise of all cells together is.
func TestPlacesOfFewPeople(t *testing.T) {
	for places := 1; places <= 9; places++ {
		n := noisy{make([]float64, placesCells), 40}
		n.cells[places], n.cells[places-1] = 450, 50
		if k := n.needed(0, 10, 500); k != places {
			t.Errorf("%d places of %d", k, places)
		}
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
			k := noisy{make([]float64, kindCells), sigma}
			for cell := range k.cells {
				k.cells[cell] = sigma * rng.NormFloat64()
			}
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
			f.kinds(Column{Untyped: true}, kinds[i], units, columns)
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
	if f.kinds(Column{Untyped: true}, one, sum(one.cells), 1); f.Left != "" {
		t.Error("a kind that stands out is not seen")
	}
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

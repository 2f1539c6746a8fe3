package discover

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/mechanism"
	"github.com/dapple-dp/dapple/dp/query"
)

// The stages of a discovery.
const (
	kindsStage      = "found kinds"
	formsStage      = "found forms"
	placesStage     = "found places"
	magnitudesStage = "found magnitudes"
	yearsStage      = "found years"
	rowsStage       = "found rows"
	valuesStage     = "found values"
)

// The shares of the discovery's budget, in hundredths: kinds, the forms of texts, decimal places, and the rows of people. What
// is left goes to ranges and values by the number of their columns: a value needs about 6 standard deviations of noise to
// be seen, and a cell of a range 4.
const (
	kindsShare   = 5
	formsShare   = 3
	placesShare  = 5
	rowsShare    = 5
	valueWeight  = 17 // of a column
	prefixWeight = 6  // of a length of prefixes, which more people share than values
	rangeWeight  = 10
)

// mostUnseen is the part of the values that may be missing in a column without NULL: they would become one value. If the
// noise hides more, the column has NULL.
const mostUnseen = .05

// find releases the statistics of a table, and picks.
func find(p Params, cut int64, counts *table, secret mechanism.Seed, beforeNoise func() error) (*Found, error) {
	ledger, err := p.ledger()
	if err != nil {
		return nil, err
	}
	config, err := json.Marshal(p.noStore())
	if err != nil {
		return nil, fmt.Errorf("discover: %w", err)
	}
	curator, err := mechanism.New(counts, mechanism.Params{
		Sizes: sizes(len(p.Columns)), Ledger: ledger, BeforeNoise: beforeNoise,
		Root: mechanism.NewRoot(secret, sha256.Sum256(config), counts.digest()),
	})
	if err != nil {
		return nil, err
	}
	found, err := ask(p, cut, curator)
	if err != nil {
		return nil, err
	}
	found.Prior = accountant.Prior{Params: ledger.Params(), Events: ledger.Events()}
	return found, nil
}

// noStore is the configuration that noise depends on.
func (p Params) noStore() Params {
	p.Store.Kind, p.Store.Config = "", ""
	return p
}

// asker is what a discovery asks of private counts.
type asker interface {
	Measure(stage string, round int, cliques []domain.Clique, precision []float64, share dp.Share) ([]query.Measurement, error)
	Values(stage string, round int, of []query.ValuesOf, first int64, delta, share dp.Share) ([]query.FoundValues, error)
}

// noisy are the released cells of a statistic.
type noisy struct {
	cells []float64
	sigma float64
}

// measure releases a statistic of some columns. cells is that of each column, by its index.
func measure(c asker, stage string, statistic int, columns []int, share dp.Share) (map[int]noisy, error) {
	out := map[int]noisy{}
	if len(columns) == 0 {
		return out, nil
	}
	cliques := make([]domain.Clique, len(columns))
	for i, column := range columns {
		cliques[i] = domain.Clique{attribute(column, statistic)}
	}
	m, err := c.Measure(stage, 1, cliques, nil, share)
	if err != nil {
		return nil, err
	}
	for i, column := range columns {
		out[column] = noisy{m[i].Values, math.Sqrt(m[i].Variance)}
	}
	return out, nil
}

// ask releases kinds, and then what they call for.
func ask(p Params, cut int64, c asker) (*Found, error) {
	all := make([]int, len(p.Columns))
	for i := range all {
		all[i] = i
	}
	kinds, err := measure(c, kindsStage, kindOf, all, share(p.Share, kindsShare, 100))
	if err != nil {
		return nil, err
	}
	found := &Found{PrivacyID: p.PrivacyID, Columns: make([]FoundColumn, len(p.Columns))}
	rest := int64(100 - kindsShare)
	spent, err := found.askKinds(p, c, kinds)
	if err != nil {
		return nil, err
	}
	rest -= spent
	numbers, dates, clocks, texts := found.byType(p)
	found.Units = unitsOf(kinds)
	places, rows := int64(0), int64(0)
	open := slices.DeleteFunc(slices.Concat(numbers, dates, clocks), func(i int) bool { return !found.open(p, i) })
	if len(open) > 0 {
		places = placesShare
	}
	if p.PrivacyID != "" && p.Rows != NoRows {
		if rows = rowsShare; len(all) == 0 {
			rows = 100
		}
	}
	rest -= places + rows
	weight := int64(rangeWeight * (len(numbers) + len(dates)))
	for _, i := range texts {
		weight += valueWeight + prefixWeight*int64(len(found.cuts(p, i)))
	}
	part := func(columns int, each int64) dp.Share {
		return share(p.Share, each*int64(columns)*rest, 100*max(1, weight))
	}
	steps, err := measure(c, placesStage, placesOf, open, share(p.Share, places, 100))
	if err != nil {
		return nil, err
	}
	sizes, err := measure(c, magnitudesStage, magnitudeOf, numbers, part(len(numbers), rangeWeight))
	if err != nil {
		return nil, err
	}
	years, err := measure(c, yearsStage, yearOf, dates, part(len(dates), rangeWeight))
	if err != nil {
		return nil, err
	}
	for _, i := range numbers {
		found.Columns[i].number(p.Columns[i], found.Units, kinds[i], steps[i], sizes[i])
	}
	for _, i := range dates {
		found.Columns[i].years(p.Columns[i], found.Units, years[i], steps[i])
	}
	for _, i := range clocks {
		found.Columns[i].clock(p.Columns[i], found.Units, steps[i])
	}
	if rows > 0 {
		if err := found.askRows(p, c, all, share(p.Share, rows, 100)); err != nil {
			return nil, err
		}
	}
	return found, found.askValues(p, cut, c, texts, part)
}

// open reports whether the resolution of a column of numbers or times is to be found: those of an INT64 and a DATE are known.
func (f *Found) open(p Params, column int) bool {
	c := &p.Columns[column]
	return c.Step == "" && c.Unit == 0 && (c.Untyped || c.Type != domain.Int64) && f.Columns[column].Type != domain.Date
}

// byType returns the columns that have a range, of numbers, of dates and of times of a day, and those that have values.
func (f *Found) byType(p Params) (numbers, dates, clocks, texts []int) {
	for i := range f.Columns {
		switch x := &f.Columns[i]; {
		case x.Left != "":
		case x.Type == domain.String || p.Columns[i].hasValues():
			texts = append(texts, i)
		case x.Type == domain.Date || x.Type == domain.DateTime || x.Type == domain.Timestamp:
			dates = append(dates, i)
		case x.Type == domain.Time:
			clocks = append(clocks, i)
		case x.Type == domain.Int64 || x.Type == domain.Numeric || x.Type == domain.Float64:
			numbers = append(numbers, i)
		}
	}
	return numbers, dates, clocks, texts
}

// askKinds picks the types of the columns. Of those that are texts it releases whether people have written numbers, dates or codes,
// and returns what it spent of the share, in hundredths.
func (f *Found) askKinds(p Params, c asker, kinds map[int]noisy) (spent int64, err error) {
	var texts []int
	for i, column := range p.Columns {
		x := &f.Columns[i]
		x.Name, x.Type, x.Scale = column.Name, column.Type, column.Scale
		if x.kinds(column, kinds[i]); x.Left == "" && x.Type == domain.String && len(column.Prefixes) == 0 && !column.Values {
			texts = append(texts, i)
		}
	}
	if len(texts) > 0 {
		spent = formsShare
		forms, err := measure(c, formsStage, formOf, texts, share(p.Share, spent, 100))
		if err != nil {
			return 0, err
		}
		for _, i := range texts {
			if p.Columns[i].Untyped {
				f.Columns[i].written(kinds[i], forms[i])
			}
			f.Columns[i].coded(kinds[i], forms[i])
		}
	}
	for i := range f.Columns { // a text without a value has the cell of other values, and may have marks as values
		x, k := &f.Columns[i], kinds[i]
		missing := k.cells[nullCell] + k.cells[markCell]
		x.Null = x.Null || x.Type != domain.String && (missing > 3*math.Sqrt2*k.sigma || 3*k.sigma > mostUnseen*sum(k.cells))
	}
	return spent, nil
}

// askRows releases how many rows people have, and which columns stay the same within a person: half of the share each.
func (f *Found) askRows(p Params, c asker, all []int, s dp.Share) error {
	if p.Rows == AllOfRows {
		s = share(s, 1, 2)
	}
	m, err := c.Measure(rowsStage, 1, []domain.Clique{{len(all) * statistics}}, nil, s)
	if err != nil {
		return err
	}
	rows := noisy{m[0].Values[:rowsCells-1], math.Sqrt(m[0].Variance)}
	_, last, ok := rows.seen(nil)
	if f.MaxRows = min(int64(1)<<last, domain.MaxRowsPerPerson); !ok {
		f.MaxRows = 0
	}
	if p.Rows != AllOfRows {
		return nil
	}
	stays, err := measure(c, rowsStage+" alike", constantOf, all, s)
	if err != nil {
		return err
	}
	if f.MaxRows <= 1 {
		return nil // one row each
	}
	for i := range f.Columns {
		n := stays[i]
		if several := n.cells[constant] + n.cells[changing]; n.cells[changing] <= max(.002*several, 3*n.sigma) && n.cells[constant] > 3*n.sigma {
			f.Person = append(f.Person, f.Columns[i].Name)
		}
	}
	return nil
}

// unitsOf is the number of units: each is in one kind of each column.
func unitsOf(kinds map[int]noisy) (n float64) {
	for i := range len(kinds) {
		n += sum(kinds[i].cells)
	}
	return max(0, n/float64(max(1, len(kinds))))
}

// The chances that noise alone makes an end of a range, by where it would be: within reach of the cells that are seen
// already, where it makes the range a little longer; or far from them, where it would make one that is empty for the most
// part.
const (
	reach      = 2
	firstFalse = .001
	nearFalse  = .001
	farFalse   = 1e-7
	widest     = 8 // neighbouring cells that are looked at together
)

// seen returns the outermost cells that stand out of the noise, by themselves or together with those behind them. It begins
// at the largest, and goes on from what it sees. The bars are such that noise alone passes any of them with the
// probabilities above, whatever the number of cells. width, if not nil, is that of a range from one cell to another: what makes the
// range twice as wide at most is not far from it either, such as what is below 0 where nearly all is above.
func (n noisy) seen(width func(first, last int) float64) (first, last int, ok bool) {
	top := 0
	for i, x := range n.cells {
		if x > n.cells[top] {
			top = i
		}
	}
	if n.cells[top] <= n.sigma*quantile(firstFalse/float64(len(n.cells))) {
		return 0, 0, false
	}
	first, last = top, top
	for from, to := -1, -1; from != first || to != last; { // what is far from one end may be near the next
		from, to = first, last
		wide := func(i int) bool {
			return width != nil && width(min(first, i), max(last, i)) <= 2*width(first, last)
		}
		first, last = n.end(first, -1, wide), n.end(last, 1, wide)
	}
	return first, last, true
}

// end returns the outermost cell beyond one, in a direction of 1 or −1, that stands out; or that one.
func (n noisy) end(known, direction int, near func(int) bool) int {
	outermost, inside := 0, 0
	if direction > 0 {
		outermost = len(n.cells) - 1
	}
	for i := known; i != outermost && near(i+direction); i += direction {
		inside++
	}
	for i := outermost; i != known; i -= direction {
		chance := nearFalse / (2 * reach)
		switch beyond := (i - known) * direction; {
		case beyond <= reach:
		case beyond <= inside:
			chance = nearFalse / (2 * float64(inside))
		default:
			chance = farFalse / float64(len(n.cells))
		}
		z := quantile(chance / 4) // of 1, 2, 4 and 8 cells
		total := 0.
		for wide := 1; wide <= min(widest, (outermost-i)*direction+1); wide++ {
			total += n.cells[i+(wide-1)*direction]
			if wide&(wide-1) == 0 && total > z*n.sigma*math.Sqrt(float64(wide)) {
				return i
			}
		}
	}
	return known
}

func sum(list []float64) (s float64) {
	for _, x := range list {
		s += x
	}
	return s
}

// quantile is the value that a standard normal exceeds with a probability.
func quantile(p float64) float64 { return -distuv.UnitNormal.Quantile(p) }

package discover

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/kit/wire"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
)

// The stages of a discovery.
const (
	kindsStage      = "found kinds"
	formsStage      = "found forms"
	placesStage     = "found places"
	magnitudesStage = "found magnitudes"
	detailsStage    = "found details"
	yearsStage      = "found years"
	ordersStage     = "found orders"
	codesStage      = "found codes"
	rowsStage       = "found rows"
	valuesStage     = "found values"
)

// The shares of the discovery's budget, in hundredths: kinds, the forms of texts, decimal places, and the rows of people. What
// is left goes to ranges and values by the number of their columns: a value needs about 6 standard deviations of noise to
// be seen, and a cell of a range 4. Codes are asked for where a far cell of a range calls for them; what they do not need is left
// for the releases after the discovery.
const (
	kindsShare   = 15
	formsShare   = 3
	placesShare  = 5
	rowsShare    = 5
	valueWeight  = 17 // of a column
	prefixWeight = 6  // of a length of prefixes, which more people share than values
	rangeWeight  = 9
	detailWeight = 3 // of a number
	codeWeight   = 2 // of a number or date, for all that have far cells
	orderWeight  = 3 // of two dates
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
	curator, err := mechanism.New(counts, mechanism.Params{
		Sizes: sizes(len(p.Columns)), Ledger: ledger, BeforeNoise: beforeNoise,
		Root: mechanism.NewRoot(secret, p.config(), counts.digest()),
	})
	if err != nil {
		return nil, err
	}
	found, err := ask(p, cut, curator)
	if err != nil {
		return nil, err
	}
	if found.Prior, err = p.Prior(); err != nil {
		return nil, err
	}
	config := p.config()
	found.Prior.ID, found.Config, found.Prior.Events = cmp.Or(p.ID, rand.Text()), hex.EncodeToString(config[:]), ledger.Events()
	return found, nil
}

// config is the hash of all that noise depends on beside the counts.
func (p Params) config() [sha256.Size]byte {
	p.Store.Kind, p.Store.Config, p.RunID, p.Book, p.ID, p.Shards = "", "", "", "", "", 0
	return sha256.Sum256(wire.JSON(p))
}

// adopt reads what was found under the run ID of a discovery. It refuses what was found with other parameters: its charge is
// another, and so may be its columns.
func (p Params) adopt(data []byte) (*Found, error) {
	f, err := Decode(data)
	if err != nil {
		return nil, err
	}
	if config := p.config(); f.Config != hex.EncodeToString(config[:]) {
		return nil, fmt.Errorf("discover: what is kept under run ID %q was found with other parameters, of ε = %g and δ = %g: use another run ID, "+
			"or the same parameters and version of dapple", p.RunID, float64(f.Prior.Params.Epsilon), float64(f.Prior.Params.Delta))
	}
	return f, nil
}

// asker is what a discovery asks of private counts.
type asker interface {
	Measure(stage string, round int, cliques []domain.Clique, precision []float64, share dp.Share) ([]query.Measurement, error)
	Values(stage string, round int, of []query.ValuesOf, first int64, delta, share dp.Share) ([]query.FoundValues, error)
}

// ask releases kinds, and then what they call for.
func ask(p Params, cut int64, c asker) (*Found, error) {
	all := domain.All(len(p.Columns))
	kinds, err := measureColumns(c, kindsStage, kindOf, all, share(p.Share, kindsShare, 100))
	if err != nil {
		return nil, err
	}
	found := &Found{PrivacyID: p.PrivacyID, Columns: make([]FoundColumn, len(p.Columns)), Units: unitsOf(kinds)}
	for i, k := range kinds {
		kinds[i] = k.settled(found.Units)
	}
	spent, err := found.askKinds(p, c, kinds)
	if err != nil {
		return nil, err
	}
	numbers, dates, clocks, periods, texts := found.byType(p)
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
	rest := 100 - kindsShare - spent - places - rows
	weight, words := int64((rangeWeight+codeWeight)*(len(numbers)+len(dates))+detailWeight*len(numbers)+rangeWeight*len(periods)), int64(0)
	pairs := found.datePairs(p, dates)
	weight += orderWeight * int64(len(pairs))
	for _, i := range texts {
		words += valueWeight + prefixWeight*int64(len(found.cuts(p, i)))
	}
	weight += words
	part := func(columns int, each int64) dp.Share {
		return share(p.Share, each*int64(columns)*rest, 100*max(1, weight))
	}
	released := func(stage string, statistic int, columns []int, s dp.Share) (list map[int]noisy) { // until one cannot be released
		if err == nil {
			list, err = measureColumns(c, stage, statistic, columns, s)
		}
		return list
	}
	steps := released(placesStage, placesOf, open, share(p.Share, places, 100))
	numbers, days := found.ofDigits(numbers, steps)
	dates = append(dates, days...)
	sizes := released(magnitudesStage, magnitudeOf, numbers, part(len(numbers), rangeWeight))
	details := released(detailsStage, detailOf, numbers, part(len(numbers), detailWeight))
	years := released(yearsStage, yearOf, slices.Concat(dates, periods), part(len(dates)+len(periods), rangeWeight))
	if err != nil {
		return nil, err
	}
	far, spare := found.withFar(numbers, sizes, dates, years), int64(codeWeight*(len(numbers)+len(dates)))
	codes := released(codesStage, codeOf, far, part(len(numbers)+len(dates), codeWeight))
	if err != nil {
		return nil, err
	}
	if len(far) > 0 {
		spare = 0
	}
	for _, i := range numbers {
		found.Columns[i].number(p.Columns[i], found.Units, figures{kinds[i], steps[i], sizes[i], details[i], codes[i]})
	}
	for _, i := range dates {
		found.Columns[i].dates(p.Columns[i], found.Units, years[i], steps[i], codes[i])
	}
	for _, i := range periods {
		found.Columns[i].periods(years[i])
	}
	for _, i := range clocks {
		found.Columns[i].clock(p.Columns[i], found.Units, steps[i])
	}
	for i := range found.Columns {
		found.Columns[i].misfits(p.Columns[i])
	}
	if rows > 0 {
		if err := found.askRows(p, c, all, share(p.Share, rows, 100)); err != nil {
			return nil, err
		}
	}
	if err := found.askOrders(c, pairs, years, part(len(pairs), orderWeight)); err != nil {
		return nil, err
	}
	return found, found.askValues(p, cut, c, texts, func(columns int, each int64) dp.Share { // values have what codes do not need
		return share(p.Share, each*int64(columns)*rest*(words+spare), 100*max(1, weight*words))
	})
}

// withFar returns the columns with something far from all else, where codes are worth asking.
func (f *Found) withFar(numbers []int, sizes map[int]noisy, dates []int, years map[int]noisy) (list []int) {
	for _, i := range numbers {
		if f.Columns[i].far(sizes[i]) {
			list = append(list, i)
		}
	}
	for _, i := range dates {
		if len(years[i].eras()) > 1 {
			list = append(list, i)
		}
	}
	return list
}

// open reports whether the resolution of a column of numbers or times is to be found: INT64 and DATE have a known one.
func (f *Found) open(p Params, column int) bool {
	c := &p.Columns[column]
	return c.Step == "" && c.Unit == 0 && (c.Untyped || c.Type != domain.Int64) && f.Columns[column].Type != domain.Date
}

// byType returns the columns that have a range, of numbers, of dates, of times of a day and of periods, and columns that have values.
func (f *Found) byType(p Params) (numbers, dates, clocks, periods, texts []int) {
	for i := range f.Columns {
		switch x := &f.Columns[i]; {
		case x.Left != "":
		case x.period != cellkind.NoPeriod:
			periods = append(periods, i)
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
	return numbers, dates, clocks, periods, texts
}

// askKinds picks the types of the columns. Of those that are texts it releases whether people have written numbers, dates or codes,
// and returns what it spent of the share, in hundredths.
func (f *Found) askKinds(p Params, c asker, kinds map[int]noisy) (spent int64, err error) {
	var texts []int
	for i, column := range p.Columns {
		x := &f.Columns[i]
		x.Name, x.Type, x.Scale = column.Name, column.Type, column.Scale
		if x.kinds(column, kinds[i], f.Units, len(kinds)); x.Left == "" && x.Type == domain.String && len(column.Prefixes) == 0 && !column.Values {
			texts = append(texts, i)
		}
	}
	if len(texts) > 0 {
		spent = formsShare
		forms, err := measureColumns(c, formsStage, formOf, texts, share(p.Share, spent, 100))
		if err != nil {
			return 0, err
		}
		for _, i := range texts {
			if p.Columns[i].Untyped {
				f.Columns[i].written(kinds[i], forms[i])
			}
			f.Columns[i].coded(kinds[i], forms[i])
			f.Columns[i].ofPeriod(kinds[i], forms[i])
		}
		f.dayOrMonth()
	}
	for i := range f.Columns { // a text without a value has the cell of other values, and may have marks as values
		x, k := &f.Columns[i], kinds[i]
		missing := k.cells[nullCell] + k.cells[markCell]
		x.Null = x.Null || !p.Columns[i].Required && x.Type != domain.String && (p.Columns[i].Values || missing > 3*math.Sqrt2*k.sigma || 3*k.sigma > mostUnseen*sum(k.cells))
	}
	return spent, nil
}

// askRows releases how many rows people have, and which columns stay the same within a person: two fifths of the share each. A
// fifth is for the number that most people have, if that is the largest: in a panel all have as many rows.
func (f *Found) askRows(p Params, c asker, all []int, s dp.Share) error {
	exactly := share(s, 1, 5)
	if s = share(s, 4, 5); p.Rows == AllOfRows {
		s = share(s, 1, 2)
	}
	m, err := measure(c, rowsStage, s, len(all)*statistics)
	if err != nil {
		return err
	}
	rows := noisy{m[0].cells[:rowsCells-1], m[0].sigma}
	_, last, ok := rows.seen(nil)
	if ok {
		last = rows.rest(last, f.Units)
		f.MaxRows = min(int64(1)<<last, domain.MaxRowsPerPerson)
		if more := f.Units - sum(rows.cells[:last+1]); more > max(leastNoted*f.Units, nearly*rows.sigma*math.Sqrt(float64(last+1))) {
			f.More = more / f.Units
		}
	}
	if ok && f.MaxRows > 2 && f.MaxRows < exactCells && rows.cells[last] > f.Units/2 {
		m, err := measure(c, rowsStage+" exactly", exactly, len(all)*statistics+1)
		if err != nil {
			return err
		}
		n := m[0]
		if most := n.most(int(f.MaxRows)/2, int(f.MaxRows)-1); n.cells[most]-shown*n.sigma > f.Units/2 {
			f.MaxRows = int64(most) + 1
		}
	}
	if p.Rows != AllOfRows {
		return nil
	}
	stays, err := measureColumns(c, rowsStage+" alike", constantOf, all, s)
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

// rest returns the cell of the most rows, given the last that is seen: with those behind it that fade out, and one more where noise hides
// whether that is so. Rows that are left out are missing in every count of rows, and a cell without people costs it a little noise.
func (n noisy) rest(last int, units float64) int {
	within := sum(n.cells[:last+1])
	for last < len(n.cells)-2 && (units-within > max(leastMissing*units, missingBar*n.sigma*math.Sqrt(float64(last+2))) || last > 0 && n.fades(last, 1, leastFaded*units)) {
		last++
		within += n.cells[last]
	}
	if hides := n.cells[last]/steepest < quantile(nextFalse/2)*n.sigma; last > 0 && last < len(n.cells)-1 && hides && n.cells[last] < units/2 {
		last++
	}
	return last
}

// nearly is how many standard deviations of noise people stand above who seem to have more rows.
const nearly = 2

// unitsOf is the number of units: each is in one kind of each column.
func unitsOf(kinds map[int]noisy) (n float64) {
	for i := range len(kinds) {
		n += sum(kinds[i].cells)
	}
	return max(0, n/float64(max(1, len(kinds))))
}

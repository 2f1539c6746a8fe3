package synth

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/modelfile"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// tied is a domain of two ordered ages in wide bins, a date in parts, and two columns whose places in bins follow the places of
// another column and its bins.
func tied() *domain.Domain {
	run := []domain.Run{{From: 0, Share: .5}, {From: 50, Share: .5}}
	learned := func(name string, c *domain.Coupling) domain.Attribute {
		return domain.Attribute{Name: name, Type: domain.Int64, Cuts: []int64{0, 50, 100}, Resolution: 1, Runs: run, Coupling: c, HasFallback: true}
	}
	bins := func(name string, cuts ...int64) domain.Attribute {
		return domain.Attribute{Name: name, Type: domain.Int64, Cuts: cuts, Resolution: 1, HasFallback: true}
	}
	// pay lies further up in its second bin where the column after next is in its own.
	moved := &domain.Coupling{With: -1, Shift: &domain.Shift{With: []int{2}, Adds: [][]float64{{0, 3, 0}}, Spread: .3, Levels: [][]float64{nil, nil}}}
	for i := range domain.ShiftLevels {
		moved.Shift.Levels[1] = append(moved.Shift.Levels[1], .1*float64(i))
	}
	return &domain.Domain{
		Attributes: []domain.Attribute{
			learned("pay", moved), learned("rent", &domain.Coupling{With: 0, Strength: []float64{30, 30}, Width: []float64{1, 1}}),
			bins("from", 0, 20, 40), bins("to", 0, 20, 40), bins("month", 1, 3, 12), bins("day", 1, 16, 31), bins("year", 2000, 2002, 2004),
			{Name: "sex", Type: domain.String, Values: []string{"f", "m"}, HasFallback: true},
		},
		Orders: []domain.Order{{Columns: []string{"from", "to"}}},
		Dates:  []domain.DateParts{{Year: "year", Month: "month", Day: "day"}},
	}
}

// Rows of people do not depend on how people are shared out. Everybody has a number, at most as many rows as are allowed,
// and the same values in the columns of the person, which are learned bins that would follow a column of the events; orders and dates hold in
// every row.
func TestRowsOfPeople(t *testing.T) {
	base := tied()
	base.PrivacyID = "who"
	base.Attributes[0].Coupling = &domain.Coupling{With: 1, Strength: []float64{30, 30}, Width: []float64{1, 1}}
	base.Attributes[1].Coupling = nil
	d := must.Value(base.WithEvents([]string{"pay", "sex"}, nil, []int64{1, 2, 4}, 9))(t)
	must.Do(t, d.Validate())
	model := &population.Model{Sizes: d.Sizes(), Weights: make([]float64, 3<<8)}
	for i := range model.Weights {
		model.Weights[i] = float64(i % 7)
	}
	file := &modelfile.File{Domain: *d, Cliques: []domain.Clique{domain.NewClique(0, 8)}, Units: 500, Model: model}
	src := must.Value(newRowSource(file, "hash", WriteParams{Seed: 3}))(t)
	read := func(bounds ...int64) (out []string) {
		for i := range bounds[1:] {
			must.Do(t, src.each(context.Background(), oneTable, bounds[i], bounds[i+1], newChunk, func(c *domain.Chunk) error {
				must.Need(t, len(c.Columns) == d.Written().Len(), "%d columns, want %d", len(c.Columns), d.Written().Len())
				for row := range c.Rows {
					var cells []string
					for a := range c.Columns {
						cells = append(cells, fmt.Sprint(c.Columns[a].Ints[row]))
					}
					out = append(out, strings.Join(cells, " "))
				}
				return nil
			}))
		}
		return out
	}
	all := read(0, 500)
	must.Hold(t, slices.Equal(all, read(0, 1, 130, 130, 499, 500)), "other shards have other rows")
	must.Hold(t, int64(len(all)) == src.total(), "%d rows, want %d", len(all), src.total())
	rows, pay := map[int]int{}, map[int]string{}
	for _, line := range all {
		var who, money, rent, from, to, month, day, year, sex int
		must.Value(fmt.Sscan(line, &who, &money, &rent, &from, &to, &month, &day, &year, &sex))(t)
		rows[who]++
		must.Need(t, rows[who] <= 9, "person %d has more than 9 rows", who)
		own := fmt.Sprint(money, sex)
		must.Need(t, rows[who] <= 1 || pay[who] == own, "person %d has %s, and had %s", who, own, pay[who])
		pay[who] = own
		must.Hold(t, from <= to && day <= 31 && (month != 2 || day <= 29), "row %s: an order or a date does not hold", line)
	}
	must.Hold(t, len(rows) == 500 && rows[1] != 0 && rows[500] != 0, "%d people, want 1 to 500", len(rows))
}

// What is asked of two tables in vain is said before anything runs, of both types at once.
func TestSynthesizePeopleFaults(t *testing.T) {
	type nobody struct{ Name string }
	d, err := visits().WithEvents([]string{"sex"}, nil, []int64{0, 1}, 1)
	must.Do(t, err)
	p := PeopleParams{Params: Params{Domain: d, Epsilon: 1, Delta: 1e-9}}
	of := reflect.TypeFor[nobody]()
	if err := p.Validate(of, of); err == nil || strings.Count(err.Error(), "does not match the domain") != 2 || strings.Count(err.Error(), "cannot be written as") != 2 {
		t.Errorf("structs without a field for any column: %v", err)
	}
	must.Fail(t, p.Params.Validate(of), "call SynthesizePeople", "one table")
	d, err = visits().WithEvents([]string{"sex"}, nil, []int64{1}, 1)
	must.Do(t, err)
	p.Domain = d
	must.Fail(t, p.Validate(of, of), "call Synthesize", "people who all have rows")
	p.Domain = nil
	must.Fail(t, p.Validate(of, of), "Params.Domain is required", "no domain")
}

// Histories by dates follow the rhythm of first dates, and histories by numbers none.
func TestHistoriesHaveARhythm(t *testing.T) {
	for typ, want := range map[domain.Type]int{domain.Date: 7, domain.Int64: 0} {
		d := &domain.Domain{PrivacyID: "who", Attributes: []domain.Attribute{{Name: "day", Type: typ, Cuts: []int64{0, 99}, Resolution: 1, Learned: 1, HasFallback: true}}}
		d, err := d.WithEvents(nil, nil, []int64{1, 2}, 9)
		if err == nil {
			d, err = d.WithSequence(domain.Sequence{Column: "day"})
		}
		must.Do(t, err)
		d.Attributes[d.Events.First()].Runs = []domain.Run{{Share: 1}}
		got := chainOf(d).Rhythm
		must.Hold(t, len(got) == want, "%s: a rhythm of %d values, want %d", typ, len(got), want)
	}
}

package evaluate

import (
	"math"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// By hand: the true people are a, with rows 0 0 1, and b, with 1 1; the synthetic ones are x, with 0 1, y, with 1, and z,
// who changes and has four rows where three are allowed.
func TestComparePeople(t *testing.T) {
	d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{
		{Name: "sex", Type: domain.String, Values: []string{"F", "M"}},
		{Name: "kind", Type: domain.String, Values: []string{"k", "l"}},
	}}
	build := func(who []int32, people int, sex, kind []domain.Code) *Table {
		t := NewTable(d)
		t.Rows, t.Columns, t.persons, t.people = len(who), [][]domain.Code{sex, kind}, who, people
		return t
	}
	truth := build([]int32{0, 1, 0, 1, 0}, 2, []domain.Code{0, 1, 0, 1, 0}, []domain.Code{0, 1, 0, 1, 1})
	other := build([]int32{0, 0, 1, 2, 2, 2, 2}, 3, []domain.Code{0, 0, 1, 0, 1, 0, 0}, []domain.Code{0, 1, 1, 0, 0, 0, 0})
	got := comparePeople(truth, other, d, &domain.Events{Columns: 2, Person: []string{"sex"}, MaxRows: 3})
	// Rows of a person, true 2 3, synthetic 1 2 3 (and more): |0 − 1/3|, |1/2 − 1/3|, |1/2 − 1/3|. With sex: true M2 F3,
	// synthetic F2 M1 F3. Pairs of kinds 00 01 10 11, true a: 1/3 1/3 1/3 0, b: 0 0 0 1; synthetic x: 0 1/2 1/2 0, z: 1 0 0 0.
	// Five rows dealt to two people, each with one: 1 + Poisson(1.5), which only for one row is above the truth. Sexes
	// dealt to numbers: 1/4 each in place of 1/2 for two. Dealt from shares 2/5 and 3/5: .16 .24 .24 .36. Next rows, true a: 1/2 1/2 0 0, b: 0 0 0 1; x: 0 1 0 0, z: 1 0 0 0.
	same := (1./2 - 1./6 + 1./4 - 1./6 + 1./4 - 1./6 + 1./2) / 2
	dealt := (1./6 - .16 + .24 - 1./6 + .24 - 1./6 + 1./2 - .36) / 2
	want := People{
		True: 2, Synthetic: 3, Changing: [2]int{0, 1}, TooManyRows: 1, RowsMax: 3,
		RowsPerson: Share{1. / 3, math.Exp(-1.5)}, RowsByPerson: Share{(1./2 + 1./3 + 1./3 + 1./6) / 2, 1. / 2},
		SamePerson: Share{same, dealt}, NextRow: Share{(1./4 + 1./4 + 1./2) / 2, (.25 - .16 + .25 - .24 + .24 + .5 - .36) / 2},
	}
	for _, x := range [][2]*Share{{&got.RowsPerson, &want.RowsPerson}, {&got.RowsByPerson, &want.RowsByPerson}, {&got.SamePerson, &want.SamePerson}, {&got.NextRow, &want.NextRow}} {
		if !near(x[0].TV, x[1].TV) || !near(x[0].Dealt, x[1].Dealt) {
			t.Errorf("got %v, want %v", *x[0], *x[1])
		}
		*x[0], *x[1] = Share{}, Share{}
	}
	must.Hold(t, *got == want, "got %+v, want %+v", *got, want)
}

// A table of people keeps every record that has an ID.
func TestPeopleBuilder(t *testing.T) {
	b := NewPeopleBuilder(wide("id"))
	b.Add(chunk([]string{"a", "b", "", "a"}, []int64{0, 1, 2, 3}, []int64{1, 2, 3, 4}))
	got := b.Table()
	must.Hold(t, got.Rows == 3 && got.people == 2 && got.persons[2] == 0 && got.persons[1] == 1,
		"%d rows of %d people %v, want 3 of 2", got.Rows, got.people, got.persons)
}

// Of two tables each row has the columns of its person, whose first record counts; rows of nobody in the table of people
// are counted and left out.
func TestJoin(t *testing.T) {
	d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{
		{Name: "kind", Type: domain.String, Values: []string{"k", "l"}, Other: true},
		{Name: "sex", Type: domain.String, Values: []string{"F", "M"}, Other: true},
	}}
	people, rows, p := split(d, &domain.Events{Columns: 2, Person: []string{"sex"}, MaxRows: 3})
	must.Need(t, people.Len() == 1 && rows.Len() == 1 && people.Attributes[0].Name == "sex" && rows.Attributes[0].Name == "kind",
		"split into %+v and %+v", people, rows)
	texts := func(ids, values []string) *domain.Chunk {
		codes := make([]int64, len(ids))
		for i := range codes {
			codes[i] = int64(i)
		}
		return &domain.Chunk{Rows: len(ids), ID: domain.Column{Form: domain.Dictionary, Dict: ids, Ints: codes},
			Columns: []domain.Column{{Form: domain.Dictionary, Dict: values, Ints: codes}}}
	}
	b := NewPeopleBuilder(d)
	p.add(b, texts([]string{"a", "b", "", "a"}, []string{"M", "F", "M", "F"}))
	p.add(b, texts([]string{"c"}, []string{"M"}))
	b.addRows(texts([]string{"b", "x", "a", "", "b"}, []string{"k", "k", "l", "k", "l"}), p, domain.NewEncoder(rows))
	got := b.Table()
	must.Hold(t, got.Rows == 3 && got.people == 2 && got.orphans == 2 && slices.Equal(got.persons, []int32{0, 1, 0}) && slices.Equal(got.Columns[0], []domain.Code{0, 1, 1}) && slices.Equal(got.Columns[1], []domain.Code{0, 1, 0}),
		"got %d rows of %d people %v, %v, and %d of nobody", got.Rows, got.people, got.persons, got.Columns, got.orphans)
}

// What is dealt at random adds up to 1, also of nobody, of nothing and of a million rows of one person.
func TestDealtByChance(t *testing.T) {
	for _, of := range []struct {
		rows, people int
		noRows       bool
	}{{0, 0, true}, {0, 5, true}, {3, 5, true}, {5, 5, false}, {1_000_000, 1, false}, {40, 3, false}} {
		sum := 0.0
		for _, x := range byChance(of.rows, of.people, of.noRows, func(n int) int { return min(n, 9) }, 10) {
			sum += x
		}
		must.Hold(t, math.Abs(sum-1) <= 1e-6, "%+v: %g in all", of, sum)
	}
	got := byChance(10, 5, true, func(n int) int { return min(n, 3) }, 4)
	must.Hold(t, math.Abs(got[0]-math.Exp(-2)) <= 1e-12 && math.Abs(got[1]-2*math.Exp(-2)) <= 1e-12, "mean 2: %v", got)
}

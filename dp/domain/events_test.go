package domain

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func visitsOf() *Domain {
	return &Domain{PrivacyID: "id", Attributes: []Attribute{
		{Name: "sex", Type: String, Values: []string{"F", "M"}, Other: true, OtherValue: "x"},
		{Name: "kind", Type: String, Values: []string{"a", "b"}, Other: true, OtherValue: "x"},
		{Name: "cost", Type: Int64, Cuts: []int64{0, 1000}, Resolution: 1, Learned: 5, HasFallback: true},
	}}
}

func TestWithEvents(t *testing.T) {
	d, err := visitsOf().WithEvents([]string{"sex"}, []string{"kind"}, EqualRatioCuts(20), 20)
	must.Need(t, err == nil && d.Validate() == nil, "%v, %v", err, d.Validate())
	var names []string
	for _, a := range d.Attributes {
		names = append(names, a.Name)
	}
	must.Equal(t, strings.Join(names, " "), "sex kind cost rows_per_person usual_kind", "columns")
	must.List(t, d.Attributes[3].Cuts, []int64{1, 2, 3, 4, 6, 9, 13, 20, 20}, "cuts")
	r := d.Recorded()
	must.Hold(t, r.Len() == 3 && r.Events == nil && visitsOf().Fingerprint() == r.Fingerprint(), "the domain of records has %d columns, or is another", r.Len())
	if w := d.Written(); w.Len() != 4 || w.Attributes[0].Name != "id" || w.Attributes[1].Name != "sex" || w.PrivacyID != "" {
		t.Errorf("%d columns are written, the first %s", w.Len(), w.Attributes[0].Name)
	}
	must.Hold(t, !d.OfPerson(1) && d.OfPerson(0) && d.OfPerson(3) && d.OfPerson(4), "columns of the person are others")
}

// Every bin of the number of rows is one of an attribute, whatever the largest number is.
func TestEqualRatioCuts(t *testing.T) {
	for _, m := range []int64{1, 2, 3, 4, 5, 6, 7, 10, 100, 101, 1000, MaxRowsPerPerson} {
		d, err := visitsOf().WithEvents(nil, nil, EqualRatioCuts(m), m)
		must.Hold(t, err == nil && d.Validate() == nil, "at most %d rows: %v, %v", m, err, d.Validate())
		n := d.Attributes[3].Size()
		must.Hold(t, n <= 255, "at most %d rows: %d bins", m, n)
	}
}

// In the only row of a person is what is usual, if a bin holds one row alone, and the column has few cells.
func TestTheOnlyRowIsUsual(t *testing.T) {
	many := visitsOf()
	many.Attributes[1].Values = make([]string, usualCells+1)
	for i := range many.Attributes[1].Values {
		many.Attributes[1].Values[i] = fmt.Sprint(i)
	}
	for _, test := range []struct {
		d    *Domain
		cuts []int64
		most int64
		one  int // the bin of one row
		zero bool
	}{
		{visitsOf(), EqualRatioCuts(100), 100, 0, true},
		{visitsOf(), EqualRatioCuts(2), 2, 0, true},
		{visitsOf(), slices.Insert(EqualRatioCuts(9), 0, 0), 9, 1, true},
		{visitsOf(), EqualRatioCuts(1), 1, 0, false}, // or more rows, and one is written
		{visitsOf(), []int64{1}, 2, 0, false},
		{visitsOf(), []int64{1, 3}, 9, 0, false},
		{many, EqualRatioCuts(100), 100, 0, false},
	} {
		d, err := test.d.WithEvents([]string{"sex"}, []string{"kind"}, test.cuts, test.most)
		if err != nil || d.Validate() != nil {
			t.Fatal(err, d.Validate())
		}
		r := d.Recorded()
		must.Hold(t, r.Fingerprint() == test.d.Fingerprint(), "cuts %v: records are read as %+v", test.cuts, r)
		record := make([]Code, d.Len()) // sex kind cost rows usual
		for rows := test.one; rows < d.Attributes[3].Size(); rows++ {
			for kind := range Code(3) {
				for usual := range Code(3) {
					record[1], record[3], record[4] = kind, Code(rows), usual
					got, want := d.Possible(record), !test.zero || rows > test.one || kind == usual
					must.Hold(t, got == want, "cuts %v, record %v: possible %t", test.cuts, record, got)
				}
			}
		}
	}
}

func TestEventsFaults(t *testing.T) {
	d := visitsOf()
	d.PrivacyID = ""
	d.Attributes = append(d.Attributes, Attribute{Name: RowsPerPerson, Type: Bool, Values: []string{"false", "true"}, HasFallback: true},
		Attribute{Name: "usual_kind", Type: Bool, Values: []string{"false", "true"}, HasFallback: true})
	d.Orders = []Order{{Columns: []string{"sex", "kind"}}}
	d.Generated = []Generated{{Column: "", As: "uuid"}}
	_, err := d.WithEvents([]string{"sex", "sex", "height"}, []string{"cost", "sex", "kind", "weight"}, []int64{1}, 0)
	must.Need(t, err != nil, "no fault")
	for _, want := range []string{"no privacy ID", "at most 0 rows", `person: column "sex" is there twice`, `no column is called "height"`,
		`the bins of column "cost" are learned`, `column "sex" is a person column`, `column "usual_kind" is called as`, `no column is called "weight"`,
		`column "rows_per_person" is called as`, "an order names a person column"} {
		must.Hold(t, strings.Contains(err.Error(), want), "no word of %q in:\n%v", want, err)
	}
	d = visitsOf()
	d.Derived = []Derived{{Column: Attribute{Name: "id", Type: String}}, {Column: Attribute{Name: "usual_kind", Type: String}}, {Column: Attribute{Name: "usual_cost"}}}
	d.Generated = []Generated{{Column: "id", As: "serial"}, {Column: RowsPerPerson, As: "uuid"}}
	_, err = d.WithEvents([]string{"sex"}, []string{"kind"}, []int64{1}, 9)
	got := len(strings.Split(fmt.Sprint(err), "\n"))
	must.Hold(t, got == 4 && strings.Contains(err.Error(), `derived column "id" is the privacy ID`) && strings.Contains(err.Error(), `generated column "id" is`) && strings.Contains(err.Error(), `derived column "usual_kind" is called as`) && strings.Contains(err.Error(), `generated column "rows_per_person" is called as`),
		"columns that are made: %v", err)
	all := []string{"sex", "kind", "cost"}
	must.Fails(visitsOf().WithEvents(all, nil, []int64{1}, 1))(t, "no column is left for the events", "person columns only")
}

// If people without rows exist, columns of events are NULL of them and, unless they were so before, of nobody else. What is
// impossible of NULL is so of rows alone, and records are read as ever.
func TestPeopleWithoutRows(t *testing.T) {
	records := visitsOf()
	records.Attributes = append(records.Attributes, Attribute{Name: "stay", Type: Int64, Cuts: EqualCuts(0, 9, 3), Resolution: 1, Null: true})
	records.StructuralZeros = Exclusions{{Clique{0, 1}, [][]Code{{1}, {0}}}, {Clique{0, 3}, [][]Code{{0}, {2, 3}}}} // stay: NULL is 3
	d, err := records.WithEvents([]string{"sex"}, []string{"kind"}, slices.Insert(EqualRatioCuts(4), 0, 0), 4)
	must.Need(t, err == nil && d.Validate() == nil, "%v, %v", err, d.Validate())
	r := d.Recorded()
	must.Hold(t, r.Fingerprint() == records.Fingerprint(), "records are read as %+v", r)
	must.Hold(t, slices.Equal(d.Events.Filled, []string{"kind", "cost"}), "filled %v", d.Events.Filled)
	const noRows, rows, none = 0, 2, 3 // kind: NULL is 3, cost: 5
	for _, test := range []struct {
		record []Code // sex kind cost stay rows usual
		want   bool
	}{
		{[]Code{0, none, 5, 3, noRows, none}, true},
		{[]Code{0, 1, 5, 3, noRows, none}, false},
		{[]Code{0, none, 4, 3, noRows, none}, false},
		{[]Code{0, none, 5, 1, noRows, none}, false},
		{[]Code{0, none, 5, 3, noRows, 1}, false},
		{[]Code{1, 1, 4, 3, rows, 1}, true},
		{[]Code{0, 1, 4, 3, rows, 1}, false}, // as declared
		{[]Code{1, 0, 4, 1, rows, 1}, false}, // as declared
		{[]Code{1, none, 4, 3, rows, 1}, false},
		{[]Code{1, 1, 5, 3, rows, 1}, false},
		{[]Code{1, 1, 4, 3, rows, none}, false},
	} {
		must.Equal(t, d.Possible(test.record), test.want, "record %v: possible", test.record)
	}
	must.Fails(visitsOf().WithEvents(nil, nil, []int64{0, 1}, 2))(t, "no column is one of a person", "no person columns")
}

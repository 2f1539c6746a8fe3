package domain

import (
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// ordered returns visits in the order of a column of each kind.
func ordered(t *testing.T, day Attribute, least int64, q Sequence) (*Domain, error) {
	t.Helper()
	d := visitsOf()
	d.Attributes = append(d.Attributes, day)
	cuts := EqualRatioCuts(9)
	if least == 0 {
		cuts = slices.Insert(cuts, 0, 0)
	}
	out := must.Value(d.WithEvents([]string{"sex"}, []string{"kind"}, cuts, 9))(t)
	return out.WithSequence(q)
}

func days(learned int) Attribute {
	a := Attribute{Name: "day", Type: Date, Cuts: []int64{100, 199}, Resolution: 1, Learned: learned, HasFallback: true}
	if learned == 0 {
		a.Cuts = EqualCuts(0, 9, 10)
		a.Type = Int64
	}
	return a
}

func TestWithSequence(t *testing.T) {
	for _, least := range []int64{1, 0} {
		for _, day := range []Attribute{
			days(20), days(0),
			{Name: "day", Type: Timestamp, Cuts: []int64{0, 1e9}, Resolution: 1e6, Learned: 5, HasFallback: true},
			{Name: "day", Type: Numeric, Scale: 2, Cuts: []int64{-500, 500}, Resolution: 5, Learned: 5, HasFallback: true},
			{Name: "day", Type: Float64, FloatCuts: []float64{0.5, 20}, FloatResolution: .1, Learned: 5, HasFallback: true},
		} {
			for _, strict := range []bool{false, true} {
				q := Sequence{Column: "day", Strict: strict}
				if strict && day.steps() < 9 {
					continue
				}
				d, err := ordered(t, day, least, q)
				if err != nil || d.Validate() != nil {
					t.Fatal(err, d.Validate())
				}
				got := strings.Join(d.Names(), " ")
				must.Need(t, got == "sex kind cost gap_day rows_per_person usual_kind first_day before_kind before_cost", "columns %s", got)
				fewer := must.Value(d.WithSequence(Sequence{Column: "day", Strict: strict, Previous: []string{"cost"}}))(t)
				direct := must.Value(ordered(t, day, least, Sequence{Column: "day", Strict: strict, Previous: []string{"cost"}}))(t)
				if fewer.Validate() != nil || fewer.Fingerprint() != direct.Fingerprint() || fewer.Fingerprint() == d.Fingerprint() {
					t.Errorf("%s: another order in its place makes another domain than by itself: %v", day.Type, fewer.Validate())
				}
				gaps := d.Attributes[3].RecordSize() - 1
				want := day.steps()
				must.Hold(t, (!strict || gaps == want-1) && (strict || gaps == want), "%s: %d gaps of %d values", day.Type, gaps, want)
				r := d.Recorded()
				plain := visitsOf()
				plain.Attributes = append(plain.Attributes, day)
				must.Hold(t, r.Fingerprint() == plain.Fingerprint(), "%s: the domain of records is another", day.Type)
				for a, want := range []bool{true, false, false, false, true, true, true, false, false} {
					must.Hold(t, d.OfPerson(a) == want, "column %s is of the person: %v", d.Attributes[a].Name, !want)
				}
				must.Hold(t, d.BinsOf(8) == 2 && d.BinsOf(7) == -1 && d.BinsOf(2) == -1, "what takes over bins of others is another")
				must.Equal(t, strings.Join(d.Written().Names(), " "), "id sex kind cost day", "written")
			}
		}
	}
}

// Nothing is remembered of the first row of a person, and of no other row.
func TestFirstRows(t *testing.T) {
	d := must.Value(ordered(t, days(0), 0, Sequence{Column: "day", Previous: []string{"kind"}}))(t)
	// sex kind cost gap rows usual first before
	const null, none = 10, 3
	for _, test := range []struct {
		what     string
		record   []Code
		possible bool
	}{
		{"a first row of two", []Code{0, 1, 0, null, 2, 1, 4, none}, true},
		{"a second row of two", []Code{0, 1, 0, 3, 2, 1, 4, 0}, true},
		{"the only row", []Code{0, 1, 0, null, 1, 1, 4, none}, true},
		{"a row after the only one", []Code{0, 1, 0, 3, 1, 1, 4, 0}, false},
		{"a first row with a memory", []Code{0, 1, 0, null, 2, 1, 4, 0}, false},
		{"a later row without one", []Code{0, 1, 0, 3, 2, 1, 4, none}, false},
		{"nobody's row", []Code{0, none, 5, null, 0, none, null, none}, true},
		{"a gap of nobody", []Code{0, none, 5, 3, 0, none, null, none}, false},
		{"a beginning of nobody", []Code{0, none, 5, null, 0, none, 4, none}, false},
		{"somebody without a beginning", []Code{0, 1, 0, null, 2, 1, null, none}, false},
	} {
		must.Equal(t, d.Possible(test.record), test.possible, "%s: possible", test.what)
	}
}

// What is remembered of a column has its bins, and NULL in the row before is another cell than no row before.
func TestTakeBins(t *testing.T) {
	for _, null := range []bool{false, true} {
		plain := visitsOf()
		plain.Attributes[2].Null = null
		plain.Attributes = append(plain.Attributes, days(0))
		d, err := plain.WithEvents([]string{"sex"}, nil, EqualRatioCuts(9), 9)
		if err == nil {
			d, err = d.WithSequence(Sequence{Column: "day", Previous: []string{"cost"}})
		}
		if err != nil || d.Validate() != nil {
			t.Fatal(err, d.Validate())
		}
		own := LearnedBins{Attribute: 2, Starts: []int{0, 10, 50, 100, 500}, Runs: []Run{{0, 1}}}
		before := d.Len() - 1
		b, err := d.WithBins([]LearnedBins{own, d.TakeBins(before, own)})
		if err != nil || b.Validate() != nil {
			t.Fatal(err, b.Validate())
		}
		must.Equal(t, b.Attributes[before].Size(), b.Attributes[2].Size()+1, "NULL %v", null)
		must.Equal(t, d.Attributes[before].RecordSize(), d.Attributes[2].RecordSize()+1, "NULL %v", null)
	}
}

func TestSequenceFaults(t *testing.T) {
	text := Attribute{Name: "day", Type: String, Values: []string{"a", "b"}, HasFallback: true}
	null, wide, one, listed := days(20), days(20), days(0), days(0)
	null.Null, wide.Learned, wide.Cuts = true, 0, EqualCuts(100, 199, 10)
	one.Cuts = []int64{7, 7}
	listed.Values, listed.Cuts = []string{"1", "2"}, nil
	for _, test := range []struct {
		day  Attribute
		q    Sequence
		want string
	}{
		{days(20), Sequence{Column: "date"}, `order: no column is called "date"`},
		{days(20), Sequence{Column: "sex"}, `order: column "sex" is a person column`},
		{text, Sequence{Column: "day"}, "is of type STRING"},
		{null, Sequence{Column: "day"}, "can be NULL, and such a row would have no place"},
		{wide, Sequence{Column: "day"}, "has bins that hold several values"},
		{one, Sequence{Column: "day"}, "has one value"},
		{listed, Sequence{Column: "day"}, "has listed values"},
		{days(20), Sequence{Column: "day", Previous: []string{"sex"}}, `previous: column "sex" is a person column`},
		{days(20), Sequence{Column: "day", Previous: []string{"day"}}, `previous: column "day" is the one that orders the rows`},
		{days(20), Sequence{Column: "day", Previous: []string{"kind", "kind"}}, `previous: column "kind" is there twice`},
		{days(20), Sequence{Column: "day", Previous: []string{"what"}}, `previous: no column is called "what"`},
	} {
		_, err := ordered(t, test.day, 1, test.q)
		must.Fail(t, err, test.want, "%v", test.q)
	}
	short := days(0)
	short.Cuts = EqualCuts(0, 4, 5)
	must.Fails(ordered(t, short, 1, Sequence{Column: "day", Strict: true}))(t, "strict: somebody with 9 rows")
	d := visitsOf()
	d.Attributes = append(d.Attributes, days(20))
	d.Orders = []Order{{[]string{"cost", "day"}}}
	d, err := d.WithEvents([]string{"sex"}, nil, EqualRatioCuts(9), 9)
	must.Do(t, err)
	_, err = d.WithSequence(Sequence{Column: "day"})
	must.Fail(t, err, "a constraint order names column")
}

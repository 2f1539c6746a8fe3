package evaluate

import (
	"math"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// By hand: a true person has kinds k l l on days 1 3 8, given as 3 1 8, and a fourth row that is not written; another has l on
// day 2. A synthetic one has k l on days 0 2.
func TestCompareSequences(t *testing.T) {
	d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{
		{Name: "day", Type: domain.Int64, Cuts: domain.EqualCuts(0, 9, 10), Resolution: 1, HasFallback: true},
		{Name: "kind", Type: domain.String, Values: []string{"k", "l"}, HasFallback: true},
	}}
	people, err := d.WithEvents(nil, nil, domain.EqualRatioCuts(3), 3)
	if err == nil {
		people, err = people.WithSequence(domain.Sequence{Column: "day"})
	}
	must.Do(t, err)
	build := func(ids []string, days []int64, kinds []string) *Table {
		b := NewPeopleBuilder(d)
		c := &domain.Chunk{Rows: len(ids), ID: domain.Column{Form: domain.Dictionary}, Columns: []domain.Column{{Form: domain.Ints, Ints: days}, {Form: domain.Dictionary}}}
		for i := range ids {
			for k, of := range [][]string{ids, kinds} {
				to := &c.ID
				if k == 1 {
					to = &c.Columns[1]
				}
				to.Dict, to.Ints = append(to.Dict, of[i]), append(to.Ints, int64(i))
			}
		}
		b.Add(c)
		return b.Table()
	}
	truth := build([]string{"a", "a", "b", "a", "a"}, []int64{3, 1, 2, 8, 9}, []string{"l", "k", "l", "l", "k"})
	other := build([]string{"x", "x"}, []int64{0, 2}, []string{"k", "l"})
	s := compareSequences(truth, other, d, people.Events)
	must.Need(t, s.Order == "day" && s.Unsorted == [2]int{1, 0} && len(s.Transitions) == 1, "got %+v", s)
	// True pairs: kl, ll; synthetic: kl. First rows: k and l; k. True gaps: 2 and 5; synthetic: 2. True starts: 1 and 2; 0, which
	// is in the bin below 1 alone.
	for _, x := range []struct {
		what      string
		got, want float64
	}{
		{"pairs", s.Transitions[0].Pairs.TV, .5}, {"first rows", s.Transitions[0].First.TV, .5},
		{"gaps", s.Gaps.TV, .5}, {"start", s.Start.TV, 1}, {"lengths", float64(s.Length), 0.5},
		{"differences", float64(s.InterRow.Items[0].Score), 2. / 3}, {"means", float64(s.Statistic.Items[0].Score), 0},
	} {
		must.Hold(t, math.Abs(x.got-x.want) <= 1e-12, "%s: %g, want %g", x.what, x.got, x.want)
	}
	p := comparePeople(truth, other, d, people.Events)
	if text := strings.Join(p.Notes(), "\n"); !strings.Contains(text, "people whose rows are not in the order of day, and are sorted here: true 1, synthetic 0") || !strings.Contains(text, "SequenceLengthSimilarity 0.5000") {
		t.Errorf("notes:\n%s", text)
	}
	names := ""
	for _, e := range p.Errors() {
		names += e.Name + "; "
	}
	must.Hold(t, strings.Contains(names, "in order: a row and the one before, average; in order: first rows, average; in order: gaps of day; in order: first day"),
		"errors of %s", names)
}

// Dealing rows at random keeps how many each person has and the order, and changes whose they are.
func TestDealtAtRandom(t *testing.T) {
	o := &inOrder{byPerson: byPerson{t: &Table{}, ends: []int{40, 41, 100}}}
	for r := range 100 {
		o.rows, o.at = append(o.rows, int32(r)), append(o.at, float64(r))
	}
	random, sum, moved := o.dealt(), 0, 0
	from := 0
	for _, to := range random.ends {
		for i := from; i < to; i++ {
			sum += int(random.rows[i])
			if random.rows[i] != int32(i) {
				moved++
			}
			must.Hold(t, i <= from || random.at[random.rows[i]] >= random.at[random.rows[i-1]], "rows are not in order")
		}
		from = to
	}
	must.Hold(t, sum == 99*100/2 && moved >= 50, "numbers of rows add up to %d, %d were moved", sum, moved)
}

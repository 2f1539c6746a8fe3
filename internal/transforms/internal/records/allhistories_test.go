package records

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/contribution"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// visit is a record: its day and its kind. Days are 0 to 2, kinds 0 and 1.
type visit [2]domain.Code

// everybody returns all people who have at most three records, in any number of each. Two of them are kept.
func everybody() (all [][]visit) {
	const kinds = 6
	var add func(own []visit, least int)
	add = func(own []visit, least int) {
		if len(own) > 0 {
			all = append(all, slices.Clone(own))
		}
		for k := least; k < kinds && len(own) < 3; k++ {
			add(append(own, visit{domain.Code(k / 2), domain.Code(k % 2)}), k)
		}
	}
	add(nil, 0)
	return all
}

const keptVisits = 2

// counter counts what the records of people say, by the rule that runs have.
type counter struct {
	unit    int // weight of a person
	read    *contribution.Layout
	made    *contribution.Layout // without weights
	summary *contribution.Summary
	rank    *contribution.Ranker
}

func newCounter(t *testing.T, strict bool) counter {
	t.Helper()
	d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{
		{Name: "day", Type: domain.Int64, Cuts: domain.EqualCuts(0, 2, 3), Resolution: 1, HasFallback: true},
		{Name: "kind", Type: domain.Int64, Cuts: domain.EqualCuts(0, 1, 2), Resolution: 1, HasFallback: true},
	}}
	people, err := d.WithEvents(nil, nil, domain.EqualRatioCuts(keptVisits), keptVisits)
	if err == nil {
		people, err = people.WithSequence(domain.Sequence{Column: "day", Strict: strict})
	}
	must.Do(t, err)
	return counter{1 << people.WeightBits(), contribution.NewRecordLayout(people), contribution.NewLayout(people.RecordSizes()), contribution.NewSummary(people), contribution.NewRanker(make([]byte, contribution.RunKeySize))}
}

// counts returns the weight of each record that is made of people's visits, whose bundle is numbered.
func (c counter) counts(ids []string, visits []visit, bundles []int) map[string]int {
	sets := make([]*Set, slices.Max(bundles)+1)
	for i := range sets {
		sets[i] = NewSet(c.read.Width(), len(visits))
	}
	for i, v := range visits {
		sets[bundles[i]].Add([]byte(ids[i]), c.read.Pack(nil, v[:]))
	}
	var lists []*Units
	for _, s := range sets {
		s.Flush(1, func(_ int, u *Units) { lists = append(lists, u) })
	}
	made := Shared(lists, c.rank, c.summary)
	counts, width := map[string]int{}, c.made.Width()
	for row := made.Rows; len(row) > 0; row = row[width+2:] {
		counts[string(row[:width])] += int(row[width]) + int(row[width+1])<<8
	}
	return counts
}

// written returns the records that visits in this order make, and how many of the person's rows each stands for: gap, kind, bin
// of the number of rows, first day, and kind before.
func (c counter) written(visits []visit, strict bool) map[string]int {
	out := map[string]int{}
	bin := min(len(visits), keptVisits) - 1
	for i, v := range visits[:min(len(visits), keptVisits)] {
		gap, before := domain.Code(3), domain.Code(2) // none
		if i > 0 {
			gap, before = v[0]-visits[i-1][0], visits[i-1][1]
		}
		if strict && i > 0 {
			gap = max(gap, 1) - 1
		}
		if strict && i == 0 {
			gap = 2 // of two gaps, 1 and 2
		}
		out[string(c.made.Pack(nil, []domain.Code{gap, v[1], domain.Code(bin), visits[0][0], before}))]++
	}
	return out
}

// follows reports whether counts are the counts of visits in an order of their days, whichever way equal days are in.
func (c counter) follows(counts map[string]int, visits []visit, strict bool) bool {
	found := false
	orders(len(visits), func(order []int) {
		list := make([]visit, len(visits))
		for i, at := range order {
			list[i] = visits[at]
		}
		if !slices.IsSortedFunc(list, func(a, b visit) int { return int(a[0]) - int(b[0]) }) {
			return
		}
		want, sum, fits := c.written(list, strict), 0, true
		for record, n := range counts {
			exact := float64(c.unit) * float64(want[record]) / float64(min(len(visits), keptVisits))
			sum, fits = sum+n, fits && want[record] > 0 && math.Abs(float64(n)-exact) < 1
		}
		found = found || fits && sum == c.unit && len(want) == len(counts)
	})
	return found
}

// orders visits all orders of 0 … n−1.
func orders(n int, visit func([]int)) {
	var add func(order []int)
	add = func(order []int) {
		if len(order) == n {
			visit(order)
			return
		}
		for i := range n {
			if !slices.Contains(order, i) {
				add(append(order, i))
			}
		}
	}
	add(nil)
}

// bundlings visits all ways to put n records into the given number of bundles.
func bundlings(n, bundles int, visit func([]int)) {
	of := make([]int, n)
	for {
		visit(of)
		i := 0
		for ; i < n && of[i] == bundles-1; i++ {
			of[i] = 0
		}
		if i == n {
			return
		}
		of[i]++
	}
}

// TestAllSmallHistories goes through all people of up to three records, of three days and two kinds, in all orders and in all
// ways to put their records into three bundles: the counts are the same, and what the definition says. It goes through all pairs
// of them, in all ways to put theirs into two bundles: each adds the same whoever else is there. So one person more adds one
// in all to any table of counts and takes nothing away, and a person in place of another changes it by two at most, which is
// what is charged.
func TestAllSmallHistories(t *testing.T) {
	for _, strict := range []bool{false, true} {
		c := newCounter(t, strict)
		unit, people := c.unit, everybody()
		alone, ties, most := map[string][]map[string]int{}, 0, 0
		for _, id := range []string{"a", "b"} {
			for _, own := range people {
				ids := slices.Repeat([]string{id}, len(own))
				first := c.counts(ids, own, make([]int, len(own)))
				must.Need(t, c.follows(first, own, strict), "strict %v: %v counts as %v", strict, own, first)
				orders(len(own), func(order []int) {
					list := make([]visit, len(own))
					for i, at := range order {
						list[i] = own[at]
					}
					bundlings(len(own), 3, func(bundles []int) {
						got := c.counts(ids, list, bundles)
						must.Need(t, maps.Equal(got, first), "strict %v: %v in bundles %v counts as %v, in another order as %v", strict, list, bundles, got, first)
					})
				})
				alone[id] = append(alone[id], first)
			}
		}
		for i, x := range people {
			if !maps.Equal(alone["a"][i], alone["b"][i]) {
				ties++ // which of equal days is first, or where an odd step goes, is drawn by person
			}
			for k, y := range people {
				changed := 0
				for record, n := range alone["a"][i] {
					changed += max(0, n-alone["a"][k][record])
				}
				for record, n := range alone["a"][k] {
					changed += max(0, n-alone["a"][i][record])
				}
				most = max(most, changed)
				must.Need(t, changed <= 2*unit, "strict %v: %v in place of %v changes counts by %d of %d", strict, x, y, changed, 2*unit)
				if strict || testing.Short() && (i+k)%7 > 0 {
					continue
				}
				together(t, c, x, y, alone["a"][i], alone["b"][k])
			}
		}
		must.Hold(t, ties != 0 && most == 2*unit, "strict %v: %d people whose ties differ, largest change %d: the people are too tame", strict, ties, most)
		dptest.Figure(t, "strict %v: %d people, %d pairs, largest change %d of %d", strict, len(people), len(people)*len(people), most, 2*unit)
	}
}

// together checks that two people count as the sum of both, in all ways to put their records into two bundles.
func together(t *testing.T, c counter, x, y []visit, a, b map[string]int) {
	t.Helper()
	want := maps.Clone(a)
	for record, n := range b {
		want[record] += n
	}
	ids := slices.Concat(slices.Repeat([]string{"a"}, len(x)), slices.Repeat([]string{"b"}, len(y)))
	bundlings(len(ids), 2, func(bundles []int) {
		got := c.counts(ids, slices.Concat(x, y), bundles)
		must.Need(t, maps.Equal(got, want), "%v and %v in bundles %v count as %v, want %v", x, y, bundles, got, want)
	})
}

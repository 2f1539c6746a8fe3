package answer_test

import (
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/solvertest"
)

// byGaps is the same people in a domain that has y - x in place of y.
func (d *diagonal) byGaps(t *testing.T) *diagonal {
	t.Helper()
	of := *d.domain
	of.Orders = []domain.Order{{Columns: []string{"x", "y"}}}
	of.Attributes = append([]domain.Attribute{}, of.Attributes...)
	for i := range of.Attributes { // the last cell has one value, too
		of.Attributes[i].Cuts, of.Attributes[i].HasFallback = domain.EqualCuts(0, int64(d.Sizes[i]-1), d.Sizes[i]), true
	}
	out := &diagonal{domain: of.WithGaps(nil)}
	must.Need(t, len(out.domain.Gaps) == 1, "the order has no gap")
	gap := &out.domain.Attributes[1]
	out.Table = solvertest.NewTable(d.Sizes[0], gap.Size())
	for i, n := range d.Counts {
		x, y := i/d.Sizes[1], i%d.Sizes[1]
		for c := range gap.Bins() {
			if lo, hi, ok := gap.Ends(domain.Code(c)); n > 0 && ok && lo <= int64(y-x) && int64(y-x) <= hi {
				out.Counts[x*gap.Size()+c] += n
			}
		}
	}
	must.Need(t, out.Table.Units() == d.Table.Units(), "a gap has no cell")
	return out
}

// TestSumsHold: where a gap stands for a column, questions about the column are answered from the columns that are added up, and 95 %
// intervals hold the truth in 90 % of all answers, with a false-alarm rate below 1 in 100,000; without noise to speak of the answers
// are the truth. The noise is fixed.
func TestSumsHold(t *testing.T) {
	people, epsilons, draw := []int{4000, 20_000}, []dp.Epsilon{.3, 1, 3, 10}, uint64(0)
	if testing.Short() {
		people = people[:1]
	}
	kinds := holdings{}
	for _, law := range []string{"even", "normal", "tail"} {
		for _, n := range people {
			for _, epsilon := range epsilons {
				if draw++; !tried(draw) {
					continue
				}
				r := rand.New(rand.NewPCG(draw, 53))
				d := newDiagonal(r, n, law, "numbers")
				release := d.byGaps(t).release(t, "rake", epsilon, 1e-9, draw)
				for _, q := range d.questions(r, false) {
					if a := ask(t, release, q.sql)[0]; a.Hidden == 0 { // else noise hides it
						kinds.of(q.kind).add(a, q.truth)
					}
				}
			}
		}
	}
	kinds.check(t, "rake", func(string) float64 { return .9 })
	r := rand.New(rand.NewPCG(1, 54))
	d := newDiagonal(r, 20_000, "normal", "numbers")
	release := d.byGaps(t).release(t, "dpam", 1e5, 1e-9, 1)
	for _, q := range d.questions(r, false) {
		a := ask(t, release, q.sql)[0]
		x := a.Value - q.truth
		must.Hold(t, x >= -.01*q.truth && x <= .01*q.truth, "%s: %g, want %g", q.sql, a.Value, q.truth)
	}
}

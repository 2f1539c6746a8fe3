package counts

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
)

// rowsOf is a private table before it is coded: the rows of each privacy ID.
type rowsOf map[string][][]string

// nasty returns rows of one unit: usable or not, one or many, all alike or all different.
func nasty(rng *rand.Rand, d *domain.Domain) (rows [][]string) {
	n := []int{1, 1, 2, 10, 10_000}[rng.IntN(5)]
	if n == 10_000 && rng.IntN(10) > 0 {
		n = 3
	}
	row := func() []string {
		cells := make([]string, d.Len())
		for a := range cells {
			values := append([]string{"", "?", "-0", "NaN", "\x00\xff", "99999999999999999999", "7"}, d.Attributes[a].Values...)
			cells[a] = values[rng.IntN(len(values))]
		}
		return cells
	}
	same := row()
	for range n {
		if rng.IntN(2) == 0 {
			same = row()
		}
		rows = append(rows, same)
	}
	return rows
}

// chunk returns all rows in random order, with some that belong to nobody.
func (r rowsOf) chunk(rng *rand.Rand, d *domain.Domain) *domain.Chunk {
	var rows [][]string
	var ids []string
	for id, own := range r {
		for _, row := range own {
			rows, ids = append(rows, row), append(ids, id)
		}
	}
	for range rng.IntN(3) {
		rows, ids = append(rows, nasty(rng, d)[0]), append(ids, "")
	}
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j], ids[i], ids[j] = rows[j], rows[i], ids[j], ids[i] })
	return transformtest.Chunk(rows, ids)
}

// TestNeighboursDifferByOneRecord runs Encode, Bound and Count on 60 random neighbours (nightly 400) of each
// relation. However many rows a unit has and whatever they hold, all units count once, and each marginal
// changes by one count (AddRemove) or by one less and one more at most (Replace). Rows without an ID and
// the order of rows, which differ too, change nothing.
func TestNeighboursDifferByOneRecord(t *testing.T) {
	for _, n := range []dp.Neighbouring{dp.AddRemove, dp.Replace} {
		neighboursDiffer(t, adult("id"), n)
	}
}

// With events all rows of a unit count, with weights that add up to one: whoever comes adds one in all to each marginal, in
// steps of a weight, and takes nothing away from any cell.
func TestNeighboursWithEventsDifferByOneRecord(t *testing.T) {
	d := adult("id")
	names := []string{d.Attributes[0].Name, d.Attributes[1].Name, d.Attributes[2].Name}
	people := must.Value(d.WithEvents(names[:1], names[1:], domain.EqualRatioCuts(5), 5))(t)
	for _, n := range []dp.Neighbouring{dp.AddRemove, dp.Replace} {
		neighboursDiffer(t, people, n)
	}
}

func neighboursDiffer(t *testing.T, whole *domain.Domain, n dp.Neighbouring) {
	t.Helper()
	d := whole.Recorded()
	last, unit := whole.Len()-1, int64(1)<<whole.WeightBits()
	rng := rand.New(rand.NewPCG(dptest.Seed(t), uint64(n)))
	most, pairs := int64(0), dptest.Size(60, 400)
	if testing.Short() {
		pairs = 10
	}
	for range pairs {
		x := rowsOf{}
		for i := range 1 + rng.IntN(8) {
			x[fmt.Sprint("person", i)] = nasty(rng, d)
		}
		y := rowsOf{}
		for id, rows := range x {
			y[id] = rows
		}
		if n == dp.Replace {
			y["person0"] = nasty(rng, d)
		} else {
			y["somebody else"] = nasty(rng, d)
		}
		a := count(t, "direct", whole, Params{}, x.chunk(rng, d))[0]
		b := count(t, "direct", whole, Params{}, y.chunk(rng, d))[0]
		if a.Units() != int64(len(x)) || b.Units() != int64(len(y)) {
			t.Fatalf("%v: %d and %d units counted of %d and %d", n, a.Units(), b.Units(), len(x), len(y))
		}
		for _, c := range []domain.Clique{{0}, {1}, {0, 1}, {2, 3}, {last}, {1, last - 1}, {last - 1, last}} {
			change := distance(a.Marginal(c), b.Marginal(c))
			must.Hold(t, change <= n.UnitChanges()*unit, "%v: marginal %v changes by %d", n, c, change)
			most = max(most, change)
			if n == dp.Replace {
				continue
			}
			sum := int64(0)
			for cell, count := range b.Marginal(c) {
				more := count - a.Marginal(c)[cell]
				sum += more
				must.Hold(t, more >= 0, "one unit more takes %d from a cell of marginal %v", -more, c)
			}
			must.Hold(t, sum == unit, "one unit more adds %d to marginal %v, want %d", sum, c, unit)
		}
	}
	must.Hold(t, most == n.UnitChanges()*unit, "%v: largest change %d in all pairs: the pairs are too tame", n, most)
	dptest.Figure(t, "%v: %d pairs, largest change %d", n, pairs, most)
}

func distance(a, b []int64) (sum int64) {
	for i := range a {
		sum += max(a[i]-b[i], b[i]-a[i])
	}
	return sum
}

// Rows that remember the one before count as others do: whoever comes adds one in all to each marginal, also of gaps and of
// what is remembered.
func TestNeighboursWithHistoriesDifferByOneRecord(t *testing.T) {
	d := adult("id")
	d.Attributes[2] = domain.Attribute{Name: "day", Type: domain.Int64, Cuts: domain.EqualCuts(0, 9, 10), Resolution: 1, HasFallback: true}
	people, err := d.WithEvents([]string{d.Attributes[0].Name}, nil, domain.EqualRatioCuts(5), 5)
	if err == nil {
		people, err = people.WithSequence(domain.Sequence{Column: "day"})
	}
	must.Do(t, err)
	for _, n := range []dp.Neighbouring{dp.AddRemove, dp.Replace} {
		neighboursDiffer(t, people, n)
	}
}

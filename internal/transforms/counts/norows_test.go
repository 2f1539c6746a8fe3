package counts

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/internal/transforms/private"
)

// member is what two tables hold of one ID: records of the table of people, and rows.
type member struct{ people, rows [][]string }

// members draws records of one ID. Strangers are not in the table of people.
func members(rng *rand.Rand, people, rows *domain.Domain, stranger bool) (m member) {
	if !stranger {
		m.people = nasty(rng, people)
	}
	if stranger || rng.IntN(3) > 0 {
		m.rows = nasty(rng, rows)
	}
	return m
}

// TestNeighboursWithPeopleOfTheirOwnTable: if people without rows exist, a person of the table of people counts once, with
// rows or without, however often the person is named there; whoever is only among the rows changes nothing at all.
func TestNeighboursWithPeopleOfTheirOwnTable(t *testing.T) {
	d := adult("id")
	d = must.Value(d.WithEvents([]string{"c0"}, []string{"c1"}, slices.Insert(domain.EqualRatioCuts(5), 0, 0), 5))(t)
	peopleOnly, rowsOnly, _, _ := d.Events.Split(d.Recorded())
	rng, unit, last := rand.New(rand.NewPCG(dptest.Seed(t), 9)), int64(1)<<d.WeightBits(), d.Len()-1
	counted := func(x map[string]member) *Table {
		people, rows := rowsOf{}, rowsOf{}
		for id, m := range x {
			people[id], rows[id] = m.people, m.rows
		}
		return countCoded(t, "direct", d, Params{}, func(s beam.Scope) private.Coded {
			return private.EncodePeople(s, transformtest.Create(s.Scope("people"), people.chunk(rng, peopleOnly)),
				transformtest.Create(s, rows.chunk(rng, rowsOnly)), d, private.EncodeParams{})
		})[0]
	}
	pairs := dptest.Size(8, 100)
	if testing.Short() {
		pairs = 2
	}
	for range pairs {
		x := map[string]member{"a stranger": members(rng, peopleOnly, rowsOnly, true)}
		n := 1 + rng.IntN(6)
		for i := range n {
			x[fmt.Sprint("person", i)] = members(rng, peopleOnly, rowsOnly, false)
		}
		a := counted(x)
		more, other, strange := maps.Clone(x), maps.Clone(x), maps.Clone(x)
		more["somebody else"] = members(rng, peopleOnly, rowsOnly, false)
		other["person0"] = members(rng, peopleOnly, rowsOnly, false)
		strange["another"] = members(rng, peopleOnly, rowsOnly, true)
		delete(strange, "a stranger")
		b, c := counted(more), counted(other)
		if a.Units() != int64(n) || b.Units() != int64(n+1) || c.Units() != int64(n) {
			t.Fatalf("%d, %d and %d people counted of %d, %d and %d", a.Units(), b.Units(), c.Units(), n, n+1, n)
		}
		must.Hold(t, counted(strange).Digest() == a.Digest(), "rows of an ID that is not in the table of people change the counts")
		for _, q := range []domain.Clique{{0}, {1}, {0, 1}, {last - 1}, {1, last - 1}, {last - 1, last}} {
			change := distance(a.Marginal(q), c.Marginal(q))
			must.Hold(t, change <= dp.Replace.UnitChanges()*unit, "another person in the place of one: marginal %v changes by %d", q, change)
			sum := int64(0)
			for cell, count := range b.Marginal(q) {
				more := count - a.Marginal(q)[cell]
				sum += more
				must.Hold(t, more >= 0, "one person more takes %d from a cell of marginal %v", -more, q)
			}
			must.Hold(t, sum == unit, "one person more adds %d to marginal %v, want %d", sum, q, unit)
		}
		none := int64(0)
		for id, m := range x {
			if id != "a stranger" && len(m.rows) == 0 {
				none += unit
			}
		}
		null := d.Attributes[1].Size() - 1
		if got := a.Marginal(domain.Clique{last - 1})[0]; got != none || a.Marginal(domain.Clique{1})[null] != none || a.Marginal(domain.Clique{last})[null] != none {
			t.Errorf("%d are counted without rows, want %d", got, none)
		}
	}
}

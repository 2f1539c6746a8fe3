package population

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// peopleModel is a model of (sex, kind, rows 1, 2, 3–6) in which the kind follows both others.
func peopleModel(listed bool) (*Model, Events) {
	m := &Model{Sizes: []int{2, 3, 3}}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 18 {
		m.Weights = append(m.Weights, 0.2+rng.Float64())
	}
	if listed {
		all := *m
		m.Columns = make([][]domain.Code, 3)
		m.Weights = nil
		for i, w := range all.Weights {
			codes := all.Record(i, make([]domain.Code, 3))
			for range 10 {
				for a, c := range codes {
					m.Columns[a] = append(m.Columns[a], c)
				}
				m.Weights = append(m.Weights, w/10)
			}
		}
	}
	return m, Events{Person: []int{2, 0}, Rows: 2, Cuts: []int64{1, 2, 3, 6}}
}

// People are as the model says, and so are their rows: of each kind of person the shares of kinds equal the shares of the
// model to within a row, as rows are dealt systematically.
func TestPeopleFollowTheModel(t *testing.T) {
	for _, listed := range []bool{false, true} {
		m, e := peopleModel(listed)
		const n = 20_000
		p := NewPeople(m, []domain.Clique{{0, 2}}, e, n, 7)
		persons, rows := map[[2]domain.Code]float64{}, map[[3]domain.Code]float64{}
		total, codes := int64(0), make([]domain.Code, 3)
		for i := range p.n {
			must.Need(t, p.First(i) == total, "rows of person %d begin at %d, want %d", i, p.First(i), total)
			who := p.At(i)
			total += who.Rows
			var first []domain.Code
			for j := range who.Rows {
				who.Read(j, codes)
				if j == 0 {
					first = slices.Clone(codes)
					persons[[2]domain.Code{codes[0], codes[2]}]++
				}
				must.Need(t, codes[0] == first[0] && codes[2] == first[2], "a person changes from row to row")
				rows[[3]domain.Code(codes)]++
			}
			lo, hi := e.Cuts[first[2]], e.Cuts[first[2]+1]
			must.Need(t, who.Rows >= lo && who.Rows <= hi && (who.Rows != hi || int(first[2]) >= len(e.Cuts)-2), "%d rows in bin %d", who.Rows, first[2])
		}
		must.Hold(t, total == p.Rows(), "%d rows, and %d were read", p.Rows(), total)
		all := m.Marginal(domain.Clique{0, 1, 2}, nil)
		two := m.Marginal(domain.Clique{0, 2}, nil)
		for s := range 2 {
			for b := range 3 {
				k := [2]domain.Code{domain.Code(s), domain.Code(b)}
				if want := n * two[s*3+b] / m.Total(); math.Abs(persons[k]-want) > 2 {
					t.Errorf("%v: %g persons, want %.1f", k, persons[k], want)
				}
				sum := 0.0
				for kind := range 3 {
					sum += rows[[3]domain.Code{k[0], domain.Code(kind), k[1]}]
				}
				for kind := range 3 {
					got, want := rows[[3]domain.Code{k[0], domain.Code(kind), k[1]}], sum*all[s*9+kind*3+b]/two[s*3+b]
					must.Hold(t, math.Abs(got-want) <= 2, "%v, kind %d: %g rows, want %.1f", k, kind, got, want)
				}
			}
		}
	}
}

// Two rows of a person have nothing to do with each other: of 10,000 people with two rows the share of pairs of one kind
// equals the share of independent draws, to within 5.5 standard deviations of .005 (false alarms 4e-8). Rows dealt in turn would
// never be alike.
func TestRowsOfAPersonAreIndependent(t *testing.T) {
	m := &Model{Sizes: []int{2, 1}, Weights: []float64{1, 1}}
	p := NewPeople(m, nil, Events{Person: []int{1}, Rows: 1, Cuts: []int64{2, 2}}, 10_000, 3)
	alike, a, b := 0.0, make([]domain.Code, 2), make([]domain.Code, 2)
	for i := range p.n {
		who := p.At(i)
		who.Read(0, a)
		who.Read(1, b)
		if a[0] == b[0] {
			alike++
		}
	}
	share := alike / 10_000
	must.Hold(t, math.Abs(share-0.5) <= 0.0275, "%g of the pairs are alike, want a half", share)
}

// Persons with few records in the model get the rows of persons like them, and never one that is impossible.
func TestFewDonors(t *testing.T) {
	// 50 regions of 2 records each, 30 kinds; kind 0 is impossible in region 0.
	m := &Model{Sizes: []int{50, 30, 1}, Columns: make([][]domain.Code, 3),
		StructuralZeros: domain.Exclusions{{Clique: domain.Clique{0, 1}, Codes: [][]domain.Code{{0}, {0}}}}}
	for r := range 50 {
		for k := range 2 {
			for a, c := range []int{r, (r*2 + k + 1) % 30, 0} {
				m.Columns[a] = append(m.Columns[a], domain.Code(c))
			}
			m.Weights = append(m.Weights, 1)
		}
	}
	p := NewPeople(m, nil, Events{Person: []int{2, 0}, Rows: 2, Cuts: []int64{10, 10}}, 500, 1)
	kinds, codes := map[domain.Code]bool{}, make([]domain.Code, 3)
	for i := range p.n {
		for who, j := p.At(i), int64(0); j < who.Rows; j++ {
			if who.Read(j, codes); codes[0] == 0 {
				kinds[codes[1]] = true
			}
		}
	}
	must.Hold(t, !kinds[0], "an impossible row")
	must.Hold(t, len(kinds) >= 15, "people of a region with two records have rows of %d kinds, want others' rows too", len(kinds))
}

func TestPermute(t *testing.T) {
	for _, n := range []uint64{1, 2, 3, 5, 64, 1000} {
		seen := map[uint64]bool{}
		for x := range n {
			y := permute(x, n, 42)
			must.Need(t, y < n && !seen[y], "%d of %d goes to %d, which is taken or too large", x, n, y)
			seen[y] = true
		}
	}
}

// Too few records for all kinds of people: rows follow the attribute of persons that says what they are, and not the first.
func TestRowsFollowWhatTheyDependOn(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	m := &Model{Sizes: []int{50, 4, 2, 4}, Columns: make([][]domain.Code, 4)}
	for range 2000 {
		kind := domain.Code(rng.IntN(4))
		for a, c := range []domain.Code{domain.Code(rng.IntN(50)), kind, domain.Code(rng.IntN(2)), kind} {
			m.Columns[a] = append(m.Columns[a], c)
		}
		m.Weights = append(m.Weights, 1)
	}
	p := NewPeople(m, nil, Events{Person: []int{0, 1, 2}, Rows: 2, Cuts: []int64{1, 2, 2}}, 1000, 5)
	record := make([]domain.Code, 4)
	for i := range p.n {
		person := p.At(i)
		for j := range person.Rows {
			person.Read(j, record)
			must.Need(t, record[1] == record[3], "a person of kind %d has a row of kind %d", record[1], record[3])
		}
	}
}

// The only row of a person is what is usual, and others are anything: rows follow both, although no pair of attributes says
// that the number of rows matters, and the region says as much.
func TestTheOnlyRowIsUsual(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	m := &Model{Sizes: []int{50, 4, 2, 4}, Columns: make([][]domain.Code, 4)}
	for range 2000 {
		usual, rows := domain.Code(rng.IntN(4)), domain.Code(rng.IntN(2))
		kind := usual
		if rows > 0 {
			kind = domain.Code(rng.IntN(4))
		}
		for a, c := range []domain.Code{domain.Code(rng.IntN(50)), kind, rows, usual} {
			m.Columns[a] = append(m.Columns[a], c)
		}
		m.Weights = append(m.Weights, 1)
	}
	p := NewPeople(m, nil, Events{Person: []int{0, 2, 3}, Rows: 2, Cuts: []int64{1, 2, 2}}, 1000, 5)
	record, ones := make([]domain.Code, 4), 0
	for i := range p.n {
		if person := p.At(i); person.Rows == 1 {
			ones++
			person.Read(0, record)
			must.Need(t, record[1] == record[3], "a person whose kind is %d has one row, of kind %d", record[3], record[1])
		}
	}
	must.Hold(t, ones >= 400, "%d people have one row", ones)
}

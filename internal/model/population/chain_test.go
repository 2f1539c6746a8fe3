package population

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// historyModel is a list of records of (sex, gap 0–9 or none, state, rows 1, 2, …, first value 0–9, state before or none), of
// people whose state goes to the next of four nine times of ten, and lasts longer the higher it is.
func historyModel(seed uint64, most int64, people int, noise float64) (*Model, Events) {
	cuts := []int64{1, 2, most / 2, most}
	cuts = append(cuts, most)
	m := &Model{Sizes: []int{2, 11, 4, 4, 10, 5}, Columns: make([][]domain.Code, 6)}
	m.StructuralZeros = domain.Exclusions{
		{Clique: domain.Clique{1, 5}, Codes: [][]domain.Code{{10}, {0, 1, 2, 3}}},
		{Clique: domain.Clique{1, 5}, Codes: [][]domain.Code{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {4}}},
		{Clique: domain.Clique{1, 3}, Codes: [][]domain.Code{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {0}}},
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	for range people {
		sex, first := rng.IntN(2), rng.IntN(10)
		bin := rng.IntN(4)
		n := cuts[bin] + rng.Int64N(max(1, cuts[bin+1]-cuts[bin]))
		state, before := 2*sex+rng.IntN(2), 4
		for j := range n {
			gap := 10
			if j > 0 {
				before = state
				if rng.IntN(10) > 0 {
					state = (state + 1) % 4
				}
				gap = 2*state + rng.IntN(2)
			}
			for a, c := range []int{sex, gap, state, bin, first, before} {
				m.Columns[a] = append(m.Columns[a], domain.Code(c))
			}
			// Noise of a release: some transitions are too likely.
			m.Weights = append(m.Weights, math.Exp(noise*math.Sin(float64(5*before+state+gap)))/float64(n))
		}
	}
	return m, Events{Person: []int{4, 3, 0}, Rows: 3, Cuts: cuts, Chain: &Chain{Gap: 1, Start: 4, Columns: []int{2}, Before: []int{5},
		Last: 10 + 10*most, Order: 1, Value: func(_ int, code domain.Code, _ float64) int64 { return int64(code) }}}
}

// A row follows the one before as the model says, the first is one that nothing was before, and rows lie where gaps put them.
func TestHistoriesFollowTheModel(t *testing.T) {
	m, e := historyModel(1, 12, 3000, 0)
	p := NewPeople(m, []domain.Clique{{0, 3}, {3, 4}}, e, 4000, 7)
	moved, gaps, later, firsts := 0., 0., 0., [4]float64{}
	record := make([]domain.Code, 6)
	for i := range p.n {
		q := p.At(i)
		state, at := domain.Code(0), int64(0)
		for j := range q.Rows {
			q.Read(j, record)
			if j == 0 {
				must.Need(t, int64(record[1]) == int64(record[4]) && record[5] == 4,
					"a first row at %d that remembers %d; the person begins at %d", record[1], record[5], record[4])
				firsts[record[2]]++
			} else {
				must.Need(t, record[5] == state && int64(record[1]) >= at,
					"a row after one of state %d at %d remembers %d and lies at %d", state, at, record[5], record[1])
				if gap := int64(record[1]) - at; gap/2 == int64(record[2]) {
					gaps++
				}
				if later++; record[2] == (state+1)%4 {
					moved++
				}
			}
			state, at = record[2], int64(record[1])
		}
	}
	// Of 14,000 rows the standard deviation of a share of .9 is .0025, and the model's own deviation is about the same: a tolerance
	// of six of both together is beaten with a chance of 2e-9.
	if share := moved / later; math.Abs(share-.9) > .022 {
		t.Errorf("%.4f of the states move on, want .9", share)
	}
	must.Hold(t, gaps == later, "%g of %g gaps fit their states", gaps, later)
	for s, n := range firsts {
		share := n / 4000
		must.Hold(t, math.Abs(share-.25) <= .07, "%.3f begin in state %d, want a quarter", share, s)
	}
}

// Rows lie where the rhythm has them, with the states that they would have anyway. A rhythm that no gap can follow changes
// no gap.
func TestHistoriesFollowTheRhythm(t *testing.T) {
	const far = 1 << 30
	for name, c := range map[string]struct {
		rhythm func(v int) float64
		length int
		even   float64 // share of later rows that lie at an even value
	}{"none": {nil, 0, .5}, "even": {func(v int) float64 { return 1 - .75*float64(v%2) }, 2, .73}, "nowhere": {func(int) float64 { return 0 }, 7, .5}} {
		m, e := historyModel(1, 12, 3000, 0)
		e.Chain.Last = far
		for v := range c.length {
			e.Chain.Rhythm = append(e.Chain.Rhythm, c.rhythm(v))
		}
		p, record := NewPeople(m, nil, e, 4000, 7), make([]domain.Code, 6)
		even, moved, gaps, later := 0., 0., 0., 0.
		for i := range p.n {
			q, at := p.At(i), int64(0)
			for j := range q.Rows {
				q.Read(j, record)
				v := int64(record[1])
				if j > 0 {
					later++
					even += float64(1 - v%2)
					gaps += float64(v - at)
					if record[2] == (record[5]+1)%4 {
						moved++
					}
				}
				at = v
			}
		}
		// 14,000 rows, as above; the mean gap is 3.5, with a standard deviation of .02. Four of five would lie at even values, but
		// rows with few donors have gaps of one kind alone.
		must.Hold(t, math.Abs(even/later-c.even) <= .025 && math.Abs(moved/later-.9) <= .022 && math.Abs(gaps/later-3.5) <= .12,
			"%s: %.3f of the rows lie at even values, want %g; %.3f move on, want .9; the mean gap is %.3f, want 3.5", name, even/later, c.even, moved/later, gaps/later)
	}
}

// Histories stay inside the range of the column that orders them, in order, and strictly so if it is wanted.
func TestHistoriesStayInside(t *testing.T) {
	for _, strict := range []bool{false, true} {
		m, e := historyModel(2, 12, 500, 0)
		e.Chain.Last, e.Chain.Strict = 14, strict
		if strict { // a gap of code 0 is 1
			e.Chain.Value = func(a int, code domain.Code, _ float64) int64 {
				if a == 1 {
					return 1 + int64(code)
				}
				return int64(code)
			}
		}
		p := NewPeople(m, nil, e, 500, 7)
		record := make([]domain.Code, 6)
		for i := range p.n {
			q, at := p.At(i), int64(-1)
			for j := range q.Rows {
				q.Read(j, record)
				v := int64(record[1])
				must.Need(t, v <= 14 && v >= at && (!strict || v != at), "strict %v: a row at %d after one at %d", strict, v, at)
				at = v
			}
		}
	}
}

// A person has the same history whatever was read before.
func TestHistoriesAreOfTheirPerson(t *testing.T) {
	m, e := historyModel(3, 12, 500, 0)
	p, again := NewPeople(m, nil, e, 300, 7), NewPeople(m, nil, e, 300, 7)
	read := func(p *People, i int64) (out []domain.Code) {
		q, record := p.At(i), make([]domain.Code, 6)
		for j := range q.Rows {
			q.Read(j, record)
			out = append(out, record...)
		}
		return out
	}
	for i := range p.n {
		a, b := read(p, i), read(again, p.n-1-i)
		if other := read(p, p.n-1-i); string(codesOf(other)) != string(codesOf(b)) || string(codesOf(a)) != string(codesOf(read(again, i))) {
			t.Fatal("a history depends on what was read before")
		}
	}
}

func codesOf(codes []domain.Code) (out []byte) {
	for _, c := range codes {
		out = append(out, byte(c))
	}
	return out
}

// Errors of transitions do not add up over histories of 200 rows: rows are like the model's, in the states that a
// released model is sure of, although some transitions are too likely by a factor of up to two.
func TestDrift(t *testing.T) {
	for _, most := range []int64{12, 60, 200} {
		m, e := historyModel(4, most, 400, .7)
		p := NewPeople(m, nil, e, 400, 7)
		want := p.chain.rowMarginals()
		off := func() (worst float64) {
			first, later, rows := p.chain.simulate(driftRows)
			for k, a := range p.chain.events {
				if a == e.Chain.Gap { // the number of people, and no transition, says how many rows are a first one
					continue
				}
				tv, sum := 0.0, 0.0
				for _, n := range want[k] {
					sum += n
				}
				for v := range m.Sizes[a] {
					tv += math.Abs(want[k][v]/sum-(first[k][v]+later[k][v])/float64(rows)) / 2
				}
				worst = max(worst, tv)
			}
			return worst
		}
		corrected := off()
		p.chain.later = newDonorTree(m, p.chain.later.records, m.Weights, p.chain.later.keys, p.chain.events)
		plain := off()
		t.Logf("up to %d rows: columns of rows are off by %.4f, and by %.4f without a correction", most, corrected, plain)
		must.Hold(t, corrected <= .02 && corrected <= .2*plain,
			"up to %d rows: columns of rows are off by %.4f, and by %.4f without a correction", most, corrected, plain)
	}
}

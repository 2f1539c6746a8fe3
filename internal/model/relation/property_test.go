package relation

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// made is a domain of random ordered columns with random relations between them.
type made struct {
	d *domain.Domain
	r *rand.Rand
}

func (m *made) attribute(i int) domain.Attribute {
	a := domain.Attribute{Name: fmt.Sprintf("c%d", i), Null: m.r.IntN(3) == 0, HasFallback: true}
	bins := 1 + m.r.IntN(6)
	switch i % 4 {
	case 0, 1:
		a.Type, a.Resolution = domain.Int64, 1
		a.Cuts = domain.EqualCuts(int64(m.r.IntN(40)-20), int64(30+m.r.IntN(60)), bins)
	case 2:
		a.Type, a.Scale, a.Resolution = domain.Numeric, m.r.IntN(3), 1
		a.Cuts = domain.EqualCuts(int64(m.r.IntN(40)-20), int64(100+m.r.IntN(2000)), bins)
		if m.r.IntN(2) == 0 {
			m.exact(&a, bins)
		}
	default:
		for v := range 2 + m.r.IntN(8) {
			a.Values = append(a.Values, fmt.Sprint(v*7))
		}
		a.Type = domain.Int64
	}
	return a
}

// exact makes the bins of a learned ones, a few of whose values are written exactly: at most half a step from theirs.
func (m *made) exact(a *domain.Attribute, bins int) {
	a.Learned, a.Cuts, a.Resolution = min(bins, 4), []int64{a.Cuts[0], a.Cuts[len(a.Cuts)-1]}, 5
	for x := a.Cuts[0]/5*5 + 10; x+2 <= a.Cuts[1] && len(a.Exact) < 1+m.r.IntN(8); x += 5 * int64(1+m.r.IntN(4)) {
		a.Exact = append(a.Exact, x+int64(m.r.IntN(5))-2)
	}
}

func newMade(seed uint64) *made {
	m := &made{d: &domain.Domain{}, r: rand.New(rand.NewPCG(seed, 1))}
	n := 3 + m.r.IntN(4)
	for i := range n {
		m.d.Attributes = append(m.d.Attributes, m.attribute(i))
	}
	resolution := []float64{0, .25}[m.r.IntN(2)]
	for i := range 2 + m.r.IntN(2) {
		a := domain.Attribute{Name: fmt.Sprintf("f%d", i), Type: domain.Float64, FloatResolution: resolution, Null: m.r.IntN(3) == 0, HasFallback: true}
		a.FloatCuts = domain.EqualFloatCuts(float64(m.r.IntN(40)-20), float64(30+m.r.IntN(60)), 1+m.r.IntN(6))
		m.d.Attributes = append(m.d.Attributes, a)
		if i > 0 {
			m.d.Orders = append(m.d.Orders, domain.Order{Columns: []string{fmt.Sprintf("f%d", m.r.IntN(i)), a.Name}})
		}
	}
	m.d.Attributes = append(m.d.Attributes, domain.Attribute{Name: "city", Type: domain.String, Values: []string{"A", "B"}, Other: true, OtherValue: "?"})
	order := m.r.Perm(n)
	for range m.r.IntN(3) {
		i, j := m.r.IntN(n), m.r.IntN(n)
		if i < j {
			m.d.Orders = append(m.d.Orders, domain.Order{Columns: []string{m.d.Attributes[order[i]].Name, m.d.Attributes[order[j]].Name}})
		}
	}
	number := domain.Attribute{Type: domain.Numeric}
	add := func(name string, d domain.Derived) {
		d.Column.Name, d.Place = name, m.r.IntN(n+3)
		m.d.Derived = append(m.d.Derived, d)
	}
	y, three := "y", "3"
	add("tens", domain.Derived{Column: domain.Attribute{Type: domain.Int64}, From: "c0 / 10"})
	add("total", domain.Derived{Column: number, Sum: []string{"c0", "c2", "tens"}})
	add("rest", domain.Derived{Column: domain.Attribute{Type: domain.Int64}, From: "c1 % 7 - 2 * (c1 + 1)"})
	add("floats", domain.Derived{Column: domain.Attribute{Type: domain.Float64}, Sum: []string{"f0", "f1"}})
	add("state", domain.Derived{Column: domain.Attribute{Type: domain.String}, From: "city", Map: []domain.Pair{{From: "A", To: "x"}}, Else: &y})
	add("zone", domain.Derived{Column: domain.Attribute{Type: domain.Int64}, From: "state", Map: []domain.Pair{{From: "x", To: "5"}, {From: "y", To: "-5"}}})
	add("price", domain.Derived{Column: domain.Attribute{Type: domain.Int64}, From: "city", With: "zone", Map: []domain.Pair{{From: "A", With: "5", To: "1"}, {From: "B", With: "-5", To: "2"}}, Else: &three})
	m.d.Generated = []domain.Generated{{Column: "key", As: "uuid"}, {Column: "no", As: "serial"}}
	m.d = m.d.EqualBins()
	return m
}

// rat returns a cell as a number; nil is NULL.
func rat(a *domain.Attribute, c *domain.Column, row int) *big.Rat {
	if c.Null(row) {
		return nil
	}
	if c.Form == domain.Floats {
		return new(big.Rat).SetFloat64(c.Floats[row])
	}
	x, ok := new(big.Rat).SetString(string(a.AppendNative(nil, c.Ints[row])))
	if !ok {
		panic("not a number")
	}
	return x
}

// Whatever the domain, every row written keeps every relation, in its own column's declared range, and repeats
// itself. Rows that structural zeros allow stay in the cells that the model gave them; rows of impossible cells,
// which no model gives weight, are in order all the same.
func TestEveryRowKeepsItsRelations(t *testing.T) {
	const rows = 100
	ordered, moved := 0, 0
	for seed := range uint64(300) {
		m := newMade(seed)
		if Resolve(m.d, nil) != nil {
			continue // ranges that leave no room, or resolutions that do not fit: refused
		}
		p, err := New(m.d)
		must.Need(t, err == nil, "seed %d: %v", seed, err)
		support := domain.NewSupport(m.d.Sizes(), Zeros(m.d))
		n := m.d.Len()
		codes := make([]domain.Code, rows*n)
		for row := range rows {
			for try := range 1000 {
				for a, size := range m.d.Sizes() {
					codes[row*n+a] = domain.Code(m.r.IntN(size))
				}
				if row%10 == 0 || support.Possible(codes[row*n:(row+1)*n]) || try == 999 {
					break
				}
			}
		}
		write := func() *domain.Chunk {
			c, r := &domain.Chunk{}, rand.New(rand.NewPCG(seed, 2))
			domain.NewDecoder(m.d).Decode(c, codes, func(int, int) uint64 { return r.Uint64() })
			p.Repair(c, codes, func(row int, i uint64) uint64 { return rand.New(rand.NewPCG(uint64(row), i)).Uint64() })
			p.Complete(c, 1000, func(k int, i uint64) uint64 { return rand.New(rand.NewPCG(uint64(k), i)).Uint64() })
			return c
		}
		c, again := write(), write()
		w := m.d.Written()
		must.Need(t, fmt.Sprint(c) == fmt.Sprint(again), "seed %d: other rows the second time", seed)
		must.Need(t, len(c.Columns) == w.Len(), "seed %d: %d columns, want %d", seed, len(c.Columns), w.Len())
		at := func(name string, row int) *big.Rat {
			i := w.Index(name)
			x := rat(&w.Attributes[i], &c.Columns[i], row)
			if a := &w.Attributes[i]; x != nil && len(a.FloatCuts) > 0 && (c.Columns[i].Floats[row] < a.FloatCuts[0] || c.Columns[i].Floats[row] > a.FloatCuts[len(a.FloatCuts)-1]) {
				t.Errorf("seed %d: %s = %v is outside of its range", seed, name, x)
			} else if x != nil && len(a.Cuts) > 0 && (c.Columns[i].Ints[row] < a.Cuts[0] || c.Columns[i].Ints[row] > a.Cuts[len(a.Cuts)-1]) {
				t.Errorf("seed %d: %s = %v is outside of its range", seed, name, x)
			}
			must.Hold(t, x != nil || w.Attributes[i].Null, "seed %d: %s is NULL and declared not to be", seed, name)
			return x
		}
		enc := domain.NewEncoder(m.d)
		for row := range rows {
			for _, o := range m.d.Orders {
				if a, b := at(o.Columns[0], row), at(o.Columns[1], row); a != nil && b != nil {
					ordered++
					must.Hold(t, a.Cmp(b) <= 0, "seed %d, row %d: %s = %v is above %s = %v", seed, row, o.Columns[0], a, o.Columns[1], b)
				}
			}
			if possible := p.Possible(codes[row*n : (row+1)*n]); possible {
				for a := range n - 1 {
					i := w.Index(m.d.Attributes[a].Name)
					if col := &c.Columns[i]; !col.Null(row) {
						code, ok := domain.Code(0), false
						if col.Form == domain.Floats {
							code, ok = enc.FromFloat(a, col.Floats[row])
						} else {
							code, ok = enc.FromNative(a, col.Ints[row])
						}
						if x := m.d.Attributes[a]; len(x.Exact) > 0 {
							if v := col.Ints[row]; !slices.Contains(x.Exact, v) && (v%x.Resolution != 0 || slices.ContainsFunc(x.Exact, func(e int64) bool { return x.Nearest(e) == v })) {
								t.Errorf("seed %d, row %d: %s = %d is no value of the column", seed, row, x.Name, v)
							}
						}
						must.Hold(t, ok && code == codes[row*n+a], "seed %d, row %d: %s has left its cell", seed, row, w.Attributes[i].Name)
					}
				}
			} else {
				moved++
			}
			checkDerived(t, seed, row, at)
			state := c.Columns[w.Index("state")]
			must.Hold(t, (state.Dict[state.Ints[row]] == "x") == (codes[row*n+n-1] == 0), "seed %d, row %d: state does not follow from city", seed, row)
			price, want := at("price", row), int64(codes[row*n+n-1])+1
			must.Hold(t, price != nil && price.Cmp(big.NewRat(want, 1)) == 0, "seed %d, row %d: price %v of city and zone, want %d", seed, row, price, want)
		}
	}
	must.Hold(t, ordered >= 5_000 && moved >= 50, "%d pairs and %d rows of impossible cells were looked at: too few", ordered, moved)
}

func checkDerived(t *testing.T, seed uint64, row int, at func(string, int) *big.Rat) {
	t.Helper()
	floor := func(x *big.Rat, y int64) *big.Int {
		q := new(big.Rat).Quo(x, new(big.Rat).SetInt64(y))
		return new(big.Int).Div(q.Num(), q.Denom()) // denominators are positive: Euclidean division rounds down
	}
	same := func(name string, want *big.Rat) {
		got := at(name, row)
		must.Hold(t, (got == nil) == (want == nil) && (got == nil || got.Cmp(want) == 0), "seed %d, row %d: %s = %v, want %v", seed, row, name, got, want)
	}
	c0, c1, c2 := at("c0", row), at("c1", row), at("c2", row)
	var tens, total, rest *big.Rat
	if c0 != nil {
		tens = new(big.Rat).SetInt(floor(c0, 10))
	}
	if c0 != nil && c2 != nil {
		total = new(big.Rat).Add(c0, c2)
		total.Add(total, tens)
	}
	if c1 != nil {
		seven := new(big.Int).Mul(floor(c1, 7), big.NewInt(7))
		rest = new(big.Rat).Sub(c1, new(big.Rat).SetInt(seven))
		twice := new(big.Rat).Add(c1, big.NewRat(1, 1))
		rest.Sub(rest, twice.Mul(twice, big.NewRat(2, 1)))
	}
	same("tens", tens)
	same("total", total)
	same("rest", rest)
	if f0, f1, sum := at("f0", row), at("f1", row), at("floats", row); (sum == nil) != (f0 == nil || f1 == nil) {
		t.Errorf("seed %d, row %d: floats = %v of %v and %v", seed, row, sum, f0, f1)
	} else if sum != nil {
		x, _ := f0.Float64()
		y, _ := f1.Float64()
		want := new(big.Rat).SetFloat64(x + y)
		must.Hold(t, sum.Cmp(want) == 0, "seed %d, row %d: floats = %v, want %v", seed, row, sum, want)
	}
	zone := at("zone", row)
	must.Hold(t, zone != nil && zone.Num().CmpAbs(big.NewInt(5)) == 0, "seed %d, row %d: zone = %v", seed, row, zone)
}

// Two values that are uniform in one cell and exchanged where they are not in order are distributed as uniform pairs in
// order are: the mean of the smaller one is a third of the way. The false-alarm rate is below 1e-6: five standard errors.
func TestExchangedValuesAreAsIfDrawnInOrder(t *testing.T) {
	const rows, top = 20_000, 999
	a := domain.Attribute{Name: "a", Type: domain.Int64, Cuts: []int64{0, top}, Resolution: 1, HasFallback: true}
	b := a
	b.Name = "b"
	d := &domain.Domain{Attributes: []domain.Attribute{a, b}, Orders: []domain.Order{{Columns: []string{"a", "b"}}}}
	p := must.Value(New(d))(t)
	c, codes, r := &domain.Chunk{}, make([]domain.Code, 2*rows), rand.New(rand.NewPCG(1, 2))
	domain.NewDecoder(d).Decode(c, codes, func(int, int) uint64 { return r.Uint64() })
	p.Repair(c, codes, func(int, uint64) uint64 { t.Fatal("equal cells need no new draws"); return 0 })
	sum := 0.0
	for row := range rows {
		sum += float64(c.Columns[0].Ints[row])
	}
	mean, want, se := sum/rows, top/3.0, 0.2357*top/141.4
	must.Hold(t, mean >= want-5*se && mean <= want+5*se, "the mean of the smaller value is %.1f, want %.1f", mean, want)
}

// Values in order keep what was learned of each column: starts on no Sunday, ends on any day.
func TestRepairKeepsLearnedDistributions(t *testing.T) {
	const rows, days = 20_000, 700
	a := domain.Attribute{Name: "start", Type: domain.Int64, Cuts: []int64{0, 300, days - 1}, Resolution: 1, HasFallback: true}
	b := a
	b.Name = "end"
	for day := range days {
		share := 1.0
		if day%7 == 6 {
			share = 0
		}
		a.Runs = append(a.Runs, domain.Run{From: day, Share: share})
	}
	b.Runs = []domain.Run{{From: 0, Share: 1}}
	d := &domain.Domain{Attributes: []domain.Attribute{a, b}, Orders: []domain.Order{{Columns: []string{"start", "end"}}}}
	p := must.Value(New(d))(t)
	c, codes, r := &domain.Chunk{}, make([]domain.Code, 2*rows), rand.New(rand.NewPCG(1, 2))
	for row := range rows {
		codes[2*row] = domain.Code(row % 2)
		codes[2*row+1] = max(codes[2*row], domain.Code(r.IntN(2)))
	}
	domain.NewDecoder(d).Decode(c, codes, func(int, int) uint64 { return r.Uint64() })
	p.Repair(c, codes, func(row int, i uint64) uint64 { return rand.New(rand.NewPCG(uint64(row), i)).Uint64() })
	sundays := 0
	for row := range rows {
		start, end := c.Columns[0].Ints[row], c.Columns[1].Ints[row]
		must.Need(t, start <= end && start%7 != 6 && (start >= 300) == (codes[2*row] == 1) && (end >= 300) == (codes[2*row+1] == 1),
			"row %d: %d to %d in cells %d and %d", row, start, end, codes[2*row], codes[2*row+1])
		if end%7 == 6 {
			sundays++
		}
	}
	must.Hold(t, sundays >= rows/7*9/10 && sundays <= rows/7*11/10, "%d of %d ends are Sundays; want a seventh", sundays, rows)
}

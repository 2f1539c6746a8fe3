package population

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
)

// grouped is rows in sorted order, in run-length form, in which every combination of some attributes has at least k
// rows. The rows of a combination are numbered in order, and every k of them are a group; the last group takes the
// rest.
type grouped struct {
	systematic
	k      int64
	of     []uint32 // combination of each run
	before []int64  // rows of the same combination before the run
	count  []int64  // rows of each combination
	first  []int64  // number of the first group of each combination
}

// group returns the number of the group of row r.
func (g *grouped) group(r int64) int64 {
	j := g.find(r)
	rank := g.before[j] + r
	if j > 0 {
		rank -= g.ends[j-1]
	}
	of := g.of[j]
	return g.first[of] + min(rank/g.k, g.count[of]/g.k-1)
}

// Changed describes the changes that AtLeast made.
type Changed struct {
	Rows int64 // that are other than they were
	// AverageTV is the average total variation between the rows before and after, over the given tables; NaN if there
	// are too many to count.
	AverageTV float64
}

// AtLeast changes the rows of m so that each combination of values of the attributes in c occurs in no row or in at
// least k, and of Groups of rows that agree on c. Combinations of fewer rows are merged with their neighbours in
// sorted order until there are k: all take the combination of one of these rows, drawn uniformly, so that the
// expected share of each stays the same. A row keeps its other values unless that makes it impossible, or whole is
// set; it then becomes a copy of a row. tables are those over which the change is measured.
//
// It panics unless 1 ≤ k and there are no rows or at least k.
func (r *Rows) AtLeast(m *Model, c domain.Clique, k int64, whole bool, tables []domain.Clique, seed uint64) Changed {
	if k < 1 || r.n > 0 && r.n < k {
		panic("population: combinations of at least 1 row, and of all of them at most")
	}
	if r.n == 0 {
		return Changed{}
	}
	was := *r
	g := &merger{m: m, c: c, order: keyOrder(m.Sizes), ids: map[string]uint32{}}
	r.list.each(g.add)
	change := Changed{Rows: g.move(g.targets(k, rand.New(rand.NewPCG(seed, streamAtLeast))), whole), AverageTV: math.NaN()}
	r.list = g.list(k)
	if Fits(int64(len(g.ends)), tables, m.Sizes) {
		change.AverageTV = distance(was.tables(m.Sizes, tables), r.tables(m.Sizes, tables), r.n)
	}
	return change
}

// distance is the average total variation of tables of n rows.
func distance(a, b [][]float64, n int64) float64 {
	sum := 0.0
	for i := range a {
		for c, x := range a[i] {
			sum += math.Abs(x - b[i][c])
		}
	}
	return sum / (2 * float64(n) * float64(len(a)))
}

// Groups writes the numbers of the groups of the rows at positions from, from+1, … to dst. After AtLeast, every group
// has k rows or more of one combination.
func (r *Rows) Groups(from int64, dst []int64) {
	g := r.list.(*grouped)
	row := r.scatter.row(from)
	for i := range dst {
		dst[i] = g.group(row)
		row = r.scatter.next(row)
	}
}

// merger is the state of AtLeast: all rows in run-length form, and the combinations that they have.
type merger struct {
	m     *Model
	c     domain.Clique
	order []int // of attributes, the most significant first
	runs  []domain.Code
	ends  []int64
	of    []uint32 // combination of each run
	ids   map[string]uint32
	keys  []string // of combinations, such that they sort as rows do
	count []int64  // rows of each
	first []int    // the first run of each
}

func (g *merger) add(codes []domain.Code, copies int64) {
	g.runs = append(g.runs, codes...)
	end := copies
	if n := len(g.ends); n > 0 {
		end += g.ends[n-1]
	}
	key := make([]byte, 0, 4*len(g.c))
	for _, a := range g.order {
		if slices.Contains(g.c, a) {
			key = binary.BigEndian.AppendUint32(key, uint32(codes[a]))
		}
	}
	id, ok := g.ids[string(key)]
	if !ok {
		id = uint32(len(g.keys))
		g.keys, g.count, g.first = append(g.keys, string(key)), append(g.count, 0), append(g.first, len(g.ends))
		g.ids[g.keys[id]] = id
	}
	g.count[id] += copies
	g.ends, g.of = append(g.ends, end), append(g.of, id)
}

// targets returns the new combination of each combination.
func (g *merger) targets(k int64, rng *rand.Rand) []uint32 {
	order, to := make([]uint32, len(g.keys)), make([]uint32, len(g.keys))
	for i := range order {
		order[i], to[i] = uint32(i), uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return strings.Compare(g.keys[a], g.keys[b]) })
	var groups [][]uint32
	var open []uint32
	held, frequent := int64(0), -1
	for _, id := range order {
		if g.count[id] >= k {
			frequent = int(id)
			continue
		}
		if open, held = append(open, id), held+g.count[id]; held >= k {
			groups, open, held = append(groups, open), nil, 0
		}
	}
	switch last := len(groups) - 1; {
	case len(open) == 0:
	case last >= 0:
		groups[last] = append(groups[last], open...)
	default: // some combination is frequent, as there are k rows
		for _, id := range open {
			to[id] = uint32(frequent)
		}
	}
	for _, list := range groups {
		sum := int64(0)
		for _, id := range list {
			sum += g.count[id]
		}
		at, drawn := 0, rng.Int64N(sum)
		for ; drawn >= g.count[list[at]]; at++ {
			drawn -= g.count[list[at]]
		}
		for _, id := range list {
			to[id] = list[at]
		}
	}
	return to
}

// move gives rows their new combinations, and returns the number of changed rows.
func (g *merger) move(to []uint32, whole bool) (changed int64) {
	width := len(g.m.Sizes)
	support := domain.NewSupport(g.m.Sizes, g.m.StructuralZeros)
	record, from := make([]domain.Code, width), int64(0)
	for j, id := range g.of {
		copies := g.ends[j] - from
		from = g.ends[j]
		target := to[id]
		if target == id {
			continue
		}
		run, donor := g.runs[j*width:(j+1)*width], g.runs[g.first[target]*width:][:width]
		copy(record, run)
		for _, a := range g.c {
			record[a] = donor[a]
		}
		if whole || !g.possible(support, record) {
			copy(record, donor)
		}
		copy(run, record)
		g.of[j] = target
		g.count[id], g.count[target] = g.count[id]-copies, g.count[target]+copies
		changed += copies
	}
	return changed
}

// possible reports whether rows may be this record: in a universe, whether it has weight.
func (g *merger) possible(support *domain.Support, record []domain.Code) bool {
	if g.m.Columns != nil {
		return support.Possible(record)
	}
	cell := 0
	for a, size := range g.m.Sizes {
		cell = cell*size + int(record[a])
	}
	return g.m.Weights[cell] > 0
}

// list returns the rows with their groups.
func (g *merger) list(k int64) *grouped {
	out := &grouped{
		systematic: systematic{ends: g.ends, width: len(g.m.Sizes), codes: g.runs},
		k:          k, of: g.of, before: make([]int64, len(g.of)), count: g.count, first: make([]int64, len(g.keys)),
	}
	out.index(g.ends[len(g.ends)-1])
	seen, from := make([]int64, len(g.keys)), int64(0)
	for j, id := range g.of {
		out.before[j] = seen[id]
		seen[id] += g.ends[j] - from
		from = g.ends[j]
	}
	next := int64(0)
	for id, n := range g.count {
		out.first[id] = next
		next += n / k
	}
	return out
}

package population

import (
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Chain says how the rows of a person follow each other: each is drawn from the model's records of such people that remember
// the row before.
type Chain struct {
	Gap     int       // attribute of the gap since the row before, whose last code means a first row
	Start   int       // attribute of persons that holds the value at which the first row lies
	Columns []int     // columns that are remembered
	Before  []int     // for each of them, the attribute that holds its value in the row before; the last code means no row before
	Last    int64     // the largest value at which a row may lie; the least is 0
	Strict  bool      // no two rows of a person lie at the same value
	Value   ValueOf   // of starts and gaps
	Rhythm  []float64 // of values modulo its length: how likely a row is there, as a part of the likeliest; nil: everywhere alike
	Order   int       // place in what is read to which the value is written at which the row lies
}

// ValueOf returns one of the values of a cell of an attribute, for a uniform position in it.
type ValueOf func(a int, code domain.Code, position float64) int64

const (
	// leastDonors is how many records, at least, a row is drawn from. Fewer agree in too much by chance.
	leastDonors = 5
	// fitTries is how often a row is drawn for a gap that fits, before the smallest one is taken.
	fitTries = 30
	// rhythmTries is how often a row is drawn for a gap that fits and follows the rhythm, before the first that fits is taken.
	rhythmTries = 100
	streamChain = 0x636861696e // "chain"
)

// histories draws the rows of persons one after the other.
type histories struct {
	Chain
	p            *People
	events       []int // attributes that are drawn, the gap among them
	first, later *donorTree
	rooms        *rooms
}

// newHistories prepares the chains of p.
func newHistories(p *People, c Chain) *histories {
	h := &histories{Chain: c, p: p}
	m, none := p.m, domain.Code(p.m.Sizes[c.Gap]-1)
	mean := p.meanRows()
	firsts, laters := make([]uint32, 0, len(m.Weights)), make([]uint32, 0, len(m.Weights))
	first, later := make([]float64, len(m.Weights)), make([]float64, len(m.Weights))
	for i, w := range m.Weights {
		r := uint32(i)
		if w <= 0 || p.none(r) {
			continue
		}
		if m.code(r, c.Gap) == none {
			firsts, first[i] = append(firsts, r), w
			continue
		}
		// A record stands for its share of a person; rows of people with many count as often as they are written.
		laters, later[i] = append(laters, r), w*mean[m.code(r, p.e.Rows)]
	}
	events := slices.DeleteFunc(slices.Clone(p.other), func(a int) bool { return slices.Contains(c.Before, a) })
	rows := slices.DeleteFunc(slices.Clone(events), func(a int) bool { return a == c.Gap })
	h.events = events
	h.first = newDonorTree(m, firsts, first, h.keys(first, p.e.Person, rows), events)
	h.later = newDonorTree(m, laters, later, h.keys(later, slices.Concat(c.Before, p.e.Person), events), events)
	h.rooms = newRooms(h)
	h.calibrate()
	return h
}

// keys returns attributes in the order in which donors should agree in them with the row that is drawn.
func (h *histories) keys(weights []float64, attributes, events []int) []int {
	m := *h.p.m
	if m.Weights = weights; m.Total() == 0 || len(events) == 0 {
		return attributes
	}
	return byDependence(&m, attributes, events)
}

// meanRows returns the mean number of rows in each bin of it.
func (p *People) meanRows() []float64 {
	out := make([]float64, len(p.sums))
	for b, sums := range p.sums {
		before, total := 0.0, sums[len(sums)-1]
		for k, s := range sums {
			out[b] += float64(p.e.Cuts[b]+int64(k)) * (s - before) / total
			before = s
		}
	}
	return out
}

// draw writes the rows of the person with these codes, who is number i, to dst, which has the width of the model for each.
// It returns the values at which they lie.
func (h *histories) draw(dst []domain.Code, codes []domain.Code, own uint32, i, rows int64) []int64 {
	rng := rand.New(rand.NewPCG(h.p.seed^streamChain, uint64(i)))
	at, width := make([]int64, rows), int64(len(h.p.m.Sizes))
	row := dst[:width]
	for k, a := range h.p.e.Person {
		row[a] = codes[k]
	}
	for _, b := range h.Before {
		row[b] = domain.Code(h.p.m.Sizes[b] - 1)
	}
	at[0] = h.Value(h.Start, row[h.Start], rng.Float64())
	if h.Strict {
		at[0] = min(at[0], h.Last-rows+1)
	}
	h.drawRow(row, h.first, own, rng)
	for j := int64(1); j < rows; j++ {
		before := row
		row = dst[j*width : (j+1)*width]
		copy(row, before)
		for k, b := range h.Before {
			row[b] = before[h.Columns[k]]
		}
		at[j] = at[j-1] + h.follow(row, at[j-1], rows-1-j, own, rng)
	}
	h.shrink(at)
	return at
}

// follow draws the columns of an event of a later row, and returns its gap to the one at a value: as the donors have it, but
// of two gaps the more likely one is that behind which so many rows more fit into what is left of all values, and that leads
// to a value of the rhythm.
func (h *histories) follow(row []domain.Code, at, rows int64, own uint32, rng *rand.Rand) (gap int64) {
	values, need := h.Last-at, h.rooms.of(row[h.p.e.Rows], rows)
	all := need.chance(values)
	var spare []domain.Code // the first row that fits, or else the row of the smallest gap
	fits := false
	for try := 0; try < fitTries || fits && try < rhythmTries; try++ {
		h.drawRow(row, h.later, own, rng)
		drawn := h.gap(row, rng.Float64())
		fit := rng.Float64()*all < need.chance(values-drawn)
		if fit && (len(h.Rhythm) == 0 || rng.Float64() < h.Rhythm[(at+drawn)%int64(len(h.Rhythm))]) {
			return drawn
		}
		if !fits && (fit || spare == nil || drawn < gap) {
			spare, gap, fits = append(spare[:0], row...), drawn, fit
		}
	}
	copy(row, spare)
	return gap
}

// gap returns the gap of a row, for a uniform position inside its bin.
func (h *histories) gap(row []domain.Code, position float64) int64 {
	c := row[h.Gap]
	if int(c) == h.p.m.Sizes[h.Gap]-1 { // of a donor that is a first row; only those are there
		c = 0
	}
	return h.Value(h.Gap, c, position)
}

// drawRow draws the columns of an event from the records that agree with row in as much as leaves enough of them.
func (h *histories) drawRow(row []domain.Code, tree *donorTree, own uint32, rng *rand.Rand) {
	p := h.p
	if len(tree.records) == 0 { // no record has this kind
		tree = h.first
		if len(tree.records) == 0 {
			tree = h.later
		}
	}
	from, to := tree.find(row)
	for range 100 {
		i := int(tree.draw(from, to, rng.Float64())) * len(h.events)
		for k, a := range h.events {
			row[a] = tree.codes[i+k]
		}
		if p.support == nil || p.support.Possible(row) {
			return
		}
	}
	for _, a := range h.events { // a record of just such a person is possible
		row[a] = p.m.code(own, a)
	}
}

// shrink makes gaps smaller, all by the same part, if the last row lies behind the last value. It then lies where the last of
// rows that lie anywhere behind the first does on average, so that no value has all of these histories at their end.
func (h *histories) shrink(at []int64) {
	n := len(at)
	over := at[n-1] - h.Last
	if over <= 0 && !h.Strict {
		return
	}
	least := int64(0) // gap that has to stay
	if h.Strict {
		least = 1
	}
	free := at[n-1] - at[0] - least*int64(n-1)
	if over <= 0 || free <= 0 {
		return
	}
	first, room := at[0], float64(h.Last-at[0]-least*int64(n-1))*float64(n-1)/float64(n)
	for j := range at {
		kept := least * int64(j)
		at[j] = first + kept + int64(float64(at[j]-first-kept)/float64(free)*room)
	}
}

// donorTree finds the records that agree with a row in its keys, from the first on, as long as there are enough of them.
type donorTree struct {
	m       *Model
	keys    []int
	records []uint32      // in lexicographic order of the keys
	codes   []domain.Code // of what is drawn, one record after the other
	weights []float64
	sums    []float64 // of the weights before each, and of all
	nodes   []donorNode
	enough  int
}

// donorNode is the records from … to−1, which agree in the keys above it. Its children are in the order of their codes.
type donorNode struct {
	from, to, child, children int32
	code                      domain.Code
}

// newDonorTree returns the tree of some records of a model, with weights for all of its records, and what is drawn of them.
func newDonorTree(m *Model, records []uint32, weights []float64, keys, events []int) *donorTree {
	t := &donorTree{m: m, keys: keys, enough: leastDonors}
	if m.Columns == nil { // a universe has records of every kind, weighed as in the model
		t.enough = 1
	}
	t.records = sortedBy(m, records, keys)
	t.weights = make([]float64, len(records))
	t.codes = make([]domain.Code, 0, len(records)*len(events))
	for i, r := range t.records {
		t.weights[i] = weights[r]
		for _, a := range events {
			t.codes = append(t.codes, m.code(r, a))
		}
	}
	t.add()
	t.nodes = []donorNode{{to: int32(len(records))}}
	for n, depth, last := 0, 0, 1; depth < len(keys); depth++ { // by levels
		for ; n < last; n++ {
			t.split(n, keys[depth])
		}
		last = len(t.nodes)
	}
	return t
}

// split makes the children of node n that hold enough records.
func (t *donorTree) split(n, key int) {
	node := t.nodes[n]
	child := int32(len(t.nodes))
	for from := node.from; from < node.to; {
		code := t.m.code(t.records[from], key)
		to := from + int32(sort.Search(int(node.to-from), func(i int) bool { return t.m.code(t.records[from+int32(i)], key) > code }))
		if to-from >= int32(t.enough) {
			t.nodes = append(t.nodes, donorNode{from: from, to: to, code: code})
		}
		from = to
	}
	t.nodes[n].child, t.nodes[n].children = child, int32(len(t.nodes))-child
}

// add adds up the weights.
func (t *donorTree) add() {
	t.sums = append(slices.Grow(t.sums[:0], len(t.weights)+1), 0)
	for _, w := range t.weights {
		t.sums = append(t.sums, t.sums[len(t.sums)-1]+w)
	}
}

// find returns the records that agree with row.
func (t *donorTree) find(row []domain.Code) (from, to int32) {
	n := &t.nodes[0]
	for _, key := range t.keys {
		children, code := t.nodes[n.child:n.child+n.children], row[key]
		if len(children) == 0 || code < children[0].code {
			break
		}
		// Codes ascend: one that is there is not behind the place that it has if none below it is missing.
		low, high := 0, min(int(code-children[0].code), len(children)-1)
		if children[high].code < code {
			break
		}
		for low < high && children[high].code != code {
			if mid := (low + high) / 2; children[mid].code < code {
				low = mid + 1
			} else {
				high = mid
			}
		}
		if children[high].code != code {
			break
		}
		n = &children[high]
	}
	return n.from, n.to
}

// draw returns the number of one of the records from … to−1, by their weights.
func (t *donorTree) draw(from, to int32, u float64) int32 {
	low, high := t.sums[from], t.sums[to]
	x := low + float64(u*(high-low))
	for to--; from < to; {
		if mid := from + (to-from)/2; t.sums[mid+1] > x {
			to = mid
		} else {
			from = mid + 1
		}
	}
	return from
}

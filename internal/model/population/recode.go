package population

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// A round of Refine. Measured on 14 and 16 attributes, 343 and 328 tables: looking at batches first makes the same rows in
// half the time that single proposals take.
const (
	batchRows = 64 // that are looked at together
	recodings = 10 // of a round
	keptRows  = 16 // of a batch to be recoded …
	donorRows = 3  // … each by the codes of so many other rows
)

// offer is row i, and by how much the objective changes if it leaves its cells.
type offer struct {
	i      int
	change float32
}

// batch is rows that are looked at together, table by table: the cells of one table are near each other in
// memory, and blocks of one row are not.
type batch struct {
	place   [batchRows]int
	columns [][batchRows]domain.Code
	change  [batchRows]float32
	offers  []offer // sorted
}

func newBatch(width int) *batch { return &batch{columns: make([][batchRows]domain.Code, width)} }

// set makes row i the one at k.
func (b *batch) set(k, i int, codes []domain.Code) {
	b.place[k], b.change[k] = i, 0
	for a, c := range codes {
		b.columns[a][k] = c
	}
}

// sort returns the offers of a batch, those that gain most first.
func (b *batch) sort() []offer {
	b.offers = b.offers[:0]
	for k, i := range b.place {
		b.offers = append(b.offers, offer{i, b.change[k]})
	}
	slices.SortStableFunc(b.offers, func(a, b offer) int { return cmp.Compare(a.change, b.change) })
	return b.offers
}

// look adds by how much the objective changes when each of a batch leaves its cell of table t.
func (p *refiner) look(b *batch, t *table) {
	x, y, z := &b.columns[t.attr[0]], &b.columns[t.attr[1]], &b.columns[t.attr[2]]
	for k := range b.change {
		cell := t.base + t.stride[0]*int32(x[k]) + t.stride[1]*int32(y[k]) + t.stride[2]*int32(z[k])
		for _, m := range t.more {
			cell += m.stride * int32(b.columns[m.attr][k])
		}
		b.change[k] += p.cells[cell].change(leaves)
	}
}

// recode replaces attribute a of those rows of a batch that gain most by leaving their cells, where it pays.
func (p *refiner) recode(a int, rng *rand.Rand) {
	for k := range batchRows {
		r := rng.IntN(p.rows.len())
		p.leaving.set(k, r, p.rows.codesOf(r))
	}
	for _, s := range p.touched[a] {
		p.look(p.leaving, &p.tables[s.table])
	}
	for _, o := range p.leaving.sort()[:keptRows] {
		for range donorRows {
			p.proposeCode(p.rows.codesOf(o.i), a, p.rows.codesOf(rng.IntN(p.rows.len()))[a])
		}
	}
}

// cellOf returns the place of a record in table t.
func (p *refiner) cellOf(t *table, codes []domain.Code) int32 {
	c := t.base + t.stride[0]*int32(codes[t.attr[0]]) + t.stride[1]*int32(codes[t.attr[1]]) + t.stride[2]*int32(codes[t.attr[2]])
	for _, x := range t.more {
		c += x.stride * int32(codes[x.attr])
	}
	return c
}

// Twice what a row adds to a cell's rows.
const (
	leaves float32 = -2
	enters float32 = 2
)

// change returns by how much the objective changes when a row leaves or enters the cell. The conversions keep products and
// sums apart, so that every processor rounds alike.
func (c tableCell) change(twice float32) float32 {
	return float32((1 + float32(twice*c.excess)) * c.weight)
}

func (p *refiner) move(from, to []int32) {
	for i, c := range from {
		p.cells[c].excess--
		p.cells[to[i]].excess++
	}
}

// proposeCode replaces attribute a of a row if that lowers the objective.
func (p *refiner) proposeCode(row []domain.Code, a int, is domain.Code) {
	was := row[a]
	if was == is || !p.supported(row, a, is) {
		return
	}
	var sum float32
	for i, s := range p.touched[a] {
		p.old[i] = p.cellOf(&p.tables[s.table], row)
		p.new[i] = p.old[i] + s.stride*(int32(is)-int32(was))
		sum += p.cells[p.old[i]].change(leaves) + p.cells[p.new[i]].change(enters)
	}
	if sum < 0 {
		p.move(p.old[:len(p.touched[a])], p.new[:len(p.touched[a])])
		row[a] = is
	}
}

// supported reports whether the row with attribute a changed is possible: in a universe, whether it has weight.
func (p *refiner) supported(row []domain.Code, a int, code domain.Code) bool {
	if p.model.Columns != nil {
		return p.support.PossibleWith(row, a, code)
	}
	cell := 0
	for b, size := range p.model.Sizes {
		c := row[b]
		if b == a {
			c = code
		}
		cell = cell*size + int(c)
	}
	return p.model.Weights[cell] > 0
}

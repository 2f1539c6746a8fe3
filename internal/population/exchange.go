package population

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/dapple-dp/dapple/dp/domain"
)

// A round of Refine. Measured on 14 and 16 attributes, 343 and 328 tables: looking at batches first makes the same rows in
// half the time that single proposals take.
const (
	batchRows = 64 // that are looked at together
	recodings = 7  // of a round; one exchange costs as much as ten
	keptRows  = 16 // of a batch to be recoded …
	donorRows = 3  // … each by the codes of so many other rows
)

// offer is row or record i, and by how much the objective changes if it leaves or enters its cells.
type offer struct {
	i      int
	change float32
}

func sortOffers(list []offer) {
	slices.SortStableFunc(list, func(a, b offer) int { return cmp.Compare(a.change, b.change) })
}

// recode replaces attribute a of those rows of a batch that gain most by leaving their cells, where it pays.
func (p *refiner) recode(a int, rng *rand.Rand) {
	p.leaving = p.leaving[:0]
	for range batchRows {
		r := rng.IntN(p.rows.len())
		row := p.rows.codesOf(r)
		var sum float32
		for _, s := range p.touched[a] {
			sum += p.leave(p.cellOf(&p.tables[s.table], row))
		}
		p.leaving = append(p.leaving, offer{r, sum})
	}
	sortOffers(p.leaving)
	for _, o := range p.leaving[:keptRows] {
		for range donorRows {
			p.proposeCode(p.rows.codesOf(o.i), a, p.rows.codesOf(rng.IntN(p.rows.len()))[a])
		}
	}
}

// exchange replaces rows by records: of a batch of each, the row that gains most by leaving its cells by the record that
// gains most by entering its own, and so on.
func (p *refiner) exchange(rng *rand.Rand) {
	p.leaving, p.entering = p.leaving[:0], p.entering[:0]
	for range batchRows {
		r, i := rng.IntN(p.rows.len()), p.draw(rng)
		row := p.rows.codesOf(r)
		p.model.Record(i, p.record)
		var out, in float32
		for t := range p.tables {
			out += p.leave(p.cellOf(&p.tables[t], row))
			in += p.enter(p.cellOf(&p.tables[t], p.record))
		}
		p.leaving, p.entering = append(p.leaving, offer{r, out}), append(p.entering, offer{i, in})
	}
	sortOffers(p.leaving)
	sortOffers(p.entering)
	for k, from := range p.leaving {
		if to := p.entering[k]; from.change+to.change < 0 {
			p.model.Record(to.i, p.record)
			p.proposeRecord(p.rows.codesOf(from.i))
		}
	}
}

// draw returns a record, by weight.
func (p *refiner) draw(rng *rand.Rand) int {
	i := sort.SearchFloat64s(p.cum, rng.Float64()*p.cum[len(p.cum)-1])
	for p.model.Weights[i] == 0 {
		i++ // only at a draw of exactly 0: a later record of equal cum has no weight
	}
	return i
}

// cellOf returns the place of a record in table t.
func (p *refiner) cellOf(t *table, codes []domain.Code) int32 {
	c := t.base + t.stride[0]*int32(codes[t.attr[0]]) + t.stride[1]*int32(codes[t.attr[1]]) + t.stride[2]*int32(codes[t.attr[2]])
	for _, x := range t.more {
		c += x.stride * int32(codes[x.attr])
	}
	return c
}

// leave returns by how much the objective changes when a row leaves a cell. The conversions keep products and sums
// apart, so that every processor rounds alike.
func (p *refiner) leave(cell int32) float32 {
	c := p.cells[cell]
	return float32((1 - float32(2*c.excess)) * c.weight)
}

// enter returns by how much the objective changes when a row enters a cell.
func (p *refiner) enter(cell int32) float32 {
	c := p.cells[cell]
	return float32((1 + float32(2*c.excess)) * c.weight)
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
		sum += p.leave(p.old[i]) + p.enter(p.new[i])
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

// proposeRecord replaces a row by the record p.record if that lowers the objective.
func (p *refiner) proposeRecord(row []domain.Code) {
	n := 0
	var sum float32
	for t := range p.tables {
		from, to := p.cellOf(&p.tables[t], row), p.cellOf(&p.tables[t], p.record)
		if from != to {
			p.old[n], p.new[n] = from, to
			n++
			sum += p.leave(from) + p.enter(to)
		}
	}
	if sum < 0 {
		p.move(p.old[:n], p.new[:n])
		copy(row, p.record)
	}
}

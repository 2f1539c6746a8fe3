package relation

import (
	"math"
	"math/bits"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// redraws is how often two values of cells that overlap are drawn again: at least one draw in two is in order.
const redraws = 40

// repairer brings the rows of one chunk into order.
type repairer struct {
	p       *Plan
	members []int
	scales  []scale
	word    func(row int, n uint64) uint64

	row    int
	drawn  uint64
	x      []int64 // by attribute, of one row
	lo, hi []int64
	null   []bool
}

// Repair makes days that exist, and brings the values of ordered columns into order, in the rows of c, whose first columns are those
// of the attributes, decoded from codes. word gives random words of a row, numbered from 0: the rows
// are a function of them and of what they were.
//
// Values stay in their cells if the cells leave them room, and the distribution of a column changes as little as
// it can: two values of one cell are exchanged, as if the pair had been drawn in order, or drawn again. Cells that leave no room
// are for structural zeros to prevent; their values are exchanged too, or moved to the nearest that are in order.
func (p *Plan) Repair(c *domain.Chunk, codes []domain.Code, word func(row int, n uint64) uint64) {
	p.repairDates(c, codes, word)
	if len(p.pairs) == 0 {
		return
	}
	n := p.d.Len()
	r := &repairer{p: p, members: p.members, scales: p.scales, word: word,
		x: make([]int64, n), lo: make([]int64, n), hi: make([]int64, n), null: make([]bool, n)}
	for row := range c.Rows {
		r.read(c, row)
		if r.violated() == nil {
			continue
		}
		r.cells(codes[row*n : (row+1)*n])
		r.repairRow()
		for _, a := range r.members {
			if !r.null[a] {
				r.scales[a].set(&c.Columns[a], row, r.x[a])
			}
		}
	}
}

// sorted returns attributes, each behind those that are at most it.
func (p *Plan) sorted(members []int) (out []int) {
	for len(out) < len(members) {
		for _, b := range members {
			waits := slices.ContainsFunc(members, func(a int) bool { return p.before[a][b] && !slices.Contains(out, a) })
			if !waits && !slices.Contains(out, b) {
				out = append(out, b)
			}
		}
	}
	return out
}

func (r *repairer) read(c *domain.Chunk, row int) {
	r.row, r.drawn = row, 0
	for _, a := range r.members {
		if r.null[a] = c.Columns[a].Null(row); !r.null[a] {
			r.x[a] = r.scales[a].get(&c.Columns[a], row)
		}
	}
}

// cells takes the ends of the row's cells.
func (r *repairer) cells(codes []domain.Code) {
	for _, a := range r.members {
		r.lo[a], r.hi[a], _ = r.scales[a].ends(codes[a])
	}
}

// violated returns a pair that is not in order, or nil.
func (r *repairer) violated() *[2]int {
	for k := range r.p.pairs {
		a, b := r.p.pairs[k][0], r.p.pairs[k][1]
		if !r.null[a] && !r.null[b] && r.x[a] > r.x[b] {
			return &r.p.pairs[k]
		}
	}
	return nil
}

// repairRow brings one row into order.
func (r *repairer) repairRow() {
	for range 2 * len(r.p.pairs) {
		pair := r.violated()
		if pair == nil || !r.pair(pair[0], pair[1]) {
			break
		}
	}
	if r.violated() != nil {
		r.clamp(func(a int) (lo, hi int64) { return r.lo[a], r.hi[a] })
	}
	if r.violated() != nil {
		r.clamp(func(a int) (lo, hi int64) { return r.scales[a].least, r.scales[a].most })
	}
}

// pair brings two values into order, or reports false. Where values are learned, two of them are exchanged as often as
// each column leaves it to be: not if a start would be on a day of the week on which nothing starts. Otherwise both are
// drawn again, near to where they were as long as that is possible.
func (r *repairer) pair(a, b int) bool {
	x, y, s, t := r.x[a], r.x[b], &r.scales[a], &r.scales[b]
	inside := r.lo[a] <= y && x <= r.hi[b]
	apart := r.lo[a] > r.hi[b]
	able := (inside || apart) && s.has(y) && t.has(x)
	if able && (apart || r.happens(1/r.odds(a, b, y, x))) {
		r.x[a], r.x[b] = y, x
		return true
	}
	if s.attr.Type == domain.Float64 || s.list != nil || t.list != nil {
		return false
	}
	most, least := s.floor(min(r.hi[a], r.hi[b]), r.lo[a]), t.ceil(max(r.lo[a], r.lo[b]), r.hi[b])
	for n := range redraws {
		from, to := int64(math.MinInt64), int64(math.MaxInt64)
		if reach := times(x-y, 1<<(n/2)); n < redraws/2 && x-y > 0 && y > math.MinInt64+reach && x < math.MaxInt64-reach {
			from, to = y-reach, x+reach
		}
		v := r.draw(s, s.ceil(max(r.lo[a], from), most), s.floor(min(most, to), r.lo[a]))
		w := r.draw(t, t.ceil(max(least, from), r.hi[b]), t.floor(min(r.hi[b], to), least))
		// What exchanges make too rare, such as ends on the days without a start, is what is drawn more often.
		if v <= w && (!able || n >= redraws/2 || !r.happens(r.odds(a, b, v, w))) {
			r.x[a], r.x[b] = v, w
			return true
		}
	}
	return false
}

// odds returns how likely two values are if the columns have exchanged them, against how likely they are as they are.
func (r *repairer) odds(a, b int, x, y int64) float64 {
	s, t := &r.scales[a], &r.scales[b]
	return s.density(y) * t.density(x) / max(s.density(x)*t.density(y), 1e-300)
}

// happens is true as often as p says, always if p is at least 1.
func (r *repairer) happens(p float64) bool {
	return p >= 1 || float64(r.next()>>11)*0x1p-53 < p
}

// draw returns one of lo, lo + step, …, hi: as they are distributed if that is known, else each alike.
func (r *repairer) draw(s *scale, lo, hi int64) int64 {
	if lo >= hi {
		return lo
	}
	if s.learned != nil {
		k := s.learned.Draw(s.number(lo), s.number(hi)+1, float64(r.next()>>11)*0x1p-53)
		return s.at(s.of(lo) + int64(k-s.number(lo))*s.step)
	}
	k, _ := bits.Mul64(r.next(), (uint64(s.of(hi))-uint64(s.of(lo)))/uint64(s.step)+1)
	return s.at(s.of(lo) + int64(k)*s.step)
}

// next returns the next random word of the row.
func (r *repairer) next() uint64 {
	r.drawn++
	return r.word(r.row, r.drawn-1)
}

// clamp raises values to those that they must not be below, as far as ends allow, and then lowers values to
// those that they must not be above.
func (r *repairer) clamp(ends func(a int) (lo, hi int64)) {
	for _, b := range r.members {
		_, hi := ends(b)
		for _, a := range r.members {
			if r.p.before[a][b] && !r.null[a] && !r.null[b] && r.x[a] > r.x[b] {
				r.x[b] = r.scales[b].ceil(r.x[a], hi)
			}
		}
	}
	for k := len(r.members) - 1; k >= 0; k-- {
		a := r.members[k]
		lo, _ := ends(a)
		for _, b := range r.members {
			if r.p.before[a][b] && !r.null[a] && !r.null[b] && r.x[a] > r.x[b] {
				r.x[a] = r.scales[a].floor(r.x[b], lo)
			}
		}
	}
}

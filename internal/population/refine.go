package population

import (
	"math"
	"math/rand/v2"
	"sort"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/summation"
)

// Limits of Refine: up to here it takes up to ten seconds, and a few hundred MB.
const (
	refineRows     = 2_000_000   // rows
	refineCodes    = 100_000_000 // rows × attributes
	refineCells    = 20_000_000  // cells of all tables
	refineVisits   = 100_000_000 // rows × tables
	refinePerRow   = 6           // proposals per row …
	refineWork     = 150_000_000 // … and of all together, times tables
	cachedCells    = 1 << 19     // cells of all tables that a core's cache holds, at 8 bytes each
	refineSoftness = 0.5         // counts added to a target: an empty cell's rounding error is not 0
)

// Fits reports whether Refine is used for n rows on the tables of cliques, by a public rule on sizes: at most
// 2,000,000 rows, 1e8 codes, 2e7 table cells, and 1e8 rows × tables. Above that, systematic rows alone are at least 5
// times closer than independent draws (8 times at 1,000,000 rows of adult7 or adult14).
func Fits(n int64, cliques []domain.Clique, sizes []int) bool {
	if n > refineRows || n*int64(len(sizes)) > refineCodes || n*int64(len(cliques)) > refineVisits {
		return false
	}
	sum := int64(0)
	for _, c := range cliques {
		cells, err := c.Cells(sizes)
		if err != nil || cells > refineCells-sum {
			return false
		}
		sum += cells
	}
	return len(cliques) > 0
}

// proposals returns how many proposals Refine makes for n rows. What many rows or tables gain by more of them is less than
// systematic rows leave.
func proposals(n int64, tables int) int64 { return min(n*refinePerRow, refineWork/int64(tables)) }

// RefineSeconds returns the CPU seconds of NewRows on one core, for n rows on the tables of cliques; 0 if not Fits. Half of
// the proposals look at all tables, and half at those of one attribute.
func RefineSeconds(n int64, cliques []domain.Clique, sizes []int) float64 {
	if !Fits(n, cliques, sizes) {
		return 0
	}
	visits, cells := 0., int64(0)
	for _, c := range cliques {
		visits += 1 + float64(len(c))/float64(len(sizes))
		k, _ := c.Cells(sizes) // of a clique that fits
		cells += k
	}
	each := 30e-9 // measured: 23 and 31 ns a table for 364 and 35 of them
	if cells > cachedCells {
		each = 60e-9 // up to 93 ns for 2,024 tables, on a busy machine
	}
	return float64(proposals(n, len(cliques))) / 2 * visits * each
}

// Refine returns n rows for m whose tables of cliques are closer to the model's than those of the
// systematic rows it starts from: 6·n proposals, fewer if rows × tables exceed 25,000,000, taken in turn from
//
//   - one code of a row replaced by that of another row,
//   - a row replaced by a record drawn by weight,
//
// each accepted if and only if it lowers Σ (rows − target)²/√(target + ½) over all cells of all tables, in counts. It
// puts no row into a cell of a table in which the model has no weight, nor into a cell of weight 0 of a universe, and
// makes no impossible row.
//
// Cost: about 1 µs per proposal at 35 tables; memory n × attributes codes and 8 bytes per table cell.
// It panics if Systematic does, and if Fits is false. Every process that reads a part of the rows
// makes the whole list.
func Refine(m *Model, cliques []domain.Clique, n int64, seed uint64) *Rows {
	if !Fits(n, cliques, m.Sizes) {
		panic("population: tables or rows beyond the limits of Refine")
	}
	rows := Systematic(m, n, seed)
	if n == 0 {
		return rows
	}
	p := newRefiner(m, rows, cliques)
	rng := rand.New(rand.NewPCG(seed, streamRefine))
	for i := range proposals(n, len(cliques)) {
		if r := p.rows.codesOf(rng.IntN(int(n))); i&1 == 0 {
			p.proposeCode(r, rng)
		} else {
			p.proposeRecord(r, rng)
		}
	}
	rows.list = p.rows
	return rows
}

// explicit is rows in sorted order with their codes one after the other.
type explicit struct {
	width int
	codes []domain.Code
}

func (e *explicit) codesOf(r int) []domain.Code { return e.codes[r*e.width : (r+1)*e.width] }

func (e *explicit) row(r int64, dst []domain.Code) { copy(dst, e.codesOf(int(r))) }

func (e *explicit) each(visit func(codes []domain.Code, copies int64)) {
	for from := 0; from < len(e.codes); from += e.width {
		visit(e.codes[from:from+e.width], 1)
	}
}

func newExplicit(rows *Rows) *explicit {
	e := &explicit{width: rows.width, codes: make([]domain.Code, 0, rows.n*int64(rows.width))}
	rows.list.each(func(codes []domain.Code, copies int64) {
		for ; copies > 0; copies-- {
			e.codes = append(e.codes, codes...)
		}
	})
	return e
}

// refiner is the state of the local search. The cells of all tables stand in one array.
type refiner struct {
	model   *Model
	rows    *explicit
	cum     []float64   // cumulative weights of the model's records
	cells   []tableCell // of all tables
	tables  []table
	touched [][]codeStep  // of each attribute: the tables that hold it
	old     []int32       // cells a proposal leaves …
	new     []int32       // … and enters
	record  []domain.Code // a proposed record
	support *domain.Support
}

// tableCell is one cell of a table: rows − target, and the weight of its square.
type tableCell struct{ excess, weight float32 }

type table struct {
	base int32 // its first cell
	axes []axis
}

type axis struct{ attr, stride int32 }

// codeStep is the position of an attribute in a table.
type codeStep struct{ table, stride int32 }

func newRefiner(m *Model, rows *Rows, cliques []domain.Clique) *refiner {
	p := &refiner{model: m, rows: newExplicit(rows), cum: make([]float64, m.Len()),
		old: make([]int32, len(cliques)), new: make([]int32, len(cliques)),
		touched: make([][]codeStep, len(m.Sizes)), record: make([]domain.Code, len(m.Sizes)),
		support: domain.NewSupport(m.Sizes, m.StructuralZeros)}
	var sum summation.Compensated
	for i, w := range m.Weights {
		sum.Add(w)
		p.cum[i] = sum.Sum()
	}
	perUnit := float64(rows.n) / sum.Sum()
	weights := m.Marginals(cliques)
	for i, counts := range rows.tables(m.Sizes, cliques) {
		p.addTable(cliques[i], int32(i), counts, weights[i], perUnit)
	}
	return p
}

// addTable adds the table of c with the rows' counts and the model's weights in its cells.
func (p *refiner) addTable(c domain.Clique, i int32, counts, weights []float64, perUnit float64) {
	t := table{base: int32(len(p.cells))}
	for j, stride := range c.Strides(p.model.Sizes) {
		t.axes = append(t.axes, axis{int32(c[j]), int32(stride)})
		p.touched[c[j]] = append(p.touched[c[j]], codeStep{i, int32(stride)})
	}
	p.tables = append(p.tables, t)
	for cell, w := range weights {
		target := float64(w * perUnit)
		x := tableCell{float32(counts[cell] - target), float32(1 / math.Sqrt(target+refineSoftness))}
		if w == 0 {
			x.weight = 1e30 // no gain elsewhere pays for a row here
		}
		p.cells = append(p.cells, x)
	}
}

// cellOf returns the place of a record in table t.
func (p *refiner) cellOf(t *table, codes []domain.Code) int32 {
	c := t.base
	for _, x := range t.axes {
		c += x.stride * int32(codes[x.attr])
	}
	return c
}

// change returns by how much the objective changes when a row moves from one cell to another. The conversions
// keep products and sums apart, so that every processor rounds alike.
func (p *refiner) change(from, to int32) float32 {
	f, t := p.cells[from], p.cells[to]
	return float32((1-float32(2*f.excess))*f.weight) + float32((1+float32(2*t.excess))*t.weight)
}

func (p *refiner) move(from, to []int32) {
	for i, c := range from {
		p.cells[c].excess--
		p.cells[to[i]].excess++
	}
}

func (p *refiner) proposeCode(row []domain.Code, rng *rand.Rand) {
	a := rng.IntN(p.rows.width)
	was, is := row[a], p.rows.codesOf(rng.IntN(len(p.rows.codes) / p.rows.width))[a]
	if was == is || !p.supported(row, a, is) {
		return
	}
	var sum float32
	for i, s := range p.touched[a] {
		p.old[i] = p.cellOf(&p.tables[s.table], row)
		p.new[i] = p.old[i] + s.stride*(int32(is)-int32(was))
		sum += p.change(p.old[i], p.new[i])
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

func (p *refiner) proposeRecord(row []domain.Code, rng *rand.Rand) {
	i := sort.SearchFloat64s(p.cum, rng.Float64()*p.cum[len(p.cum)-1])
	for p.model.Weights[i] == 0 {
		i++ // only at a draw of exactly 0: a later record of equal cum has no weight
	}
	p.model.Record(i, p.record)
	n := 0
	var sum float32
	for t := range p.tables {
		from, to := p.cellOf(&p.tables[t], row), p.cellOf(&p.tables[t], p.record)
		if from != to {
			p.old[n], p.new[n] = from, to
			n++
			sum += p.change(from, to)
		}
	}
	if sum < 0 {
		p.move(p.old[:n], p.new[:n])
		copy(row, p.record)
	}
}

package population

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Limits of Refine: up to here it takes up to five seconds, and a few hundred MB.
const (
	refineRows     = 2_000_000   // rows
	refineCodes    = 100_000_000 // rows × attributes
	refineCells    = 20_000_000  // cells of all tables
	refineVisits   = 100_000_000 // rows × tables
	refineRound    = 640         // a round is for every so many rows …
	refinePerRow   = 24          // … each taken so often: rows err by 3 to 5 % less than with 6 at ε = 10, 1 to 2 % at ε = 1, …
	refineWork     = 150_000_000 // … and at most so many, times tables
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

// rounds returns how many rounds Refine makes for n rows. What many rows or tables gain by more of them is less than
// systematic rows leave.
func rounds(n int64, tables int) int64 {
	return (min(n*refinePerRow, refineWork/int64(tables)) + refineRound - 1) / refineRound
}

// RefineSeconds returns the CPU seconds of NewRows on one core, for n rows on the tables of cliques; 0 if not Fits. A round
// looks at some 160 cells of every table that holds an attribute, or all if it has fewer, for each of its recodings.
func RefineSeconds(n int64, cliques []domain.Clique, sizes []int) float64 {
	if !Fits(n, cliques, sizes) {
		return 0
	}
	visits, cells := 0., int64(0)
	for _, c := range cliques {
		k, _ := c.Cells(sizes) // of a clique that fits
		visits += recodings * float64(min(k, 160)) * float64(len(c)) / float64(len(sizes))
		cells += k
	}
	each := 15e-9 // measured, on a busy machine
	if cells > cachedCells {
		each = 35e-9
	}
	return float64(rounds(n, len(cliques))) * visits * each
}

// Refine returns n rows for m whose tables of cliques are closer to the model's than the tables of the systematic rows it
// starts from. It makes a round for every 27 rows, fewer if rows × tables exceed 6,250,000, and in each replaces ten
// times a code of rows by codes of other rows, if and only if that lowers Σ (rows − target)²/√(target + ½) over all
// cells of all tables, in counts. It looks at what 64 rows would gain by leaving their cells, and goes on with the best of
// them. It puts no row into a cell of a table in which the model has no weight, nor into a cell of weight 0 of a universe, and
// makes no impossible row.
//
// Cost: see RefineSeconds; memory n × attributes codes and 8 bytes per table cell.
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
	for range rounds(n, len(cliques)) {
		for range recodings {
			p.recode(rng.IntN(len(m.Sizes)), rng)
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

func (e *explicit) len() int { return len(e.codes) / e.width }

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

// model returns the rows as records of weight 1.
func (e *explicit) model(sizes []int) *Model {
	m := &Model{Sizes: sizes, Columns: make([][]domain.Code, e.width), Weights: slices.Repeat([]float64{1}, e.len())}
	for a := range m.Columns {
		m.Columns[a] = make([]domain.Code, e.len())
		for r := range m.Columns[a] {
			m.Columns[a][r] = e.codes[r*e.width+a]
		}
	}
	return m
}

// refiner is the state of the local search. The cells of all tables stand in one array.
type refiner struct {
	model   *Model
	rows    *explicit
	cells   []tableCell // of all tables
	tables  []table
	touched [][]codeStep // of each attribute: the tables that hold it
	old     []int32      // cells a proposal leaves …
	new     []int32      // … and enters
	support *domain.Support
	leaving *batch
}

// tableCell is one cell of a table: rows − target, and the weight of its square.
type tableCell struct{ excess, weight float32 }

// table is where a table's cells are. Its first three axes stand in arrays, of stride 0 if it has fewer, so that
// nearly all tables take the same instructions.
type table struct {
	base         int32 // its first cell
	attr, stride [3]int32
	more         []axis
}

type axis struct{ attr, stride int32 }

// codeStep is the position of an attribute in a table.
type codeStep struct{ table, stride int32 }

func newRefiner(m *Model, rows *Rows, cliques []domain.Clique) *refiner {
	p := &refiner{model: m, rows: newExplicit(rows),
		old: make([]int32, len(cliques)), new: make([]int32, len(cliques)),
		touched: make([][]codeStep, len(m.Sizes)),
		support: domain.NewSupport(m.Sizes, m.StructuralZeros), leaving: newBatch(len(m.Sizes))}
	perUnit := float64(rows.n) / m.Total()
	weights := m.Marginals(cliques)
	for i, counts := range p.rows.model(m.Sizes).Marginals(cliques) {
		p.addTable(cliques[i], int32(i), counts, weights[i], perUnit)
	}
	return p
}

// addTable adds the table of c with the rows' counts and the model's weights in its cells.
func (p *refiner) addTable(c domain.Clique, i int32, counts, weights []float64, perUnit float64) {
	t := table{base: int32(len(p.cells))}
	for j, stride := range c.Strides(p.model.Sizes) {
		if j < len(t.attr) {
			t.attr[j], t.stride[j] = int32(c[j]), int32(stride)
		} else {
			t.more = append(t.more, axis{int32(c[j]), int32(stride)})
		}
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

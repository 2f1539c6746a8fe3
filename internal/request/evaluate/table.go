package evaluate

import (
	"math"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/marginal"
)

// Table is a table in codes: Columns[a][r] is the cell of row r in attribute a, below Sizes[a]. It has
// fewer than 2³¹ rows. One that a Builder has made holds the values too, as they are written.
type Table struct {
	Sizes   []int
	Rows    int
	Columns [][]domain.Code

	persons []int32         // whose each row is, in a table of many rows per person
	orphans int             // rows left out, of people who are not in the table of people
	people  int             // who have rows
	without [][]domain.Code // columns of a person, of each one without rows

	values []*values // by attribute, then derived columns; nil: only cells are known
}

// NewTable returns a table of no rows over the domain.
func NewTable(d *domain.Domain) *Table {
	return &Table{Sizes: d.Sizes(), Columns: make([][]domain.Code, d.Len())}
}

// check panics if the table does not have the shape that its fields state.
func (t *Table) check(sizes []int) {
	if len(t.Columns) != len(sizes) || len(t.Sizes) != len(sizes) {
		panic("evaluate: a table has other columns than the domain")
	}
	if t.Rows > math.MaxInt32 {
		panic("evaluate: a table has 2^31 rows or more")
	}
	for a, column := range t.Columns {
		if t.Sizes[a] != sizes[a] {
			panic("evaluate: a table has other cells than the domain")
		}
		if len(column) != t.Rows {
			panic("evaluate: a column has not as many cells as the table has rows")
		}
		for _, c := range column {
			if int(c) >= sizes[a] {
				panic("evaluate: a code is outside its attribute")
			}
		}
	}
}

// count fills dst with the number of rows in each cell of the marginal of c, row-major.
func (t *Table) count(dst []int32, c domain.Clique) {
	clear(dst)
	marginal.Count(dst, t.Sizes, c, t.Columns, t.Rows)
}

package counts

import (
	"errors"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/background"
	"github.com/dapple-dp/dapple/internal/transforms/internal/dofn"
	"github.com/dapple-dp/dapple/internal/transforms/internal/records"
	"github.com/dapple-dp/dapple/internal/transforms/internal/sensitive"
	"github.com/dapple-dp/dapple/internal/transforms/private"
)

// Stats is a collection of the counts of all units: one *Table, or none if there are no units, or parts or
// pieces of one. Only Count makes one.
type Stats struct {
	tables   sensitive.Collection
	domain   *domain.Domain
	workload query.Workload
	shape    Shape
	parts    bool
	pieces   bool
}

// Domain returns the domain of the counted records.
func (s Stats) Domain() *domain.Domain { return s.domain }

// Workload returns the workload for which records were counted.
func (s Stats) Workload() query.Workload { return s.workload }

// Shape returns the shape of the table.
func (s Stats) Shape() Shape { return s.shape }

// Parts reports whether there may be several tables, which add up.
func (s Stats) Parts() bool { return s.parts }

// Pieces reports whether the collection is of type *Piece.
func (s Stats) Pieces() bool { return s.pieces }

// Collection returns the table for the next transform, or its parts or pieces.
func (s Stats) Collection() sensitive.Collection { return s.tables }

// Count counts units in every marginal of w and every clique of p. Each unit adds exactly one to one cell of each, or,
// in a domain with Events, weights that add up to one to some cells of it. It panics on invalid parameters and if w is a workload of another domain.
func Count(s beam.Scope, in private.Units, w query.Workload, p Params) Stats {
	if in.Domain() == nil {
		panic("counts: Count was given the zero Units; private.Bound makes one")
	}
	s = s.Scope("dapple.Count")
	if err := p.Validate(); err != nil {
		panic(err.Error())
	}
	d := in.Domain()
	if !slices.Equal(w.Sizes, d.Sizes()) {
		panic("counts: the workload's sizes differ from the domain's")
	}
	shape := ShapeOf(d, w, p)
	col := sensitive.Reveal(in.Collection())
	stats := Stats{domain: d, workload: w, shape: shape, parts: shape.Records && p.MaxPart > 0, pieces: !shape.Records && p.Divide}
	if stats.pieces {
		stats.tables = sensitive.Derive(in.Collection(), countPieces(s, shape, col))
		return stats
	}
	count := &countFn{Shape: shape}
	if stats.parts {
		count.MaxPart = p.MaxPart
	}
	tables := beam.ParDo(s, count, col)
	if !stats.parts {
		tables = beam.Combine(s, mergeTables, tables)
	}
	stats.tables = sensitive.Derive(in.Collection(), tables)
	return stats
}

func init() {
	dofn.Register[countFn](
		dofn.Method1x1("StartBundle", (*countFn).StartBundle),
		dofn.Method2x1("ProcessElement", (*countFn).ProcessElement),
		dofn.Method1x1("FinishBundle", (*countFn).FinishBundle),
	)
	register.Emitter1[*Table]()
	register.Function2x2(mergeTables)
}

// mergeTables is a CombineFn.
func mergeTables(a, b *Table) (*Table, error) {
	if err := a.Merge(b); err != nil {
		return nil, err
	}
	return a, checkKept(len(a.rows))
}

// maxKept is the largest size of kept records in bytes. Prism sends an element in one message, and a job whose
// message exceeds 2 GiB hangs. Failing is better, although it tells the operator that there are so many units.
const maxKept = 2<<30 - 1<<20

// errKept does not reveal the number of records.
var errKept = errors.New("counts: more records than one element holds; use smaller marginals, so that tables are kept instead")

func checkKept(bytes int) error {
	if bytes > maxKept {
		return errKept
	}
	return nil
}

// countFn counts records. Each is a unit, or part of one.
type countFn struct {
	Shape   Shape
	MaxPart int // bytes of records in an element; 0: any number

	table *Table
	work  background.Work // on the table
}

func (f *countFn) StartBundle(func(*Table)) error {
	f.work.Wait()
	f.table = NewTable(f.Shape)
	return nil
}

func (f *countFn) ProcessElement(b *records.Batch, emit func(*Table)) error {
	f.work.Wait()
	rows := b.Rows
	for f.MaxPart > 0 && len(f.table.rows)+len(rows) > f.MaxPart {
		n := f.table.whole(rows, f.MaxPart-len(f.table.rows))
		f.table.add(rows[:n])
		rows = rows[n:]
		emit(f.table)
		f.table = NewTable(f.Shape)
	}
	f.work.Start(func() { f.table.add(rows) })
	return nil
}

func (f *countFn) FinishBundle(emit func(*Table)) error {
	f.work.Wait()
	err := checkKept(len(f.table.rows))
	if err == nil {
		emit(f.table)
	}
	f.table = nil
	return err
}

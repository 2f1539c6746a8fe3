package counts

import (
	"crypto/sha256"
	"errors"
	"math"
	"slices"
	"sync"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/lists"
	"github.com/dapple-dp/dapple/internal/model/contribution"
)

// Table holds exact counts of privacy units, in steps of 2^-WeightBits of its shape. It satisfies mechanism.Counts.
//
// Adding and merging need exclusive access; a finished table can be read by any number of goroutines.
type Table struct {
	shape  Shape
	weight int64     // of all units, in steps
	tables [][]int64 // one for each clique of the shape
	rows   []byte    // packed records, if the shape keeps them

	layout  *contribution.Layout
	counter *counter // of records that were added; nil if none were, or all are in tables

	mu       sync.Mutex
	sorted   bool
	digest   *[sha256.Size]byte
	columns  *columns // the rows by column, once a marginal was requested
	answered map[string][]int64
}

// NewTable returns the counts of no units, with which a run on empty input starts.
func NewTable(s Shape) *Table {
	t := &Table{shape: s, layout: s.layout()}
	t.tables = lists.Of(s.Cliques, func(c domain.Clique) []int64 { return make([]int64, cells(s.Sizes, c)) })
	return t
}

// Units returns the number of privacy units.
func (t *Table) Units() int64 { return t.weight >> t.shape.WeightBits }

// WeightBits returns k if counts are in steps of 2^-k.
func (t *Table) WeightBits() int { return t.shape.WeightBits }

// add counts packed records: each of a unit of its own, or with weights that add up to 2^WeightBits for each unit. It
// panics if rows are no whole number of records: whoever packed them has another layout, and codes would run into each other.
func (t *Table) add(rows []byte) {
	if w := t.layout.Width(); w == 0 && len(rows) > 0 || w > 0 && len(rows)%w != 0 {
		panic("counts: not a whole number of records")
	}
	t.changed()
	t.weight += t.weighed(rows)
	if t.shape.Records {
		t.rows = append(t.rows, rows...)
		return
	}
	if t.counter == nil {
		t.counter = newCounter(&t.shape, t.layout)
	}
	t.counter.add(t.tables, rows)
}

// weighed returns the weight of packed records, in steps.
func (t *Table) weighed(rows []byte) int64 {
	if t.shape.WeightBits == 0 {
		return int64(len(rows) / t.layout.Width())
	}
	return t.layout.Sum(len(t.shape.Sizes), rows)
}

// settle brings the tables up to date, for callers that hold mu or have exclusive access.
func (t *Table) settle() {
	if t.counter != nil {
		t.counter.settle(t.tables)
		t.counter = nil
	}
}

// errOverflow does not reveal which table overflowed.
var errOverflow = errors.New("counts: more units than an int64 counts")

// whole returns how many bytes of packed records, at most most, are whole units: of one unit, if that has more.
func (t *Table) whole(rows []byte, most int) (n int) {
	width, weight := t.layout.Width(), int64(0)
	for at := width; at < len(rows) && (at <= most || n == 0); at += width {
		if weight += t.weighed(rows[at-width : at]); weight&(1<<t.shape.WeightBits-1) == 0 {
			n = at
		}
	}
	if n == 0 {
		return len(rows)
	}
	return n
}

// Merge adds the counts of o to t. It is commutative and associative, and takes ownership of o.
func (t *Table) Merge(o *Table) error {
	if !t.shape.equal(&o.shape) {
		panic("counts: merged tables of different shapes")
	}
	if t.weight > math.MaxInt64-o.weight {
		return errOverflow // no cell exceeds the weight of all units, so none overflows before it
	}
	t.weight += o.weight
	t.settle()
	o.settle()
	for i, from := range o.tables {
		to := t.tables[i]
		for c, n := range from {
			to[c] += n
		}
	}
	t.rows = append(t.rows, o.rows...)
	t.changed()
	return nil
}

// changed discards what was derived from the counts.
func (t *Table) changed() { t.sorted, t.digest, t.columns, t.answered = false, nil, nil, nil }

// Marginal returns the count of every cell of c, row-major, the last attribute fastest. The clique must
// be part of one that the table was counted for, and the result must not be changed.
func (t *Table) Marginal(c domain.Clique) []int64 {
	key := c.Key()
	t.mu.Lock()
	defer t.mu.Unlock()
	if m, ok := t.answered[key]; ok {
		return m
	}
	m := t.compute(c)
	if t.answered == nil {
		t.answered = map[string][]int64{}
	}
	t.answered[key] = m
	return m
}

func (t *Table) compute(c domain.Clique) []int64 {
	if t.shape.Records {
		return t.countRecords(c)
	}
	t.settle()
	best := -1
	for i, k := range t.shape.Cliques {
		if k.Contains(c) && (best < 0 || len(t.tables[i]) < len(t.tables[best])) {
			best = i
		}
	}
	if best < 0 {
		panic("counts: no counted clique contains the requested one")
	}
	return sumOut(t.shape.Sizes, t.shape.Cliques[best], t.tables[best], c)
}

func (t *Table) countRecords(c domain.Clique) []int64 {
	if len(c) == 0 {
		return []int64{t.weight}
	}
	if t.columns == nil {
		t.columns = newColumns(t.layout, t.rows)
	}
	return t.columns.count(t.shape.Sizes, c)
}

// Digest returns a hash of the canonical encoding, which includes everything that an answer can depend on.
func (t *Table) Digest() [sha256.Size]byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.digest == nil {
		h := sha256.New()
		head, rows := t.parts() // kept records may be gigabytes, and are not copied
		h.Write(head)
		h.Write(rows)
		t.digest = (*[sha256.Size]byte)(h.Sum(nil))
	}
	return *t.digest
}

// coarsenRows is the number of records that are coarsened at a time.
const coarsenRows = blockRows

// Coarsen returns the counts of the kept records on the coarser codes of learned bins: code v of attribute a becomes
// codes[a][v]. They are tables if the shape's Coarse has those codes, otherwise records.
func (t *Table) Coarsen(codes query.Recoding) *Table {
	t.mu.Lock()
	defer t.mu.Unlock()
	shape := Shape{Sizes: codes.Sizes(t.shape.Sizes), Records: true, WeightBits: t.shape.WeightBits}
	if t.shape.Coarse != nil && slices.Equal(t.shape.Coarse.Sizes, shape.Sizes) {
		shape = *t.shape.Coarse
	}
	out := NewTable(shape)
	d, width := t.layout.Attributes(), t.layout.Width()
	columns, record := make([][]domain.Code, d), make([]domain.Code, 0, coarsenRows*d)
	for a := range columns {
		columns[a] = make([]domain.Code, coarsenRows)
	}
	packed := make([]byte, 0, coarsenRows*out.layout.Width())
	for rows := t.rows; len(rows) > 0; {
		n := min(len(rows)/width, coarsenRows)
		for a := range columns {
			columns[a] = columns[a][:n]
		}
		t.layout.Unpack(columns, rows[:n*width])
		record = record[:n*d]
		for a, column := range columns {
			var to []domain.Code // nil for weights, too
			if a < len(codes) {
				to = codes[a]
			}
			for i, v := range column {
				if to != nil {
					v = to[v]
				}
				record[i*d+a] = v
			}
		}
		packed = out.layout.Pack(packed[:0], record)
		out.add(packed)
		rows = rows[n*width:]
	}
	return out
}

package contribution

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Sequence makes the rows of a person, which are in the order of a column, say what lies between each and the one before.
type Sequence struct {
	Order  [2]int // first byte and number of bytes, in a packed row as it is read, of the column that orders rows
	Gap    int    // number of bytes, in a packed row with its summary, of the gap that takes the place of that column
	Least  uint32 // the gap of code 0
	First  int    // number of bytes of the first value, which follows what is usual
	Before []remembered
	Most   uint64 // rows that are kept of a person: those first in the order

	NoGap, NoFirst uint32 // NULL
}

// remembered is a column whose value in the row before each row has.
type remembered struct {
	At    [2]int // first byte and number of bytes in a packed row as it is read
	Bytes int    // number of bytes of what is remembered
	None  uint32 // nothing: the row is the first
}

// newSequence returns what a domain says of the order of rows; nil if they have none.
func newSequence(d *domain.Domain, at func(name string) [2]int) *Sequence {
	if !d.Ordered() {
		return nil
	}
	e, sizes := d.Events, d.RecordSizes()
	wide := NewLayout(sizes)
	place := e.Gap()
	q := &Sequence{Gap: wide.bytes[place], First: wide.bytes[e.First()], Most: uint64(e.MaxRows),
		NoGap: uint32(sizes[place] - 1), NoFirst: uint32(sizes[e.First()] - 1)}
	if e.Sequence.Strict {
		q.Least = 1
	}
	records := NewRecordLayout(d)
	q.Order = [2]int{records.offset[first(d)+place], records.bytes[first(d)+place]}
	for i, name := range e.Sequence.Previous {
		b := e.Before(i)
		q.Before = append(q.Before, remembered{At: at(name), Bytes: wide.bytes[b], None: uint32(sizes[b] - 1)})
	}
	return q
}

// first returns the attribute of a packed row as it is read that is the first column.
func first(d *domain.Domain) int {
	if d.Events.NoRows {
		return 1
	}
	return 0
}

// get reads a code of so many bytes; put appends one.
func get(row []byte, at [2]int) (code uint32) {
	for k := range at[1] {
		code |= uint32(row[at[0]+k]) << (8 * k)
	}
	return code
}

func put(dst []byte, code uint32, n int) []byte {
	for k := range n {
		dst = append(dst, byte(code>>(8*k)))
	}
	return dst
}

// inOrder returns the rows that are kept, in their order: equal values of the column that orders them in the order of
// their ranks. Row order[i] is there times[i] times.
func (q *Sequence) inOrder(rank *Ranker, id, rows []byte, width int, often []uint64) (order []int, times []uint64) {
	type ranked struct {
		row   int
		value uint32
		rank  [RankSize]byte // among equal values
	}
	list, tied := make([]ranked, len(often)), false
	order, times = make([]int, 0, len(often)), make([]uint64, 0, len(often))
	for i := range list {
		list[i] = ranked{row: i, value: get(rows[i*width:], q.Order)}
	}
	slices.SortFunc(list, func(a, b ranked) int { return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.row, b.row)) })
	for i := range list {
		if i > 0 && list[i].value == list[i-1].value || i+1 < len(list) && list[i].value == list[i+1].value {
			list[i].rank, tied = rank.Rank(id, rows[list[i].row*width:][:width], 0), true
		}
	}
	if tied {
		slices.SortFunc(list, func(a, b ranked) int {
			return cmp.Or(cmp.Compare(a.value, b.value), bytes.Compare(a.rank[:], b.rank[:]))
		})
	}
	for left, i := q.Most, 0; i < len(list) && left > 0; i++ {
		n := min(often[list[i].row], left)
		order, times, left = append(order, list[i].row), append(times, n), left-n
	}
	return order, times
}

// history is the rows of a person with what they remember, all different, and how often each is there.
type history struct {
	width int
	rows  []byte
	times []uint64
}

// history returns the rows of a person, given in their order, and the first value of the column that orders them. A row is
// that which was read, without its mark, with the gap in place of that column and, behind it, what it remembers.
func (q *Sequence) history(rows []byte, width, mark int, order []int, times []uint64) (h history, start uint32) {
	tail := 0
	for _, b := range q.Before {
		tail += b.Bytes
	}
	h.width = width - mark - q.Order[1] + q.Gap + tail
	h.rows, h.times = make([]byte, 0, 2*len(order)*h.width), make([]uint64, 0, 2*len(order))
	add := func(row, before []byte, n uint64) {
		gap := q.NoGap
		if before != nil {
			gap = max(get(row, q.Order)-get(before, q.Order), q.Least) - q.Least
		}
		h.rows = append(h.rows, row[mark:q.Order[0]]...)
		h.rows = put(h.rows, gap, q.Gap)
		h.rows = append(h.rows, row[q.Order[0]+q.Order[1]:width]...)
		for _, b := range q.Before {
			code := b.None
			if before != nil {
				code = get(before, b.At)
			}
			h.rows = put(h.rows, code, b.Bytes)
		}
		h.times = append(h.times, n)
	}
	var before []byte
	for i, r := range order {
		row, n := rows[r*width:(r+1)*width], times[i]
		if i == 0 {
			start = get(row, q.Order)
		}
		add(row, before, 1)
		if n > 1 { // the others follow an equal one
			add(row, row, n-1)
		}
		before = row
	}
	h.merge()
	return h, start
}

// merge adds up equal rows, and puts all in the order of their bytes.
func (h *history) merge() {
	if len(h.times) == 1 {
		return
	}
	order := domain.All(len(h.times))
	row := func(i int) []byte { return h.rows[i*h.width : (i+1)*h.width] }
	slices.SortFunc(order, func(a, b int) int { return bytes.Compare(row(a), row(b)) })
	rows, times := make([]byte, 0, len(h.rows)), make([]uint64, 0, len(order))
	for i, at := range order {
		if i > 0 && bytes.Equal(row(at), row(order[i-1])) {
			times[len(times)-1] += h.times[at] // at most the rows that are kept
			continue
		}
		rows, times = append(rows, row(at)...), append(times, h.times[at])
	}
	h.rows, h.times = rows, times
}

// appendOrdered is Append for rows that have an order, of somebody whose columns stand in the row who.
func (s *Summary) appendOrdered(dst []byte, rank *Ranker, id, rows []byte, times []uint64, who []byte, total uint64) ([]byte, int) {
	q, mark := s.Sequence, 0
	if s.None != nil {
		mark = 1
	}
	own := rows // with the columns of the person
	if s.None != nil || !s.constant(rows) {
		own = slices.Clone(rows)
		for i := range times {
			for _, p := range s.Person {
				copy(own[i*s.Width+p[0]:][:p[1]], who[p[0]:])
			}
		}
	}
	order, kept := q.inOrder(rank, id, rows, s.Width, times)
	h, start := q.history(own, s.Width, mark, order, kept)
	var first []byte // the rows that are kept, whose usual values are
	for i := 0; i < len(order) && len(s.Usual) > 0; i++ {
		first = append(first, rows[order[i]*s.Width:][:s.Width]...)
	}
	if total == 0 {
		start = q.NoFirst
	}
	summary := put(s.summary(total, rank, id, first, kept), start, q.First)
	n, records := 0, s.Width-mark-q.Order[1]+q.Gap
	for i, share := range shares(s.Unit, rank, id, h.rows, h.times) {
		if share == 0 {
			continue
		}
		row := h.rows[i*h.width : (i+1)*h.width]
		dst = append(append(append(dst, row[:records]...), summary...), row[records:]...)
		dst = append(dst, byte(share), byte(share>>8))
		n++
	}
	return dst, n
}

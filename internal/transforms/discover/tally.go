package discover

import (
	"encoding/binary"
	"hash/maphash"
	"iter"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/transforms/internal/records"
)

// slots is an open-addressed table by hash of the places in a list: 1 + an index, or 0.
type slots []uint32

// find returns the slot of an entry, and its index; of one that is not there yet the slot for it, and −1.
func (s *slots) find(hash uint64, is func(i int) bool) (slot, i int) {
	if *s == nil {
		*s = make(slots, 64)
	}
	mask := len(*s) - 1
	for slot = int(hash) & mask; ; slot = (slot + 1) & mask {
		if i = int((*s)[slot]) - 1; i < 0 || is(i) {
			return slot, i
		}
	}
}

// put puts the last of n entries into its slot, and makes room for more.
func (s *slots) put(slot, n int, hash func(i int) uint64) {
	if (*s)[slot] = uint32(n); 2*n <= len(*s) {
		return
	}
	*s = make(slots, 2*len(*s))
	mask := len(*s) - 1
	for i := range n {
		at := int(hash(i)) & mask
		for (*s)[at] != 0 {
			at = (at + 1) & mask
		}
		(*s)[at] = uint32(i + 1)
	}
}

// texts counts texts: a table by hash, with the bytes of all texts in one piece of memory.
type texts struct {
	slots slots
	list  []textCount
	bytes []byte
}

// textCount is a text with the number of its units, and what a tally knows of it.
type textCount struct {
	hash     uint64
	from, to int // in bytes
	n        int64
	moment   int64
	cells    [constantOf]uint16
	value    bool // the text is a candidate
}

// textSeed differs in each process: nothing that is released depends on the order in a table.
var textSeed = maphash.MakeSeed()

// find returns the slot of a text, and its count if there is one.
func (t *texts) find(hash uint64, text []byte) (slot int, known *textCount) {
	slot, i := t.slots.find(hash, func(i int) bool {
		c := &t.list[i]
		return c.hash == hash && string(t.bytes[c.from:c.to]) == string(text)
	})
	if i < 0 {
		return slot, nil
	}
	return slot, &t.list[i]
}

// insert puts a text that is not there yet into its slot.
func (t *texts) insert(hash uint64, slot int, text []byte) *textCount {
	from := len(t.bytes)
	t.bytes = append(t.bytes, text...)
	t.list = append(t.list, textCount{hash: hash, from: from, to: len(t.bytes)})
	t.slots.put(slot, len(t.list), func(i int) uint64 { return t.list[i].hash })
	return &t.list[len(t.list)-1]
}

// add counts units with a text.
func (t *texts) add(text []byte, n int64) {
	hash := maphash.Bytes(textSeed, text)
	slot, c := t.find(hash, text)
	if c == nil {
		c = t.insert(hash, slot, text)
	}
	c.n += n
}

// all are the texts with their counts.
func (t *texts) all() iter.Seq2[[]byte, int64] {
	return func(yield func([]byte, int64) bool) {
		for i := range t.list {
			if c := &t.list[i]; !yield(t.bytes[c.from:c.to], c.n) {
				return
			}
		}
	}
}

// maxKnown is how many texts of a column are remembered that are no candidates: of frequent ones that are most of its cells.
const maxKnown = 4096

// tally counts the cells of a column: each text is placed once, and counted in its cells when the tally ends.
type tally struct {
	reader
	texts
	plain int // texts that are no candidates
	dense [constantOf][]int64

	moments []int64 // of a chunk
}

func newTally(c Column) *tally {
	y := &tally{reader: reader{c, c.attribute()}}
	for s := range y.dense {
		y.dense[s] = make([]int64, cellsOf[s])
	}
	return y
}

// add counts units with a cell, null or text, and returns the moment of a date.
func (y *tally) add(text []byte, null bool, n int64) (moment int64) {
	if null {
		cells, _, _ := y.place(nil, true)
		addCells(y, cells, n)
		return noMoment
	}
	hash := maphash.Bytes(textSeed, text)
	slot, c := y.find(hash, text)
	if c == nil {
		cells, moment, value := y.place(text, false)
		if !value && y.plain >= maxKnown {
			addCells(y, cells, n)
			return moment
		}
		if !value {
			y.plain++
		}
		c = y.insert(hash, slot, text)
		c.value, c.moment = value, moment
		for s, cell := range cells {
			c.cells[s] = uint16(cell) // no statistic has more than 65,536
		}
	}
	c.n += n
	return c.moment
}

// addCells counts units in a cell of each statistic.
func addCells[T int | uint16](y *tally, cells [constantOf]T, n int64) {
	for s, cell := range cells {
		y.dense[s][cell] += n
	}
}

// addColumn counts the cells of records that are a unit each, and returns their moments; nil if none has a date.
func (y *tally) addColumn(c *domain.Column, rows int) []int64 {
	var text []byte
	dated := false
	y.moments = y.moments[:0]
	for i := range rows {
		cell, null := text[:0], false
		if c.Form == domain.Text && !c.Null(i) {
			cell = c.Text(i)
		} else if cell, null = cellText(cell, c, &y.attr, i); cap(cell) > cap(text) {
			text = cell
		}
		at := y.add(candidate(cell), null, 1)
		y.moments, dated = append(y.moments, at), dated || at != noMoment
	}
	if !dated {
		return nil
	}
	return y.moments
}

// candidate cuts off what tells no more of a text than that it is too long.
func candidate(text []byte) []byte { return text[:min(len(text), maxCandidate+1)] }

// bundle counts units: in one cell of each statistic, and one value of each column at most.
type bundle struct {
	units   int64
	rows    [rowStatistics][]int64 // of people
	stays   [][constantCells]int64 // of columns: constantOf
	orders  orders
	moments [][]int64 // of the units that are counted, by column
	unit    []int64   // of one
	columns []*tally
	of      []Column // that these are of
}

func newBundle(columns []Column) *bundle {
	b := &bundle{rows: [rowStatistics][]int64{make([]int64, rowsCells), make([]int64, exactCells)}, of: columns, orders: make(orders, len(columns)), stays: make([][constantCells]int64, len(columns)), moments: make([][]int64, len(columns)), unit: make([]int64, len(columns))}
	for _, c := range columns {
		b.columns = append(b.columns, newTally(c))
	}
	return b
}

// addChunk counts records that are a unit each.
func (b *bundle) addChunk(c *domain.Chunk) {
	n := int64(c.Rows)
	b.units += n
	b.addRows(1, n)
	for k, y := range b.columns {
		b.stays[k][noRows] += n
		b.moments[k] = y.addColumn(&c.Columns[k], c.Rows)
	}
	b.orders.add(b.moments)
}

// addUnit counts a person.
func (b *bundle) addUnit(record []byte, rows uint64, changes []byte) error {
	b.units++
	b.addRows(rows, 1)
	clear(b.moments)
	whole := cells(record, len(b.columns), func(k int, text []byte, null bool) {
		if at := b.columns[k].add(text, null, 1); at != noMoment {
			b.unit[k], b.moments[k] = at, b.unit[k:k+1]
		}
		stays := noRows
		switch {
		case rows > 1 && changes[k] != 0:
			stays = changing
		case rows > 1:
			stays = constant
		}
		b.stays[k][stays]++
	})
	if !whole {
		return errPeople
	}
	b.orders.add(b.moments)
	return nil
}

// addRows counts units with a number of rows.
func (b *bundle) addRows(rows uint64, n int64) {
	b.rows[0][rowsCell(rows)] += n
	b.rows[1][min(rows, exactCells)-1] += n
}

// entries returns the number of different texts.
func (b *bundle) entries() (n int) {
	for _, y := range b.columns {
		n += len(y.list)
	}
	return n
}

// emit passes on the counts: the statistics, and values by the hash of their family. What holds a value is one shard.
func (b *bundle) emit(p Params, emit func(int, []byte) error) error {
	sum := newTable(b.of)
	parts := make([]valueList, p.Shards)
	sum.units = b.units
	copy(sum.dense[len(sum.dense)-rowStatistics:], b.rows[:])
	for k, y := range b.columns {
		for i := range y.list {
			c := &y.list[i]
			if addCells(y, c.cells, c.n); c.value {
				text := y.bytes[c.from:c.to]
				at := records.Hash(p.Columns[k].family(text)) % uint64(p.Shards)
				parts[at].add(k, text, c.n)
			}
		}
		for s := range y.dense {
			sum.dense[attribute(k, s)] = y.dense[s]
		}
		sum.dense[attribute(k, constantOf)] = b.stays[k][:]
		copy(sum.dense[attribute(k, orderOf):], b.orders.counts(k, b.units))
	}
	if err := emit(denseKey, sum.encode()); err != nil {
		return err
	}
	for at := range parts {
		if parts[at].encoded == nil {
			continue
		}
		if err := emit(firstKey+at, parts[at].table(len(b.columns))); err != nil {
			return err
		}
	}
	return nil
}

// reset begins anew, in the same memory.
func (b *bundle) reset() {
	b.units = 0
	clear(b.rows[0])
	clear(b.rows[1])
	clear(b.stays)
	clear(b.orders)
	for _, y := range b.columns {
		clear(y.slots)
		for s := range y.dense {
			clear(y.dense[s])
		}
		y.list, y.bytes, y.plain = y.list[:0], y.bytes[:0], 0
	}
}

// valueList are the values of a shard, encoded column after column.
type valueList struct {
	encoded []byte
	counts  []int // of the columns, in order
	starts  []int // in encoded
}

func (v *valueList) add(column int, text []byte, n int64) {
	for len(v.counts) <= column {
		v.counts, v.starts = append(v.counts, 0), append(v.starts, len(v.encoded))
	}
	v.counts[column]++
	v.encoded = binary.AppendUvarint(v.encoded, uint64(len(text)))
	v.encoded = binary.AppendUvarint(append(v.encoded, text...), uint64(n))
}

// table encodes the values as a table has them.
func (v *valueList) table(columns int) []byte {
	b := make([]byte, 0, len(v.encoded)+binary.MaxVarintLen32*(2*columns+1))
	b = append(binary.AppendUvarint(append(b, 0), uint64(columns)), 0) // no units, and no statistics
	for k := range 2 * columns {                                       // no prefixes, behind them
		if k >= len(v.counts) {
			b = append(b, 0)
			continue
		}
		end := len(v.encoded)
		if k+1 < len(v.starts) {
			end = v.starts[k+1]
		}
		b = append(binary.AppendUvarint(b, uint64(v.counts[k])), v.encoded[v.starts[k]:end]...)
	}
	return b
}

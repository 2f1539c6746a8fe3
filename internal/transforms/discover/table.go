package discover

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"maps"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/wire"
)

// table holds the counts of all statistics of some units, and counts of values. It is private.
type table struct {
	columns []Column // not encoded

	units  int64
	dense  [][]int64 // by statistic, as sizes has them; nil: values alone
	values []map[string]int64
	rest   []map[string]int64 // units of dropped values by prefix, of columns that have some: see keep
}

func newTable(columns []Column) *table {
	t := valuesTable(columns)
	t.dense = make([][]int64, len(columns)*statistics+rowStatistics)
	for a, n := range sizes(len(columns)) {
		t.dense[a] = make([]int64, n)
	}
	return t
}

// valuesTable is a table of values alone.
func valuesTable(columns []Column) *table {
	return &table{columns: columns, values: make([]map[string]int64, len(columns)), rest: make([]map[string]int64, len(columns))}
}

// texts are the counts of texts, of all columns.
func (t *table) texts() [][]map[string]int64 { return [][]map[string]int64{t.values, t.rest} }

// Units implements mechanism.Counts.
func (t *table) Units() int64 { return t.units }

// Marginal implements mechanism.Counts: statistics are asked for one by one.
func (t *table) Marginal(c domain.Clique) []int64 {
	if len(c) != 1 {
		panic("discover: statistics are counted one by one")
	}
	return t.dense[c[0]]
}

// digest is a hash of all counts.
func (t *table) digest() [sha256.Size]byte { return sha256.Sum256(t.encode()) }

// errTable does not say what is wrong: bytes are private.
var errTable = errors.New("discover: malformed encoding of counts")

// encode returns the counts; equal ones have equal encodings.
func (t *table) encode() []byte {
	b := binary.AppendUvarint(nil, uint64(t.units))
	b = binary.AppendUvarint(b, uint64(len(t.values)))
	b = binary.AppendUvarint(b, uint64(len(t.dense)))
	for _, cells := range t.dense {
		for _, n := range cells {
			b = binary.AppendUvarint(b, uint64(n))
		}
	}
	for _, list := range t.texts() {
		for _, m := range list {
			b = binary.AppendUvarint(b, uint64(len(m)))
			for _, text := range slices.Sorted(maps.Keys(m)) {
				b = binary.AppendUvarint(wire.AppendText(b, text), uint64(m[text]))
			}
		}
	}
	return b
}

// decode adds an encoded table: its values to the values of the columns, and everything else to t. The sum does not depend on the
// order.
func (t *table) decode(in []byte, values []texts) error {
	d := wire.Reader{Rest: in}
	units, columns, dense := d.Count(), d.Uvarint(), d.Uvarint()
	if d.Bad || columns != uint64(len(values)) || dense != 0 && dense != columns*statistics+rowStatistics {
		return errTable
	}
	t.units += units
	for _, cells := range t.dense[:dense] {
		for i := range cells {
			cells[i] += d.Count()
		}
	}
	for list := range t.texts() {
		for c := range values {
			n := d.Uvarint()
			if d.Bad || n > uint64(len(d.Rest)) {
				return errTable
			}
			for range n {
				text := d.Take(d.Uvarint())
				switch count := d.Count(); {
				case list == 0:
					values[c].add(text, count)
				case t.rest[c] == nil:
					t.rest[c] = map[string]int64{string(text): count}
				default:
					t.rest[c][string(text)] += count
				}
			}
		}
	}
	if !d.Done() {
		return errTable
	}
	return nil
}

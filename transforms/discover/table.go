package discover

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/wire"
)

// table holds the counts of all statistics of some units, and those of values. It is private.
type table struct {
	units  int64
	dense  [][]int64 // by statistic, as sizes has them; nil: values alone
	values []map[string]int64
}

func newTable(columns int) *table {
	t := &table{dense: make([][]int64, columns*statistics+1), values: make([]map[string]int64, columns)}
	for a, n := range sizes(columns) {
		t.dense[a] = make([]int64, n)
	}
	return t
}

// Units implements mechanism.Counts.
func (t *table) Units() int64 { return t.units }

// Marginal implements mechanism.Counts: statistics are asked for one by one.
func (t *table) Marginal(c domain.Clique) []int64 {
	if len(c) != 1 {
		panic("discover: statistics are counted one by one")
	}
	return t.dense[c[0]]
}

// Values implements mechanism.ValueCounts.
func (t *table) Values(column int, drop int64) []query.Value {
	var list []query.Value
	for text, n := range t.values[column] {
		if n > drop {
			list = append(list, query.Value{Text: text, Count: n})
		}
	}
	return list
}

// add counts a unit with one value, if that is a candidate.
func (t *table) addValue(column int, text string) {
	if t.values[column] == nil {
		t.values[column] = map[string]int64{}
	}
	t.values[column][text]++
}

// entries returns the number of different values.
func (t *table) entries() (n int) {
	for _, m := range t.values {
		n += len(m)
	}
	return n
}

// merge adds the counts of other units. The sum does not depend on the order.
func (t *table) merge(o *table) error {
	if len(o.values) != len(t.values) {
		return errTable
	}
	t.units += o.units
	for a, cells := range o.dense {
		for i, n := range cells {
			t.dense[a][i] += n
		}
	}
	for c, m := range o.values {
		if t.values[c] == nil {
			t.values[c] = m
			continue
		}
		for text, n := range m {
			t.values[c][text] += n
		}
	}
	return nil
}

// cut drops values of at most so many units.
func (t *table) cut(least int64) {
	for _, m := range t.values {
		for text, n := range m {
			if n <= least {
				delete(m, text)
			}
		}
	}
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
	for _, m := range t.values {
		texts := make([]string, 0, len(m))
		for text := range m {
			texts = append(texts, text)
		}
		slices.SortFunc(texts, strings.Compare)
		b = binary.AppendUvarint(b, uint64(len(texts)))
		for _, text := range texts {
			b = binary.AppendUvarint(wire.AppendText(b, text), uint64(m[text]))
		}
	}
	return b
}

func decodeTable(in []byte) (*table, error) {
	d := wire.Reader{Rest: in}
	units, columns, dense := d.Count(), d.Uvarint(), d.Uvarint()
	if d.Bad || columns > uint64(len(in)) || dense != 0 && dense != columns*statistics+1 {
		return nil, errTable
	}
	t := &table{values: make([]map[string]int64, columns)}
	if dense > 0 {
		t = newTable(int(columns))
	}
	t.units = units
	for _, cells := range t.dense {
		for i := range cells {
			cells[i] = d.Count()
		}
	}
	for c := range t.values {
		n := d.Uvarint()
		if d.Bad || n > uint64(len(d.Rest)) {
			return nil, errTable
		}
		if n == 0 {
			continue
		}
		t.values[c] = make(map[string]int64, n)
		for range n {
			text := d.Text()
			t.values[c][text] = d.Count()
		}
	}
	if !d.Done() {
		return nil, errTable
	}
	return t, nil
}

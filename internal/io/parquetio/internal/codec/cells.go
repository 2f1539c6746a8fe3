package codec

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
)

// decode decodes the next len(levels) cells of the page, and returns how many are not NULL: their values are the first of dst.
func decode[T any](d *Arrays, from file.ColumnChunkReader, dst []T, levels []int16) (int, error) {
	type reader interface {
		ReadBatchInPage(n int64, values []T, levels, repeats []int16) (int64, int, error)
	}
	n, valid := len(levels), len(levels)
	var definitions []int16
	if d.optional {
		definitions = levels
	}
	total, read, err := from.(reader).ReadBatchInPage(int64(n), dst[:n], definitions, nil)
	if d.optional {
		valid = 0
		for _, l := range levels {
			valid += int(l)
		}
	} else {
		for i := range levels {
			levels[i] = 1
		}
	}
	if err != nil || total != int64(n) || read != valid {
		return 0, ErrPage
	}
	d.left -= n
	return valid, nil
}

// each decodes n cells, page by page, and calls put with the values of each page, and the levels of its cells from number at on.
func each[T any](d *Arrays, n int, put func(at int, values []T, levels []int16)) error {
	memory, _ := d.memory.([]T)
	memory = sized(memory, n)
	d.memory, d.levels = memory, sized(d.levels, n)
	for at := 0; at < n; {
		if err := d.turn(); err != nil {
			return err
		}
		k := min(n-at, d.left)
		valid, err := decode(d, d.values, memory[at:], d.levels[at:at+k])
		if err != nil {
			return err
		}
		put(at, memory[at:at+valid], d.levels[at:at+k])
		at += k
	}
	return nil
}

// spread moves values to the cells that have one, from the last cell on. They may be in the same memory.
func spread[T any](dst, values []T, levels []int16) {
	if len(values) == len(levels) {
		copy(dst, values)
		return
	}
	next := len(values)
	for i := len(levels) - 1; i >= 0; i-- {
		if levels[i] != 0 {
			next--
			dst[i] = values[next]
		}
	}
}

func numbers[T arrow.FixedWidthType](d *Arrays, n int) (arrow.Array, error) {
	var cells []T
	err := each(d, n, func(at int, values []T, levels []int16) {
		cells = d.memory.([]T)
		spread(cells[at:], values, levels)
	})
	return d.array(d.Type, arrow.GetBytes(cells), n, err)
}

func fromBytes[T any](d *Arrays, n int, of func(*T) int64) (arrow.Array, error) {
	d.longs = sized(d.longs, n)
	err := each(d, n, func(at int, values []T, levels []int16) {
		next := 0
		for i, l := range levels {
			if l != 0 {
				d.longs[at+i] = of(&values[next])
				next++
			}
		}
	})
	return d.array(d.Type, arrow.GetBytes(d.longs), n, err)
}

func truths(d *Arrays, n int) (arrow.Array, error) {
	bits := make([]byte, bitutil.BytesForBits(int64(n)))
	err := each(d, n, func(at int, values []bool, levels []int16) {
		next := 0
		for i, l := range levels {
			if l != 0 {
				bitutil.SetBitTo(bits, at+i, values[next])
				next++
			}
		}
	})
	return d.array(d.Type, bits, n, err)
}

// texts returns up to n texts.
func texts[T ~[]byte](d *Arrays, n int) (arrow.Array, error) {
	d.bytes, d.offsets, d.levels = d.bytes[:0], append(d.offsets[:0], 0), d.levels[:0]
	for len(d.levels) < n {
		if len(d.nulls) == 0 {
			if err := d.turn(); err != nil {
				return nil, err
			}
			if d.inKept {
				break
			}
			if err := lookAhead[T](d); err != nil {
				return nil, err
			}
		}
		if d.nulls[0] != 0 {
			if len(d.levels) > 0 && len(d.bytes)+len(d.ahead[0]) > textBytes {
				break
			}
			if d.Spell != nil {
				d.bytes = d.Spell(d.bytes, d.ahead[0])
			} else {
				d.bytes = append(d.bytes, d.ahead[0]...)
			}
			d.last, d.ahead = len(d.ahead[0]), d.ahead[1:]
		}
		d.levels, d.nulls = append(d.levels, d.nulls[0]), d.nulls[1:]
		d.offsets = append(d.offsets, int32(len(d.bytes)))
	}
	return d.array(d.Type, arrow.GetBytes(d.offsets), len(d.levels), nil)
}

// lookAhead decodes some of the page's texts. They are in the memory of the page or of the dictionary, unless they share their
// beginnings: a text is no longer than the one before and the page together.
func lookAhead[T ~[]byte](d *Arrays) error {
	k := min(d.left, textsAhead)
	if d.shared {
		k = min(k, max(1, textBytes/(d.last+d.bound+1)))
	}
	memory, _ := d.memory.([]T)
	memory = sized(memory, k)
	d.memory, d.nulls = memory, make([]int16, k)
	valid, err := decode(d, d.values, memory, d.nulls)
	d.ahead = make([][]byte, valid)
	for i := range d.ahead {
		d.ahead[i] = memory[i]
	}
	return err
}

// array returns an array of the values, and the levels.
func (d *Arrays) array(t arrow.DataType, values []byte, n int, err error) (arrow.Array, error) {
	if err != nil {
		return nil, err
	}
	nulls := n
	for _, l := range d.levels[:n] {
		nulls -= int(l)
	}
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(values)}
	if nulls > 0 {
		d.validity = sized(d.validity, (n+7)/8)
		clear(d.validity)
		for i, l := range d.levels[:n] {
			d.validity[i/8] |= byte(l) << (i % 8)
		}
		buffers[0] = memory.NewBufferBytes(d.validity)
	}
	switch t.ID() {
	case arrow.DICTIONARY:
		return array.MakeFromData(array.NewDataWithDictionary(t, n, buffers, nulls, 0, d.texts.Data().(*array.Data))), nil
	case arrow.STRING:
		buffers = append(buffers, memory.NewBufferBytes(d.bytes))
	}
	return array.MakeFromData(array.NewData(t, n, buffers, nil, nulls, 0)), nil
}

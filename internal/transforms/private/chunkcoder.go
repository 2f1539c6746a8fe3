package private

import (
	"encoding/binary"
	"errors"
	"math"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/wire"
)

// Chunks cross shuffles in a binary encoding: Beam's row coder would need a reflective call per cell, and Java
// runners fail on its nil slices. Equal chunks have equal encodings.
func init() {
	beam.RegisterCoder(reflect.TypeFor[*domain.Chunk](), encodeChunk, decodeChunk)
}

func encodeChunk(c *domain.Chunk) []byte {
	// Beam encodes some chunks only to learn their size: room for the usual cells saves growing.
	b := binary.AppendUvarint(make([]byte, 0, c.Rows*(2+2*len(c.Columns))+len(c.ID.Bytes)), uint64(c.Rows))
	b = appendColumn(b, &c.ID, c.Rows)
	b = binary.AppendUvarint(b, uint64(len(c.Columns)))
	for i := range c.Columns {
		b = appendColumn(b, &c.Columns[i], c.Rows)
	}
	b = wire.AppendText(b, c.Source)
	b = binary.AppendUvarint(b, uint64(len(c.Lines)))
	for _, l := range c.Lines {
		b = binary.AppendVarint(b, int64(l))
	}
	return b
}

func appendColumn(b []byte, c *domain.Column, rows int) []byte {
	b = append(b, byte(c.Form))
	if c.Form == domain.Absent {
		return b
	}
	if c.Nulls == nil {
		b = append(b, 0)
	} else {
		b = append(b, 1)
		for _, null := range c.Nulls[:rows] {
			v := byte(0)
			if null {
				v = 1
			}
			b = append(b, v)
		}
	}
	switch c.Form {
	case domain.Text:
		if rows == 0 {
			return b // a column without rows may lack its first offset
		}
		for i := range rows {
			b = binary.AppendUvarint(b, uint64(c.Offsets[i+1]-c.Offsets[i]))
		}
		return append(b, c.Bytes[c.Offsets[0]:c.Offsets[rows]]...)
	case domain.Floats:
		for _, v := range c.Floats[:rows] {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		return b
	case domain.Dictionary:
		b = binary.AppendUvarint(b, uint64(len(c.Dict)))
		for _, s := range c.Dict {
			b = wire.AppendText(b, s)
		}
	}
	for _, v := range c.Ints[:rows] {
		b = binary.AppendVarint(b, v)
	}
	return b
}

// errChunk only says that encodeChunk did not write the bytes, which are private.
var errChunk = errors.New("private: malformed encoding of a chunk")

func decodeChunk(b []byte) (*domain.Chunk, error) {
	r := wire.Reader{Rest: b}
	c := &domain.Chunk{Rows: r.Length(math.MaxInt32)}
	c.ID = readColumn(&r, c.Rows)
	n := r.Length(len(r.Rest))
	c.Columns = make([]domain.Column, n)
	for i := range c.Columns {
		c.Columns[i] = readColumn(&r, c.Rows)
	}
	c.Source = r.Text()
	if n := r.Length(len(r.Rest)); n > 0 {
		c.Lines = make([]int, n)
		for i := range c.Lines {
			c.Lines[i] = int(r.Varint())
		}
	}
	if !r.Done() {
		return nil, errChunk
	}
	return c, nil
}

func readColumn(r *wire.Reader, rows int) (c domain.Column) {
	form := r.Byte()
	if r.Bad || form > byte(domain.Dictionary) {
		r.Fail()
		return c
	}
	if c.Form = domain.Form(form); c.Form == domain.Absent {
		return c
	}
	if r.Byte() == 1 {
		for _, v := range r.Take(uint64(rows)) {
			c.Nulls = append(c.Nulls, v != 0)
		}
	}
	if rows > len(r.Rest) {
		r.Fail() // every form takes at least a byte a row
		return c
	}
	switch c.Form {
	case domain.Text:
		readTexts(r, &c, rows)
		return c
	case domain.Floats:
		c.Floats = r.Floats(rows)
		return c
	case domain.Dictionary:
		c.Dict = make([]string, r.Length(len(r.Rest)))
		for i := range c.Dict {
			c.Dict[i] = r.Text()
		}
	}
	c.Ints = make([]int64, rows)
	for i := range c.Ints {
		c.Ints[i] = r.Varint()
	}
	return c
}

func readTexts(r *wire.Reader, c *domain.Column, rows int) {
	c.Offsets = make([]uint32, rows+1)
	end := 0
	for i := range rows {
		end += r.Length(len(r.Rest))
		c.Offsets[i+1] = uint32(end)
	}
	c.Bytes = append([]byte(nil), r.Take(uint64(end))...)
}

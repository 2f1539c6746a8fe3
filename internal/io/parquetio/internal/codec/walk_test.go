package codec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// A page header that claims gigabytes is refused before memory is taken for them.
func TestPageClaims(t *testing.T) {
	honest := append(oldHeader(page{plain: 3, packed: 3, cells: 1}), 1, 2, 3)
	read := func(data []byte) error {
		p := &Pages{codec: compress.Codecs.Uncompressed, budget: 1000, max: 500}
		for p.data = data; len(p.data) > 0; {
			if err := p.next(); err != nil {
				return err
			}
		}
		return nil
	}
	claim := func(p page) []byte { return slices.Concat(honest, oldHeader(p), []byte{1, 2, 3}) }
	claim2 := func(p page) []byte { return append(p.appendHeader(bytes.Clone(honest)), 1, 2, 3) }
	for name, tc := range map[string]struct {
		data []byte
		want error
	}{
		"honest":                   {honest, nil},
		"packed gigabyte":          {claim2(page{plain: 10, packed: 1 << 30, cells: 1}), ErrPage},
		"one packed byte more":     {claim(page{plain: 4, packed: 4, cells: 1}), ErrPage},
		"negative packed size":     {claim(page{plain: 3, packed: -3, cells: 1}), ErrPage},
		"negative plain size":      {claim(page{plain: -3, packed: 3, cells: 1}), ErrPage},
		"negative number of cells": {claim(page{plain: 3, packed: 3, cells: -1}), ErrPage},
		"levels beyond the page":   {claim2(page{plain: 3, packed: 3, levels: 4, cells: 1}), ErrPage},
		"negative levels":          {claim2(page{plain: 3, packed: 3, levels: -1, cells: 1}), ErrPage},
		"other plain size":         {claim(page{plain: 4, packed: 3, cells: 1}), errSize},
		"plain gigabyte":           {claim(page{plain: 1 << 30, packed: 3, cells: 1}), ErrLarge},
		"more than the footer":     {bytes.Repeat(honest, 334), errStated},
		"no header":                {append(bytes.Clone(honest), 0xff), ErrPage},
	} {
		err := read(tc.data)
		must.Hold(t, errors.Is(err, tc.want) && (err == nil || tc.want != nil), "%s: got %v, want %v", name, err, tc.want)
	}
	p := &Pages{ahead: mostWindow}
	err := p.load(bytes.NewReader(honest), 5, 1<<10)
	must.Hold(t, errors.Is(err, ErrPage), "beyond the end: %v", err)
}

// Column chunks are read a window at a time, pages that are longer than it as a whole.
func TestChunksBeyondTheWindow(t *testing.T) {
	var chunk []byte
	for i := range 20_000 { // 20 MB
		n := 1000
		if i == 9000 {
			n += mostWindow
		}
		chunk = append((&page{plain: n, packed: n, cells: 1}).appendHeader(chunk), bytes.Repeat([]byte{byte(i)}, n)...)
	}
	p := &Pages{codec: compress.Codecs.Uncompressed, budget: 1 << 30, max: 1 << 30, ahead: mostWindow}
	must.Do(t, p.load(bytes.NewReader(chunk), 0, int64(len(chunk))))
	n := 0
	for ; p.more(); n++ {
		err := p.next()
		must.Need(t, err == nil && p.body[0] == byte(n) && p.body[len(p.body)-1] == byte(n), "page %d: %v", n, err)
	}
	must.Hold(t, n == 20_000 && cap(p.window) <= 2*mostWindow+1<<20, "%d pages, a window of %d bytes", n, cap(p.window))
}

// TestDeltaClaims: numbers of DELTA_BINARY_PACKED that state more than the page has cells are refused before memory is taken.
func TestDeltaClaims(t *testing.T) {
	list := func(total uint64, widths ...byte) []byte {
		b := binary.AppendUvarint(binary.AppendUvarint(nil, 128), 4)
		b = append(binary.AppendUvarint(b, total), 0)
		for _, w := range widths {
			b = append(append(b, 0, w, 0, 0, 0), make([]byte, int(w)*4)...)
		}
		return b
	}
	lengths, both := parquet.Encodings.DeltaLengthByteArray, parquet.Encodings.DeltaByteArray
	for name, tc := range map[string]struct {
		e    parquet.Encoding
		data []byte
		fits bool
	}{
		"another encoding":    {parquet.Encodings.Plain, list(1 << 36), true},
		"one number":          {parquet.Encodings.DeltaBinaryPacked, list(1), true},
		"ten numbers":         {lengths, list(10, 3), true},
		"eleven numbers":      {lengths, list(11, 3), false},
		"gigabytes":           {lengths, list(1 << 36), false},
		"cut":                 {lengths, list(10, 3)[:9], false},
		"texts":               {both, append(list(10, 3), list(10, 5)...), true},
		"gigabytes of texts":  {both, append(list(10, 3), list(1<<36)...), false},
		"prefixes alone":      {both, list(10, 3), false},
		"no cell, no numbers": {both, nil, true},
		"a miniblock of none": {lengths, []byte{0, 0, 1, 0}, false},
	} {
		must.Hold(t, deltasFit(tc.e, tc.data, 10) == tc.fits, "%s: want %v", name, tc.fits)
	}
}

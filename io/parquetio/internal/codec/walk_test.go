package codec

import (
	"bytes"
	"errors"
	"testing"

	"github.com/apache/arrow/go/v15/parquet/compress"
)

// A page header that claims gigabytes is refused before memory is taken for them.
func TestPageClaims(t *testing.T) {
	honest := append((&page{plain: 3, packed: 3, cells: 1}).appendHeader(nil), 1, 2, 3)
	read := func(data []byte) error {
		p := &Pages{codec: compress.Codecs.Uncompressed, budget: 1000, max: 500}
		for p.data = data; len(p.data) > 0; {
			if err := p.next(); err != nil {
				return err
			}
		}
		return nil
	}
	claim := func(p page) []byte { return append(p.appendHeader(bytes.Clone(honest)), 1, 2, 3) }
	for name, tc := range map[string]struct {
		data []byte
		want error
	}{
		"honest":                   {honest, nil},
		"packed gigabyte":          {claim(page{v2: true, plain: 10, packed: 1 << 30, cells: 1}), ErrPage},
		"one packed byte more":     {claim(page{plain: 4, packed: 4, cells: 1}), ErrPage},
		"negative packed size":     {claim(page{plain: 3, packed: -3, cells: 1}), ErrPage},
		"negative plain size":      {claim(page{plain: -3, packed: 3, cells: 1}), ErrPage},
		"negative number of cells": {claim(page{plain: 3, packed: 3, cells: -1}), ErrPage},
		"levels beyond the page":   {claim(page{v2: true, plain: 3, packed: 3, levels: 4, cells: 1}), ErrPage},
		"negative levels":          {claim(page{v2: true, plain: 3, packed: 3, levels: -1, cells: 1}), ErrPage},
		"other plain size":         {claim(page{plain: 4, packed: 3, cells: 1}), errSize},
		"plain gigabyte":           {claim(page{plain: 1 << 30, packed: 3, cells: 1}), ErrLarge},
		"more than the footer":     {bytes.Repeat(honest, 334), errStated},
		"no header":                {append(bytes.Clone(honest), 0xff), ErrPage},
	} {
		if err := read(tc.data); !errors.Is(err, tc.want) || err != nil && tc.want == nil {
			t.Errorf("%s: got %v, want %v", name, err, tc.want)
		}
	}
	p := &Pages{ahead: mostWindow}
	if err := p.load(bytes.NewReader(honest), 5, 1<<10); !errors.Is(err, ErrPage) {
		t.Errorf("beyond the end: %v", err)
	}
}

// A short page of 1-bit indices is what the library would loop on for ever.
func TestPagesDecodeExactly(t *testing.T) {
	dst := make([]int64, 20)
	for name, src := range map[string][]byte{
		"nothing":          {},
		"short run":        {10 << 1, 1},
		"run of none":      {0, 1, 40, 1},
		"cut bit packing":  {3 << 1 & 0xff, 1, 2<<1 | 1, 0xff},
		"cut run value":    {40},
		"unending integer": bytes.Repeat([]byte{0xff}, 30),
	} {
		if err := inPieces(dst, src, 1); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := inPieces(dst, []byte{10 << 1, 1, 2<<1 | 1, 0xaa, 0x55}, 1); err != nil || dst[9] != 1 || dst[10] != 0 || dst[11] != 1 || dst[18] != 1 {
		t.Error(err, dst)
	}
}

// inPieces reads numbers of the hybrid, the first five at once, then six, and so on.
func inPieces(dst []int64, src []byte, width int) error {
	r, err := newRuns(src, width, len(dst))
	for n := 5; len(dst) > 0 && err == nil; n++ {
		k := min(n, len(dst))
		err, dst = r.read(dst[:k]), dst[k:]
	}
	return err
}

// A column chunk can end before its first page.
func TestFewerRowsThanStated(t *testing.T) {
	for _, v := range []Values{{}, {Float: true}, {Text: func([]byte) (int64, error) { return 0, nil }}} {
		var d Decoder
		d.Start(&v, 1)
		if err := d.Take(1, &Cells{}); !errors.Is(err, ErrShort) {
			t.Errorf("%+v: %v", v, err)
		}
	}
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
	if err := p.load(bytes.NewReader(chunk), 0, int64(len(chunk))); err != nil {
		t.Fatal(err)
	}
	n := 0
	for ; p.more(); n++ {
		if err := p.next(); err != nil || p.body[0] != byte(n) || p.body[len(p.body)-1] != byte(n) {
			t.Fatalf("page %d: %v", n, err)
		}
	}
	if n != 20_000 || cap(p.window) > 2*mostWindow+1<<20 {
		t.Errorf("%d pages, a window of %d bytes", n, cap(p.window))
	}
}

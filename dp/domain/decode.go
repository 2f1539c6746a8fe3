package domain

// Decoder maps codes back to values: a category to itself, "other" to OtherValue, NULL to NULL, and a bin to one of
// the multiples of the resolution inside it, drawn uniformly or from the learned distribution. If bins are still to
// be learned, codes are codes of records. Encoding the value gives the code again. Columns that
// gaps stand for are computed. A Decoder is immutable: goroutines
// can share it.
type Decoder struct {
	d     *Domain
	dicts [][]string      // STRING: categories, then OtherValue
	ints  [][]int64       // the same of INT64 and BOOL, as numbers
	grids [][]grid        // FLOAT64
	fine  []*fine         // of attributes whose bins are, or will be, learned
	inner []*Distribution // of attributes whose bins were learned
	bins  [][][2]int      // values of each of those bins: from the first one to before the second
	order []int           // of attributes, such that each follows the one that it is coupled with
	leads []bool          // whether another one is coupled with the attribute
}

// NewDecoder returns a decoder for a valid domain, which must not change.
func NewDecoder(d *Domain) *Decoder {
	dec := &Decoder{d: d, dicts: make([][]string, d.Len()), ints: make([][]int64, d.Len()), grids: make([][]grid, d.Len()),
		fine: make([]*fine, d.Len()), inner: make([]*Distribution, d.Len()), bins: make([][][2]int, d.Len()), leads: make([]bool, d.Len())}
	var err error
	if dec.order, err = d.couple(); err != nil {
		panic(err.Error())
	}
	for i := range d.Attributes {
		a := &d.Attributes[i]
		if a.Coupling != nil && a.Coupling.With >= 0 {
			dec.leads[a.Coupling.With] = true
		}
		switch {
		case len(a.Values) > 0:
			dict := append([]string(nil), a.Values...)
			if a.Other {
				dict = append(dict, a.OtherValue)
			}
			if a.Type == String {
				dec.dicts[i] = dict
			} else {
				dec.ints[i] = numbers(a, dict)
			}
		case a.Learned > 0:
			dec.fine[i] = newFine(a)
		case len(a.Runs) > 0:
			dec.fine[i], dec.inner[i], dec.bins[i] = newFine(a.whole()), a.Distribution(), a.numbered()
		case len(a.FloatCuts) > 1:
			dec.grids[i] = make([]grid, a.Bins())
			for b := range a.Bins() {
				dec.grids[i][b] = newGrid(a, b)
			}
		}
	}
	return dec
}

// numbers returns the categories of an INT64 or BOOL attribute in its native unit. A text that is not
// a number, which no valid domain has, is 0.
func numbers(a *Attribute, texts []string) []int64 {
	n := make([]int64, len(texts))
	for i, s := range texts {
		if v, ok := a.ParseNative(s); ok {
			n[i] = v
		}
	}
	return n
}

// Form returns how Decode fills column a: Dictionary for STRING, Floats for FLOAT64, Ints for the
// others.
func (dec *Decoder) Form(a int) Form {
	switch {
	case dec.dicts[a] != nil:
		return Dictionary
	case dec.grids[a] != nil, dec.fine[a] != nil && dec.fine[a].grid != nil:
		return Floats
	}
	return Ints
}

// Decode fills dst with the records whose codes are in codes, row-major as Encode writes them. word returns the
// random bits of one cell, uniform and independent. It is called only for cells that are bins, attribute by attribute
// in a fixed order and, within an attribute, row by row.
//
// The slices of dst are used again if they are large enough; Dict is shared by all chunks and is not
// to be changed. dst.ID becomes Absent. It panics if codes is not a whole number of records or holds a
// code that is not a cell.
func (dec *Decoder) Decode(dst *Chunk, codes []Code, word func(row, attr int) uint64) {
	d := dec.d.Len()
	if d == 0 || len(codes)%d != 0 {
		panic("domain: Decode: not a whole number of records")
	}
	if len(dst.Columns) != d {
		dst.Columns = make([]Column, d)
	}
	dst.Rows, dst.ID, dst.Source, dst.Lines = len(codes)/d, Column{}, "", nil
	places := make([][]float64, d)
	for _, a := range dec.order {
		if dec.leads[a] {
			places[a] = make([]float64, dst.Rows)
		}
		dec.column(&dst.Columns[a], a, codes, places, word)
	}
	dec.d.fromGaps(dst)
}

// column decodes attribute a of all rows. places holds the positions inside bins of attributes that others depend on.
func (dec *Decoder) column(col *Column, a int, codes []Code, places [][]float64, word func(row, attr int) uint64) {
	attr, d := &dec.d.Attributes[a], dec.d.Len()
	rows, coupling := len(codes)/d, attr.Coupling
	col.reset(dec.Form(a), rows, attr.Null)
	col.Dict = dec.dicts[a]
	size, null := attr.RecordSize(), attr.RecordSize()
	fine, inner, bins := dec.fine[a], dec.inner[a], dec.bins[a]
	if attr.Null {
		null--
	}
	for i := range rows {
		c := int(codes[i*d+a])
		switch {
		case c >= size:
			panic("domain: Decode: a code is not a cell of its attribute")
		case c == null:
			col.Nulls[i] = true
		case col.Form == Dictionary:
			col.Ints[i] = int64(c)
		case fine != nil:
			k := c
			if inner != nil {
				place := float64(word(i, a)>>11) * 0x1p-53
				if coupling != nil && coupling.With >= 0 {
					if bin := int(codes[i*d+coupling.With]); bin < len(coupling.Strength) {
						place = coupling.place(places[coupling.With][i], place, bin, c)
					}
				}
				if places[a] != nil {
					places[a][i] = place
				}
				if coupling != nil && coupling.Shift != nil {
					x := coupling.Shift.Score(func(attr int) Code { return codes[i*d+attr] }, place)
					place = coupling.Shift.place(x, place, c)
				}
				k = inner.Draw(bins[c][0], bins[c][1], place)
			}
			if fine.grid != nil {
				col.Floats[i] = fine.float(k)
			} else {
				col.Ints[i] = fine.native(k)
			}
		case dec.ints[a] != nil:
			col.Ints[i] = dec.ints[a][c]
		case col.Form == Floats:
			col.Floats[i] = dec.grids[a][c].at(word(i, a))
		default:
			lo, hi := attr.multiples(c)
			k := uint64(lo) + below(word(i, a), uint64(hi)-uint64(lo)+1)
			col.Ints[i] = int64(k) * attr.Resolution
		}
	}
}

// reset makes room for rows zero cells of the form.
func (c *Column) reset(form Form, rows int, nulls bool) {
	c.Form, c.Bytes, c.Offsets = form, nil, nil
	if form == Floats {
		c.Floats, c.Ints = zeroed(c.Floats, rows), nil
	} else {
		c.Ints, c.Floats = zeroed(c.Ints, rows), nil
	}
	if nulls {
		c.Nulls = zeroed(c.Nulls, rows)
	} else {
		c.Nulls = nil
	}
}

// zeroed returns n zero elements, in s if they fit.
func zeroed[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

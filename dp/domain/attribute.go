package domain

// Attribute is one column of the domain: a type, and a partition of its values into numbered cells.
//
// The cells are, in this order: the categories of Values, or the bins between Cuts or FloatCuts; then
// the cell "other" if Other is set; then the cell NULL if Null is set. An attribute has either
// categories or bins. All fields are public facts and plain data.
//
// Values that need a number are held in the type's native unit: INT64 as itself, NUMERIC as a multiple
// of 10^−Scale, DATE in days since 1970-01-01, DATETIME and TIMESTAMP in microseconds since then,
// TIME in microseconds since midnight.
type Attribute struct {
	Name   string
	Type   Type
	Values []string // categories as canonical text: STRING, INT64, BOOL
	// Prefixes are numbers of characters, ascending. A STRING that is no category is of the longest category that is so many
	// of its first characters and a star: see Prefix.
	Prefixes []int `json:",omitempty"`

	// Cuts are the n+1 ascending cut points of n bins [Cuts[i], Cuts[i+1]), the last one closed. The
	// last two may be equal: the last bin is then that one value.
	Cuts      []int64
	FloatCuts []float64 // the same for FLOAT64
	Scale     int       // NUMERIC: decimal places of the native unit, 0..9

	Resolution      int64   // decoded numbers are multiples of it; at least 1 if there are Cuts
	FloatResolution float64 // FLOAT64: the same; 0 means any float64 in the bin

	// Exact are values that are written as they are, in place of the multiple of the resolution nearest to each:
	// ascending, in the native unit. Attributes whose bins are learned, or were, can have them. Values beyond the cut points,
	// such as a code for what is missing, take the outermost multiples: see ReserveExact.
	Exact      []int64   `json:",omitempty"`
	FloatExact []float64 `json:",omitempty"` // FLOAT64: the same
	// Beyond says of the least and the largest value that smaller and larger ones are expected, which become these: the range
	// was found, and noise hid how far values go.
	Beyond [2]bool `json:",omitzero"`

	// Learned is above 0 if the attribute has two cut points and that many bins between them, which are learned from
	// a release: see WithBins. Until then records are coded by the multiples of the resolution, the least being 0,
	// with NULL last.
	Learned int `json:",omitempty"`
	// Runs is the distribution of values inside bins, if it was learned; otherwise values are uniform in each bin.
	Runs []Run `json:",omitempty"`
	// Coupling makes values inside bins depend on another attribute's; nil: they are independent.
	Coupling *Coupling `json:",omitempty"`

	Null        bool   // NULL is a cell of its own
	Other       bool   // a value outside Values is a cell of its own
	OtherValue  string // what the cell "other" is written back as
	HasFallback bool   // Fallback is declared; needed if neither Other nor Null is
	Fallback    Code   // the code of an unusable value in a record if neither Other nor Null takes it
}

// Bins returns the number of categories or bins: the cells before "other" and NULL.
func (a *Attribute) Bins() int {
	switch {
	case len(a.Values) > 0:
		return len(a.Values)
	case a.Learned > 0:
		return a.Learned
	case len(a.Cuts) > 1:
		return len(a.Cuts) - 1
	case len(a.FloatCuts) > 1:
		return len(a.FloatCuts) - 1
	}
	return 0
}

// Size returns the number of cells.
func (a *Attribute) Size() int {
	n := a.Bins()
	if a.Other {
		n++
	}
	if a.Null {
		n++
	}
	return n
}

// OtherCode returns the code of the cell "other".
func (a *Attribute) OtherCode() (Code, bool) { return Code(a.Bins()), a.Other }

// NullCode returns the code of the cell NULL, which is always the last one.
func (a *Attribute) NullCode() (Code, bool) { return Code(a.Size() - 1), a.Null }

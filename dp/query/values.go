package query

// MaxValueBytes is the longest text that is a candidate where values are found: longer ones are never released.
const MaxValueBytes = 256

// Value is a value of a column with a number of privacy units: exact while it is private, noisy once it is released.
type Value struct {
	Text  string
	Count int64
}

// ValuesOf says which texts of a column are counted: whole values, or what those begin with.
type ValuesOf struct {
	Column int
	// Prefix is the number of characters that values begin with, which are counted under these characters and a star. 0: whole
	// values are.
	Prefix int
	// Standing are values and longer prefixes that are released already: units that have one of them are not counted again.
	Standing []string
}

// FoundValue is a released value: its count plus noise, in counts.
type FoundValue struct {
	Text  string
	Count float64
}

// FoundValues are the released values of a column, by falling noisy count. Threshold, in counts, is what each exceeds.
type FoundValues struct {
	Column    int
	Prefix    int `json:",omitempty"` // as of ValuesOf
	Values    []FoundValue
	Variance  float64
	Threshold float64
}

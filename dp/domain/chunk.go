package domain

// Chunk is a batch of records by column: what sources emit and sinks accept. Raw chunks hold private data; decoded
// chunks hold synthetic rows.
type Chunk struct {
	Rows    int
	ID      Column // the privacy ID of each record; its Form is Absent if every record is a unit
	Columns []Column

	// Source and Lines locate the records, for the strict mode of a data owner: record i begins on line Lines[i] of
	// Source, such as "csv: people.csv". Lines is nil if a source has no lines.
	Source string
	Lines  []int
}

// Form says how a Column holds its cells.
type Form uint8

const (
	// Absent means that the column holds nothing.
	Absent Form = iota
	// Text columns hold in cell i the text Bytes[Offsets[i]:Offsets[i+1]], unparsed.
	Text
	// Ints columns hold in cell i the number Ints[i] in the native unit of the attribute's type; BOOL is 0 or 1.
	Ints
	// Floats columns hold in cell i the number Floats[i].
	Floats
	// Dictionary columns hold in cell i the text Dict[Ints[i]].
	Dictionary
)

// Column holds the cells of one column of a Chunk. Nulls is nil if no cell is NULL.
type Column struct {
	Form    Form
	Bytes   []byte
	Offsets []uint32
	Ints    []int64
	Floats  []float64
	Dict    []string
	Nulls   []bool
}

// Null reports whether cell i is NULL.
func (c *Column) Null(i int) bool { return c.Nulls != nil && c.Nulls[i] }

// Text returns the bytes of cell i of a Text column.
func (c *Column) Text(i int) []byte { return c.Bytes[c.Offsets[i]:c.Offsets[i+1]] }

// Package csvio reads and writes tables as CSV.
//
// The reader turns a file into chunks of unparsed cells, only of the columns that a domain needs, and
// matches columns by the names in the header line. It never looks at what a cell means: that is
// encoding, which cannot fail. An error is about the structure of a file or about reading it, names
// file, line and column, and never holds the text of a cell.
//
// NULL is an empty cell, a quoted empty cell, or \N. The writer writes \N. In a file of one column a blank
// line is a record, whose cell is NULL; in others it is none.
//
//	r, err := csvio.NewReader(file, "people.csv", dom, schema.CSV{})
//	for err == nil {
//		if err = r.Read(&chunk); err == nil { … }
//	}
//
// # Design
//
// A file is read from its beginning to its end and never split: a quoted cell can hold a line end, so
// that no position inside a file is known to begin a record. Several files are read in parallel.
package csvio

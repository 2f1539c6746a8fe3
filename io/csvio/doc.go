// Package csvio reads and writes tables as CSV.
//
// The reader turns a file into chunks of unparsed cells, only of the columns that a domain needs, and
// matches columns by the names in the header line. It never looks at what a cell means: that is
// encoding, which cannot fail. An error is about the structure of a file or about reading it, names
// file and column, and never holds the text of a cell.
//
// NULL is an empty cell, a quoted empty cell, or \N. The writer writes an empty cell, or the mark that it is given.
//
//	r, err := csvio.NewReader(file, "people.csv", dom, schema.CSV{})
//	for err == nil {
//		if err = r.Read(&chunk); err == nil { … }
//	}
//
// # Grammar
//
// Every sequence of bytes is a table, but for a quote that opens a cell and never closes:
//
//	file   = { record }
//	record = cell { separator cell } end     or a blank line, see below
//	cell   = quoted | bare
//	quoted = '"' { any byte but '"' | '""' } '"'     followed by a separator or an end
//	bare   = { any byte but the separator and LF }
//	end    = LF | CR LF | CR at the end of the file | the end of the file
//
// A cell that begins with a quote is read as quoted; '""' in it is one quote, and every other byte, line ends
// included, is kept as it is. If something else than a separator or an end follows its closing quote, then
// none of its quotes is one: the cell is what stands there, quotes included, up to the next separator or line
// end after that closing quote. In a bare cell a quote stands for itself, and so does a CR that ends no line.
//
// A record with too few cells has NULL in the missing ones; further cells are dropped. A blank line is a record
// in a file of one column, whose cell is NULL: many programs write it so. In other files it is skipped.
//
// With trim or trim_id, blanks before an opening quote and after a closing one are no part of the cell.
//
// # Privacy IDs
//
// Distinct bytes are distinct IDs: no blank is taken off them, and no text but the empty one and \N means that
// there is none, unless trim_id or null_id ask for it. Without trim_id, an ID with blanks around its quotes is
// kept as it stands, quotes included.
//
// # Long cells
//
// The cells of one record hold 4 MiB at most, unless max_record_mib says otherwise. A cell of an attribute that
// does not fit is NULL. A longer ID is known by its SHA-256. A cell that no column needs may have any length.
//
// # Strict reading
//
// A strict reader refuses what the grammar forgives: another number of cells, quotes that stand for themselves,
// cells that do not fit. Its errors say on which line; what they tell depends on the records, and is for the
// owner of the table alone.
//
// # Compression and encoding
//
// A file whose name ends in .gz or .zst is unpacked. UTF-16 with a byte order mark becomes UTF-8, and
// so does Windows-1252 if the domain file declares it. What is
// something else than CSV, or separated by another character than declared, is refused by name before a record
// is read.
//
// # Design
//
// A file is read from its beginning to its end and never split: a quoted cell can hold a line end, so
// that no position inside a file is known to begin a record. Several files are read in parallel.
//
// encoding/csv is not used: it refuses malformed records, turns CR LF in quotes into LF, and holds a record
// however long it is. What it accepts is read alike, which a fuzz test compares.
package csvio

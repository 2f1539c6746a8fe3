// Package csvio reads and writes tables as CSV, once a program imports it by a blank import.
//
// The reader turns a file into chunks of unparsed cells, for only the columns that a domain needs, and matches
// columns by the names in the header line. It does not interpret cells: encoding does, and cannot fail. An error
// concerns the structure of a file or reading it, names file and column, and never contains the text of a cell.
//
// NULL is an empty cell, a quoted empty cell, or \N. The writer writes an empty cell, or the given mark.
//
// # Grammar
//
// Every sequence of bytes is a table, unless a quote opens a cell and never closes:
//
//	file   = { record }
//	record = cell { separator cell } end     or a blank line, see below
//	cell   = quoted | bare
//	quoted = '"' { any byte but '"' | '""' } '"'     followed by a separator or an end
//	bare   = { any byte but the separator and LF }
//	end    = LF | CR LF | CR at the end of the file | the end of the file
//
// A cell that begins with a quote is read as quoted: '""' in it is one quote, and every other byte, including line
// ends, is kept. If the closing quote is followed by anything but a separator or an end, none of the cell's quotes is
// special: the cell is the text as written, with quotes, up to the next separator or line end after that closing
// quote. In a bare cell a quote is an ordinary character, and so is a CR that does not end a line.
//
// A record with too few cells has NULL in the missing cells; extra cells are dropped. A blank line in a file of one
// column is a record whose cell is NULL, as many programs write it. In other files it is skipped.
//
// With escape, a backslash makes a following quote, separator, line end or backslash literal, in quotes and without.
// Before other bytes, as in \N, it is a byte like others. Doubled quotes are read as before.
//
// With trim or trim_id, blanks before an opening quote and after a closing quote are not part of the cell.
//
// # Privacy IDs
//
// Distinct bytes are distinct IDs: blanks are kept, and only the empty text and \N mean a missing ID, unless trim_id
// or null_id say otherwise. Without trim_id, an ID with blanks around its quotes is kept unchanged, with its quotes.
//
// # Long cells
//
// The cells of one record hold at most 4 MiB, unless max_record_mib sets another limit. A cell of an attribute that
// does not fit is NULL. A longer ID is replaced by its SHA-256. A cell that no column needs may have any length.
//
// # Strict reading
//
// A strict reader refuses what the grammar accepts: a wrong number of cells, quotes in bare cells, cells that do not
// fit. Its errors give the line, which depends on the records; they are for the owner of the table alone.
//
// # Compression and encoding
//
// A file whose name ends in .gz or .zst is decompressed. No record decides how a file is read: the header line alone
// shows a byte order mark, another format than CSV or another separator, which are refused before a record is read.
// A file without a header line is read as the domain file declares it: its encoding, and whether it begins with a mark,
// whose bytes are then skipped. Advice on such a file is given by check, which is not private.
package csvio

import _ "github.com/dapple-dp/dapple/internal/io/csvio" // registers the format

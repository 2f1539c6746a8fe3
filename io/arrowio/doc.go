// Package arrowio reads and writes tables as Arrow IPC files, which are Feather files of version 2 too.
//
//	import _ "github.com/dapple-dp/dapple/io/arrowio" // files of Arrow
//
// # What is read
//
// A file ends in .arrow, .feather or .ipc. Its columns are read by the type that the domain declares:
//
//	STRING      utf8, large_utf8, utf8_view, and dictionaries of them
//	INT64       whole numbers of all widths; floats, whose whole numbers are meant
//	FLOAT64     floats of 16, 32 and 64 bits
//	NUMERIC     decimals of 32 to 256 bits, with a scale of up to 38
//	BOOL        bool
//	DATE        date32, date64
//	DATETIME    timestamp without a time zone
//	TIMESTAMP   timestamp with a time zone
//	TIME        time32, time64
//	any type    null, whose cells are all NULL
//
// A privacy ID is a text or a whole number: distinct values stay distinct. A column of another type is refused by name if
// the domain needs it. Batches may be packed by LZ4 or Zstandard. Files are refused whose dictionaries change on the way.
// A stream of Arrow, which has no table of contents, is refused: write it as a file.
//
// No record of a whole file ends the reading. A text of more than 16 MiB is NULL, and a number that the declared type does
// not hold is a value that cannot be used. A batch that unpacks to more than 4 GiB ends the reading, and so does a damaged
// file; the error names the file alone.
//
// # What is written
//
// Batches of up to 65,536 rows, not packed, so that every reader of Arrow can map them into memory. STRING is utf8, NUMERIC
// a decimal128 of as many digits as its range or values have, DATETIME and TIMESTAMP are in microseconds, TIMESTAMP in UTC.
// Only columns with NULL are nullable. Equal rows make equal files.
//
// # Design
//
// Files are read and written by arrow-go v18; package columns makes columns of its arrays. Its panics on damaged files become
// errors, and its memory is bounded by an allocator that panics. Nothing of it runs in goroutines while it reads. A batch is the
// part of a file that is read by itself.
package arrowio

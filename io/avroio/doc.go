// Package avroio reads and writes tables as Avro container files.
//
//	import _ "github.com/dapple-dp/dapple/io/avroio" // files of Avro
//
// # What is read
//
// The schema of a file is a record, and the columns that a domain names are its fields:
//
//	STRING      string, enum, uuid
//	INT64       int, long; float and double, whose whole numbers are meant
//	FLOAT64     float, double
//	NUMERIC     decimal, of bytes or fixed, with a scale of up to 38
//	BOOL        boolean
//	DATE        date
//	DATETIME    local-timestamp-millis, -micros, -nanos; BigQuery's text of the type datetime
//	TIMESTAMP   timestamp-millis, -micros, -nanos
//	TIME        time-millis, time-micros
//	any type    null, whose cells are all NULL
//
// A union of null and one of these is a column with NULL. A field of another type is refused by name if the domain needs
// it, and passed over if not. A privacy ID is a text, or an int or long that is nothing else: distinct values stay distinct.
//
// Blocks may be packed by deflate, Snappy, Zstandard or bzip2. A block takes 512 MiB unpacked at most.
//
// No record of a whole file ends the reading. A file that is cut off or damaged does, and the error names the file alone.
//
// # What is written
//
// A record named row, with a union of null and the type for a column with NULL. NUMERIC is a decimal of 19 digits, which an
// int64 has. Avro's names are ASCII letters, digits and underscores, so columns of other names are refused before a run.
// Blocks are packed by deflate, which every reader has. Equal rows make equal files: the marks between blocks are a hash of
// the schema.
//
// # Design
//
// Schemas are parsed by hamba/avro. Its reader of containers is not used: it takes a file that ends inside a block for one
// that ends before it, and allocates what a block claims to be (v2.31.0). A file is cut by its size, and a block belongs to
// the part in which the mark before it begins.
package avroio

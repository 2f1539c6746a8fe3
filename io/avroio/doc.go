// Package avroio reads tables from Avro container files.
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
// Blocks may be packed by deflate, Snappy, Zstandard or bzip2, and are unpacked as they are read: a block of Snappy alone is
// in memory as a whole.
//
// No record of a whole file ends the reading. A text of more than 16 MiB is NULL, and a number that the declared type does
// not hold is a value that cannot be used. A file that is cut off or damaged ends the reading; the error names the file alone.
//
// # What is written
//
// Nothing: rows are written as Parquet, and the refusal of --format=avro has the line that converts them.
//
// # Design
//
// Schemas, the header and plain values are read by hamba/avro, and package columns makes columns of their arrays. The walk over
// blocks and records is ours. Package arrow/avro of arrow-go v18.6.0, on files of 300 records:
//
//   - It takes 300 of 300 files that are cut off for whole ones, as hamba's reader below it does.
//   - A text of more than 1 MiB ends the reading: no option reaches that limit.
//   - It refuses a union of long and null in this order, and local timestamps.
//   - It decodes in two goroutines that nobody recovers. A block of 3 bytes that claims 40 GB ends the process, and so does one that
//     claims a negative size.
//   - It reads no part of a file by itself. Here a file is cut by its size, and a block belongs to the part in which the mark
//     before it begins.
package avroio

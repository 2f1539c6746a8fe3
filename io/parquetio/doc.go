// Package parquetio writes the rows of a domain to Parquet files and reads them back, once a program imports it by a blank
// import.
//
// A file holds one column per attribute, in the domain's order, with BigQuery's type of that name:
//
//	STRING     BYTE_ARRAY String, dictionary        DATE       INT32 Date
//	INT64      INT64                                DATETIME   INT64 Timestamp(us), not adjusted to UTC
//	FLOAT64    DOUBLE                               TIMESTAMP  INT64 Timestamp(us), adjusted to UTC
//	NUMERIC    FLBA(16) Decimal(38, 9)              TIME       INT64 Time(us)
//	BOOL       BOOLEAN
//
// A column is OPTIONAL if its attribute has a cell NULL, and REQUIRED otherwise.
//
// # What is read
//
// Files of other writers are read by the type that the domain declares:
//
//	STRING      BYTE_ARRAY String, Enum, JSON or without a logical type; UUID, in its usual form
//	INT64       whole numbers of all widths; DOUBLE and FLOAT, whose whole numbers are meant
//	FLOAT64     DOUBLE, FLOAT, Float16
//	NUMERIC     Decimal of up to 38 digits
//	BOOL, DATE  BOOLEAN; Date
//	DATETIME    Timestamp not adjusted to UTC, INT96
//	TIMESTAMP   Timestamp adjusted to UTC, INT96
//	TIME        Time
//	any type    the logical type Null, whose cells are all NULL
//
// A privacy ID is a column that reads as STRING, or one of whole numbers; distinct values stay distinct. Columns of
// other types, nested columns and encrypted columns do not prevent reading the others. The codecs are Snappy, Zstd,
// gzip, Brotli, LZ4 and LZ4_RAW. Checksums of pages are verified if present.
//
// A number that the declared type does not hold, such as a UINT64 from 2^63 on, is a value that cannot be used.
//
// No record of a valid file ends the reading. A text of more than 16 MiB is NULL, and a privacy ID that long stands for itself
// by its hash. A long text that a page holds once and repeats is expanded in pieces.
//
// # Not promised
//
// Readers accept any bytes without a panic, but a hostile file can contain wrong values.
package parquetio

import _ "github.com/dapple-dp/dapple/internal/io/parquetio" // registers the format

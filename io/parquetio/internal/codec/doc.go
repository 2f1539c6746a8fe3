// Package codec reads and writes Parquet files as pages: footers, compression, encodings, levels and dictionaries.
//
// What a file holds are columns of int64, of floats, or of texts, with NULLs: it knows Parquet's physical and logical
// types, and nothing of what the numbers mean. Package parquetio maps them to the attributes of a domain, and says
// what is measured of both and which libraries are used for what.
package codec

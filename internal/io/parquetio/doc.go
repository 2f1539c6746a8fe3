// Package parquetio is what stands behind io/parquetio, whose page says what is read.
//
// # Design
//
// Package internal/codec handles footers and pages and knows no domain. The readers of arrow-go decode what a page holds, and
// package internal/io/columns maps their arrays to attributes and units.
//
// Writing uses arrow-go for the schema and the footer. Its own writer, of v18.6.0, was measured in November 2026 on one busy core,
// Snappy, the best of five runs, its dictionaries made beforehand; pyarrow 26 and DuckDB 2 read all files, and the statistics of
// all row groups match their rows:
//
//	                                          this package           v18.6.0, pages V2      v18.6.0, pages V1
//	UCI Adult, 32,561 rows, 15 columns        4.5 M rows/s, 347 kB   0.8 M rows/s, 358 kB   0.9 M rows/s, 356 kB
//	65,536 rows, 100 columns, 20 with NULLs   .50 M rows/s, 12.7 MB  .09 M rows/s, 15.9 MB  .07 M rows/s, 15.9 MB
//	    allocated for them                    1 MB                   366 MB                 373 MB
//
// If rows repeat after every 16,384, the files of v18.6.0 are a seventh to an eighth as large.
//
// Parquet-go v0.32.0 was measured for writing in November 2026, on 10,000,000 rows of 15 columns with 5 % NULLs,
// in CPU seconds on one busy core. The whole command takes 27.8 there:
//
//	                                  this package      parquet-go
//	written                           2.9               12.7, a value at a time
//	resident memory, written          43 MB             571 MB
//
// Its writer would cost the command a third.
//
// A column chunk has a dictionary if that makes its first page smaller, and continues without one if it grows too
// long. Equal rows make equal bytes, however they are split into chunks. A row group is held until it ends, at 2^18
// rows or 8 MiB, because a chunk's dictionary precedes its pages: memory grows with the columns and not with the
// rows, except for some 130 bytes of footer for each chunk. All columns share the memory of one page, and the next
// file reuses it.
//
// Reading hands the pages of a column chunk to arrow-go one by one, and asks it for cells of one page at a time. Pages are read
// and unpacked here, because arrow-go v18.6.0 verifies no checksum, allocates what a page header states, and reads on in the
// memory of the page before if one of V2 unpacks to fewer bytes. Its panics are recovered where it decodes, in no goroutine of
// its own; package pqarrow has some. The counts of DELTA encodings, for which it makes room, are compared with the cells of their
// page before.
//
// Texts of a dictionary of up to 16 MiB keep it, so that a category is looked up once per chunk and not once per row. Other texts
// come in arrays of 8 MiB. Resident memory and CPU time, GOGC 100, November 2026; *own* is the decoder that was here before:
//
//	                                                        this package   own      arrow-go's record reader, a group at once
//	90,000 rows that repeat three texts of 256 kB           11 MB                   32 MB
//	900 texts that share 1 MB each in DELTA_BYTE_ARRAY      154 MB         58 MB    4.0 GB
//	600 texts of 1 MB in PLAIN, a page each                 100 MB
//	60 of them in one page, 300 in one page                 189, 673 MB
//	524,288 rows of 15 columns                              181 ms         87 ms    133 ms of time, without a domain
//
// A page is in memory as a whole, and the garbage collector lets memory grow to twice its size: 70 MB and twice the largest page.
//
// A footer is kept as bytes, and its row groups are parsed one at a time, by hand: arrow-go makes 60 MB of objects of a
// footer of 10 MB, allocates 128 MB for one of 22 bytes that claims 16,777,216 row groups, and refuses files with an unknown
// logical type. All columns of a row group are read at once, a page of each in memory, and their pages in pieces of 16,384 rows:
// some writers make a million rows one page.
package parquetio

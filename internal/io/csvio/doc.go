// Package csvio is what stands behind io/csvio, whose page gives the grammar.
//
// # Design
//
// A file is read from its beginning to its end and never split: a quoted cell can contain a line end, so that no
// position inside a file is certain to begin a record. Several files are read in parallel.
//
// encoding/csv is not used: it refuses malformed records, turns CR LF in quotes into LF, and holds a record of any
// length in memory. A fuzz test checks that both read alike what encoding/csv accepts.
package csvio

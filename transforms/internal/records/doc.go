// Package records holds coded records on their way from raw cells to counts: batches of them, and the
// one record that each privacy unit keeps.
//
// A record's codes are packed into a row of fixed width, one byte for an attribute of at most 256 cells
// and two for a larger one. Everything here is private data; nothing here formats a value.
package records

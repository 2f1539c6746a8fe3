// Package private takes raw records to one coded record per privacy unit. Everything in it is still
// private data.
//
//	coded := private.Encode(s, people, dom, private.EncodeParams{}) // any cell → a declared cell
//	units := private.Bound(s, coded, private.BoundParams{})        // any person → one record
//
// Encode is where the guard starts: it hides the records in types whose elements no code outside the
// transforms can reach. What they flow into is counts.Count, and from there only synth.Solve leads
// out, through a ledger.
//
// # Guarantees
//
// Encoding never fails on a value and never counts how many were unusable. Bounding keeps, of each
// privacy unit, the record of least SHA-256 rank; which one that is depends on nothing but the unit's
// own records and a public key, not on bundles, retries or order. Adding or removing all records of one
// ID therefore changes the bounded units by exactly one record. Records without an ID belong to nobody
// and are dropped; nothing says how many there were.
//
// # Not promised
//
// IDs are taken at their word: two IDs of one person are two units. Runners show element counts on
// their own pages; those are inside the trusted set.
//
// # Design
//
// Records travel in batches, because Beam spends about a microsecond on an element and DoFn. Bounding
// keys by a hash of the ID and not by the ID: a key per person costs 50 µs and 4 kB on prism, and a
// map of persons in the DoFn costs about 0.1 µs.
package private

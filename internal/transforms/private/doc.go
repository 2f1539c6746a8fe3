// Package private turns raw records into one coded record per privacy unit. All of its data are private.
//
//	coded := private.Encode(s, people, dom, private.EncodeParams{}) // any cell → a declared cell
//	units := private.Bound(s, coded, private.BoundParams{})        // any person → one record
//
// The guard starts at Encode: it hides the records in types whose elements no code outside the transforms can reach.
// They can only go to counts.Count, and from there only to synth.Solve, which has a ledger.
//
// # Guarantees
//
// Encoding never fails on a value and never counts how many were unusable. For each privacy unit, bounding keeps the
// record of least AES-128 rank, which depends only on the unit's own records and a public key, not on bundles,
// retries or order. Adding or removing all records of one ID therefore changes the bounded units by exactly one
// record. Records without an ID belong to no unit and are dropped; their number is not reported.
//
// # Not promised
//
// IDs are not checked: two IDs of one person are two units. Runners show element counts on their own pages, which are
// therefore trusted.
//
// # Design
//
// Records travel in batches, because Beam takes about a microsecond per element and DoFn. Bounding groups by a hash
// of the ID and not by the ID: a key per person takes 50 µs and 4 kB on prism, and an entry in a map of persons in
// the DoFn about 0.1 µs.
//
// Which record stands for a person depends on how often the person has each, so that all different records of a person
// meet in one place before one is kept. The runner brings them there in elements of some ten kilobytes, or, if all workers are
// in one process, a Spill keeps them: prism copies what it passes on several times, and hangs if a step's input is above
// 2 GiB, where Bound stops in words first.
package private

// Package rows makes structs of the records of any source, and chunks for any sink of structs.
//
//	people := rows.Structs(s, parquetio.Read(s, files, dom), dom, reflect.TypeFor[Person](), rows.Params{})
//	adults := filter.Include(s, people, isAdult)            // any transform of the pipeline's own
//	coded := private.Encode(s, adults, dom, private.EncodeParams{})                 // here the guard starts
//
// WARNING: what Structs emits is raw private data in plain PCollections. Nothing of dapple guards it:
// no type hides the records, no ledger knows of them, and what a pipeline computes from them has no
// privacy. The guard starts at private.Encode. What happens to a record before that may depend on it, on
// other records of the same privacy ID and on public tables, and on nothing else: where a record stays
// or changes because of records of others, one person changes more than one record, and the guarantee
// of what follows no longer holds for persons.
//
// Fields belong to columns as in private.Encode: by a `dapple:"name"` tag, else by `beam:"name"`, else
// by name. A column that can be NULL is a pointer. Types that no package declares, of reflect.StructOf,
// do as well; declared types must be registered with beam.RegisterType.
//
// # Values
//
// A value reaches the field as it stands, whether or not the domain has a cell for it: a text field gets
// any text, a number may lie outside all bins. What the column or the field cannot hold (a text that is
// no number, 300 for a uint8, NULL if the domain has none) becomes the least value of the cell that
// private.Encode maps it to, or NULL. So the codes are the same by either way:
//
//	private.Encode(chunks) = private.Encode(Structs(chunks)) = private.Encode(Chunks(Structs(chunks)))
//
// No error, log or counter depends on a cell, unless Params ask for it. The field of the privacy ID is a string
// or a *string, whatever the source's type is: it holds every ID as it stands, and none as "" or nil. A field of
// numbers is refused when the pipeline is built. It cannot hold "007" apart from 7, and to merge two people, drop
// one, or end the run would each break the guarantee of private.Encode. Encode itself takes numbers too.
//
// # Design
//
// The domain says which columns are read and what is in them; it need not be the one that is encoded
// later, which may have fewer columns. The mapping is that of private.Encode and synth.Sample, so that
// one struct goes through a whole pipeline. Chunks are collected within a bundle, because Beam spends
// about a microsecond on an element.
package rows

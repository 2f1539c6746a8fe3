// Package rows makes structs of the records of any source, and chunks for any sink of structs.
//
//	people := rows.Structs(s, parquetio.Read(s, files, dom), dom, reflect.TypeFor[Person](), rows.Params{})
//	adults := filter.Include(s, people, isAdult)            // any transform of the pipeline's own
//	coded := private.Encode(s, adults, dom, private.EncodeParams{})                 // here the guard starts
//
// WARNING: Structs emits raw private data in plain PCollections. dapple does not guard them: no type hides the
// records, no ledger covers them, and what a pipeline computes from them is not private. The guard starts at
// private.Encode. Until then, what happens to a record may depend on the record, on other records of the same privacy
// ID and on public tables, and on nothing else: if a record is kept or changed because of records of others, one
// person changes more than one record, and the guarantee of the release no longer covers persons.
//
// Fields belong to columns as in private.Encode: by a `dapple:"name"` tag, else by `beam:"name"`, else by name. A
// column that can be NULL needs a pointer. Unnamed types, made by reflect.StructOf, work too; named types must be
// registered with beam.RegisterType.
//
// # Values
//
// A field gets the value unchanged, whether or not the domain has a cell for it: a text field gets any text, a number
// may lie outside all bins. A value that the column or the field cannot hold (a text that is not a number, 300 for a
// uint8, NULL if the domain has none) becomes the least value of the cell that private.Encode maps it to, or NULL. So
// both ways give the same codes:
//
//	private.Encode(chunks) = private.Encode(Structs(chunks)) = private.Encode(Chunks(Structs(chunks)))
//
// No error, log or counter depends on a cell, unless Params ask for it. The field of the privacy ID is a string or a
// *string, whatever the source's type is: it holds every ID unchanged, and "" or nil if there is none. A field of
// numbers is refused when the pipeline is built. It cannot distinguish "007" from 7, and merging two people, dropping
// one, or ending the run would each break the guarantee of private.Encode. Encode itself accepts numbers too.
//
// # Design
//
// The domain names the columns that are read and their contents; it need not be the one that is encoded later, which
// may have fewer columns. The mapping is that of private.Encode and synth.Sample, so that one struct type serves a
// whole pipeline. Chunks are collected within a bundle, because Beam takes about a microsecond per element.
package rows

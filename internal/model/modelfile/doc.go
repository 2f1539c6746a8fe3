// Package modelfile is the form of a released model, weighted records from which any number of rows can be drawn at
// no privacy cost: as workers pass it on, and as _model.arrow.
//
//	b, err := (&modelfile.File{Domain: dom, Method: "dpam", Units: 5000, Model: model}).Encode()
//	f, err := modelfile.Decode(b)
//
// # Format 3
//
// An Arrow IPC file (Feather version 2, not compressed) that pyarrow, DuckDB and others open:
//
//	pyarrow.ipc.open_file("out.release/_model.arrow").read_all()
//
// Column 0 is "weight", float64. If the model lists its records, column 1+a is attribute a under its
// name, uint16: the code of its cell. If it does not, record i is cell i of the whole universe in
// row-major order, the last attribute fastest. No value is null. All records are in one batch.
//
// The schema's metadata hold, in this order:
//
//	dapple.format     "3"
//	dapple.version    of dapple, which made the model
//	dapple.domain     the domain as JSON, with the bins that were learned
//	dapple.method     the name of the method
//	dapple.guarantee  what was promised, in words
//	dapple.units      the released number of units
//	dapple.cliques    JSON: the marginals, by numbers of attributes, whose tables rows are refined to; null without any
//	dapple.records    the number of records
//	dapple.listed     "true" if records are listed, else "false"
//	dapple.sha256     SHA-256 of the entries above, each after its length in 8 bytes, and of the batch's body
//
// The first two keys are the same in every later format, so that a program can name the version which it needs.
//
// Equal models of one version have equal bytes. Decode accepts nothing but what Encode writes.
//
// # What it does not promise
//
// The hash finds damage, not forgery: anyone who writes a file can write its hash. Decode accepts any bytes
// without a panic and takes memory in proportion to their number.
//
// # Design
//
// A pipeline that draws rows links no Arrow library, so the hundred lines that frame two types of columns are here.
// Tests read the result with the Arrow library of Go and with pyarrow.
package modelfile

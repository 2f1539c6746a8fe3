// Package modelio writes and reads _model.arrow: a released model as weighted records, from which any
// number of rows can be drawn at no privacy cost.
//
//	err := modelio.Write(w, &modelio.File{Domain: dom, Method: "dpam", Sizes: dom.Sizes(), Weights: weights})
//	f, err := modelio.ReadFile(ctx, "out.release/_model.arrow")
//
// # Format 1
//
// An Arrow IPC file (Feather version 2, not compressed) that pyarrow, DuckDB and others open:
//
//	pyarrow.ipc.open_file("out.release/_model.arrow").read_all()
//
// Column 0 is "weight", float64. If the model lists its records, column 1+a is attribute a under its
// name, uint16: the code of its cell. If it does not, record i is cell i of the whole universe in
// row-major order, the last attribute fastest. No value is null. Records come in batches of 65,536.
//
// The schema's metadata hold, in this order:
//
//	dapple.format    "1"
//	dapple.domain    the domain as JSON
//	dapple.method    the name of the method
//	dapple.sizes     the number of cells of each attribute, a JSON array
//	dapple.records   the number of records
//	dapple.listed    "true" if records are listed, else "false"
//	dapple.sha256    File.Hash in hexadecimal digits
//
// and then further entries in order of their keys. Equal files have equal bytes.
//
// # What it does not promise
//
// The hash finds damage, not forgery: anyone who writes a file can write its hash. Read accepts any bytes
// without a panic and takes memory in proportion to the size of the file.
package modelio

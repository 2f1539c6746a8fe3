// Package files finds and reads files by name, local ones and objects of any store that is registered alike, so
// that nobody else needs to know which it is. Package gs registers Cloud Storage; importing it is all it takes.
//
//	list, err := files.Expand(ctx, "gs://b/people-*.csv") // or data/people-*.csv
//	r, err := files.Open(ctx, list[0])
//
// An Info holds the state in which a file was found. Who opens it later gets that state or
// an error: a step that is repeated must see the same records.
//
// Errors begin with the name of the file; the caller puts its own prefix before.
package files

// Package files finds and reads files by name, local files and objects of any registered store alike, so that callers
// need not distinguish them. Importing package gs registers Cloud Storage.
//
//	list, err := files.Expand(ctx, "gs://b/people-*.csv") // or data/people-*.csv
//	r, err := files.Open(ctx, list[0])
//
// An Info records the state in which a file was found. Opening it later gives that state or an error: a step that is
// repeated must see the same records.
//
// Errors begin with the name of the file; callers add their own prefix.
package files

// Package gcs reaches objects of Cloud Storage by their names, gs://bucket/path, with the few
// operations of which a safe protocol is made: each either says what it did or may be repeated.
//
//	o, err := gcs.System{}.Stat(ctx, "gs://b/people.csv")   // size, generation, checksum
//	r, err := gcs.System{}.Open(ctx, o, 0, -1)              // that generation or an error, never another
//	w, err := gcs.System{}.Create(ctx, "gs://b/out/part")   // there as a whole after Close, or not at all
//
// Errors hold fs.ErrNotExist, fs.ErrExist or fs.ErrPermission if they mean that, and name the
// bucket and what to do. A bucket that does not exist is not fs.ErrNotExist: an absent output directory
// is no fault, a misspelt bucket is.
//
// # Design
//
// Beam's own filesystem for gs:// has no conditional creation, no ranges, and takes gs://b/a?b for the
// object a; so the client library is used directly, one client for the process. It honours
// STORAGE_EMULATOR_HOST. Transient failures are tried again a limited number of times, and only if
// a condition makes a repetition harmless. Names with "?", "#", "%", "[" or "]" are refused, because
// other tools that read the output take them for something else.
package gcs

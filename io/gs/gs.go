// Package gs makes objects of Cloud Storage files like any others: a program that imports it reads and writes
// names such as gs://bucket/path wherever it takes the name of a file or a directory.
//
//	import _ "github.com/dapple-dp/dapple/io/gs"
//
// It honours STORAGE_EMULATOR_HOST and uses Google's application default credentials. Names with "?", "#", "%", "["
// or "]" are refused.
//
// # Design
//
// Beam's own filesystem for gs:// has no conditional creation, no ranges, and takes gs://b/a?b for the
// object a; so the client library is used directly, one client for the process. It honours
// STORAGE_EMULATOR_HOST. Transient failures are tried again a limited number of times, and only if
// a condition makes a repetition harmless. Names with "?", "#", "%", "[" or "]" are refused, because
// other tools that read the output take them for something else.
package gs

import "github.com/dapple-dp/dapple/internal/io/files"

func init() { files.Register("gs", system{}) }

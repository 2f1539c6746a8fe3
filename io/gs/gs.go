// Package gs makes objects of Cloud Storage files like any others: a program that imports it reads and writes
// names such as gs://bucket/path wherever it takes the name of a file or a directory.
//
//	import _ "github.com/dapple-dp/dapple/io/gs"
//
// It honours STORAGE_EMULATOR_HOST and uses Google's application default credentials. Names with "?", "#", "%", "["
// or "]" are refused.
package gs

import (
	"github.com/dapple-dp/dapple/internal/release/gcs"
	"github.com/dapple-dp/dapple/io/files"
)

func init() { files.Register("gs", gcs.System{}) }

package tables

import (
	"github.com/dapple-dp/dapple/internal/release/archive"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// Store returns the store of releases in a directory of this machine, which all workers have to see under this name, or of a
// registered place, such as "gs://bucket/path". The directory is made if need be.
//
// A value of it is there as a whole or not at all, also after a crash, and nothing removes or changes one: a second start
// with the same RunID finds the release of the first. Its content is private until it is published.
func Store(dir string) synth.StoreRef { return archive.In(dir) }

package private

import "github.com/dapple-dp/dapple/internal/transforms/internal/carry"

// Spill is a temporary file of records that wait for others of their persons, for pipelines whose workers are all in
// this process. The records are encrypted by keys that no one sees, and the file has no name where the system allows it:
// when the process ends, however it does, nothing of them is left. Its methods are safe for concurrent use.
type Spill = carry.Spill

// NewSpill returns a spill in a directory of this machine, which wants room for all records; empty means
// os.TempDir. Nothing is written before there are records. Close it once the pipeline has ended.
func NewSpill(dir string) *Spill { return carry.New(dir) }

// Package dirsink publishes the files of a run in a directory, local or of gs://: all of them, or
// nothing that a reader would take for output.
//
//	dir := dirsink.Dir{Path: "out", RunID: run, Shards: 8, Extension: "parquet"}
//	err := dir.Check(ctx)                    // at launch, before anything is read
//	part, err := dir.Create(ctx, shard)      // on a worker: an io.Writer
//	ref, err := part.Commit(rows)
//	manifest, err := dir.Publish(ctx, refs, released, schema) // once all parts are there
//
// Publish checks that every shard is there exactly once, refuses to mix with files of others, and makes the rows
// <dir>/part-iiiii-of-nnnnn.<ext>, with the released files and _manifest.json in <dir>.release. Readers trust only the
// manifest, which holds the hash of every file and of itself. The parts of two tables are in <dir>/people and
// <dir>/events: they are one output, with one manifest.
//
// Every step may be repeated, also by attempts at the same time, and may be cut off anywhere: a
// repetition with the same parts completes what is missing.
//
// # Design
//
// On this machine a run writes to dapple-<run>.tmp beside the output, and publishes by renaming directories
// (rename.go): wherever it is cut off, the older output is whole or the new one is. Whoever opens the output next does
// the renames that are left.
//
// A store of objects has no directories to rename. A run writes to <dir>.release/_tmp/<run>, claims the output with an
// object that holds its ID, copies each part to its name on the condition that the name is free, writes the released
// files, and writes the manifest last (steps.go).
//
// # What it does not promise
//
// Directories are replaced as a whole, so that neither can be a mount point or the working directory, and their parent
// has to be writable. Between two renames a reader who does not look at the manifest can see new rows missing, or older
// ones beside a new release. Of objects such a reader sees some of the parts until the manifest is there. Two runs that
// publish into one directory at the same moment never both succeed; with overwrite one follows the other, on a file
// system with locks. What other runs have left is removed by RemoveLeftovers alone, if a lock tells that they are dead.
package dirsink

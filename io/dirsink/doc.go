// Package dirsink publishes the files of a run in a local directory: all of them, or nothing that a
// reader would take for output.
//
//	dir := dirsink.Dir{Path: "out", RunID: run, Shards: 8, Extension: "parquet"}
//	err := dir.Check()                       // at launch, before anything is read
//	part, err := dir.Create(shard)           // on a worker: an io.Writer
//	ref, err := part.Commit(rows)
//	manifest, err := dir.Publish(refs, released, schema) // once all parts are there
//
// Workers write to <dir>/_tmp/<run>/<attempt>/. Publish checks that every shard is there exactly once,
// refuses to mix with files of others, moves the parts to <dir>/part-iiiii-of-nnnnn.<ext>, writes the
// released files, and writes _manifest.json last. Readers trust only the manifest.
//
// Every step may be repeated, also by attempts at the same time, and may be cut off anywhere: a
// repetition with the same parts completes what is missing.
//
// # What it does not promise
//
// Between the first part and the manifest a reader of out/*.parquet that ignores the manifest sees some
// of the parts. Runs on one machine wait for each other; on a file system shared by several machines
// two runs that publish into one directory at the same moment may both fail, but never both succeed
// without overwrite.
//
// # Design
//
// Parts and manifest get their names by a hard link, which fails where the name is taken, and by a
// rename only where the file system has no links. Object stores have other primitives for each step
// and will be another sink: what they share is FileRef and Manifest.
package dirsink

// Package dirsink publishes the files of a run in a directory, local or of gs://: all of them, or
// nothing that a reader would take for output.
//
//	dir := dirsink.Dir{Path: "out", RunID: run, Shards: 8, Extension: "parquet"}
//	err := dir.Check(ctx)                    // at launch, before anything is read
//	part, err := dir.Create(ctx, shard)      // on a worker: an io.Writer
//	ref, err := part.Commit(rows)
//	manifest, err := dir.Publish(ctx, refs, released, schema) // once all parts are there
//
// Workers write to <dir>/_tmp/<run>/<attempt>/. Publish checks that every shard is there exactly once,
// refuses to mix with files of others, moves the parts to <dir>/part-iiiii-of-nnnnn.<ext>, writes the
// released files, and writes _manifest.json last. Readers trust only the manifest. The parts of two tables are moved to
// <dir>/people and <dir>/events: they are one output, with one manifest.
//
// Every step may be repeated, also by attempts at the same time, and may be cut off anywhere: a
// repetition with the same parts completes what is missing.
//
// # What it does not promise
//
// Between the first part and the manifest a reader of out/*.parquet that ignores the manifest sees some
// of the parts. Two runs that publish into one directory at the same moment never both succeed, and the
// loser's files are not among the winner's; with overwrite, which takes a directory over from a run that is
// publishing into it, that holds on one machine only. The staging of other runs is removed by
// RemoveLeftovers alone, if a lock tells that they are dead.
//
// # Design
//
// Parts and manifest get their names by a hard link, by a rename if the file system has no links,
// and on gs:// by a copy on the condition that the name is free. A run that publishes first claims the
// directory with a file that holds its ID: the runs' names of parts may differ, so that they would meet
// only at the manifest, when each has replaced the other's released files.
package dirsink

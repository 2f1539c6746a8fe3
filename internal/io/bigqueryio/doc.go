// Package bigqueryio is what stands behind io/bigqueryio, whose page says what is read and what is not promised. A Sink stages
// parts, and one load job takes them all.
//
// # Design
//
// A load job is named after run, model, table, shards and columns, and not after the files: a repeated run has other
// files of the same rows. The service accepts a name once. Whatever becomes of a request, the state of the job of
// that name decides what to do next; only if a job failed for the service's own reasons, and so wrote nothing, is
// there another one with another name. Even if a name were lost, a table that is not empty refuses the rows by
// default.
//
// One DoFn reads a table, with the Storage Read API in several streams at once. Streams are not distributed over
// workers: they belong to a session, and a runner that repeats the step that opened one would open another session
// with other streams, so that rows would be lost or duplicated. The session is opened here, and not by the row
// iterator of the BigQuery client, which reads all columns, cannot read as of a time, keeps requesting a stream that
// was refused for good, and may return neither a batch nor an error when the last stream ends: so it is in the source of
// version 1.86.0.
//
// Rows have two ways. A query read page by page needs no permission to open sessions, and is what emulators serve. The
// Storage Read API has no limit of 10 GB and reads no page twice: its batches become chunks at 9.0 million rows a second
// of two columns on one core, and rows that the client has already parsed at 4.5 million of five columns
// (BenchmarkArrowBatch, BenchmarkLoadRow).
package bigqueryio

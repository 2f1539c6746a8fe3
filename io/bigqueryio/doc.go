// Package bigqueryio reads tables and views of Google BigQuery as records of a domain, and writes rows
// to them.
//
//	t, err := bigqueryio.ParseTable("bq://clinic.records.visits")
//	src, err := bigqueryio.Check(ctx, bigqueryio.Client{Project: "clinic"}, t, dom, bigqueryio.ReadOptions{})
//	visits := bigqueryio.Read(s, src) // *domain.Chunk
//	units := private.Bound(s, private.Encode(s, visits, dom, private.EncodeParams{}), private.BoundParams{})
//	err = bigqueryio.Each(ctx, src, func(c *domain.Chunk) error { … }) // the same without a pipeline
//
// Check runs when a pipeline is built. It reads only metadata, names every fault at once, and returns a Source: plain
// data that says which columns are read, how, and as of what time. A column of the domain needs a column of its name
// and type:
//
//	STRING  INT64  FLOAT64  BOOL  DATE  DATETIME  TIMESTAMP  TIME  as themselves
//	NUMERIC                                                        as a number of the attribute's scale
//	BIGNUMERIC(P, S) with S ≤ 9 and P − S ≤ 29                     as NUMERIC
//	RECORD  REPEATED  BYTES  GEOGRAPHY  JSON  INTERVAL  RANGE      refused: flatten or convert them in a view
//
// NULL is NULL, even in a column that the table declares REQUIRED. NaN and infinities are passed on, and encoding
// maps them to the cell that the domain declares.
//
// # Which rows
//
// A table is read as of the time at which it was checked, so that a step that a runner repeats sees the same rows,
// whatever has been written since. Views, external tables and snapshots of tables have no such history. They are read
// in their state at the first reading, by a query job whose name the Source fixes: a repeated step finds that job,
// and BigQuery keeps its result for a day. A Source is for one run, because every reading of it gives those rows.
//
// A reading ends with an error if the number of rows differs from the one that the service reports, if a column has
// another type than planned, and when its time is up.
//
// # Writing
//
//	sink := bigqueryio.Sink{Client: client, Table: t, Domain: *dom, RunID: run, Shards: 8}
//	err := sink.Check(ctx)                 // at launch; writes nothing
//	w, err := sink.NewWriter(part)         // on a worker: a Parquet file, staged on gs:// or a shared disk
//	done, err := sink.Publish(ctx, staged) // once all parts are there
//
// One load job takes all parts, so that readers see either every row of a run or none. Publish may be repeated, also
// by several workers at once and after a lost answer: each row is loaded once. If the table does not exist, it is
// created with a column per attribute of its type, REQUIRED if the attribute has no cell NULL. Parts on gs:// are
// loaded from there. Parts on the publishing machine are merged into one file, one row group in memory at a time, and
// sent.
//
// # Not promised
//
// Errors show codes, reasons and names, and never the service's message: messages quote cells. Whether a run fails
// does not depend on cells. The service itself keeps a log of queries, with their text and the number of bytes read.
//
// Stopping a run does not stop its load job, for which other workers may be waiting. The labels of a table are set,
// and staged files removed, after the rows are loaded: a failure of that is reported, and is not a failure of the
// run.
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

// Package bigqueryio reads tables and views of Google BigQuery as records of a domain, and writes rows
// to them.
//
//	t, err := bigqueryio.ParseTable("bq://clinic.records.visits")
//	src, err := bigqueryio.Check(ctx, bigqueryio.Client{Project: "clinic"}, t, dom, bigqueryio.ReadOptions{})
//	visits := bigqueryio.Read(s, src) // *domain.Chunk
//	units := private.Bound(s, private.Encode(s, visits, dom, private.EncodeParams{}), private.BoundParams{})
//	err = bigqueryio.Each(ctx, src, func(c *domain.Chunk) error { … }) // the same without a pipeline
//
// Check runs when a pipeline is built. It looks at metadata alone, names every fault at once, and
// returns a Source: plain data that says which columns are read, how, and as of what time. A column of
// the domain needs a column of its name and type:
//
//	STRING  INT64  FLOAT64  BOOL  DATE  DATETIME  TIMESTAMP  TIME  as themselves
//	NUMERIC                                                        as a number of the attribute's scale
//	BIGNUMERIC(P, S) with S ≤ 9 and P − S ≤ 29                     as NUMERIC
//	RECORD  REPEATED  BYTES  GEOGRAPHY  JSON  INTERVAL  RANGE      refused: flatten or convert them in a view
//
// NULL is NULL, also in a column that the table declares REQUIRED. NaN and infinities arrive as such, and
// encoding maps them to the cell that the domain declares.
//
// # Which rows
//
// A table is read as of the time at which it was checked, so that a step that a runner repeats sees the
// same rows, whatever has been written since. Views, external tables and snapshots of tables have no
// such history. They are read as they are at the first reading, by a query job whose name the Source
// fixes: a repeated step finds that job, and BigQuery keeps its result for a day. A Source is for one
// run, because every reading of it gives those rows.
//
// A reading ends with an error if other rows arrive than the service reports, if a column has
// another type than planned, and when its time is up.
//
// # Writing
//
//	sink := bigqueryio.Sink{Client: client, Table: t, Domain: *dom, RunID: run, Shards: 8}
//	err := sink.Check(ctx)                 // at launch; writes nothing
//	w, err := sink.NewWriter(part)         // on a worker: a Parquet file, staged on gs:// or a shared disk
//	done, err := sink.Publish(ctx, staged) // once all parts are there
//
// One load job takes all parts, so that readers see every row of a run or none. Publish may be repeated,
// also by several workers at once and after any answer was lost: each row is loaded once. An absent table
// is made with a column per attribute of its type, REQUIRED if the attribute has no cell NULL. Parts on
// gs:// are loaded from there. Parts on the machine that publishes are merged into one file, a row group
// in memory at a time, and sent.
//
// # What it does not promise
//
// Errors show codes, reasons and names, and never the service's message: messages quote cells. Whether a
// run fails does not depend on cells. The service itself keeps a log of queries, with their text and the
// number of bytes read.
//
// A run that is stopped does not stop its load job, for which other workers may be waiting. The labels of
// a table, and the removal of staged files, come after the rows: what fails of them is told, and is no
// failure of the run.
//
// # Design
//
// A load job is named after run, model, table, shards and columns, and not after the files: a repeated
// run has other files of the same rows. The service takes a name once. Whatever becomes of a request,
// asking for the job of that name tells what to do next, and only a job that failed for the service's own
// reasons, which wrote nothing, is followed by one of another name. Should a name be lost all the same, a
// table that is not empty refuses the rows by default.
//
// One DoFn reads a table, with the Storage Read API in several streams at once. Streams are not spread
// over workers: they belong to a session, a runner that repeats the step that opened one would open
// another, cut differently, and rows would be lost or doubled. The session is opened here, and not by
// the row iterator of the BigQuery client: that one reads all columns, knows no time as of which to read,
// goes on asking for a stream that was refused for good, and when the last stream ends it may return
// neither a batch nor an error.
package bigqueryio

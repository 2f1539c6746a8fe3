// Package bigqueryio reads tables and views of Google BigQuery as records of a domain, and writes rows to them, once a program
// imports it.
//
// The check of a table when a pipeline is built reads only metadata, and names every fault at once. A column of the domain needs a column of its name
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
// in their state at the first reading, by a query job of a fixed name: a repeated step finds that job,
// and BigQuery keeps its result for a day.
//
// A reading ends with an error if the number of rows differs from the one that the service reports, if a column has
// another type than planned, and when its time is up.
//
// # Writing
//
// One load job takes all parts, so that readers see either every row of a run or none. Publishing may be repeated, also
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
package bigqueryio

import (
	"github.com/dapple-dp/dapple/internal/io/bigqueryio"
	"github.com/dapple-dp/dapple/internal/io/table"
)

// Options are BigQuery's among the settings of all places: Project, which pays for queries and jobs (default: the table's own),
// their Location, an Endpoint of another server with its Storage address and Anonymous, and how tables are Read: their Pin,
// Via and Timeout.
type Options = bigqueryio.Options

// AsRead is an Options.Read.Pin: a table is read in its state at the first reading, for servers that keep no earlier ones.
const AsRead = bigqueryio.AsRead

// Configure changes BigQuery's among the settings of all places.
func Configure(all *table.Options, change func(*Options)) { bigqueryio.Configure(all, change) }

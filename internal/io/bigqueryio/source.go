package bigqueryio

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/bigquery"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
)

// Pin selects the state in which a table that changes is read.
type Pin uint8

const (
	// AsOfLaunch reads a table in its state when Check read its metadata, so that a step that is repeated sees the
	// same rows. A view or another table without history is read AsRead.
	AsOfLaunch Pin = iota
	// AsRead reads the state of the table at the first reading. BigQuery keeps the result for a day, during which a
	// repeated step finds it again.
	AsRead
)

// Via is the interface by which rows are read.
type Via uint8

const (
	// ViaQuery runs a query and reads its result page by page. It needs no permission beyond that to
	// run jobs, and a result of at most 10 GB.
	ViaQuery Via = iota
	// ViaStorage reads by the Storage Read API, in several streams of Arrow batches, for tables beyond
	// some million rows. It reads a table without a query, and a view through one.
	ViaStorage
)

// ReadOptions are the settings of reading a table. Zero fields mean their defaults.
type ReadOptions struct {
	Pin     Pin           // default AsOfLaunch
	Via     Via           // default ViaQuery
	Timeout time.Duration // for the whole reading; default 6 h, which is as long as BigQuery lets a query run
}

// Column is a column to read.
type Column struct {
	Name  string // as the table writes it
	Type  string // in the table, by the name of Standard SQL
	As    domain.Type
	Scale int // NUMERIC: decimal places of the native unit
}

// Source is a table in its state when a run was planned. It is plain data, all of it public.
type Source struct {
	Client   Client
	Table    Table
	Kind     string // such as TABLE or VIEW
	Location string // of the data
	Snapshot int64  // microseconds since 1970: when it is read; 0: no time
	Modified int64  // microseconds since 1970: the last change of a table; 0: not known, as of views
	Via      Via
	Timeout  time.Duration
	Columns  []Column // in the domain's order, then the privacy ID
	HasID    bool     // the last column is the privacy ID
	Key      string   // random, in the name of the query job, by which a repeated step finds it again
}

// checkTime limits a request for metadata, which the client would repeat endlessly while the service fails.
const checkTime = time.Minute

// Check reads the metadata of a table or view, and no row. It returns an error for each fault that would
// end a run later: no such table or no permission, columns that d has and the table does not or has with
// another type, types that cannot be read, a table that cannot be read as a whole. The errors are joined
// and name table and column.
func Check(ctx context.Context, c Client, t Table, d *domain.Domain, o ReadOptions) (Source, error) {
	md, err := c.metadata(ctx, t)
	if err != nil {
		return Source{}, err
	}
	columns, faults := mapColumns(md.Schema, d)
	faults = append(tableFaults(md), faults...)
	if len(faults) > 0 {
		var errs errtext.Errors
		for _, fault := range faults {
			errs.Addf("bigquery: %s: %s", t, fault)
		}
		return Source{}, errs.Err()
	}
	s := Source{
		Client: c, Table: t, Kind: string(md.Type), Location: cmp.Or(c.Location, md.Location), Via: o.Via, Timeout: cmp.Or(o.Timeout, 6*time.Hour),
		Columns: columns, HasID: d.PrivacyID != "", Key: rand.Text(),
	}
	if md.Type == bigquery.RegularTable {
		s.Modified = md.LastModifiedTime.UnixMicro()
	}
	if o.Pin == AsOfLaunch && md.Type == bigquery.RegularTable {
		s.Snapshot = snapshot(time.Now(), md.LastModifiedTime)
	}
	return s, nil
}

// snapshot returns a time that has certainly passed on the service's clock and at which the last load
// was there. Our clock may be some seconds ahead; the time of the last change is the service's own, cut
// to milliseconds.
func snapshot(now, modified time.Time) int64 {
	const ahead = 10 * time.Second
	return max(now.Add(-ahead).UnixMicro(), modified.Add(time.Millisecond).UnixMicro())
}

// tableFaults returns the reasons why a table cannot be read as a whole.
func tableFaults(md *bigquery.TableMetadata) (faults []string) {
	if md.RequirePartitionFilter {
		faults = append(faults, "it can be queried only with a filter on its partitions; read it through a view that has one")
	}
	if md.Type == bigquery.ViewTable && md.UseLegacySQL {
		faults = append(faults, "it is a view in legacy SQL, which Standard SQL cannot read; define it in Standard SQL")
	}
	return faults
}

// metadata returns the metadata of a table. Without a table the error says whether its dataset exists.
func (c Client) metadata(ctx context.Context, t Table) (*bigquery.TableMetadata, error) {
	client, err := c.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = client.Close() }() // only asked
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	dataset := client.DatasetInProject(t.Project, t.Dataset)
	md, err := dataset.Table(t.Name).Metadata(ctx)
	if err == nil {
		return md, nil
	}
	what := t.String()
	if r, ok := refusalOf(err); ok && r.code == 404 {
		if _, err := dataset.Metadata(ctx); err != nil {
			return nil, asked("dataset "+t.Project+"."+t.Dataset, err)
		}
		what = "table " + what
	}
	return nil, asked(what, err)
}

// asked is shown for a question at launch.
func asked(what string, err error) error {
	if err = unanswered(err); errors.Is(err, errNoAnswer) {
		return fmt.Errorf("bigquery: %s: %w", what, err)
	}
	return shown(what, err)
}

// Note states in a line which rows are read and how.
func (s *Source) Note() string {
	what := map[string]string{"VIEW": "view ", "MATERIALIZED_VIEW": "materialized view ", "EXTERNAL": "external table "}[s.Kind] + s.Table.String()
	when := "as it is when it is read: BigQuery keeps the result for a day, in which a repeated step sees the same rows"
	if s.Snapshot != 0 {
		when = "as of " + s.asOf().Format("2006-01-02 15:04:05 UTC")
	}
	how := ""
	if s.Via == ViaStorage {
		how = ", by the Storage Read API"
	}
	return fmt.Sprintf("%s, %s%s; %d columns", what, when, how, len(s.Columns))
}

// unchanged compares what a reading found with what was planned.
func (s *Source) unchanged(found bigquery.Schema) error {
	var faults []string
	for i, c := range s.Columns {
		if i >= len(found) || !strings.EqualFold(found[i].Name, c.Name) || typeName(found[i].Type) != c.Type || found[i].Repeated {
			faults = append(faults, c.Name)
		}
	}
	if len(faults) > 0 || len(found) != len(s.Columns) {
		return s.changed(faults)
	}
	return nil
}

func (s *Source) changed(columns []string) error {
	return fmt.Errorf("bigquery: %s: columns have changed since the run was planned: %q; start again", s.Table, columns)
}

// SQL returns the query that reads the source: the needed columns, and if the table is read as of a
// time, that time.
func (s *Source) SQL() string {
	var b strings.Builder
	b.WriteString("SELECT ")
	for i, c := range s.Columns {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quoted(c.Name))
	}
	return b.String() + s.from()
}

// countSQL returns the query of the number of rows, which reads no data and costs nothing.
func (s *Source) countSQL() string { return "SELECT COUNT(*)" + s.from() }

func (s *Source) from() string {
	from := " FROM " + quoted(s.Table.String())
	if s.Snapshot != 0 {
		from += " FOR SYSTEM_TIME AS OF TIMESTAMP '" + s.asOf().Format("2006-01-02 15:04:05.000000+00") + "'"
	}
	return from
}

func (s *Source) asOf() time.Time { return time.UnixMicro(s.Snapshot).UTC() }

// quoted encloses a name that nameFault or ParseTable has let through.
func quoted(name string) string {
	if strings.ContainsAny(name, "`\\\n\r") {
		panic("bigqueryio: a name that was not checked")
	}
	return "`" + name + "`"
}

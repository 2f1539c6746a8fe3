package bigqueryio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"cloud.google.com/go/bigquery"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
)

// Write is what happens to the rows that a table holds already.
type Write uint8

// The ways to write. The first is the default: even if the ID of a load is lost, its rows are not added twice.
const (
	WriteEmpty    Write = iota // the table is absent or has no rows, else the load fails
	WriteTruncate              // the rows and the columns of the table are replaced
	WriteAppend                // rows are added
)

var writeNames = [...]string{"empty", "truncate", "append"}

// String returns the name that ParseWrite reads.
func (w Write) String() string { return writeNames[w] }

// ParseWrite reads empty, truncate or append.
func ParseWrite(s string) (Write, error) {
	i := slices.Index(writeNames[:], s)
	if i < 0 {
		return 0, fmt.Errorf("bigquery: write %q: want empty, truncate or append", s)
	}
	return Write(i), nil
}

func (w Write) disposition() bigquery.TableWriteDisposition {
	return [...]bigquery.TableWriteDisposition{bigquery.WriteEmpty, bigquery.WriteTruncate, bigquery.WriteAppend}[w]
}

// Sink is a table that a run writes. It is plain data: workers get copies of it.
type Sink struct {
	Client   Client // its Location is not used: jobs run where the dataset is
	Table    Table
	Domain   domain.Domain // its attributes are the columns; none: they are not known yet, and Check looks at all else
	RunID    string        // random per launch; 1 to 64 letters, digits, "_" and "-"
	Shards   int           // number of staged parts; 1 to MaxShards
	Write    Write
	Labels   map[string]string // of the job and the table, in addition to dapple_run, which holds RunID
	Deadline time.Duration     // of Publish; default 2 h. A load can take 6 h

	sleep func(context.Context, time.Duration) error // nil: as long as it says
}

// MaxShards is the largest number of files of one load job.
// Source: cloud.google.com/bigquery/quotas, "Maximum number of source URIs in job configuration".
const MaxShards = 10000

const runLabel = "dapple_run"

// Validate lists all faults at once of what people choose; names and IDs are checked or made before.
func (s Sink) Validate() error {
	var faults []string
	if s.Shards < 1 || s.Shards > MaxShards {
		faults = append(faults, fmt.Sprintf("%d shards: a load job takes 1 to %d files", s.Shards, MaxShards))
	}
	faults = slices.Concat(faults, labelFaults(s.Labels), nameFaults(&s.Domain))
	if len(faults) > 0 {
		return errors.New("bigquery: " + strings.Join(faults, "\n\t"))
	}
	return nil
}

// labelFaults applies the rules of BigQuery.
// Source: cloud.google.com/bigquery/docs/labels-intro, "Requirements for labels".
func labelFaults(labels map[string]string) (faults []string) {
	if len(labels) > 63 {
		faults = append(faults, fmt.Sprintf("%d labels: want at most 63", len(labels)))
	}
	for key, value := range labels {
		switch {
		case key == runLabel:
			faults = append(faults, fmt.Sprintf("label %q is set by dapple; choose another key", key))
		case !labelText(key) || !unicode.IsLetter([]rune(key + "0")[0]):
			faults = append(faults, fmt.Sprintf("label %q: want 1 to 63 lower-case letters, digits, _ and -, a letter first", key))
		case !labelText(value):
			faults = append(faults, fmt.Sprintf("label %q: its value wants at most 63 lower-case letters, digits, _ and -", key))
		}
	}
	slices.Sort(faults)
	return faults
}

func labelText(s string) bool {
	bad := func(r rune) bool {
		return r != '_' && r != '-' && !unicode.IsDigit(r) && (!unicode.IsLetter(r) || unicode.IsUpper(r))
	}
	return len([]rune(s)) <= 63 && !strings.ContainsFunc(s, bad)
}

// labels returns the user's labels and the run's.
func (s Sink) labels() map[string]string {
	all := map[string]string{runLabel: strings.ToLower(s.RunID[:min(63, len(s.RunID))])}
	maps.Copy(all, s.Labels)
	return all
}

// NewWriter starts one part on w, in the form in which parts are loaded.
func (s Sink) NewWriter(w io.Writer) (*parquetio.Writer, error) {
	return parquetio.NewWriter(w, &s.Domain, parquetio.Options{Wide: true})
}

func (s Sink) deadline() time.Duration { return cmp.Or(s.Deadline, 2*time.Hour) }

// in returns the table as the client knows it.
func (s Sink) in(c *bigquery.Client) *bigquery.Table {
	return c.DatasetInProject(s.Table.Project, s.Table.Dataset).Table(s.Table.Name)
}

func (s Sink) sleeper() func(context.Context, time.Duration) error {
	if s.sleep == nil {
		return sleep
	}
	return s.sleep
}

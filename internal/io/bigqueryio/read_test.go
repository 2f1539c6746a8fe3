package bigqueryio

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

const fiveColumns = `[{"name":"Age","type":"INTEGER","mode":"REQUIRED"},{"name":"pay","type":"FLOAT"},{"name":"sex","type":"STRING"},
{"name":"rate","type":"NUMERIC"},{"name":"seen","type":"TIMESTAMP"}]`

func people() *domain.Domain {
	return &domain.Domain{PrivacyID: "sex", Attributes: []domain.Attribute{{Name: "age", Type: domain.Int64},
		{Name: "pay", Type: domain.Float64}, {Name: "rate", Type: domain.Numeric, Scale: 1}, {Name: "seen", Type: domain.Timestamp}}}
}

// served returns a service with the table p.d.t and the result of the query of people.
func served() *fakeSource {
	return &fakeSource{
		Table:  `{"type":"TABLE","location":"EU","lastModifiedTime":"1700000000123","schema":{"fields":` + fiveColumns + `}}`,
		Fields: `[{"name":"Age","type":"INTEGER"},{"name":"pay","type":"FLOAT"},{"name":"rate","type":"NUMERIC"},{"name":"seen","type":"TIMESTAMP"},{"name":"sex","type":"STRING"}]`,
		Rows:   [][]any{{"41", "NaN", "-0.05", "1", "u1"}, {"42", "-Infinity", nil, nil, nil}, {"43", "2.5", "99999999999999999999999999999", "-1", ""}}, Counted: 3,
		Refuse: map[string]refused{},
	}
}

var table = Table{"p", "d", "t"}

// planned checks the served table.
func planned(t *testing.T, c Client, o ReadOptions) Source {
	t.Helper()
	src := must.Value(Check(context.Background(), c, table, people(), o))(t)
	return src
}

func records(src Source) (out []*domain.Chunk, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute) // for what takes two seconds
	defer cancel()
	err = Each(ctx, src, func(c *domain.Chunk) error {
		out = append(out, c)
		return nil
	})
	return out, err
}

// show writes a column out.
func show(c *domain.Column, rows int) (out []string) {
	for i := range rows {
		switch {
		case c.Null(i):
			out = append(out, "NULL")
		case c.Form == domain.Text:
			out = append(out, string(c.Text(i)))
		case c.Form == domain.Dictionary:
			out = append(out, c.Dict[c.Ints[i]])
		case c.Form == domain.Floats:
			out = append(out, fmt.Sprint(c.Floats[i]))
		default:
			out = append(out, fmt.Sprint(c.Ints[i]))
		}
	}
	return out
}

func TestRowsArriveAsChunks(t *testing.T) {
	chunks, err := records(planned(t, served().start(t), ReadOptions{}))
	must.Need(t, err == nil && len(chunks) == 1 && chunks[0].Rows == 3, "got %d chunks, %v", len(chunks), err)
	want := []string{"[41 42 43]", "[NaN -Inf 2.5]", "[-0.1 NULL beyond the type]", "[1 NULL -1]", "[u1 NULL ]"}
	for k, c := range append(chunks[0].Columns, chunks[0].ID) {
		must.Equal(t, fmt.Sprint(show(&c, 3)), want[k], "column %d", k)
	}
}

func TestManyRowsArriveInSeveralChunks(t *testing.T) {
	f := served()
	f.Rows = nil
	for i := range 2*chunkRows + 1 {
		f.Rows = append(f.Rows, []any{fmt.Sprint(i), nil, nil, nil, "u"})
	}
	f.Counted = len(f.Rows)
	chunks, err := records(planned(t, f.start(t), ReadOptions{}))
	must.Need(t, err == nil && len(chunks) == 3 && chunks[2].Rows == 1 && chunks[1].Columns[0].Ints[0] == chunkRows, "got %d chunks, %v", len(chunks), err)
}

// A step that is repeated finds the job of the first, also where its answer was lost.
func TestRepeatedReadingRunsOneQuery(t *testing.T) {
	f := served()
	src := planned(t, f.start(t), ReadOptions{})
	f.Refuse["POST jobs"] = refused{code: 400, reason: "invalid", times: 1, carriedOut: true}
	for range 2 {
		chunks, err := records(src)
		must.Need(t, err == nil && len(chunks) == 1, "got %d chunks, %v", len(chunks), err)
	}
	must.Hold(t, len(f.jobs) == 1, "%d queries were run; want 1", len(f.jobs))
	for id, sql := range f.jobs {
		must.Hold(t, strings.HasPrefix(id, "dapple_read_") && strings.Contains(sql, "FOR SYSTEM_TIME AS OF TIMESTAMP '"), "job %s: %s", id, sql)
	}
}

func TestRunsDoNotShareQueries(t *testing.T) {
	f := served()
	c := f.start(t)
	for range 2 {
		must.Value(records(planned(t, c, ReadOptions{Pin: AsRead})))(t)
	}
	must.Hold(t, len(f.jobs) == 2, "two runs ran %d queries", len(f.jobs))
}

func TestFaultsOfReadingShowNoCell(t *testing.T) {
	const secret = "s3cr3t"
	cases := []struct {
		name   string
		damage func(*fakeSource)
		want   string
	}{
		{"fewer rows than reported", func(f *fakeSource) { f.Counted = 4 }, "bigquery: p.d.t: fewer or more rows arrived than the service reports"},
		{"more rows than reported", func(f *fakeSource) { f.Counted = 2 }, "bigquery: p.d.t: fewer or more rows arrived than the service reports"},
		{"a cell that is no number", func(f *fakeSource) { f.Rows[0][0] = secret }, "bigquery: p.d.t: the client failed (*strconv.NumError)"},
		{"a NUMERIC that is none", func(f *fakeSource) { f.Rows[0][2] = secret }, "bigquery: p.d.t: the client failed (*errors.errorString)"},
		{"a column of another type", func(f *fakeSource) {
			f.Fields = strings.Replace(f.Fields, `"pay","type":"FLOAT"`, `"pay","type":"STRING"`, 1)
		},
			`bigquery: p.d.t: columns have changed since the run was planned: ["pay"]; start again`},
		{"a column less", func(f *fakeSource) { f.Fields = `[{"name":"Age","type":"INTEGER"}]` },
			`bigquery: p.d.t: columns have changed since the run was planned: ["pay" "rate" "seen" "sex"]; start again`},
		{"a query that fails on a cell", func(f *fakeSource) {
			f.Refuse["GET queries"] = refused{code: 400, reason: "invalidQuery", message: "Bad int64 value: " + secret}
		}, "bigquery: p.d.t: 400 invalidQuery; have the table's columns changed since the run was planned?"},
		{"no permission to run jobs", func(f *fakeSource) {
			f.Refuse["POST jobs"] = refused{code: 403, reason: "accessDenied", message: secret}
		},
			"bigquery: p.d.t: 403 accessDenied; reading needs the roles BigQuery Data Viewer on the dataset, and Job User and Read Session User on the billed project"},
		{"too much for a result", func(f *fakeSource) {
			f.Refuse["GET queries"] = refused{code: 403, reason: "responseTooLarge", message: secret}
		},
			"bigquery: p.d.t: 403 responseTooLarge; the result is too large for a query; read it by the Storage Read API"},
		{"a quota", func(f *fakeSource) {
			f.Refuse["POST jobs"] = refused{code: 403, reason: "quotaExceeded", message: secret}
		},
			"bigquery: p.d.t: 403 quotaExceeded; a quota is used up; wait, or have it raised"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := served()
			client := f.start(t)
			src := planned(t, client, ReadOptions{})
			c.damage(f)
			_, err := records(src)
			must.Hold(t, err != nil && strings.HasPrefix(err.Error(), c.want) && !strings.Contains(err.Error(), secret), "got  %v\nwant %s", err, c.want)
		})
	}
}

// The service's own failures are met by another attempt, all others end the reading.
func TestJobsThatFail(t *testing.T) {
	cases := []struct {
		failures []string
		jobs     int
		want     string
	}{
		{[]string{"backendError", "internalError"}, 3, ""},
		{[]string{"backendError", "backendError", "backendError"}, 3, "_2, attempt 3: backendError at query"},
		{[]string{"invalidQuery"}, 1, "bigquery: p.d.t: invalidQuery at query; have the table's columns changed since the run was planned?"},
		{[]string{"backendError", "stopped"}, 2, "bigquery: p.d.t: stopped at query; somebody cancelled the job"},
	}
	for _, c := range cases {
		f := served()
		src := planned(t, f.start(t), ReadOptions{})
		f.Failures = c.failures
		_, err := records(src)
		must.Hold(t, len(f.jobs) == c.jobs && (err == nil) == (c.want == "") && (err == nil || strings.HasSuffix(err.Error(), c.want) && !strings.Contains(err.Error(), "s3cr3t")),
			"%v: %d jobs, %v", c.failures, len(f.jobs), err)
	}
}

func TestReadingEndsWithItsTime(t *testing.T) {
	f := served()
	src := planned(t, f.start(t), ReadOptions{Timeout: 50 * time.Millisecond})
	f.Refuse["GET queries"] = refused{code: 503, reason: "backendError"}
	_, err := records(src)
	must.Hold(t, err != nil && err.Error() == "bigquery: p.d.t: context deadline exceeded", "got %v", err)
}

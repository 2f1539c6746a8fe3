package bigqueryio

import (
	"context"
	"encoding/json"
	"net"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/dp/domain"
	tables "github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// mixedColumns has a column of every kind that cannot be read.
const mixedColumns = `[{"name":"ok","type":"INT64"},{"name":"tags","type":"STRING","mode":"REPEATED"},
{"name":"home","type":"RECORD","fields":[{"name":"city","type":"STRING"},{"name":"at","type":"STRUCT","fields":[{"name":"lat","type":"FLOAT"}]}]},
{"name":"visits","type":"RECORD","mode":"REPEATED","fields":[{"name":"day","type":"DATE"}]},
{"name":"raw","type":"BYTES"},{"name":"geo","type":"GEOGRAPHY"},{"name":"doc","type":"JSON"},{"name":"span","type":"INTERVAL"},
{"name":"range","type":"RANGE","rangeElementType":{"type":"DATE"}},{"name":"huge","type":"BIGNUMERIC"},
{"name":"exact","type":"BIGDECIMAL","precision":"38","scale":"9"},{"name":"tall","type":"BIGNUMERIC","precision":"38","scale":"8"},
{"name":"money","type":"NUMERIC","precision":"10","scale":"2"},{"name":"plain","type":"DECIMAL"},{"name":"flag","type":"BOOLEAN","mode":"REQUIRED"},
{"name":"new","type":"QUATERNION"},{"name":"od` + "`" + `d","type":"STRING"},{"name":"a","type":"DATETIME"},{"name":"b","type":"TIME"},{"name":"c","type":"FLOAT"}]`

func mixed(kind string, more string) *fakeSource {
	return &fakeSource{Table: `{"type":"` + kind + `","location":"EU","lastModifiedTime":"1700000000123",` + more + `"schema":{"fields":` + mixedColumns + `}}`}
}

func TestCheckListsAllFaultsAtOnce(t *testing.T) {
	d := &domain.Domain{PrivacyID: "c"}
	for _, name := range []string{"OK", "tags", "home", "home.city", "visits", "visits.day", "raw", "geo", "doc", "span", "range", "huge", "tall", "new", "od`d", "none", "b"} {
		d.Attributes = append(d.Attributes, domain.Attribute{Name: name, Type: domain.Int64})
	}
	_, err := Check(context.Background(), mixed("TABLE", `"requirePartitionFilter":true,`).start(t), table, d, ReadOptions{})
	want := strings.TrimPrefix(`
it can be queried only with a filter on its partitions; read it through a view that has one
column "tags" is REPEATED; flatten it or leave it out of the domain
column "home" is a RECORD with home.city, home.at.lat; flatten it or leave it out of the domain
column "home.city" stands inside "home", which is a RECORD; select it under a name of its own in a view
column "visits" is a REPEATED RECORD with visits.day; flatten it or leave it out of the domain
column "visits.day" stands inside "visits", which is a REPEATED RECORD; select it under a name of its own in a view
column "raw" is BYTES, which is not supported; convert it in a view, or leave it out of the domain
column "geo" is GEOGRAPHY, which is not supported; convert it in a view, or leave it out of the domain
column "doc" is JSON, which is not supported; convert it in a view, or leave it out of the domain
column "span" is INTERVAL, which is not supported; convert it in a view, or leave it out of the domain
column "range" is RANGE, which is not supported; convert it in a view, or leave it out of the domain
column "huge" is a BIGNUMERIC that may hold more than NUMERIC does; declare it BIGNUMERIC(38, 9), or convert it in a view
column "tall" is a BIGNUMERIC that may hold more than NUMERIC does; declare it BIGNUMERIC(38, 9), or convert it in a view
column "new" is QUATERNION, which is not supported; convert it in a view, or leave it out of the domain
column "od`+"`"+`d" is called by a name that cannot be used in a query; rename it in a view
column "none" is not in the table
column "b" is TIME in the table and INT64 in the domain; change the domain, or convert it in a view
privacy ID: column "c" is FLOAT64; want STRING or INT64: convert it in a view`, "\n")
	want = "bigquery: p.d.t: " + strings.ReplaceAll(want, "\n", "\nbigquery: p.d.t: ")
	must.Hold(t, err != nil && err.Error() == want, "got\n%v\nwant\n%s", err, want)
}

func TestDescribe(t *testing.T) {
	got := must.Value(Describe(context.Background(), mixed("VIEW", "").start(t), table))(t)
	byName := map[string]tables.Column{}
	for _, d := range got {
		byName[d.Name] = d
	}
	for _, want := range []tables.Column{
		{Name: "ok", Type: domain.Int64, Nullable: true},
		{Name: "tags", Nullable: true, Fault: "it is REPEATED; flatten it or leave it out of the domain"},
		{Name: "exact", Type: domain.Numeric, Scale: 9, Digits: 38, Nullable: true}, {Name: "money", Type: domain.Numeric, Scale: 2, Digits: 10, Nullable: true},
		{Name: "plain", Type: domain.Numeric, Scale: 9, Nullable: true}, {Name: "flag", Type: domain.Bool},
		{Name: "a", Type: domain.DateTime, Nullable: true}, {Name: "b", Type: domain.Time, Nullable: true}, {Name: "c", Type: domain.Float64, Nullable: true},
	} {
		must.Hold(t, byName[want.Name] == want, "got %+v, want %+v", byName[want.Name], want)
	}
	must.Hold(t, len(got) == 20 && got[0].Name == "ok" && got[19].Name == "c", "%d columns", len(got))
}

func TestCheckPinsWhatHasAHistory(t *testing.T) {
	d := &domain.Domain{Attributes: []domain.Attribute{{Name: "OK", Type: domain.Int64}}}
	cases := []struct {
		kind   string
		pin    Pin
		pinned bool
	}{
		{"TABLE", AsOfLaunch, true}, {"TABLE", AsRead, false}, {"VIEW", AsOfLaunch, false}, {"MATERIALIZED_VIEW", AsOfLaunch, false},
		{"EXTERNAL", AsOfLaunch, false}, {"SNAPSHOT", AsOfLaunch, false},
	}
	for _, c := range cases {
		before := time.Now()
		src := must.Value(Check(context.Background(), mixed(c.kind, "").start(t), table, d, ReadOptions{Pin: c.pin}))(t)
		at := src.asOf()
		must.Hold(t, (src.Snapshot != 0) == c.pinned && (!c.pinned || !at.After(time.Now()) && !at.Before(before.Add(-11*time.Second))), "%+v: as of %v", c, at)
		if strings.Contains(src.SQL(), "SYSTEM_TIME") != c.pinned || strings.Contains(src.Note(), "keeps the result for a day") == c.pinned {
			t.Errorf("%+v: %s; %s", c, src.SQL(), src.Note())
		}
		must.Hold(t, src.Columns[0] == (Column{Name: "ok", Type: "INT64", As: domain.Int64}) && src.Location == "EU" && src.Timeout == 6*time.Hour, "%+v", src)
	}
}

// The time of the last change is the service's own and cut to milliseconds.
func TestSnapshotSeesTheLastLoad(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct{ modified, want time.Time }{
		{now.Add(-time.Hour), now.Add(-10 * time.Second)},
		{now.Add(-time.Second), now.Add(-999 * time.Millisecond)},
		{now.Add(time.Minute), now.Add(time.Minute + time.Millisecond)}, // our clock is behind
	} {
		must.Equal(t, time.UnixMicro(snapshot(now, c.modified)).UTC(), c.want, "modified %v", c.modified)
	}
}

func TestSourceIsPlainData(t *testing.T) {
	src := planned(t, served().start(t), ReadOptions{Via: ViaStorage})
	b := must.Value(json.Marshal(src))(t)
	var back Source
	err := json.Unmarshal(b, &back)
	must.Hold(t, err == nil && reflect.DeepEqual(back, src), "got %+v, want %+v, %v", back, src, err)
}

func TestTableThatCannotBeAsked(t *testing.T) {
	none := "; nothing has this name, or permission to see it is missing"
	cases := []struct {
		name string
		fake *fakeSource
		want string
	}{
		{"no table", &fakeSource{}, "bigquery: table p.d.t: 404 notFound" + none},
		{"no dataset", &fakeSource{NoDataset: true}, "bigquery: dataset p.d: 404 notFound" + none},
		{"no permission", &fakeSource{Refuse: map[string]refused{"GET tables": {code: 403, reason: "accessDenied", message: "s3cr3t"}}},
			"bigquery: p.d.t: 403 accessDenied; reading needs the roles BigQuery Data Viewer on the dataset, and Job User and Read Session User on the billed project"},
		{"no credentials", &fakeSource{Refuse: map[string]refused{"GET tables": {code: 401, reason: "authError"}}},
			"bigquery: p.d.t: 401 authError; the credentials were not taken; log in, or set GOOGLE_APPLICATION_CREDENTIALS"},
		{"an odd reason", &fakeSource{Refuse: map[string]refused{"GET tables": {code: 400, reason: "value 's3cr3t'"}}}, "bigquery: p.d.t: 400 no reason given"},
		{"legacy SQL", &fakeSource{Table: `{"type":"VIEW","view":{"query":"x","useLegacySql":true},"schema":{"fields":` + fiveColumns + `}}`},
			"bigquery: p.d.t: it is a view in legacy SQL, which Standard SQL cannot read; define it in Standard SQL"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := Check(context.Background(), c.fake.start(t), table, people(), ReadOptions{})
			must.Hold(t, err != nil && err.Error() == c.want, "got  %v\nwant %s", err, c.want)
		})
	}
}

// The service is asked for a minute at most, and then missed in words.
func TestUnreachableService(t *testing.T) {
	silent := must.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = silent.Close() })
	for name, address := range map[string]string{"nobody listens": "127.0.0.1:1", "nobody answers": silent.Addr().String()} {
		t.Run(name, func(t *testing.T) {
			unreachable(t, Client{Project: "p", Endpoint: "http://" + address, Anonymous: true})
		})
	}
}

func unreachable(t *testing.T, c Client) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	const want = ": the service does not answer; is it within reach of this machine? try again later"
	_, err := Check(ctx, c, table, people(), ReadOptions{})
	must.Hold(t, err != nil && err.Error() == "bigquery: p.d.t"+want, "a table to read: %v", err)
	s := Sink{Client: c, Table: table, Domain: *people(), RunID: "run", Shards: 1}
	s.Domain.PrivacyID = ""
	err = s.Check(ctx)
	must.Hold(t, err != nil && err.Error() == "bigquery: p.d"+want, "a table to write: %v", err)
}

func TestSQLQuotesNames(t *testing.T) {
	for _, c := range []struct {
		columns []string
		want    string
	}{
		{[]string{"a"}, "SELECT `a` FROM `p.d.t`"},
		{[]string{"select", "a b", "x';--", `"`, "é"}, "SELECT `select`, `a b`, `x';--`, `\"`, `é` FROM `p.d.t`"},
	} {
		src := Source{Table: table}
		for _, name := range c.columns {
			must.Hold(t, !nameFault(name), "%q is refused", name)
			src.Columns = append(src.Columns, Column{Name: name})
		}
		must.Equal(t, src.SQL(), c.want)
	}
	for _, name := range []string{"", "a`", `a\`, "a\nb", "a\x00", "` FROM x --"} {
		must.Hold(t, nameFault(name), "%q is let through", name)
	}
}

func TestParseTable(t *testing.T) {
	for in, want := range map[string]Table{
		"bq://p-1.d_2.t": {"p-1", "d_2", "t"}, "p.d.t": {"p", "d", "t"}, "example.com:p.d.t": {"example.com:p", "d", "t"},
		"p.d.Straße 1-a": {"p", "d", "Straße 1-a"},
	} {
		must.Equal(t, must.Value(ParseTable(in))(t), want, "%s", in)
	}
	for _, in := range []string{"", "t", "d.t", "p..t", ".d.t", "p.d.", "p.d.t`", "p.d.t$20240101", "p.d.t*", "p.d;x.t", "p`.d.t", "p.d.t\nx", `p.d.t\`, "p.d.a/b", "bq://p/d/t"} {
		got, err := ParseTable(in)
		must.Hold(t, err != nil, "%q: got %+v", in, got)
	}
}

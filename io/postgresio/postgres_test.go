package postgresio_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/testkit/formattest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	_ "github.com/dapple-dp/dapple/io/postgresio"
)

func TestMain(m *testing.M) { transformtest.Main(m) }

// server starts a server of PostgreSQL on this machine, and returns how psql and we connect to it.
func server(t *testing.T) (run func(sql string), url string) {
	t.Helper()
	bin := ""
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin", "/usr/local/bin", "/usr/bin", "/opt/homebrew/bin"} {
		dirs, err := filepath.Glob(filepath.Join(pattern, "initdb"))
		if err == nil && len(dirs) > 0 {
			bin = filepath.Dir(dirs[len(dirs)-1])
			break
		}
	}
	if bin == "" {
		t.Skip("missing: a server of PostgreSQL (initdb); install postgresql")
	}
	dir := must.Value(os.MkdirTemp("", "dapple-postgres-"))(t)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	port := transformtest.Port(t)
	command := func(name string, args ...string) {
		t.Helper()
		cmd := exec.Command(filepath.Join(bin, name), args...)
		cmd.Dir = dir
		asNobody(cmd, dir)
		out, err := cmd.CombinedOutput()
		must.Need(t, err == nil, "%s: %v\n%s", name, err, out)
	}
	data := filepath.Join(dir, "data")
	command("initdb", "-D", data, "-U", "owner", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
	command("pg_ctl", "-D", data, "-w", "-l", filepath.Join(dir, "log"), "-o", fmt.Sprintf("-F -c listen_addresses=127.0.0.1 -p %d -k %s", port, dir), "start")
	t.Cleanup(func() { command("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop") })
	url = fmt.Sprintf("postgresql://owner@127.0.0.1:%d/postgres?sslmode=disable", port)
	return func(sql string) {
		t.Helper()
		out, err := exec.Command(filepath.Join(bin, "psql"), "-v", "ON_ERROR_STOP=1", "-q", url, "-c", sql).CombinedOutput()
		must.Need(t, err == nil, "%v\n%s", err, out)
	}, url
}

func TestServer(t *testing.T) {
	run, url := server(t)
	ctx := context.Background()
	run(`CREATE TYPE sex AS ENUM ('f', 'm'); CREATE SCHEMA "My data";
CREATE TABLE "My data"."Größe" (id bigint NOT NULL, s text, e sex, i integer, f double precision, n numeric(10, 2), b boolean, d date,
  dt timestamp, ts timestamptz, ti time, j jsonb, u uuid);
SET timezone = 'Asia/Tokyo'; SET datestyle = 'German';
INSERT INTO "My data"."Größe" VALUES
 (1, E'a\tb\\N\nc', 'f', -5, 0.1, 12.5, true, '2024-02-29', '2024-02-29 23:59:59.5', '2024-02-29 23:59:59+00', '12:00', '{}', '00000000-0000-0000-0000-000000000001'),
 (2, '', NULL, NULL, 'NaN', NULL, false, 'infinity', NULL, '-infinity', NULL, NULL, NULL),
 (3, NULL, 'm', 7, 1e300, -0.01, NULL, '0044-03-15 BC', '1970-01-01', '2024-01-01 00:00+09', '23:59:59.999999', NULL, NULL);
CREATE TABLE many AS SELECT g AS id, 'text ' || g AS s FROM generate_series(1, 20000) g;
CREATE VIEW broken AS SELECT id, s::integer AS i FROM many`)
	name := url + "&table=My+data.Gr%C3%B6%C3%9Fe"
	d := &domain.Domain{PrivacyID: "id"}
	for _, c := range []struct {
		name string
		typ  domain.Type
	}{{"u", domain.String}, {"s", domain.String}, {"e", domain.String}, {"i", domain.Int64}, {"f", domain.Float64}, {"n", domain.Numeric}, {"b", domain.Bool},
		{"d", domain.Date}, {"dt", domain.DateTime}, {"ts", domain.Timestamp}, {"ti", domain.Time}} {
		d.Attributes = append(d.Attributes, domain.Attribute{Name: c.name, Type: c.typ, Null: true, Scale: map[bool]int{true: 2}[c.typ == domain.Numeric]})
	}
	src := must.Value(table.Find(ctx, name, nil))(t)
	must.Do(t, src.Check(ctx, d, schema.CSV{}))
	want := []string{
		`"1" "00000000-0000-0000-0000-000000000001" "a\tb\\N\nc" "f" "-5" "0.1" "1250" "1" "19782" "1709251199500000" "1709251199000000" "43200000000" `,
		`"2" "NULL" "" "NULL" "NULL" "NaN" "NULL" "0" "infinity" "NULL" "-infinity" "NULL" `,
		`"3" "NULL" "NULL" "m" "7" "1e+300" "-1" "NULL" "0044-03-15 BC" "0" "1704034800000000" "86399999999" `,
	}
	var got []string
	err := src.Each(ctx, d, schema.CSV{}, formattest.Rows(d, &got))
	must.Hold(t, err == nil && slices.Equal(got, want), "got %v:\n%s\nwant\n%s", err, strings.Join(got, "\n"), strings.Join(want, "\n"))
	columns, _, err := src.Describe(ctx, schema.CSV{})
	must.Do(t, err)
	described := ""
	for _, c := range columns {
		described += fmt.Sprintf("%s %s %d %v %s; ", c.Name, c.Type, c.Scale, c.Nullable, c.Fault)
	}
	for _, want := range []string{"id INT64 0 false ;", "e STRING 0 true ;", "n NUMERIC 2 true ;", "dt DATETIME", "j STRING 0 true jsonb is not supported"} {
		must.Hold(t, strings.Contains(described, want), "no %q in %s", want, described)
	}
	t.Run("pipeline", func(t *testing.T) { pipeline(t, url) })
	t.Run("faults", func(t *testing.T) { faults(t, url) })
	t.Run("long records", func(t *testing.T) { longRecords(t, run, url) })
}

// longRecords have no cells, and the records beside them keep theirs; an empty text in the only column is a record.
func longRecords(t *testing.T, run func(string), url string) {
	run(`CREATE TABLE long AS SELECT repeat('x', n) AS s FROM (VALUES (0), (1), (17 << 20), (2)) v (n)`)
	d := &domain.Domain{Attributes: []domain.Attribute{{Name: "s", Type: domain.String, Null: true}}}
	src, err := table.Find(context.Background(), url+"&table=long", nil)
	must.Do(t, err)
	var got []string
	err = src.Each(context.Background(), d, schema.CSV{}, formattest.Rows(d, &got))
	want := []string{`"" `, `"x" `, `"NULL" `, `"xx" `}
	must.Hold(t, err == nil && slices.Equal(got, want), "got %q, %v; want %q", got, err, want)
}

// pipeline reads more than a chunk in a pipeline, and stops in the middle.
func pipeline(t *testing.T, url string) {
	ctx := context.Background()
	d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{{Name: "s", Type: domain.String, Null: true}}}
	src := must.Value(table.Find(ctx, url+"&table=many", nil))(t)
	p, s := beam.NewPipelineWithRoot()
	chunks := transformtest.Capture[*domain.Chunk](s, src.Read(s, d, schema.CSV{}))
	transformtest.Run(t, p)
	var got []string
	for _, c := range chunks.Elements() {
		_ = formattest.Rows(d, &got)(c) // never fails
	}
	slices.Sort(got)
	must.Hold(t, len(slices.Compact(got)) == 20_000, "%d records", len(got))
	stop := fmt.Errorf("enough")
	err := src.Each(ctx, d, schema.CSV{}, func(*domain.Chunk) error { return stop })
	must.Hold(t, err == stop, "got %v", err) //nolint:errorlint // returned unchanged
}

// faults are found at launch, or show no value.
func faults(t *testing.T, url string) {
	ctx := context.Background()
	d := &domain.Domain{PrivacyID: "idd", Attributes: []domain.Attribute{{Name: "s", Type: domain.Int64, Null: true}}}
	src, err := table.Find(ctx, url+"&table=many", nil)
	must.Do(t, err)
	err = src.Check(ctx, d, schema.CSV{})
	for _, want := range []string{`column "idd": the table has no such column; did you mean "id"?`, `column "s": STRING does not read as INT64`} {
		must.Fail(t, err, want)
	}
	for _, name := range []string{"nowhere", `a"; DROP TABLE many; --`, "many; SELECT 1"} {
		if src, err = table.Find(ctx, url+"&table="+strings.NewReplacer(" ", "+", ";", "%3B", `"`, "%22").Replace(name), nil); err == nil {
			_, _, err = src.Describe(ctx, schema.CSV{})
		}
		must.Hold(t, err != nil && (strings.Contains(err.Error(), "does not exist") || strings.Contains(err.Error(), "invalid name")), "%s: %v", name, err)
	}
	broken := must.Value(table.Find(ctx, url+"&table=broken", nil))(t)
	d = &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{{Name: "i", Type: domain.Int64, Null: true}}}
	err = broken.Each(ctx, d, schema.CSV{}, func(*domain.Chunk) error { return nil })
	must.Hold(t, err != nil && !strings.Contains(err.Error(), "text 1") && strings.Contains(err.Error(), "SQLSTATE 22P02"), "a view that fails: %v", err)
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"postgresql://me:secret@host/db?table=t": "the URL has a password", "postgres://host/db?password=secret&table=t": "the URL has a password",
		"postgresql://host/db": "there is no table", "postgresql://host/db?sslmode=perhaps&table=t": "sslmode",
	} {
		_, err := table.Find(context.Background(), name, nil)
		must.Hold(t, err != nil && strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "secret"), "%s: %v", name, err)
	}
	place, _ := table.PlaceOf("postgresql://host/db?table=t")
	must.Hold(t, len(place.Target(table.Target{})) != 0, "a table of PostgreSQL as output")
}

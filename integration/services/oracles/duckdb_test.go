package oracles

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2" // the driver

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func openDuck(tb testing.TB) *sql.DB {
	tb.Helper()
	db := must.Value(sql.Open("duckdb", ""))(tb)
	tb.Cleanup(func() { db.Close() })
	// Cells are compared in UTC, and files written here by one thread have their rows in order.
	run(tb, db, "set timezone = 'UTC'")
	return db
}

func run(tb testing.TB, db *sql.DB, query string) {
	tb.Helper()
	_, err := db.Exec(query)
	must.Need(tb, err == nil, "%s: %v", query, err)
}

// queryAll returns all cells of a result as text; a NULL is null.
func queryAll(tb testing.TB, db *sql.DB, query string) [][]string {
	tb.Helper()
	rows, err := db.Query(query)
	must.Need(tb, err == nil, "%s: %v", query, err)
	defer rows.Close()
	names := must.Value(rows.Columns())(tb)
	var out [][]string
	for rows.Next() {
		cells, dst := make([]sql.NullString, len(names)), make([]any, len(names))
		for i := range cells {
			dst[i] = &cells[i]
		}
		must.Do(tb, rows.Scan(dst...))
		line := make([]string, len(names))
		for i, c := range cells {
			if line[i] = c.String; !c.Valid {
				line[i] = null
			}
		}
		out = append(out, line)
	}
	err = rows.Err()
	must.Need(tb, err == nil, "%s: %v", query, err)
	return out
}

// native is SQL for an expression as text in the native unit.
func native(t domain.Type, x string) string {
	switch t {
	case domain.String:
		return x
	case domain.Numeric: // by its digits: 10^9 times a DECIMAL(38, 9) can be beyond 128 bits
		return fmt.Sprintf("replace((%s)::decimal(38, 9)::varchar, '.', '')", x)
	case domain.Bool:
		return fmt.Sprintf("(%s)::boolean::int::varchar", x)
	case domain.Date:
		return fmt.Sprintf("((%s)::date - date '1970-01-01')::varchar", x)
	case domain.DateTime:
		return fmt.Sprintf("epoch_us((%s)::timestamp)::varchar", x)
	case domain.Timestamp:
		return fmt.Sprintf("epoch_us((%s)::timestamptz)::varchar", x)
	case domain.Time:
		return fmt.Sprintf("epoch_us((%s)::time)::varchar", x)
	case domain.Float64:
		return fmt.Sprintf("(%s)::double::varchar", x)
	}
	return fmt.Sprintf("(%s)::bigint::varchar", x)
}

// digits drops what native leaves of a decimal before its first digit.
func digits(t domain.Type, s string) string {
	if t != domain.Numeric || s == null {
		return s
	}
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	if s = strings.TrimLeft(s, "0"); s == "" {
		return "0"
	}
	return sign + s
}

// duckTypes are DuckDB's types of our columns.
var duckTypes = map[domain.Type]string{
	domain.String: "VARCHAR", domain.Int64: "BIGINT", domain.Float64: "DOUBLE", domain.Numeric: "DECIMAL(4,2)", domain.Bool: "BOOLEAN",
	domain.Date: "DATE", domain.DateTime: "TIMESTAMP", domain.Timestamp: "TIMESTAMP WITH TIME ZONE", domain.Time: "TIME"}

// duckSees is a file as DuckDB sees it.
func duckSees(t *testing.T, db *sql.DB, path string, d *domain.Domain) *seen {
	got := &seen{}
	for i, r := range queryAll(t, db, fmt.Sprintf("select name, repetition_type from parquet_schema('%s')", path)) {
		if i == 0 {
			got.Root = r[1]
			continue
		}
		got.Columns = append(got.Columns, column{Name: r[0], Optional: r[1] == "OPTIONAL"})
	}
	for i, r := range queryAll(t, db, fmt.Sprintf("describe from '%s'", path)) {
		got.Columns[i].Type = r[1]
	}
	fmt.Sscan(queryAll(t, db, fmt.Sprintf("select num_row_groups from parquet_file_metadata('%s')", path))[0][0], &got.Groups)
	fmt.Sscan(queryAll(t, db, fmt.Sprintf("select count(*) from '%s'", path))[0][0], &got.Rows)
	for k := range d.Attributes {
		duckColumn(t, db, path, &d.Attributes[k], &got.Columns[k])
	}
	return got
}

func duckColumn(t *testing.T, db *sql.DB, path string, a *domain.Attribute, c *column) {
	c.Cells = []string{}
	if a.Type == domain.Float64 {
		c.Cells = duckFloats(t, db, path, a.Name)
	} else {
		for _, r := range queryAll(t, db, fmt.Sprintf(`select %s from '%s'`, native(a.Type, `"`+a.Name+`"`), path)) {
			c.Cells = append(c.Cells, digits(a.Type, r[0]))
		}
	}
	if a.Type == domain.Int64 || a.Type == domain.Numeric {
		var sum sql.NullFloat64
		must.Do(t, db.QueryRow(fmt.Sprintf(`select sum("%s"::double) from '%s'`, a.Name, path)).Scan(&sum))
		if c.Sum = &sum.Float64; a.Type == domain.Numeric {
			sum.Float64 *= 1e9
		}
	}
	if a.Type == domain.Float64 {
		return // checked with the other oracles: DuckDB prints decimals, and its NaN is the largest
	}
	r := queryAll(t, db, fmt.Sprintf(`select %s, %s from '%s'`, native(a.Type, fmt.Sprintf(`min("%s")`, a.Name)), native(a.Type, fmt.Sprintf(`max("%s")`, a.Name)), path))[0]
	for i, x := range r {
		if x = digits(a.Type, x); x != null {
			c.Range[i] = &x
		}
	}
	for _, r := range queryAll(t, db, fmt.Sprintf(`select stats_null_count, %s, %s from parquet_metadata('%s') where path_in_schema = '%s' order by row_group_id`,
		native(a.Type, "stats_min_value"), native(a.Type, "stats_max_value"), path, a.Name)) {
		c.Footer = append(c.Footer, newFooter(a.Type, r))
	}
}

// newFooter reads a null count and two ends.
func newFooter(t domain.Type, r []string) (f footer) {
	if r[0] != null {
		f.Nulls = new(int)
		fmt.Sscan(r[0], f.Nulls)
	}
	if r[1] = digits(t, r[1]); r[1] != null {
		f.Min = &r[1]
	}
	if r[2] = digits(t, r[2]); r[2] != null {
		f.Max = &r[2]
	}
	return f
}

func duckFloats(t *testing.T, db *sql.DB, path, name string) []string {
	rows := must.Value(db.Query(fmt.Sprintf(`select "%s" from '%s'`, name, path)))(t)
	defer rows.Close()
	out := []string{}
	for rows.Next() {
		var f sql.NullFloat64
		must.Do(t, rows.Scan(&f))
		cell := null
		if f.Valid {
			cell = floatText(f.Float64)
		}
		out = append(out, cell)
	}
	must.Do(t, rows.Err())
	return out
}

func TestDuckDBReadsOurs(t *testing.T) {
	db := openDuck(t)
	for name, w := range writeAll(t, t.TempDir()) {
		t.Run(name, func(t *testing.T) {
			w.check(t, duckSees(t, db, w.path, w.d), duckTypes)
		})
	}
}

// DuckDB uses the footer's ends to pass over row groups: a filter finds the rows that it should.
func TestDuckDBFilters(t *testing.T) {
	db := openDuck(t)
	w := tables()["mixed"]
	path := w.write(t, options["groups"])
	cells := w.cells()
	for k := range w.d.Attributes {
		a := &w.d.Attributes[k]
		if a.Type == domain.Float64 || cells[k][5] == null {
			continue
		}
		want := 0
		for _, c := range cells[k] {
			if c == cells[k][5] {
				want++
			}
		}
		value := queryAll(t, db, fmt.Sprintf(`select "%s"::varchar from '%s' offset 5 limit 1`, a.Name, path))[0][0]
		got := queryAll(t, db, fmt.Sprintf(`select count(*) from '%s' where "%s" = '%s'`, path, a.Name, strings.ReplaceAll(value, "'", "''")))[0][0]
		must.Hold(t, got == fmt.Sprint(want), "%s: %s rows are equal to row 5, want %d", a.Name, got, want)
	}
}

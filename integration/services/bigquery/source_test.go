package bigquery

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	bq "cloud.google.com/go/bigquery"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/integration/services"
	"github.com/dapple-dp/dapple/internal/io/bigqueryio"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// everyType declares a column of every type, which can be NULL and, by the name in capitals, cannot.
var everyType = []string{"STRING", "INT64", "FLOAT64", "NUMERIC", "BOOL", "DATE", "DATETIME", "TIMESTAMP", "TIME", "BIGNUMERIC"}

// typesDomain has both columns of every type, and a privacy ID.
func typesDomain() *domain.Domain {
	d := &domain.Domain{PrivacyID: "who"}
	for _, name := range everyType {
		t, ok := domain.ParseType(strings.TrimPrefix(name, "BIG"))
		if !ok {
			panic(name)
		}
		for _, column := range []string{"r_" + strings.ToLower(name), "n_" + strings.ToLower(name)} {
			d.Attributes = append(d.Attributes, domain.Attribute{Name: column, Type: t, Scale: map[domain.Type]int{domain.Numeric: 2}[t]})
		}
	}
	return d
}

// typesTable makes the table, with a row of values, a row of extremes and a row of NULLs.
func typesTable(t *testing.T, b *services.BigQuery, dataset string) bigqueryio.Table {
	t.Helper()
	b.Dataset(t, dataset, "US")
	var schema bq.Schema
	var ones, twos, nulls []string
	literals := map[string][2]string{
		"STRING": {"'a\\nb'", "''"}, "INT64": {"7", "-9223372036854775808"}, "FLOAT64": {"1.5", "-2.25e300"},
		"NUMERIC": {"NUMERIC '1.239'", "NUMERIC '-99999999999999999999999999999.999999999'"}, "BOOL": {"TRUE", "FALSE"},
		"DATE": {"DATE '1969-12-31'", "DATE '9999-12-31'"}, "DATETIME": {"DATETIME '1970-01-02 00:00:00.000001'", "DATETIME '0001-01-01 00:00:00'"},
		"TIMESTAMP": {"TIMESTAMP '2024-02-29 12:00:00.5+00'", "TIMESTAMP '1969-12-31 23:59:59.999999+00'"},
		"TIME":      {"TIME '23:59:59.999999'", "TIME '00:00:00'"}, "BIGNUMERIC": {"BIGNUMERIC '-0.001'", "BIGNUMERIC '12345678901234567.89'"},
	}
	for _, name := range everyType {
		column := bq.FieldSchema{Name: "r_" + strings.ToLower(name), Type: bq.FieldType(name), Required: true}
		if name == "BIGNUMERIC" {
			column.Precision, column.Scale = 38, 9
		}
		nullable := column
		nullable.Name, nullable.Required = "n"+column.Name[1:], false
		schema = append(schema, &column, &nullable)
		l := literals[name]
		ones, twos, nulls = append(ones, l[0], l[0]), append(twos, l[1], l[1]), append(nulls, l[0], "NULL")
	}
	schema, ones, twos, nulls = append(schema, &bq.FieldSchema{Name: "who", Type: bq.StringFieldType}), append(ones, "'u1'"), append(twos, "'u2'"), append(nulls, "NULL")
	table := bigqueryio.Table{Project: b.Project, Dataset: dataset, Name: "types"}
	must.Do(t, b.Client(t).Dataset(dataset).Table("types").Create(services.Deadline(t), &bq.TableMetadata{Schema: schema}))
	for _, row := range [][]string{ones, twos, nulls} {
		execute(t, b, fmt.Sprintf("INSERT INTO %s.types VALUES (%s)", dataset, strings.Join(row, ", ")))
	}
	return table
}

// execute runs a statement on the emulator.
func execute(t *testing.T, b *services.BigQuery, sql string) {
	t.Helper()
	_, err := b.Client(t).Query(sql).Read(services.Deadline(t))
	must.Need(t, err == nil, "%s: %v", sql, err)
}

// unpinned is how the emulator can be read: it knows no FOR SYSTEM_TIME.
var unpinned = bigqueryio.ReadOptions{Pin: bigqueryio.AsRead, Timeout: 5 * time.Minute}

func check(t *testing.T, b *services.BigQuery, table bigqueryio.Table, d *domain.Domain, o bigqueryio.ReadOptions) bigqueryio.Source {
	t.Helper()
	src := must.Value(bigqueryio.Check(services.Deadline(t), b.Config(), table, d, o))(t)
	return src
}

// all returns the records of a source in one chunk for each that arrives.
func all(ctx context.Context, src bigqueryio.Source) (chunks []*domain.Chunk, err error) {
	err = bigqueryio.Each(ctx, src, func(c *domain.Chunk) error {
		chunks = append(chunks, c)
		return nil
	})
	return chunks, err
}

func TestEveryTypeIsRead(t *testing.T) {
	b := services.StartBigQuery(t, "")
	table, d := typesTable(t, b, "types"), typesDomain()
	chunks := must.Value(all(services.Deadline(t), check(t, b, table, d, unpinned)))(t)
	must.Need(t, len(chunks) == 1 && chunks[0].Rows == 3, "got %d chunks", len(chunks))
	checkTypes(t, chunks[0], d)
}

// checkTypes compares the rows of typesTable, which may arrive in any order. A column with a number beyond its type comes as texts.
func checkTypes(t *testing.T, c *domain.Chunk, d *domain.Domain) {
	t.Helper()
	row := map[string]int{}
	for i := range c.Rows {
		who := "NULL"
		if !c.ID.Null(i) {
			who = string(c.ID.Text(i))
		}
		row[who] = i
	}
	want := map[string][2]string{
		"string": {"a\nb", ""}, "int64": {"7", "-9223372036854775808"}, "float64": {"1.5", "-2.25e+300"},
		"numeric": {"1.23", "beyond the type"}, "bignumeric": {"-1", "1234567890123456789"}, "bool": {"1", "0"},
		"date": {"-1", "2932896"}, "datetime": {"86400000001", "-62135596800000000"},
		"timestamp": {"1709208000500000", "-1"}, "time": {"86399999999", "0"},
	}
	for k := range d.Attributes {
		kind, name, _ := strings.Cut(d.Attributes[k].Name, "_")
		col := &c.Columns[k]
		for i, who := range []string{"u1", "u2", "NULL"} {
			w := want[name][i%2]
			if who == "NULL" && kind == "n" {
				w = "NULL"
			}
			must.Equal(t, cell(col, row[who]), w, "%s of %s", d.Attributes[k].Name, who)
		}
	}
}

// cell writes a cell out.
func cell(c *domain.Column, i int) string {
	switch {
	case c.Null(i):
		return "NULL"
	case c.Form == domain.Text:
		return string(c.Text(i))
	case c.Form == domain.Floats:
		return fmt.Sprint(c.Floats[i])
	}
	return fmt.Sprint(c.Ints[i])
}

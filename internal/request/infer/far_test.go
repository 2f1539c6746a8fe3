package infer

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestFarValues: one wild record decides no range and no resolution, and a code far from all else is an exact value, of numbers, dates
// and times; what is not far stays in the range.
func TestFarValues(t *testing.T) {
	age := func(i int) string { return fmt.Sprint(18 + i*7%73) }
	cents := func(i int) string { return fmt.Sprintf("%d.%02d", 20+i*7%60, i*31%100) }
	day := func(i int) string { return fmt.Sprintf("20%02d-%02d-%02d", 20+i%4, 1+i%12, 1+i%28) }
	every := func(n int, code string, rest func(int) string) func(int) string {
		return func(i int) string {
			if i%n == n-1 {
				return code
			}
			return rest(i)
		}
	}
	for name, c := range map[string]struct {
		cell func(int) string
		want string
	}{
		"wild":        {every(100_000, "123456789", cents), "type: NUMERIC, min: 20, max: 80, resolution: 0.01, fallback"},
		"code":        {every(20, "9999999", age), "type: INT64, min: 18, max: 90, exact: [9999999], fallback"},
		"below":       {every(5, "-999999", age), "type: INT64, min: 18, max: 90, exact: [-999999], fallback"},
		"least":       {every(5, "-9223372036854775808", age), "type: INT64, min: 18, max: 90, exact: [-9223372036854775808], fallback"},
		"cents least": {every(5, "-9223372036854775808", cents), "type: FLOAT64, min: 20, max: 80, resolution: 0.01, exact: [\"-9.223372036854776e+18\"]"},
		"cents most":  {every(5, "9223372036854775807", cents), "type: FLOAT64, min: 20, max: 80, resolution: 0.01, exact: [\"9.223372036854776e+18\"]"},
		"two":         {every(7, "-999999", every(11, "99999999", age)), "exact: [-999999, 99999999]"},
		"cents":       {every(10, "99999.99", cents), "resolution: 0.01, exact: [99999.99]"},
		"few":         {every(10, "9999", func(i int) string { return fmt.Sprint(i / 7 % 50) }), "min: 0, max: 49, exact: [9999]"},
		"open":        {every(3, "9999-12-31", day), "exact: [9999-12-31], fallback: 2020-01-01"},
		"stamp":       {every(3, "9999-12-31 00:00:00", func(i int) string { return day(i) + " 10:30:00" }), "exact: [\"9999-12-31T00:00:00\"]"},
		"both sides":  {every(7, "-999999", every(6, "999999", age)), "min: 18, max: 90, exact: [-999999, 999999]"},
		"both ends":   {every(3, "-9223372036854775808", every(4, "9223372036854775807", age)), "min: 18, max: 90, exact: [-9223372036854775808, 9223372036854775807]"},
		"mostly":      {func(i int) string { return every(5, age(i), func(int) string { return "9999999999" })(i) }, "min: 18, max: 90, exact: [9999999999]"},
		"mostly open": {func(i int) string { return every(5, day(i), func(int) string { return "9999-12-31" })(i) }, "max: 2023-12-31, exact: [9999-12-31]"},
		"vast":        {every(20, "12345678901234567890", cents), "type: FLOAT64, min: 20, max: 80, resolution: 0.01, exact: [\"1.2345678901234567e+19\"]"},
		"bytes":       {func(i int) string { return fmt.Sprint(i % 256) }, "min: 0, max: 255,"},
		"signed":      {func(i int) string { return fmt.Sprint(i%256 - 128) }, "min: -128, max: 127,"},
		"words":       {func(i int) string { return fmt.Sprint(i * 7919 % 65536) }, "min: 0, max: 65535,"},
		"old":         {every(20_000, "0001-01-01", day), "type: DATE, min: 2020-01-01, max: 2023-12-31, fallback"},
		"both":        {func(i int) string { return fmt.Sprint((i%2*2 - 1) * (500 + i%100)) }, "min: -600, max: 600"},
		"zero":        {every(2, "0", func(i int) string { return fmt.Sprint(50_000 + i%40_000) }), "min: 0, max: "},
		"skew":        {func(i int) string { return fmt.Sprint(1 << (i % 20)) }, "values: [1, 2, 4, "},
		"no dates":    {every(9, "0000-00-00", day), "type: DATE, min: 2020-01-01, max: 2023-12-31, null: true"},
		"clock":       {func(i int) string { return fmt.Sprintf("%02d:59:59.%d99", i%24, i%10) }, `max: "23:59:59.999999"`},
	} {
		got := inLine(proposed(t, "x;other", 20_000, func(i int) string { return c.cell(i) + ";a" }))
		must.Hold(t, strings.Contains(got, c.want), "%s: no %s in\n%s", name, c.want, got)
	}
}

// TestLongTables: a table whose column of numbers holds several quantities, by the word beside it, is told to be pivoted.
func TestLongTables(t *testing.T) {
	table := "id,days,test,value\n"
	for i := range 2000 {
		table += fmt.Sprintf("%d,%d,%s,%d\n", i/4, i, []string{"smoke", "fib4"}[i%2], i%2*30+i%3)
	}
	p := Params{Input: put(t, "long.csv", table), FromData: true, PrivacyID: "id"}
	got := propose(t, p)
	must.Hold(t, strings.Contains(got, "pivot first") && strings.Contains(got, "PIVOT 'TABLE' ON test USING first(value) GROUP BY id"), "%v", got)
	p.Input = put(t, "wide.csv", strings.Replace(table, "test,value", "city,value", 1))
	got = propose(t, p)
	must.Hold(t, !strings.Contains(got, "pivot"), "%v", got)
}

// Codes far from the numbers of a column whose type the table has are exact values, as they are where the type is read off texts, and
// six decimal places stay.
func TestTypedCodes(t *testing.T) {
	for _, c := range []struct {
		a    domain.Attribute
		code string
		rest func(i int) string
		want string
	}{
		{domain.Attribute{Type: domain.Numeric, Scale: 1}, "-999.9", func(i int) string { return fmt.Sprintf("3%d.%d", i%10, i/10%10) }, "min: 30, max: 39.9, resolution: 0.1, exact: [-999.9]"},
		{domain.Attribute{Type: domain.Numeric, Scale: 2}, "99999.99", func(i int) string { return fmt.Sprintf("%d.%02d", i%50, i%100) }, "exact: [99999.99]"},
		{domain.Attribute{Type: domain.Numeric, Scale: 6}, "0.5", func(i int) string { return fmt.Sprintf("0.%06d", i*7919%1_000_000) }, "resolution: 0.000001"},
		{domain.Attribute{Type: domain.Int64}, "-999999", func(i int) string { return fmt.Sprint(1000 + i*7%5000) }, "exact: [-999999]"},
		{domain.Attribute{Type: domain.Date}, "9999-12-31", func(i int) string { return fmt.Sprintf("2023-%02d-%02d", 1+i%12, 1+i%28) }, "exact: [9999-12-31]"},
	} {
		c.a.Name = "x"
		path := filepath.Join(t.TempDir(), "t.parquet")
		f := must.Value(os.Create(path))(t)
		w := must.Value(parquetio.NewWriter(f, &domain.Domain{Attributes: []domain.Attribute{c.a}}, parquetio.Options{}))(t)
		chunk := &domain.Chunk{Rows: 4000, Columns: []domain.Column{{Form: domain.Ints}}}
		for i := range chunk.Rows {
			text := c.rest(i)
			if i%9 == 0 {
				text = c.code
			}
			v, _ := c.a.ParseNative(text)
			chunk.Columns[0].Ints = append(chunk.Columns[0].Ints, v)
		}
		must.Do(t, w.Write(chunk))
		_, err := w.Close()
		must.Do(t, errors.Join(err, f.Close()))
		hasLines(t, propose(t, Params{Input: path, FromData: true}), c.want)
	}
}

package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/csvio"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// peopleParquet turns people.csv of a directory into people.parquet, whose columns are all texts but
// age, income and day.
func peopleParquet(t *testing.T, dir string) {
	t.Helper()
	d := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "person_id", Type: domain.String}, {Name: "sex", Type: domain.String}, {Name: "age", Type: domain.Int64},
		{Name: "income", Type: domain.Float64}, {Name: "day", Type: domain.Date},
	}}
	f, err := os.Create(filepath.Join(dir, "people.parquet"))
	must.Do(t, err)
	w := must.Value(parquetio.NewWriter(f, d, parquetio.Options{}))(t)
	err = csvio.EachFile(filepath.Join(dir, "people.csv"), d, schema.CSV{}, func(c *domain.Chunk) error {
		for k := 2; k < 5; k++ {
			typed(&d.Attributes[k], &c.Columns[k], c.Rows)
		}
		return w.Write(c)
	})
	_, closing := w.Close()
	must.Do(t, errors.Join(err, closing, f.Close()))
}

// typed parses a column of whole numbers or dates.
func typed(a *domain.Attribute, c *domain.Column, rows int) {
	whole := *a
	if a.Type == domain.Float64 {
		whole.Type = domain.Int64
	}
	for i := range rows {
		v, _ := whole.ParseNative(string(c.Text(i)))
		c.Ints, c.Floats = append(c.Ints, v), append(c.Floats, float64(v))
	}
	if c.Form = domain.Ints; a.Type == domain.Float64 {
		c.Form = domain.Floats
	}
}

package parquetio

import (
	"errors"
	"io"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Figures is a column of words or of numbers, with an entry for each row.
type Figures struct {
	Name    string
	Words   []string
	Numbers []float64 // if there are no words; NaN is written as NULL
}

// WriteFigures writes a table of STRING and FLOAT64 columns, and returns the number of rows. w is never closed. The file is
// complete only if the error is nil.
func WriteFigures(w io.Writer, columns []Figures) (rows int64, err error) {
	var list []*column
	n := 0
	for _, c := range columns {
		if c.Words != nil {
			list = append(list, newColumn(c.Name, domain.String, 0, false))
		} else {
			list = append(list, newColumn(c.Name, domain.Float64, 0, true))
		}
		n = max(n, len(c.Words), len(c.Numbers))
	}
	for _, c := range columns {
		if len(c.Words)+len(c.Numbers) != n {
			return 0, errors.New("parquet: columns differ in their number of rows")
		}
	}
	t, err := newTable(w, list, Options{})
	if err != nil {
		return 0, err
	}
	for i := range n {
		for k, c := range columns {
			if c.Words != nil {
				list[k].Cells = append(list[k].Cells, list[k].Texts.Code([]byte(c.Words[i])))
			} else {
				list[k].addOptional(c.Numbers, i, t.Held())
			}
		}
		if t.Keep(t.Advance(1)) != nil {
			break
		}
	}
	return t.Close()
}

// ReadFigures reads columns that WriteFigures wrote: words if those given are not nil, and else numbers, NaN for NULL. Errors begin
// with name.
func ReadFigures(src Source, name string, columns []Figures) ([]Figures, error) {
	d, out := &domain.Domain{}, make([]Figures, len(columns))
	for i, c := range columns {
		a := domain.Attribute{Name: c.Name, Type: domain.Float64, Null: true}
		if out[i] = (Figures{Name: c.Name, Numbers: []float64{}}); c.Words != nil {
			a.Type, out[i] = domain.String, Figures{Name: c.Name, Words: []string{}}
		}
		d.Attributes = append(d.Attributes, a)
	}
	r, err := Open(src, name, d, ReadOptions{})
	if err != nil {
		return nil, err
	}
	for c, err := range r.Chunks() {
		if err != nil {
			return nil, err
		}
		for i := range out {
			for row := range c.Rows {
				if out[i].Words != nil {
					out[i].Words = append(out[i].Words, textAt(&c.Columns[i], row))
				} else {
					out[i].Numbers = append(out[i].Numbers, floatAt(&c.Columns[i], row))
				}
			}
		}
	}
	return out, nil
}

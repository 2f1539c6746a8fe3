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

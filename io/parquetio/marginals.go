package parquetio

import (
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
)

// MarginalCell is one row of _marginals.parquet: a cell of a released marginal.
type MarginalCell struct {
	Names  []string // of the marginal's attributes
	Labels []string // of the cell, one for each name
	Fitted float64  // probability under the model

	Measured      bool    // a noisy answer was bought for this cell
	Noisy         float64 // that answer, as a share of the units
	StandardError float64 // of Noisy, from the noise alone
}

// WriteMarginals writes a long table, one row for each cell, and returns the number of rows:
//
//	marginal        STRING   the names, joined by ", "
//	cell            STRING   the labels, joined in the same way
//	fitted          FLOAT64  probability under the model
//	noisy           FLOAT64  the noisy answer; NULL where none was bought
//	standard_error  FLOAT64  its standard error; NULL there too
//
// In names and labels "\" and "," are written with a "\" before them, so that the parts can be told
// apart. w is never closed. The file is complete only where the error is nil.
func WriteMarginals(w io.Writer, cells iter.Seq[MarginalCell]) (rows int64, err error) {
	t, err := newTable(w, []*column{
		newColumn("marginal", domain.String, 0, false), newColumn("cell", domain.String, 0, false),
		newColumn("fitted", domain.Float64, 0, false),
		newColumn("noisy", domain.Float64, 0, true), newColumn("standard_error", domain.Float64, 0, true),
	}, Options{})
	if err != nil {
		return 0, err
	}
	for c := range cells {
		if t.keep(t.writeCell(&c)) != nil {
			break
		}
	}
	return t.close()
}

// writeCell appends one row.
func (t *table) writeCell(c *MarginalCell) error {
	if len(c.Names) != len(c.Labels) || len(c.Names) == 0 {
		return fmt.Errorf("parquet: a cell with %d labels of a marginal of %d attributes", len(c.Labels), len(c.Names))
	}
	for i, text := range []string{joinEscaped(c.Names), joinEscaped(c.Labels)} {
		t.columns[i].codes = append(t.columns[i].codes, t.columns[i].dict.code([]byte(text)))
	}
	t.columns[2].floats = append(t.columns[2].floats, c.Fitted)
	null := &domain.Column{Form: domain.Floats, Floats: []float64{0}, Nulls: []bool{!c.Measured}}
	for i, v := range []float64{c.Noisy, c.StandardError} {
		null.Floats[0] = v
		if err := t.columns[3+i].add(null, 0, 1, t.held); err != nil {
			return err
		}
	}
	return t.advance(1)
}

var escaper = strings.NewReplacer(`\`, `\\`, `,`, `\,`)

func joinEscaped(parts []string) string {
	escaped := make([]string, len(parts))
	for i, p := range parts {
		escaped[i] = escaper.Replace(p)
	}
	return strings.Join(escaped, ", ")
}

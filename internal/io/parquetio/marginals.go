package parquetio

import (
	"errors"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/parquetio/internal/codec"
	"github.com/dapple-dp/dapple/internal/kit/lists"
)

// Marginal is a released marginal for _marginals.parquet. Cells are row-major: the last attribute is
// fastest.
type Marginal struct {
	Names  []string   // of its attributes
	Labels [][]string // of the cells of each attribute

	Fitted      []float64 // probability of each cell under the model
	FittedError []float64 // predicted standard error of Fitted; NaN if none is valid; nil: nowhere
	FittedFrom  []string  // where each of FittedError comes from, one of few words; nil: not said
	FittedHigh  []float64 // upper end of the 95 % interval of Fitted; NaN if none is valid; nil: nowhere
	Noisy       []float64 // the noisy answer that was bought, as shares of the units; nil: none
	NoisyError  float64   // standard error of each of Noisy, from the noise alone
}

// WriteMarginals writes a long table, one row for each cell, and returns the number of rows:
//
//	marginal               STRING   the names, joined by ", "
//	cell                   STRING   the labels, joined in the same way
//	fitted                 FLOAT64  probability under the model
//	fitted_standard_error  FLOAT64  its predicted standard error; NULL if none is valid
//	noisy                  FLOAT64  the noisy answer; NULL if none was bought
//	standard_error         FLOAT64  its standard error; NULL there too
//	fitted_error_from      STRING   where fitted_standard_error comes from; NULL if that is not said
//	fitted_high            FLOAT64  upper end of the 95 % interval of fitted; NULL if none is valid
//
// In names and labels "\" and "," are written with a "\" before them, so that the parts can be told
// apart. w is never closed. The file is complete only if the error is nil. About 0.2 µs per cell.
func WriteMarginals(w io.Writer, marginals []*Marginal) (rows int64, err error) {
	names := newColumn("marginal", domain.String, 0, false)
	from := newColumn("fitted_error_from", domain.String, 0, true)
	t, err := newTable(w, []*column{
		names, {Column: codec.NewTextColumn("cell")},
		newColumn("fitted", domain.Float64, 0, false), newColumn("fitted_standard_error", domain.Float64, 0, true),
		newColumn("noisy", domain.Float64, 0, true), newColumn("standard_error", domain.Float64, 0, true), from, newColumn("fitted_high", domain.Float64, 0, true),
	}, Options{})
	if err != nil {
		return 0, err
	}
	for _, m := range marginals {
		if t.Keep(t.writeMarginal(m)) != nil {
			break
		}
	}
	return t.Close()
}

// writeMarginal appends the cells of one marginal.
func (t *table) writeMarginal(m *Marginal) error {
	parts, cells := m.parts()
	fits := func(given bool, n int) bool { return !given || n == cells }
	if cells < 1 || len(m.Fitted) != cells || !fits(m.FittedError != nil, len(m.FittedError)) ||
		!fits(m.FittedFrom != nil, len(m.FittedFrom)) || !fits(m.FittedHigh != nil, len(m.FittedHigh)) || !fits(m.Noisy != nil, len(m.Noisy)) {
		return errors.New("parquet: a marginal's labels and figures differ in number")
	}
	name := t.columns[0].Texts.Code([]byte(joinEscaped(m.Names)))
	var noise []float64 // of Noisy
	if m.Noisy != nil {
		noise = slices.Repeat([]float64{m.NoisyError}, cells)
	}
	codes, label := make([]int, len(parts)), []byte(nil)
	for i := range cells {
		label = label[:0]
		for j, part := range parts {
			label = append(label, part[codes[j]]...)
		}
		t.columns[0].Cells = append(t.columns[0].Cells, name)
		t.columns[1].AddText(label)
		t.columns[2].addFloat(m.Fitted[i])
		t.columns[3].addOptional(m.FittedError, i, t.Held())
		t.columns[4].addOptional(m.Noisy, i, t.Held())
		t.columns[5].addOptional(noise, i, t.Held())
		t.columns[6].addWord(m.FittedFrom, i, t.Held())
		t.columns[7].addOptional(m.FittedHigh, i, t.Held())
		for j := len(codes) - 1; j >= 0; j-- {
			if codes[j]++; codes[j] < len(parts[j]) {
				break
			}
			codes[j] = 0
		}
		if err := t.Advance(1); err != nil {
			return err
		}
	}
	return nil
}

// parts returns the escaped labels of each attribute, with what stands before them in a cell's label, and
// the number of cells; 0 if there are not as many lists of labels as names.
func (m *Marginal) parts() (parts [][]string, cells int) {
	if len(m.Names) != len(m.Labels) || len(m.Names) == 0 {
		return nil, 0
	}
	cells = 1
	for j, labels := range m.Labels {
		before := ", "
		if j == 0 {
			before = ""
		}
		part := lists.Of(labels, func(l string) string { return before + escaper.Replace(l) })
		parts = append(parts, part)
		cells *= len(labels)
	}
	return parts, cells
}

// addOptional appends entry i of values, or NULL if there are none or it is NaN. at is the row.
func (c *column) addOptional(values []float64, i, at int) {
	x := math.NaN()
	if values != nil {
		x = values[i]
	}
	c.addFloat(x)
	c.SetValid(at, !math.IsNaN(x))
}

// addWord appends word i, or NULL if there are none. at is the row.
func (c *column) addWord(words []string, i, at int) {
	code := int64(0)
	if words != nil {
		code = c.Texts.Code([]byte(words[i]))
	}
	c.Cells = append(c.Cells, code)
	c.SetValid(at, words != nil)
}

var escaper = strings.NewReplacer(`\`, `\\`, `,`, `\,`)

func joinEscaped(parts []string) string {
	escaped := lists.Of(parts, escaper.Replace)
	return strings.Join(escaped, ", ")
}

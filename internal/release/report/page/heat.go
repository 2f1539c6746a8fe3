package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// heatTable is how many columns a heat map has if it is a table that is read; a larger one is a picture.
const heatTable = 24

// Heat is a table of figures from 0 to 1, drawn in shades. NaN is unknown.
type Heat struct {
	Title   string
	Names   []string
	Columns []string // names of the columns; nil: Names, of a symmetric table whose diagonal says nothing
	Values  [][]float64
	None    string  // what NaN is; default "not published"
	Top     float64 // the figure of the darkest shade; default 1
}

// HeatRow is one row of a heat map, or the head of a column.
type HeatRow struct {
	Name   string
	Number int // of the column of this name; 0 without one
	Cells  []HeatCell
}

// HeatCell is a cell of a heat map, and an entry of its legend.
type HeatCell struct{ Class, Text, Path string }

// shades is how many there are, h0 to h7 of the style; -1 is for unknown values.
const shades = 8

func (h Heat) shadeOf(v float64) string {
	if math.IsNaN(v) {
		return "hx"
	}
	return fmt.Sprintf("h%d", int(min(max(v, 0)/cmp.Or(h.Top, 1)*shades, shades-1)))
}

// columns returns the names of the columns.
func (h Heat) columns() []string {
	if h.Columns == nil {
		return h.Names
	}
	return h.Columns
}

// N is the number of columns.
func (h Heat) N() int { return len(h.columns()) }

// Height is the number of rows.
func (h Heat) Height() int { return len(h.Names) }

// Label says what the picture shows.
func (h Heat) Label() string {
	if h.Columns != nil {
		return h.Title
	}
	return h.Title + "; the strongest pairs are in the table"
}

// Heads returns the heads of the columns.
func (h Heat) Heads() (heads []HeatRow) {
	for i, name := range h.columns() {
		heads = append(heads, HeatRow{Name: name, Number: i + 1})
	}
	return heads
}

// self reports whether a cell is of the diagonal that says nothing.
func (h Heat) self(i, j int) bool { return h.Columns == nil && i == j }

// Rows returns the rows of a map that is small enough to be read.
func (h Heat) Rows() (rows []HeatRow) {
	if h.N() > heatTable {
		return nil
	}
	for i, name := range h.Names {
		r := HeatRow{Name: name, Number: slices.Index(h.columns(), name) + 1}
		for j, v := range h.Values[i] {
			c := HeatCell{Class: h.shadeOf(v), Text: strings.TrimPrefix(fmt.Sprintf("%.2f", v), "0")}
			switch {
			case h.self(i, j):
				c = HeatCell{Class: "self"}
			case math.IsNaN(v):
				c.Text = "–"
			case v >= .995:
				c.Text = "1"
			}
			r.Cells = append(r.Cells, c)
		}
		rows = append(rows, r)
	}
	return rows
}

// Levels returns the paths of the cells of each shade.
func (h Heat) Levels() []HeatCell {
	paths := map[string]*strings.Builder{}
	for i := range h.Values {
		for j, v := range h.Values[i] {
			if h.self(i, j) {
				continue
			}
			class := h.shadeOf(v)
			if paths[class] == nil {
				paths[class] = &strings.Builder{}
			}
			fmt.Fprintf(paths[class], "M%d %dh1v1h-1z", j, i)
		}
	}
	var out []HeatCell
	for _, c := range h.Legend() {
		if p := paths[c.Class]; p != nil {
			out = append(out, HeatCell{Class: c.Class, Path: p.String()})
		}
	}
	return out
}

// Legend says what each shade means.
func (h Heat) Legend() (out []HeatCell) {
	for s := range shades {
		v := float64(s) / shades * cmp.Or(h.Top, 1)
		out = append(out, HeatCell{Class: fmt.Sprintf("h%d", s), Text: fmt.Sprintf("%.2g", v)})
	}
	for i, row := range h.Values {
		for j, v := range row {
			if !h.self(i, j) && math.IsNaN(v) {
				return append(out, HeatCell{Class: "hx", Text: cmp.Or(h.None, "not published")})
			}
		}
	}
	return out
}

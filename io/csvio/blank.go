package csvio

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
)

// records reads the records of a file. A file of one column has a record in each blank line, whose only cell
// is NULL: many programs write it so. encoding/csv skips blank lines, and a record that is dropped for what
// it holds would change the number of records, which is public where neighbours are tables of equal size.
// In a file of several columns no record is blank.
type records struct {
	csv   *csv.Reader
	lines *lineCounter
	one   bool // the file has one column

	next  int // line after the last record; known where one is set
	blank int // blank lines before held, or before the end
	held  []string
	line  int // where held begins
	ended bool
}

// read returns the next record and its line, or io.EOF. The record is good until the next call.
func (r *records) read() (record []string, line int, err error) {
	if !r.one {
		if record, err = r.csv.Read(); err == nil {
			line, _ = r.csv.FieldPos(0)
		}
		return record, line, err
	}
	if r.held == nil && !r.ended {
		if err := r.look(); err != nil {
			return nil, 0, err
		}
	}
	switch {
	case r.blank > 0:
		r.blank--
		r.next++
		return []string{""}, r.next - 1, nil
	case r.ended:
		return nil, 0, io.EOF
	}
	record, r.held = r.held, nil
	r.next = r.line + linesOf(record)
	return record, r.line, nil
}

// look holds the next record, or finds the end, and counts the blank lines before it.
func (r *records) look() error {
	record, err := r.csv.Read()
	switch {
	case errors.Is(err, io.EOF):
		r.ended = true
		r.blank = r.lines.count() - (r.next - 1)
		return nil
	case err != nil:
		return err
	}
	r.held = record
	r.line, _ = r.csv.FieldPos(0)
	r.blank = r.line - r.next
	return nil
}

// linesOf returns the number of lines that a record of one cell takes: a quoted one can hold line ends.
func linesOf(record []string) int { return 1 + strings.Count(record[0], "\n") }

// lineCounter counts the lines that pass through it.
type lineCounter struct {
	r    io.Reader
	ends int
	open bool // the last line has no end yet
}

func (c *lineCounter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.ends += bytes.Count(b[:n], []byte{'\n'})
	if n > 0 {
		c.open = b[n-1] != '\n'
	}
	return n, err
}

// count returns the number of lines, of which the last one may lack its end.
func (c *lineCounter) count() int {
	if c.open {
		return c.ends + 1
	}
	return c.ends
}

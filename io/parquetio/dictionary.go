package parquetio

import (
	"strconv"
)

// dictionary numbers the texts of one column of a file, so that all batches share one dictionary
// whatever dictionaries the chunks come with.
type dictionary struct {
	codes  map[string]int64
	texts  []string
	source []string // the dictionary that table translates
	table  []int64
}

// newDictionary returns a dictionary that begins with the given texts.
func newDictionary(texts ...string) *dictionary {
	d := &dictionary{codes: map[string]int64{}}
	d.translate(texts)
	return d
}

// code returns the number of text, a new one if need be.
func (d *dictionary) code(text []byte) int64 {
	if c, ok := d.codes[string(text)]; ok {
		return c
	}
	return d.add(string(text))
}

func (d *dictionary) add(text string) int64 {
	c := int64(len(d.texts))
	d.codes[text], d.texts = c, append(d.texts, text)
	return c
}

// translate returns the number of each text of source. Chunks of one sampler share one dictionary, for
// which the table is computed once.
func (d *dictionary) translate(source []string) []int64 {
	if same(d.source, source) {
		return d.table
	}
	d.source, d.table = source, d.table[:0]
	for _, s := range source {
		c, ok := d.codes[s]
		if !ok {
			c = d.add(s)
		}
		d.table = append(d.table, c)
	}
	return d.table
}

// same reports whether a and b are one slice.
func same(a, b []string) bool { return len(a) > 0 && len(a) == len(b) && &a[0] == &b[0] }

// literals holds the numbers that the texts of a dictionary stand for.
type literals struct {
	source []string
	values []int64
	bad    []bool // the text is no number
}

// read parses source, whose texts are true and false or numbers, unless it was the last one read.
func (l *literals) read(source []string, truth bool) {
	if same(l.source, source) {
		return
	}
	l.source, l.values, l.bad = source, l.values[:0], l.bad[:0]
	for _, s := range source {
		v, err := strconv.ParseInt(s, 10, 64)
		if truth {
			var b bool
			if b, err = strconv.ParseBool(s); b {
				v = 1
			}
		}
		l.values, l.bad = append(l.values, v), append(l.bad, err != nil)
	}
}

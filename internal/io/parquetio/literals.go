package parquetio

import (
	"strconv"

	"github.com/dapple-dp/dapple/internal/io/parquetio/internal/codec"
)

// literals holds the numbers that the texts of a dictionary stand for.
type literals struct {
	source []string
	values []int64
	bad    []bool // the text is no number
}

// read parses source, whose texts are true and false or numbers, unless it was the last one read.
func (l *literals) read(source []string, truth bool) {
	if codec.Same(l.source, source) {
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

package parquetio

import (
	"encoding/hex"

	"github.com/dapple-dp/dapple/io/parquetio/internal/codec"
)

// appendUUID appends the usual form of the 16 bytes of a UUID.
func appendUUID(dst, b []byte) []byte {
	for i, end := range []int{4, 6, 8, 10, 16} {
		from := []int{0, 4, 6, 8, 10}[i]
		if i > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, b[from:end])
	}
	return dst
}

// texts numbers the texts of one column chunk.
type texts struct {
	codes      map[string]int64
	list       []string
	bytes      int64
	limit      int64    // of bytes
	categories []string // of the attribute; nil: none are known
	longest    int      // of them
	other      int64    // the code of a text that is not a category; 0: it has none yet
	full       bool     // no text but a category gets a code of its own
	uuid       bool
	form       []byte
}

// longText is the length from which a text that is longer than every category is not looked at.
const longText = 1 << 16

func newTexts(l *leaf, limit int64) *texts {
	t := &texts{codes: map[string]int64{}, limit: limit, categories: l.categories, uuid: l.uuid}
	for _, s := range l.categories {
		t.longest = max(t.longest, len(s))
	}
	return t
}

// take is code for the decoder. It fails if the texts of a column without categories, which none but infer reads, take
// more than the limit.
func (t *texts) take(b []byte) (int64, error) {
	c := t.code(b)
	if t.bytes > t.limit && !t.full {
		return 0, codec.ErrLarge
	}
	return c, nil
}

// code returns the number of a text. No text ends the reading: those that are no categories of the attribute
// share a number once they would take too much memory, as they share a cell.
func (t *texts) code(b []byte) int64 {
	if t.uuid {
		t.form = appendUUID(t.form[:0], b)
		b = t.form
	}
	if t.categories != nil && len(b) > max(longText, t.longest) {
		return t.standIn()
	}
	if c, ok := t.codes[string(b)]; ok {
		return c
	}
	if !t.full && t.categories != nil && t.bytes+int64(len(b)) > t.limit {
		t.full = true
		for _, s := range t.categories {
			if _, ok := t.codes[s]; !ok {
				t.add(s)
			}
		}
		if c, ok := t.codes[string(b)]; ok {
			return c
		}
	}
	if t.full {
		return t.standIn()
	}
	return t.add(string(b))
}

func (t *texts) add(s string) int64 {
	c := int64(len(t.list))
	t.codes[s], t.list, t.bytes = c, append(t.list, s), t.bytes+int64(len(s))
	return c
}

// standIn returns the number of a text that is longer than every category.
func (t *texts) standIn() int64 {
	if t.other == 0 {
		t.list = append(t.list, string(make([]byte, t.longest+1))) // not among codes: it is no text of the file
		t.other = int64(len(t.list))
	}
	return t.other - 1
}

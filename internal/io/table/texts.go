package table

import "github.com/dapple-dp/dapple/dp/domain"

const (
	textRows  = 4096
	textBytes = 4 << 20 // a chunk with longer cells ends early
)

// Texts fills a chunk with records whose cells are texts.
type Texts struct {
	*domain.Chunk
	columns []*domain.Column // the privacy ID, nil if there is none, then the attributes
	size    int
}

// NewTexts begins with an empty chunk for records of d.
func NewTexts(c *domain.Chunk, d *domain.Domain, source string) *Texts {
	c.Source, c.Columns = source, make([]domain.Column, d.Len())
	t := &Texts{Chunk: c, columns: make([]*domain.Column, d.Len()+1)}
	if d.PrivacyID != "" {
		t.columns[0] = &c.ID
	}
	for i := range c.Columns {
		t.columns[i+1] = &c.Columns[i]
	}
	for _, out := range t.columns {
		if out != nil {
			*out = domain.Column{Form: domain.Text, Offsets: append(make([]uint32, 0, textRows+1), 0)}
		}
	}
	return t
}

// Full reports whether the chunk takes no further record.
func (t *Texts) Full() bool { return t.Rows == textRows || t.size >= textBytes }

// Add ends a record that took so many bytes of its file.
func (t *Texts) Add(bytes int) { t.Rows, t.size = t.Rows+1, t.size+bytes }

// Put appends a cell of the record: 0 is the privacy ID, and the attributes follow.
func (t *Texts) Put(i int, text []byte, null bool) {
	c := t.columns[i]
	if c == nil {
		return
	}
	if null && c.Nulls == nil {
		c.Nulls = make([]bool, t.Rows, textRows)
	}
	if c.Nulls != nil {
		c.Nulls = append(c.Nulls, null)
	}
	c.Bytes = append(c.Bytes, text...)
	c.Offsets = append(c.Offsets, uint32(len(c.Bytes)))
}

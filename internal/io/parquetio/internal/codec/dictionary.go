package codec

// Dictionary numbers the texts of one column of a file, so that all batches share one dictionary
// whatever dictionaries the chunks come with.
type Dictionary struct {
	codes  map[string]int64
	list   []string
	source []string // the dictionary that table translates
	table  []int64
}

// NewDictionary returns a dictionary that begins with the given texts.
func NewDictionary(texts ...string) *Dictionary {
	d := &Dictionary{codes: map[string]int64{}}
	d.Translate(texts)
	return d
}

// Code returns the number of text, a new one if need be.
func (d *Dictionary) Code(text []byte) int64 {
	if c, ok := d.codes[string(text)]; ok {
		return c
	}
	return d.add(string(text))
}

func (d *Dictionary) add(text string) int64 {
	c := int64(len(d.list))
	d.codes[text], d.list = c, append(d.list, text)
	return c
}

// Translate returns the number of each text of source. Chunks of one sampler share one dictionary, for
// which the table is computed once.
func (d *Dictionary) Translate(source []string) []int64 {
	if Same(d.source, source) {
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

// Same reports whether a and b are one slice, which is not empty.
func Same(a, b []string) bool { return len(a) > 0 && len(a) == len(b) && &a[0] == &b[0] }

// Package domain says what a table may contain: attributes, each a finite set of cells, and the codes
// that stand for them. It encodes records to codes and decodes codes to values.
//
//	d := &domain.Domain{Attributes: []domain.Attribute{
//		{Name: "age", Type: domain.Int64, Cuts: domain.EqualCuts(17, 90, 20), Resolution: 1, Null: true}}}
//	err := d.Validate()                                  // all faults at once
//	code, _ := domain.NewEncoder(d).FromInt(0, 38)       // 5
//	label := d.Attributes[0].Label(code)                 // "[36, 39)"
//	domain.NewDecoder(d).Decode(&rows, []domain.Code{code}, word) // 36, 37 or 38
//
// Everything in a Domain is a public fact and must not be read off a private table. Encoding maps every value to a
// declared cell. It never fails and does not reveal how many values were unusable, so that only the codes depend on
// private data. Decoding is its right inverse: every decoded value encodes to the code that it came from.
//
// The second results of the encoder and EncodeStrict do depend on private data. They exist for data
// owners who read their own table, and must not reach a released output.
//
// # Design
//
// Numbers are compared as integers in a native unit, and as float64 only for FLOAT64. Digits below the unit are
// rounded down, which moves no value over a cut point because cut points are whole units. Dates and times are parsed
// by hand and not by package time: that is several times faster, and a cell that cannot be read costs no allocation.
package domain

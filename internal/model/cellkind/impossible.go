package cellkind

import "bytes"

// Impossible reports whether a cell is written as a date or a time of day and is none, such as 0000-00-00, 2023-02-30 or 24:00:00:
// what programs write in place of a date, or people by mistake. In a column of texts it is a text like others.
func Impossible(cell []byte) bool {
	if len(cell) > 32 {
		return false
	}
	var k Kind
	switch {
	case shaped(cell, "dddd-dd-dd", ":.+-TZ ") || shaped(cell, "dddd/dd/dd", ":.+-TZ "):
		k = Moment(string(cell))
	case shaped(cell, "dd:dd", ":."): // with a zone it is a text
		k, _ = Classify(cell)
	default:
		return false
	}
	return k == Text
}

// shaped reports whether a cell begins with digits where the form has d, and with its other characters elsewhere, and goes on
// with nothing but digits and some marks.
func shaped(cell []byte, form, marks string) bool {
	if len(cell) < len(form) {
		return false
	}
	for i, c := range []byte(form) {
		if digit := '0' <= cell[i] && cell[i] <= '9'; c == 'd' && !digit || c != 'd' && cell[i] != c {
			return false
		}
	}
	return len(bytes.Trim(cell[len(form):], "0123456789"+marks)) == 0
}

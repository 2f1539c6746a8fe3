// Package domain says what a table may contain: attributes, each a finite set of cells, and the codes
// that stand for them.
//
// Everything in a Domain is a public fact. Encoding maps any value at all to a declared cell: it never
// fails, and never says how often a value was unusable.
package domain

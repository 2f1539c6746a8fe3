// Package widetable makes up a table of many columns, with what makes wide tables hard: categories of
// very different frequency, trees of strong and weak dependences, pairs that all but determine each
// other, columns with one value, numbers, dates and truth values, and missing cells.
//
//	err := widetable.New(widetable.Params{Columns: 60, People: 1_000_000, Seed: 1}).WriteCSV(w)
//
// All arithmetic is on integers and every person has a random stream of their own, so that equal
// parameters give equal bytes on every machine, and a table of fewer people is the beginning of a table
// of more.
package widetable

// Package relation makes what is written of a row beyond what a model knows: columns that are computed from
// others, keys that are made up, and the order of columns that are declared to be in order.
//
//	p, err := relation.New(d)
//	p.Repair(chunk, codes, word)
//	p.Complete(chunk, first, word)
//
// It sees decoded rows of a model alone. What it computes follows from public declarations, costs no privacy,
// and holds in every row.
//
// # Expressions
//
// Columns, whole numbers, + - * / % and parentheses. Division rounds down, also below 0, and the remainder has
// the sign of the divisor: x = y·(x / y) + x % y always. Two dates have a difference in days, two times of one
// type one in seconds, and days or seconds can be added to them. year, quarter, month, day, weekday (1 is
// Monday), hour, minute and second take a date or time, and date the day of a timestamp, which is in UTC. The ends
// between which a value can lie are computed from those of the columns, so that neither 64 bits nor the range of
// the derived column is left, whatever the rows.
package relation

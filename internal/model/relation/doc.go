// Package relation completes rows drawn from a model: it computes columns that are derived from others, generates
// keys, and restores the declared order of columns.
//
//	p, err := relation.New(d)
//	p.Repair(chunk, codes, word)
//	p.Complete(chunk, first, word)
//
// It sees only decoded rows of a model. What it computes follows from public declarations, costs no privacy,
// and holds in every row.
//
// # Expressions
//
// Columns, whole numbers, + - * / % and parentheses. Division rounds down, also below 0, and the remainder has
// the sign of the divisor: x = y·(x / y) + x % y always. Two dates have a difference in days, two times of one
// type one in seconds, and days or seconds can be added to them. year, quarter, month, day, weekday (1 is
// Monday), hour, minute and second take a date or time, and date the day of a timestamp, which is in UTC. A value
// that its column or 64 bits do not hold, and a quotient by 0, become the fallback of the column, or NULL without one.
package relation

// Package generate makes up the table of the visits example: people, and their visits to a clinic in
// 2024.
//
//	err := generate.Write(w, generate.Params{People: 50000, Seed: 1})
//
// The table is CSV with a header. It has what makes real tables hard: several rows per person (1 to 20,
// 4.6 in the mean), text, whole numbers, money, dates and truth values, missing cells, categories of
// very different frequency, a few values outside the domain file, and dependences both strong (only
// children see a paediatrician; who is admitted pays more) and weak (winter brings the coughs).
//
// All arithmetic is on integers, and each person has a random stream of their own: the bytes are the
// same on every machine, and a table of fewer people is the beginning of a table of more.
package generate

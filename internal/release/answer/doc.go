// Package answer answers linear queries, and ratios of two, from a release alone: at no privacy cost, and with an interval.
//
//	q, err := answer.Parse("SELECT sex, COUNT(*), AVG(income) FROM rows WHERE age >= 40 GROUP BY sex")
//	list, err := release.Answer(q, answer.Options{})
//	// list[0]: group {sex: Female}, column "COUNT(*)", value 14021, standard error 96, 95 % interval, from "measured"
//
// # Answers
//
// An answer is the sum over all records of the model of what each adds to it: rows are not drawn, and their chance is not in
// it. A record whose cell a condition cuts through adds the part of the cell that meets it, as the model distributes values
// inside cells. Means, shares and variances are ratios of such sums; quantiles invert a share.
//
// # Errors
//
// A ratio is linear in small errors of both sums, so that each answer has one query whose variance package interval
// computes, see [interval.Linear]. To it comes what no release says, how values lie inside a cell. The mean there is taken to
// be off by a part u of the values' spread, in the same direction for all people of the cell, who scatter on top: u = .05 +
// .95·r², r = |x − y|/(x + y) for the densities x and y of the cell and the one beside it that differs most; u = r if the cell
// holds most people. If several columns have cells of many values, the cells of the table beside it count too: u = .05 + .6·r² at
// least, since beside a diagonal people are at one end of a cell. In a learned bin noise may hide people at the far end: their number times the width of the bin is an error
// too, see [interval.Intervals.Inside]. Of a group with a part of the people of the bin it is the root of that part.
// Half as many more may be at one value that a condition asks for. Where a condition cuts the first or the last declared bin, all of the bin's
// people may be at its end: values beyond the range have become it.
// Far from all others, at an end of a range, as many people may be as the released differences leave room for, though a tail would have none
// there. TestMeansOfTails and TestCodes have the coverage. Errors of numbers are widened by 1.2, since dependences of numbers run in one direction. A
// quantile has the interval of the share below it, inverted; in a declared cell of several values it reaches to the cell's ends, for
// nothing of what lies inside was released. An interval is ± 1.96 standard errors, and no count or share
// leaves its range. Upper ends of counts and shares of two columns that noise may hide are further off, see
// [interval.Linear.High].
//
// Means and sums are of the numbers before they were rounded to the resolution of their column: their intervals are wider by what each
// is moved by chance, and by what all are moved where those in the middle of two multiples are rounded up.
//
// Answers are about the table's own people. With Population they are about the population that those are a random sample of, for
// as many people: their own scatter comes on top.
//
// # Speed
//
// BenchmarkAnswer, on two cores: a query of one to four columns of a model of 100,000 records takes 20 ms on average, the slowest of
// 64, of 40 groups by five columns, .2 s. The 540 groups by three columns of six, of 405,000 cells, take 2.7 s.
//
// # Not promised
//
// Intervals have a measured coverage, and are no bounds; see integration/research/bench TestAsked.
//
// # Design
//
// The text is read by the lexer of conditions. Parsers of SQL were tried: TiDB's and Vitess's reserve the word rows, so
// that they refuse FROM rows, and know no values without quotes, as --where has them. Programs of their parsers alone have
// 17.8 and 12.4 MB.
package answer

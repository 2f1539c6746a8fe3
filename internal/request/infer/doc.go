// Package infer proposes a domain file for a table.
//
//	src, err := infer.Open(ctx, infer.Params{Input: "people.csv", FromData: true, PrivacyID: "person_id"})
//	text, err := src.Propose(ctx)
//
// From names and types alone it proposes columns without cells, with a comment "# review:" wherever
// something is missing: such a file does not validate before somebody who knows the table has filled it
// in. From the data itself it proposes types, categories, ranges and null flags, and says on its first
// lines that they are not private.
//
// # What it does not promise
//
// A proposal from data is a release of private facts without any privacy: a largest income, a rare
// category, that a column has NULLs. It is for the eyes of the data owner, who replaces what is in it by
// what is known without the table. That a category needs MinSupport people keeps names out of the
// proposal; it is no privacy guarantee.
//
// # Ranges
//
// Numbers, dates and times get min, max and a resolution, and no bins: a run learns those. The resolution is the largest
// round one that all values are multiples of, or the least at which there are no more values than a domain file can
// have. Ends are rounded outward, but not past 0 or 100, and not at all in narrow ranges of whole numbers.
//
// # Wide tables
//
// What holds between columns is looked for among the first rules.MostRelated columns of a table, and the proposal says so. Of more
// than 256 columns fewer than 4,096 values each are counted at a time, and of more than 32 fewer than 2^20 values and people
// are told apart: memory grows with the columns, and not with their pairs or their rows.
//
// # Types of text
//
// A column of a CSV file gets the first type that all its cells fit: BOOL (true, false), INT64, NUMERIC
// (up to 9 decimal places), FLOAT64; or DATE, TIMESTAMP; or TIME. Decimal numbers that are all whole (2.0) are INT64.
// Numbers with leading zeros, or with a plus sign and no point, are codes and not numbers, and so are whole numbers
// beyond int64: such columns are STRING, like everything else. A cell is never dropped to make
// a type fit.
//
// A column that is text by this may have numbers or dates as people write them: 1.234,50 €, 12 %, 31.12.2024. If all
// of its cells fit one of the forms of io/schema, it gets that one under csv: written. If two fit, as 1,234 and
// 03/04/2024, the other columns decide, or else the separator of the file, and the reader is asked.
//
// # Constraints
//
// What holds between columns is proposed in comments, for the reader to choose from: columns in order, sums of two or three
// others, and maps: a text or number with one value for each category of another column, or for each pair of categories of two. A
// map may fail in a hundredth of the records, and the comment has the part. Columns of FLOAT64 take no part.
package infer

// Package jsonio reads and writes tables as JSON lines: a text file with one JSON object a line, a record each.
//
//	import _ "github.com/dapple-dp/dapple/io/jsonio" // files of JSON lines
//
// # What is read
//
// A file ends in .jsonl, .ndjson or .json, and .gz or .zst may follow. The columns that a domain names are the fields of
// that name, in any order:
//
//	a text              the text, with its escapes resolved
//	a number            the number as it is written
//	true, false         these words
//	null, no such field NULL
//
// Encoding reads each as the type that the domain declares, as in CSV files. What the domain file says under csv: of null,
// null_id, trim, trim_id and written applies to texts. Of a field that appears twice in an object
// the last one counts. Blank lines are skipped, and so is a byte order mark at the beginning of any line.
//
// # No record decides how a file is read
//
// No record ends the reading. A line that is no JSON object is a record whose cells are all NULL, its privacy ID
// included, and so is a line longer than 16 MiB. An object or a list in a field that the domain names is a value that no
// column can use. A strict reader refuses both, with the number of the line.
//
// Names of fields are in the records alone. So nothing but infer --from_data, check and a strict run looks for them, which
// are for the owner of the table. They say which fields are nested, and print the line for DuckDB that flattens them.
// They also say so if a file is one JSON list, with the line that turns it into Parquet. A run cannot: a record that begins
// with a bracket would decide whether it starts.
//
// # Privacy IDs
//
// Distinct texts are distinct IDs, byte by byte, after escapes are resolved; half of a pair of surrogates stays
// different from every other text. A number is the ID of its characters: 7 and "7" are one ID, and 7.0 is another.
//
// # What is written
//
// One object a row, with all columns in the domain's order. INT64, FLOAT64 and NUMERIC are numbers, BOOL is true or
// false, all other types are texts in their usual form, and NULL is null. What JSON has no number for is a text: NaN.
//
// # Design
//
// encoding/json checks each line, and a walk over its outermost fields finds the cells: nothing is decoded that no column
// needs. A large file is cut by its size, and a line belongs to the part in which it begins: a line end is never inside a
// JSON text. Compressed files are read from beginning to end.
package jsonio

// Package schema reads the domain file: the YAML text in which people declare what a table may contain, which
// marginals matter to them, and how an unusual CSV file is written.
//
//	privacy_id: person_id
//	columns:
//	  - {name: sex, type: STRING, values: [Female, Male], other: true}
//	  - {name: age, type: INT64, min: 17, max: 90, bins: 20, null: true}
//	  - {name: fare, type: NUMERIC, min: 0, max: 500, resolution: 0.05, null: true}
//	  - {name: visited, type: DATE, min: 2020-01-01, max: 2024-12-31, step: month, null: true}
//	events: {person: [sex, age], rows: {max: 100}}
//	constraints:
//	  - {order: [start, end]}
//	  - {derive: hour, from: time / 100}
//	  - {sum: total, of: [net, tax]}
//	generate:
//	  - {column: visit_id, as: uuid}
//	impossible:
//	  - {sex: Male, pregnant: true}
//	workload:
//	  - {columns: [age, sex], weight: 2}
//	csv: {null: ["?"], trim: true}
//
// The keys of csv are columns (the names, for files without a header line), header (the first line holds names, though
// some are numbers, dates or empty), comma, null (further texts that mean NULL), trim (blanks around cells are not part
// of them), escape (backslashes stand before quotes and separators), max_record_mib (the largest size of the cells of one
// record; default 4), encoding (windows-1252, utf-16le, utf-16be), mark (a file without a header line begins with a byte
// order mark) and written (see below). For the privacy ID, to which null and trim do not apply, there are null_id and
// trim_id.
//
// # Numbers and dates as people write them
//
// Numbers are read as 1234.5 or 1e3, dates as 2024-12-31 or 2024/12/31, times as 23:59 or 11:59 PM. Columns of CSV files
// that are written otherwise are named with an example, one of these:
//
//	csv: {written: {price: "1.234,5", born: 31.12.2024}}
//
//	"1,234.5"    marks between thousands: comma, blank or apostrophe; a decimal point
//	"1.234,5"    marks between thousands: point, blank or apostrophe; a decimal comma
//	31.12.2024   the day first, or 31/12/2024, 31-12-24
//	12/31/2024   the month first
//	31 Dec 2024  or Dec 31, 2024, or 31DEC24: the month by its English name, or the first three letters of it
//	"20241231"   eight digits
//
// Such numbers may have a currency ($ or EUR) on either side, a percent sign, which is dropped (12 % is 12), a
// trailing minus, or parentheses for a minus. A time may follow a date. A year of two digits is the last such year
// that is not after the year of max.
//
// Reading is strict: unknown keys, keys given twice and values of a wrong type are faults. All faults
// of a file are found at once, each with line and column, what was given and what to do about it. A file larger
// than MaxBytes is refused before it is read.
//
// # Parts to be found
//
// A column of a name and a type alone leaves its cells to be found, within the privacy budget of a run: the values of a
// STRING, the range of everything else, and what becomes of values that cannot be used. With resolution, null or other
// that is declared, only the rest is found. A single part to be found is written find:
//
//	{name: city, type: STRING}
//	{name: status, type: INT64, values: find, null: true}
//	{name: age, type: INT64, min: 0, max: find, null: true}
//	events: {rows: {max: find}}
//
// ParseOpen reads such files, and Parse refuses them.
//
// # Numbers and times without bins
//
// A column with min and max, and without bins, edges and step, has as values the multiples of its resolution between
// them, at most 2^20. Up to 64 values are a cell each. For more, bins are learned from a release, with the most
// frequent values as bins of their own, and rows are drawn inside bins from the released distribution. The default
// resolution is 1 for INT64, 0.01 for NUMERIC, a day for DATE and a second for other times; FLOAT64 needs one.
// Values that a resolution would round, such as frequent logarithms, can be listed as exact, and are then written
// unchanged. So can values beyond min and max, such as a code for what is missing: each has a cell, and does not widen the range.
//
//	{name: income, type: INT64, min: 0, max: 200000, exact: [-999999]}
//	{name: ends, type: DATE, min: 2020-01-01, max: 2024-12-31, exact: [9999-12-31]}
//
// Learned bins and values show what stands out of the noise. Let σ be the square root of sigma2 of the stage trees in the
// statement: 119 records on UCI Adult at ε = 1, with 15 columns, 5 of them with learned bins. Fewer than about 3σ records
// (there one in a hundred) are not seen by themselves; a tail of so few has the generalised Pareto distribution that
// fits it as a whole. If they make up more than about a third of the variance, the standard deviation of the rows can be off
// by more than a tenth. One value far from all others is never shown: a release that shows it would give its record away. A
// range (min, max) without such values costs nothing and helps: values beyond it become its ends.
//
// # Constraints between columns
//
// Every row written satisfies the entries of constraints. They are public facts and cost no budget; private records
// that violate them are counted unchanged.
//
//	{order: [start, end]}                                   start <= end
//	{date: [year, month, day]}                              a day that the calendar has
//	{derive: hour, from: time / 100}                        an expression of other columns
//	{derive: state, from: city, map: {Austin: TX}, else: XX}  a value for each value of another column
//	{derive: price, from: [name, size], map: {Latte: {small: 3.5, large: 4.5}}, else: 0}  a value for each pair of values
//	{sum: total, of: [net, tax]}                            a sum
//
// Columns in order are of one kind: numbers, dates, or times of one type. NULL is in order with everything.
// Combinations of cells without values in order have probability 0, and inside cells values are exchanged or drawn
// again; as far as possible, the values of a column are those that it would have without the order. FLOAT64 columns in
// order need the same exact values; a column between two others needs all values of one of them.
//
// A derived column or a sum is computed in the rows: it is not modelled, uses no budget, and the table need not have
// it. It can be declared under columns, with its place, its type and the range of its values; otherwise it comes
// last, as an INT64, NUMERIC, STRING or the type of the expression. It is NULL if a column that it is computed from
// is. A value that the column does not hold, and a quotient by 0, become its fallback, or NULL. Expressions consist of columns, whole numbers, + - * /, % and parentheses; / rounds down and % has the sign of
// its divisor; a column whose name is not a word is put in double quotes. The difference of two dates is in days,
// and of two times in seconds, and days or seconds can be added. year, quarter, month, day, weekday (1 is Monday),
// hour, minute and second apply to a date or time, and date returns the day of a timestamp, in UTC.
//
// # Generated columns
//
// An entry of generate is a column of keys, made up for the rows and never NULL, before all other columns: uuid;
// serial, which counts from 1 over all files; or a pattern such as "AB-####", in which # is a digit and ? a capital
// letter, which counts too, and grows longer if necessary. The privacy ID can be generated. Equal sample seeds give
// equal keys.
//
// name, first_name, last_name, email, phone, street, city, zip and company are made up in English, as in the United States,
// and fit together in a row. They are no keys: two rows can have one name. Mails are at example.com, which belongs to nobody.
//
// # Workload
//
// A list has the marginals that matter. {target: income} in place of a list stands for the usual marginals; the ones
// with income weigh 30 times as much as the others.
//
// With events, the number of rows per person is added to the listed marginals, by itself, with each of them that has room
// for it, and with what is usual.
//
// # Linear queries
//
// An entry of workload is a marginal, or one of these queries, which methods dpam, dpfw and those for comparison
// accept. Each has a value in [−1, 1] for every record, and its answer is their sum. At most 100,000 queries with
// 16,777,216 values together are possible.
//
//	{count: {sex: Female, age: {from: 20, to: 40}}}      records with these values, a list of them, or cells in order
//	{prefixes: age}                                      for each cell but the last, records in it or in one before
//	{halfspace: {age: 1, hours: -0.5}, at_least: 3}      of cells numbered from 0 in the order of their declaration
//	{parity: [smokes, drinks, married]}                  1 if the sum of these numbers is even, and −1 if it is odd
//	{columns: [sex, married], values: [1, 0, 0.5, -1]}   any query: a value for each cell, the last column's fastest
//
// # Impossible combinations
//
// An entry of impossible names at least two columns, each with a value or a list of values: no record has one of the
// values in every column named. Values are categories, null, the value written for the cell other, or the lower end
// of a bin, which means the whole bin. Such records have probability 0 in every model, which costs no privacy: they
// are declared, not found. Private records that are impossible nevertheless are counted like others.
//
// # Design
//
// The file is read as YAML nodes rather than decoded into structs: nodes keep positions, and scalars keep their text,
// so that 0.1 is exactly one tenth, No is a category and 007 keeps its zeros. Anchors and aliases are refused; a
// domain file does not need them.
//
// Equal bins have real cut points. INT64 and times round them up to whole units, which changes no cell.
// NUMERIC takes the fewest decimal places, at most 9, in which the cut points are exact, and rounds up
// otherwise.
package schema

import "github.com/dapple-dp/dapple/internal/io/schema"

// File is what a domain file declares. All of it is public.
//
//	type File struct {
//		Name     string
//		Domain   *domain.Domain
//		Workload []WorkloadEntry // empty if the file declares none
//		Target   string          // the column that the rows are to predict, in place of a workload; empty: none
//		CSV      CSV
//		// ExpectedRows is the public estimate of the number of privacy units, for planning; 0: the file gives none.
//		ExpectedRows int64
//		// Derived lists what was read off the table, and is not known without it.
//		Derived []DerivedFacts
//		// Charge is what finding the domain has cost; nil: nobody has found it privately.
//		Charge *Charge
//	}
type File = schema.File

// CSV says how a CSV file is written. The zero value is the usual form: a header line, commas, and NULL
// as an empty cell or \N.
//
//	type CSV struct {
//		Columns   []string // the names of all columns in order, for files without a header line
//		Header    bool     `json:",omitempty"` // the first line holds names, though some look like numbers or dates
//		Null      []string // further texts that mean NULL; not in the privacy ID
//		Trim      bool     // cells have blanks around them that do not belong to them; blanks of the privacy ID do
//		NullID    []string // further texts that mean that a record has no privacy ID
//		TrimID    bool     // the privacy ID has blanks around it that do not belong to it
//		Comma     rune     // what separates cells; 0 means a comma
//		MaxRecord int      // bytes that the cells of one record hold at most; 0 means 4 MiB
//		Encoding  string   `json:",omitempty"` // Windows1252, UTF16LE or UTF16BE, or UTF-8 if it is empty
//		Escape    bool     `json:",omitempty"` // a backslash makes a quote, a separator, a line end or a backslash literal
//		// Suggested is what records suggest where the header line leaves it open: of descriptions that are NOT private.
//		Suggested struct {
//			Encoding string
//			Escape   bool
//		} `json:"-"`
//		Mark bool `json:",omitempty"` // files without a header line begin with a byte order mark
//
//		// Written says of columns how their cells are written, if not as 1234.5 or 2024-12-31. What is written otherwise
//		// is read as ever.
//		Written map[string]Written `json:",omitempty"`
//
//		// Strict refuses a line that is not well formed, with its number. No key of the file asks for it: it is
//		// an option of the run, for the owner's eyes.
//		Strict bool
//	}
type CSV = schema.CSV

// Parse reads the text of a domain file; name stands for it in messages. The error names every fault with its line and column.
func Parse(name string, data []byte) (*File, error) {
	return schema.Parse(name, data)
}

// ReadFile reads a domain file. The error names every fault with its line and column, or says why the file cannot be read.
func ReadFile(path string) (*File, error) {
	return schema.ReadFile(path)
}

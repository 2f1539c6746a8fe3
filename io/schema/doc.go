// Package schema reads the domain file: the YAML text in which people declare what a table may contain,
// which marginals they care for, and how an unusual CSV file is written.
//
//	privacy_id: person_id
//	columns:
//	  - {name: sex, type: STRING, values: [Female, Male], other: true}
//	  - {name: age, type: INT64, min: 17, max: 90, bins: 20, null: true}
//	  - {name: fare, type: NUMERIC, min: 0, max: 500, resolution: 0.05, null: true}
//	  - {name: visited, type: DATE, min: 2020-01-01, max: 2024-12-31, step: month, null: true}
//	impossible:
//	  - {sex: Male, pregnant: true}
//	workload:
//	  - {columns: [age, sex], weight: 2}
//	csv: {null: ["?"], trim: true}
//
// The keys of csv are columns (the names, for files without a header line), comma, null (further texts that mean
// NULL), trim (blanks around cells are not part of them), max_record_mib (what the cells of one record hold at
// most; 4 unless given), and for the privacy ID, which null and trim leave alone, null_id and trim_id.
//
// Reading is strict: unknown keys, keys given twice and values of a wrong type are faults. All faults
// of a file are found at once, each with line and column, what was given and what to do about it. A file larger
// than MaxBytes is refused before it is read.
//
// # Numbers and times without bins
//
// A column with min and max, and neither bins nor edges nor a step, holds the multiples of its resolution between
// them: 2^20 at most. Up to 64 are a cell each. Of more, bins are learned from a release, with the most frequent
// values as bins of their own, and rows are drawn inside bins as the release says. The resolution is 1 for INT64, 0.01
// for NUMERIC, a day for DATE and a second for other times, unless given; FLOAT64 has none and wants one.
//
// # StructuralZeros combinations
//
// An entry of impossible names at least two columns, each with a value or a list of values: no record has
// one of the values in every column named. Values are categories, null, what the cell other is written
// back as, or the lower end of a bin, which stands for the whole bin. Such records have probability 0 in
// every model, which costs no privacy: they are declared, not found. Private records that are impossible
// all the same are counted like others.
//
// # Design
//
// The file is read as YAML nodes rather than decoded into structs: nodes keep positions, and scalars
// keep their text, so that 0.1 is exactly one tenth, No is a category and 007 keeps its zeros. Anchors
// and aliases are refused; a domain file has no use for them.
//
// Equal bins have real cut points. INT64 and times round them up to whole units, which changes no cell.
// NUMERIC takes the fewest decimal places, at most 9, in which the cut points are exact, and rounds up
// if there are none.
package schema

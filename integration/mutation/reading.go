package main

// reading are defects of the ways in, by which people become one or a record stops a run.
var reading = []defect{
	{
		name: "an ID saturates", file: "io/parquetio/id.go", test: "TestPrivacyIDsAreInjective",
		old: "l.unsigned = true", new: "l.Unit = unsigned64",
	},
	{
		name: "an unsigned ID loses its high bits", file: "io/parquetio/id.go", test: "TestPrivacyIDsAreInjective",
		old: "case unsigned && bits == 64:", new: "case unsigned && bits == 65:",
	},
	{
		name: "a FLOAT64 column of BigQuery is an ID", file: "io/bigqueryio/schema.go", test: "TestPrivacyIDsAreInjective",
		old: "typeName(f.Type) == \"INT64\" {\n\t\treturn mapColumn(s, name, domain.Int64)",
		new: "typeName(f.Type) == \"FLOAT64\" {\n\t\treturn mapColumn(s, name, domain.Float64)",
	},
	{
		name: "people alone are found as a whole output", file: "io/bigqueryio/placesink.go", test: "TestTwoTablesAreLoadedInTurn",
		old: "return w, false, err\n\t\t}\n\t\tw.Bytes += job.Bytes", new: "return w, w.Job != \"\", err\n\t\t}\n\t\tw.Bytes += job.Bytes",
	},
	{
		name: "a long ID ends the run", file: "io/parquetio/idreader.go", test: "TestLongTexts",
		old: "for rows < n && len(out.Bytes) < idBytes {", new: "for rows < n {\n\t\tif len(out.Bytes) >= idBytes {\n\t\t\treturn 0, codec.ErrLarge\n\t\t}",
	},
	{
		name: "texts that are no categories take memory without end", file: "io/parquetio/texts.go", test: "TestManyTexts",
		old: "t.full = true", new: "t.full = false",
	},
	{
		name: "a text that came late is in no cell of its own", file: "io/parquetio/texts.go", test: "TestManyTexts",
		old: "for _, s := range t.categories {", new: "for _, s := range t.categories[:0] {",
	},
	{
		name: "a damaged page is read", file: "io/parquetio/internal/codec/walk.go", dir: "io/parquetio", test: "TestChecksums",
		old: "crc32.ChecksumIEEE(body) != uint32(p.sum)", new: "crc32.ChecksumIEEE(body) == 0 && p.sum == 1",
	},
	{
		name: "a domain file that leaves open who is protected is taken", file: "io/schema/file.go", dir: "pipelines/dapple", test: "TestPrivacyIDIsADecision",
		old: "if !m.has(\"privacy_id\") {", new: "if !m.has(\"privacy_id\") && m.has(\"events\") {",
	},
	{
		name: "the month is read for the day", file: "io/schema/written.go", test: "TestCanonical",
		old: "if w == MonthFirst ||", new: "if w == DayFirst ||",
	},
	{
		name: "rows that break an order are left", file: "internal/relation/repair.go", test: "TestEveryRowKeepsItsRelations",
		old: "if r.violated() == nil {\n\t\t\tcontinue", new: "if r.violated() != nil {\n\t\t\tcontinue",
	},
	{
		name: "decimals and whole numbers compared in other units", file: "internal/relation/possible.go", test: "TestEveryRowKeepsItsRelations",
		old: "p.scales[a].get(&columns[a], 0) > p.scales[b].get(&columns[b], 0)", new: "columns[a].Ints[0] > columns[b].Ints[0]",
	},
	{
		name: "NULL of the first column is lost", file: "internal/relation/complete.go", test: "TestEveryRowKeepsItsRelations",
		old: "out.Nulls[i] = out.Nulls[i] || null", new: "out.Nulls[i] = null",
	},
	{
		name: "quotients rounded towards 0", file: "internal/relation/value.go", test: "TestEveryRowKeepsItsRelations",
		old: "if a%b != 0 && (a < 0) != (b < 0) {", new: "if a%b != 0 && a < 0 && b < 0 {",
	},
	{
		name: "days that no month has are written", file: "internal/relation/dates.go", test: "TestEveryDayExists",
		old: "if last := lastDay(y, month.Ints[row]); day.Ints[row] > last {", new: "if last := int64(31); day.Ints[row] > last {",
	},
	{
		name: "check takes a broken order for whole", file: "internal/relation/broken.go", dir: "internal/evaluate", test: "TestCheckCountsBrokenConstraints",
		old: "get(&columns[last], row) > p.scales", new: "get(&columns[last], row) < p.scales",
	},
}

package main

// reading are defects of the ways in, by which people become one or a record stops a run.
var reading = []defect{
	{
		name: "an ID saturates", file: "io/parquetio/id.go", test: "TestPrivacyIDsAreInjective",
		old: "l.unsigned = true", new: "l.unit = unsigned64",
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
		name: "a long ID ends the run", file: "io/parquetio/idreader.go", test: "TestLongTexts",
		old: "for rows < n && len(out.Bytes) < idBytes {", new: "for rows < n {\n\t\tif len(out.Bytes) >= idBytes {\n\t\t\treturn 0, errLarge\n\t\t}",
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
		name: "a damaged page is read", file: "io/parquetio/walk.go", test: "TestChecksums",
		old: "crc32.ChecksumIEEE(body) != uint32(p.sum)", new: "crc32.ChecksumIEEE(body) == 0 && p.sum == 1",
	},
}

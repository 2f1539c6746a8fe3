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
}

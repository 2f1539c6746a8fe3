// Package tables connects the stage to the places where tables are: it keeps releases, writes rows with their statement, and
// reads and writes structs of the steps before and after.
//
//	orders := tables.ReadStructs(s, source, reflect.TypeFor[Order](), schema.CSV{})
//	_, release := synth.Synthesize(s, orders, synth.Params{Domain: d, Epsilon: 1, Delta: 1e-9,
//		Store: tables.Store("gs://b/releases"), RunID: "orders-2026-11-24"})
//	tables.Write(s, release, table.Target{Output: "gs://b/orders", Format: "parquet"}, synth.WriteParams{})
//
// Formats and places are those that the program imports: see package table. The package itself brings Parquet, in which
// marginals are published.
package tables

// Package oracles compares dapple's Parquet files with what the Parquet software of others makes of
// them, and the files of others with what dapple makes of those: DuckDB and parquet-go in process, pyarrow,
// Polars, fastparquet and a newer DuckDB under Python, Spark if there is Java, hyparquet under Node. It has
// tests alone.
//
// The tests that need Python or Node find them by two variables, which `make integration` sets, and are
// skipped with a message if those are not set:
//
//	DAPPLE_PYTHON        a Python that imports pyarrow, polars, duckdb and fastparquet, and pyspark if it can
//	DAPPLE_NODE_MODULES  a directory that holds hyparquet
package oracles

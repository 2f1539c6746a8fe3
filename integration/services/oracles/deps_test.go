package oracles

import (
	_ "github.com/duckdb/duckdb-go/v2"
	_ "github.com/parquet-go/parquet-go"
)

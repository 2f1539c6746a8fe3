// Package bigquery tests dapple's reading and writing of BigQuery against an emulator.
package bigquery

import (
	_ "github.com/dapple-dp/dapple/io/csvio"
	_ "github.com/dapple-dp/dapple/io/gs"
	_ "github.com/dapple-dp/dapple/io/parquetio"
)

package parquetio

// Options are the settings of a written file. Zero fields mean their defaults.
type Options struct {
	// Wide writes NUMERIC as DECIMAL(38, 9), BigQuery's NUMERIC. Else a column has as many digits as the range or the values of the
	// attribute, with its decimal places.
	Wide      bool
	GroupRows int64 // most rows of a row group, which ends earlier at 8 MiB; default 1<<18
}

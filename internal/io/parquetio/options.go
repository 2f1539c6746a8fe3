package parquetio

import (
	"github.com/apache/arrow-go/v18/parquet/compress"

	"github.com/dapple-dp/dapple/internal/io/parquetio/internal/codec"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
)

// Pages is the version of data pages.
type Pages uint8

const (
	// PagesV2 is the default: NULLs are counted in page headers and levels are not compressed.
	PagesV2 Pages = iota
	// PagesV1 is for readers that know no V2. Files have version 1 and the encodings of that time.
	PagesV1
)

// Nulls is the declaration of columns that have NULLs.
type Nulls uint8

const (
	// NullsOptional is the default: OPTIONAL if an attribute has a cell NULL, else REQUIRED.
	NullsOptional Nulls = iota
	// NullsRefused is for loaders that want REQUIRED columns alone: writing a NULL is an error.
	NullsRefused
)

// Decimals is the declaration of NUMERIC columns.
type Decimals uint8

const (
	// DecimalsDeclared is the default: as many digits as the range or the values of the attribute have, with its decimal places.
	DecimalsDeclared Decimals = iota
	// DecimalsWide is DECIMAL(38, 9), which is BigQuery's NUMERIC.
	DecimalsWide
)

// Codec is the compression of pages.
type Codec uint8

// The codecs. Zstd makes files of numbers up to a seventh smaller than Snappy; for categories it gains nothing,
// because they are dictionary-encoded already.
const (
	Snappy Codec = iota
	Zstd
	Uncompressed
)

// Options are the settings of a written file. Zero fields mean their defaults.
type Options struct {
	Pages     Pages    // default PagesV2
	Nulls     Nulls    // default NullsOptional
	Decimals  Decimals // default DecimalsDeclared
	Codec     Codec    // default Snappy
	GroupRows int64    // most rows of a row group, which ends earlier at 8 MiB; default 1<<18; at least 1
}

// Validate lists all faults at once.
func (o Options) Validate() error {
	var faults errtext.Errors
	if o.Pages > PagesV1 {
		faults.Addf("parquet: options: pages %d: want PagesV2 or PagesV1", o.Pages)
	}
	if o.Nulls > NullsRefused {
		faults.Addf("parquet: options: nulls %d: want NullsOptional or NullsRefused", o.Nulls)
	}
	if o.Decimals > DecimalsWide {
		faults.Addf("parquet: options: decimals %d: want DecimalsDeclared or DecimalsWide", o.Decimals)
	}
	if o.Codec > Uncompressed {
		faults.Addf("parquet: options: codec %d: want Snappy, Zstd or Uncompressed", o.Codec)
	}
	if o.GroupRows < 0 {
		faults.Addf("parquet: options: row group of %d rows: want at least 1", o.GroupRows)
	}
	return faults.Err()
}

func (o Options) codecOptions() codec.Options {
	c := codec.Options{V1: o.Pages == PagesV1, GroupRows: o.GroupRows}
	c.Codec = [...]compress.Compression{compress.Codecs.Snappy, compress.Codecs.Zstd, compress.Codecs.Uncompressed}[o.Codec]
	if c.GroupRows == 0 {
		c.GroupRows = 1 << 18
	}
	return c
}

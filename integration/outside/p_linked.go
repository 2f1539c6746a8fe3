package outside

import (
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/parquet/file"

	"github.com/dapple-dp/dapple/dp/domain"
	_ "github.com/dapple-dp/dapple/io/arrowio" // links beside the rest: all of them stand on Arrow
	_ "github.com/dapple-dp/dapple/io/parquetio"
	"github.com/dapple-dp/dapple/io/table"
)

// linkedParquet writes rows by the format that package parquetio registers, and counts them by arrow-go, which iceberg-go, Delta and ADBC import: both
// are linked into one program, beside BigQuery's client.
func linkedParquet(f interface {
	io.ReadWriteSeeker
	io.ReaderAt
}, d *domain.Domain, c *domain.Chunk) (rows int64, err error) {
	format, _ := table.FormatOf("parquet")
	w, err := format.NewWriter(f, d, "")
	if err != nil {
		return 0, err
	}
	if err := w.Write(c); err != nil {
		return 0, err
	}
	if err := w.Close(); err != nil {
		return 0, err
	}
	r, err := file.NewParquetReader(f)
	if err != nil {
		return 0, fmt.Errorf("arrow-go reads another file: %w", err)
	}
	return r.NumRows(), r.Close()
}

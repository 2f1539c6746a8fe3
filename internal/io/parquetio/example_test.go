package parquetio_test

import (
	"bytes"
	"fmt"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
)

func ExampleNewWriter() {
	d := &domain.Domain{Attributes: []domain.Attribute{{Name: "age", Type: domain.Int64, Cuts: []int64{0, 120}, Resolution: 1, Null: true}}}
	var file bytes.Buffer
	w, err := parquetio.NewWriter(&file, d, parquetio.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ages := domain.Column{Form: domain.Ints, Ints: []int64{42, 0}, Nulls: []bool{false, true}}
	if err := w.Write(&domain.Chunk{Rows: 2, Columns: []domain.Column{ages}}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(w.Close())

	r, err := parquetio.Open(bytes.NewReader(file.Bytes()), "ages.parquet", d, parquetio.ReadOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for c, err := range r.Chunks() {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(c.Columns[0].Ints, c.Columns[0].Nulls)
	}
	// Output:
	// 2 <nil>
	// [42 0] [false true]
}

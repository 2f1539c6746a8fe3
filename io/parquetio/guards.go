package parquetio

import "github.com/dapple-dp/dapple/io/parquetio/internal/codec"

// maxCells is the largest number of cells of a row group: ReadGroup holds them at a time, in 2 GiB of memory.
const maxCells = 1 << 28

// turnTo reads what the footer states of the columns of row group i, and bounds what the group will take
// before anything of it is read.
func (r *Reader) turnTo(i int) (rows int, err error) {
	n, err := r.file.TurnTo(i)
	if err != nil {
		return 0, err
	}
	// A few bytes of run lengths can encode any number of rows: 8 bytes for each cell are counted for them here.
	// Pages are bounded one by one.
	if n < 0 || n > maxCells/int64(len(r.attrs)+1) {
		return 0, codec.ErrLarge
	}
	return int(n), nil
}

// leaves returns the columns that are read.
func (r *Reader) leaves() []*leaf {
	list := make([]*leaf, 0, len(r.attrs)+1)
	for k := range r.attrs {
		list = append(list, &r.attrs[k])
	}
	if r.id != nil {
		list = append(list, r.id)
	}
	return list
}

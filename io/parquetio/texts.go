package parquetio

import "encoding/binary"

// eachText calls f for exactly n byte arrays of encoding PLAIN.
func eachText(src []byte, n int, f func(i int, b []byte)) error {
	for i := range n {
		if len(src) < 4 {
			return errPage
		}
		size := binary.LittleEndian.Uint32(src)
		src = src[4:]
		if uint64(size) > uint64(len(src)) {
			return errPage
		}
		f(i, src[:size])
		src = src[size:]
	}
	return nil
}

// eachDeltaLength does the same for DELTA_LENGTH_BYTE_ARRAY.
func eachDeltaLength(src []byte, n int, f func(i int, b []byte)) error {
	lengths := make([]int64, n)
	src, err := delta(lengths, src)
	if err != nil {
		return err
	}
	for i, size := range lengths {
		if size < 0 || size > int64(len(src)) {
			return errPage
		}
		f(i, src[:size])
		src = src[size:]
	}
	return nil
}

// eachDelta does the same for DELTA_BYTE_ARRAY: each text is a prefix of the one before and a suffix.
// f must not keep its argument. The texts together may have no more than limit bytes.
func eachDelta(src []byte, n int, limit int64, f func(i int, b []byte)) error {
	prefixes := make([]int64, n)
	src, err := delta(prefixes, src)
	if err != nil {
		return err
	}
	var last []byte
	bad := false
	err = eachDeltaLength(src, n, func(i int, suffix []byte) {
		p := prefixes[i]
		limit -= p + int64(len(suffix))
		bad = bad || p < 0 || p > int64(len(last)) || limit < 0
		if !bad {
			last = append(last[:p], suffix...)
			f(i, last)
		}
	})
	if bad {
		return errPage
	}
	return err
}

package codec

import "math"

// spread writes the next value to each cell whose level is 1, and the zero value to the others.
func spread[T any](dst []T, values, levels []int64, of func(int64) T) {
	var zero T
	next := 0
	for i, l := range levels {
		if l == 0 {
			dst[i] = zero
			continue
		}
		dst[i] = of(values[next])
		next++
	}
}

func (d *Decoder) spreadFloats(dst []float64, valid int) {
	if valid < len(dst) {
		spread(dst, d.raw, d.scratch, func(v int64) float64 { return math.Float64frombits(uint64(v)) })
		return
	}
	for i, v := range d.raw {
		dst[i] = math.Float64frombits(uint64(v))
	}
}

// joined undoes BYTE_STREAM_SPLIT: byte k of value i is data[k·n+i].
func joined(data []byte, size int) []byte {
	n := len(data) / size
	out := make([]byte, len(data))
	for k := range size {
		for i, b := range data[k*n : (k+1)*n] {
			out[i*size+k] = b
		}
	}
	return out
}

package dense

import (
	"fmt"
	"math"
)

// ErrUniverse says that the universe has too many cells to be held explicitly. Both figures are public.
type ErrUniverse struct {
	Cells float64 // of the universe; may be beyond 1e300
	Limit int64   // cells that the memory limit has room for
}

func (e *ErrUniverse) Error() string {
	cells := fmt.Sprintf("%g", e.Cells)
	if math.IsInf(e.Cells, 1) {
		cells = "more than 1e308"
	}
	return fmt.Sprintf("dense: the universe has %s cells and the memory limit has room for %d; "+
		"declare fewer or coarser attributes, raise the limit, or use a method for wide tables", cells, e.Limit)
}

// Cells returns the number of cells of the universe, which is +Inf beyond the range of a float64.
func Cells(sizes []int) float64 {
	k := 1.0
	for _, s := range sizes {
		k *= float64(s)
	}
	return k
}

// CheckUniverse returns the number of cells of the universe if bytesPerCell times it is within memoryLimit
// bytes, and *ErrUniverse otherwise. The rule is public.
func CheckUniverse(sizes []int, bytesPerCell, memoryLimit int64) (int, error) {
	limit := memoryLimit / bytesPerCell
	if k := Cells(sizes); k > float64(limit) {
		return 0, &ErrUniverse{Cells: k, Limit: limit}
	}
	k := 1
	for _, s := range sizes {
		k *= s
	}
	return k, nil
}

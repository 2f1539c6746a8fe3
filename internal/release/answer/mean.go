package answer

import (
	"fmt"
	"math"
	"strconv"
)

// Mean is the mean of a column with half of its 95 % interval.
type Mean struct {
	Known       bool
	Value, Half float64
}

// String writes a mean with its interval, to two digits of the latter.
func (m Mean) String() string {
	decimals := 0
	if m.Half > 0 {
		decimals = int(min(max(1-math.Floor(math.Log10(m.Half)), 0), 6))
	}
	write := func(x float64) string { return strconv.FormatFloat(x, 'f', decimals, 64) }
	return fmt.Sprintf("mean %s ± %s", write(m.Value), write(m.Half))
}

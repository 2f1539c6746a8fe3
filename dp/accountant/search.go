package accountant

// leastInt returns the least n in (low, high] that satisfies a predicate which, once true, stays true, and which
// high is taken to satisfy.
func leastInt(low, high int64, satisfies func(n int64) bool) int64 {
	for high-low > 1 {
		if middle := low + (high-low)/2; satisfies(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// border returns the two neighbouring float64 of [low, high], finite, between which a predicate that low is taken
// not to satisfy and high is becomes true.
func border(low, high float64, satisfies func(x float64) bool) (below, above float64) {
	for {
		middle := low + (high-low)/2
		switch {
		case middle == low || middle == high:
			return low, high
		case satisfies(middle):
			high = middle
		default:
			low = middle
		}
	}
}

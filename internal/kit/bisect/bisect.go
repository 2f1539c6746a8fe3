// Package bisect finds the place where a condition becomes true that, once true, stays true.
//
//	root, _ := bisect.Border(0, 2, func(x float64) bool { return x*x > 2 })
package bisect

// Border returns the two neighbouring float64 of [low, high], finite, between which a condition that low is taken
// not to meet and high is taken to meet becomes true.
func Border(low, high float64, met func(x float64) bool) (below, above float64) {
	for {
		middle := low + (high-low)/2
		switch {
		case middle == low || middle == high:
			return low, high
		case met(middle):
			high = middle
		default:
			low = middle
		}
	}
}

// Steps is Border after a number of halvings: the ends are (high−low)/2^n apart. It is for conditions that cost
// too much to be asked until floats are neighbours.
func Steps(low, high float64, n int, met func(x float64) bool) (below, above float64) {
	for range n {
		if middle := (low + high) / 2; met(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return low, high
}

// Near is Int for a condition that costs much: it tries a guess first, then farther and farther from it.
func Near(low, high, guess int64, met func(n int64) bool) int64 {
	at := guess
	for step := int64(1); low < at && at < high; step *= 2 {
		if met(at) {
			high, at = at, at-step
		} else {
			low, at = at, at+step
		}
	}
	return Int(low, high, met)
}

// Int returns the least n in (low, high] that meets a condition, which high is taken to meet.
func Int(low, high int64, met func(n int64) bool) int64 {
	for high-low > 1 {
		if middle := low + (high-low)/2; met(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// Package lists makes lists of lists.
package lists

// Of returns f of each element of list, in order; it is not nil.
func Of[S ~[]T, T, U any](list S, f func(T) U) []U {
	out := make([]U, len(list))
	for i, x := range list {
		out[i] = f(x)
	}
	return out
}

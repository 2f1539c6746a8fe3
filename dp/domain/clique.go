package domain

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/internal/kit/lists"
)

// Clique is a set of attributes, as ascending positions in a Domain.
type Clique []int

// NewClique returns the clique of the given positions in ascending order without repeats.
func NewClique(attrs ...int) Clique {
	c := slices.Clone(attrs)
	slices.Sort(c)
	return slices.Compact(c)
}

// All returns the clique of the first n attributes: of a domain of n, all.
func All(n int) Clique {
	c := make(Clique, n)
	for a := range c {
		c[a] = a
	}
	return c
}

// Contains reports whether every attribute of other is in c.
func (c Clique) Contains(other Clique) bool {
	i := 0
	for _, a := range other {
		for i < len(c) && c[i] < a {
			i++
		}
		if i == len(c) || c[i] != a {
			return false
		}
	}
	return true
}

// Equal reports whether both cliques hold the same attributes.
func (c Clique) Equal(other Clique) bool { return slices.Equal(c, other) }

// Compare orders cliques by length, then by attributes.
func (c Clique) Compare(other Clique) int {
	if len(c) != len(other) {
		return len(c) - len(other)
	}
	return slices.Compare(c, other)
}

// Cells returns the number of cells of the clique's marginal under the given sizes. Cells are
// row-major: the last attribute of the clique is fastest.
func (c Clique) Cells(sizes []int) (int64, error) {
	n := int64(1)
	for _, a := range c {
		s := int64(sizes[a])
		if n > math.MaxInt64/s {
			return 0, fmt.Errorf("domain: clique %v has more cells than an int64 can count", c)
		}
		n *= s
	}
	return n, nil
}

// Strides returns the step of each attribute of c in the marginal's row-major cell order.
func (c Clique) Strides(sizes []int) []int {
	st := make([]int, len(c))
	s := 1
	for i := len(c) - 1; i >= 0; i-- {
		st[i] = s
		s *= sizes[c[i]]
	}
	return st
}

// Cell returns the cell of record r in the marginal of c.
func (c Clique) Cell(sizes []int, r []Code) int {
	x := 0
	for _, a := range c {
		x = x*sizes[a] + int(r[a])
	}
	return x
}

// Key returns a text that is equal for equal cliques, such as "0,3,4".
func (c Clique) Key() string {
	var b strings.Builder
	for i, a := range c {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(a))
	}
	return b.String()
}

// Names returns the attribute names of c in d.
func (c Clique) Names(d *Domain) []string {
	return lists.Of(c, func(a int) string { return d.Attributes[a].Name })
}

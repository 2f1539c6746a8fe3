package query

import (
	"errors"
	"fmt"
	"math"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Function returns the query that sums f over records, with weight 1. f is given the codes of the clique's attributes
// and has values in [−1, 1]. A clique of all attributes gives any query on the explicit universe. It fails as
// NewLinear does, for a clique of too many cells and for one outside the domain.
func Function(sizes []int, c domain.Clique, f func(codes []domain.Code) float64) (Marginal, error) {
	return Functions(sizes, c, []func(codes []domain.Code) float64{f})
}

// Functions is Function for several queries over one clique. They share a table with one sensitivity for all of them.
func Functions(sizes []int, c domain.Clique, list []func(codes []domain.Code) float64) (Marginal, error) {
	for i, a := range c {
		if a < 0 || a >= len(sizes) || i > 0 && c[i-1] >= a {
			return Marginal{}, fmt.Errorf("query: clique %v: attributes are ascending positions below %d", c, len(sizes))
		}
	}
	cells, err := c.Cells(sizes)
	if err != nil || cells > MaxLinearValues {
		return Marginal{}, fmt.Errorf("query: the columns of a linear query have more than %d cells together; use fewer or coarser columns", MaxLinearValues)
	}
	if err := checkLinear(len(list), [][]float64{make([]float64, cells)}); err != nil {
		return Marginal{}, err
	}
	rows, codes := make([][]float64, len(list)), make([]domain.Code, len(c))
	for i := range rows {
		rows[i] = make([]float64, cells)
	}
	for cell := range int(cells) {
		for i, rest := len(c)-1, cell; i >= 0; i-- {
			codes[i], rest = domain.Code(rest%sizes[c[i]]), rest/sizes[c[i]]
		}
		for i, f := range list {
			rows[i][cell] = f(codes)
		}
	}
	l, err := NewLinear(rows)
	return Marginal{Clique: c, Weight: 1, Queries: l}, err
}

// Conjunction returns the query that counts the records whose attribute c[i] has a code in allowed[i], for each i.
func Conjunction(sizes []int, c domain.Clique, allowed [][]domain.Code) (Marginal, error) {
	if len(allowed) != len(c) {
		return Marginal{}, errors.New("query: a conjunction needs codes for each attribute of its clique")
	}
	in := make([]map[domain.Code]bool, len(c))
	for i, codes := range allowed {
		in[i] = map[domain.Code]bool{}
		for _, v := range codes {
			in[i][v] = true
		}
	}
	return Function(sizes, c, func(codes []domain.Code) float64 {
		for i, v := range codes {
			if !in[i][v] {
				return 0
			}
		}
		return 1
	})
}

// Prefixes returns, for each but the last of an attribute's first values codes, how many records have it or one below.
func Prefixes(sizes []int, attribute, values int) (Marginal, error) {
	var list []func([]domain.Code) float64
	for v := range values - 1 {
		list = append(list, func(codes []domain.Code) float64 { return truth(int(codes[0]) <= v) })
	}
	return Functions(sizes, domain.Clique{attribute}, list)
}

// HalfSpace returns the query that counts the records with Σ coefficients[i]·position[i][code of c[i]] ≥ least.
func HalfSpace(sizes []int, c domain.Clique, coefficients []float64, position [][]float64, least float64) (Marginal, error) {
	if len(coefficients) != len(c) || len(position) != len(c) {
		return Marginal{}, errors.New("query: a half-space needs a coefficient and positions for each attribute of its clique")
	}
	for i, a := range c {
		if a >= 0 && a < len(sizes) && len(position[i]) != sizes[a] || math.IsNaN(coefficients[i]) || math.IsInf(coefficients[i], 0) {
			return Marginal{}, fmt.Errorf("query: a half-space needs a finite coefficient and a position for each code of attribute %d", a)
		}
	}
	return Function(sizes, c, func(codes []domain.Code) float64 {
		sum := 0.0
		for i, v := range codes {
			sum += float64(coefficients[i] * position[i][v])
		}
		return truth(sum >= least)
	})
}

// Parity returns the query that adds 1 for each record whose codes have an even sum and −1 for each other one.
func Parity(sizes []int, c domain.Clique) (Marginal, error) {
	return Function(sizes, c, func(codes []domain.Code) float64 {
		sum := domain.Code(0)
		for _, v := range codes {
			sum ^= v & 1
		}
		return 1 - 2*float64(sum)
	})
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

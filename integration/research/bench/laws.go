package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/integration/research/families"
)

// laws make tables of structure in many columns at once; the last column is the label of a classifier.
var laws = map[string]func(units int, seed uint64) *families.Table{"parity12": parity12, "dense8": dense8}

// parity12 has 12 binary columns, uniform but for the last, which is the parity of three others for 90 % of the records: all
// tables of up to three columns are uniform.
func parity12(units int, seed uint64) *families.Table {
	rng := rand.New(rand.NewPCG(12, seed))
	columns, names, sizes := make([][]domain.Code, 12), make([]string, 12), make([]int, 12)
	for a := range columns {
		names[a], sizes[a] = fmt.Sprint("x", a), 2
		for range units {
			columns[a] = append(columns[a], domain.Code(rng.IntN(2)))
		}
	}
	for r := range columns[11] {
		if rng.Float64() < .8 {
			columns[11][r] = columns[1][r] ^ columns[4][r] ^ columns[7][r]
		}
	}
	return families.NewTable("parity12", families.Coded(names, sizes), columns)
}

// dense8 has seven columns of four values and a label, each depending on each: records are of 40 hidden kinds, and in
// seven of ten cases a column has the value of its kind.
func dense8(units int, seed uint64) *families.Table {
	const kinds = 40
	law, rng := rand.New(rand.NewPCG(8, 0)), rand.New(rand.NewPCG(8, seed))
	names, sizes, usual := make([]string, 8), []int{4, 4, 4, 4, 4, 4, 4, 2}, make([][kinds]domain.Code, 8)
	for a, k := range sizes {
		names[a] = fmt.Sprint("x", a)
		for i := range kinds {
			usual[a][i] = domain.Code(law.IntN(k))
		}
	}
	columns := make([][]domain.Code, 8)
	for range units {
		kind := int(kinds * rng.Float64() * rng.Float64()) // the first kinds are the largest
		for a, k := range sizes {
			v := usual[a][kind]
			if rng.Float64() >= .7 {
				v = domain.Code(rng.IntN(k))
			}
			columns[a] = append(columns[a], v)
		}
	}
	return families.NewTable("dense8", families.Coded(names, sizes), columns)
}

package families

import (
	"fmt"
	"math"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Family makes tables of one kind.
type Family struct {
	Name string
	// Make returns a table of the given number of units, at least 1.
	Make func(units int, seed uint64) *Table
}

// All lists the families.
func All() []Family {
	return []Family{
		{"near-deterministic pairs", nearDeterministic},
		{"columns of 100 values that follow from others", dependencies},
		{"23 binary columns with structural zeros", Binary},
		{"12 binary columns, zeros declared", declared},
		{"ties", ties},
		{"constants", constants},
		{"one value of 99.9 %", dominated},
		{"a small universe", small},
		{"schedule", Schedule},
	}
}

// nearDeterministic has pairs of columns of 3 to 40 values, one following the other in 99.5 % of the
// records, and a group that all records share in part.
func nearDeterministic(units int, seed uint64) *Table {
	b := newBuilder(units, seed)
	group := b.choose([]float64{5, 3, 1, 1})
	groups := b.add("group", 4, func(int) int { return group() })
	for i, k := range []int{3, 8, 20, 40} {
		draw, noise := b.zipf(k, 1), b.zipf(k, .5)
		first := b.add(fmt.Sprint("first", i), k, func(r int) int { return (draw() + int(groups[r])*k/4) % k })
		shift := b.rng.IntN(k)
		b.add(fmt.Sprint("second", i), k, func(r int) int {
			if b.rng.Float64() < .005 {
				return noise()
			}
			return (int(first[r])*7 + shift) % k // 7 has no divisor in common with the sizes
		})
	}
	return b.table("near-deterministic pairs")
}

// dependencies has two independent columns of 100 values and others that are functions of them: a
// rearrangement, tens, a coarser grouping, a sum.
func dependencies(units int, seed uint64) *Table {
	b := newBuilder(units, seed)
	const k = 100
	skewed, order := b.zipf(k, .8), b.rng.Perm(k)
	first := b.add("first", k, func(int) int { return skewed() })
	b.add("rearranged", k, func(r int) int { return order[first[r]] })
	b.add("tens", 10, func(r int) int { return int(first[r]) / 10 })
	second := b.add("second", k, func(int) int { return clamp(50+18*b.rng.NormFloat64(), k) })
	b.add("grouped", 25, func(r int) int { return order[second[r]] / 4 })
	b.add("sum", k, func(r int) int { return (int(first[r]) + int(second[r])) / 2 })
	b.add("flag", 2, func(r int) int {
		if first[r] < 5 && b.rng.Float64() < .9 {
			return 1
		}
		return 0
	})
	return b.table("dependencies")
}

// Binary has 23 binary columns: a hidden class of six moves all of them, every third column needs the one
// before it (a structural zero), and every other third repeats its neighbour but for 2 in 1,000 records.
func Binary(units int, seed uint64) *Table {
	return makeBinary("23 binary columns", 23, units, seed)
}

func makeBinary(name string, columns, units int, seed uint64) *Table {
	b := newBuilder(units, seed)
	const classes = 6
	class, hidden := b.zipf(classes, 1), make([]int, units)
	for r := range hidden {
		hidden[r] = class()
	}
	var before []domain.Code
	for i := range columns {
		var rate [classes]float64
		for c := range rate {
			rate[c] = math.Pow(b.rng.Float64(), 2)
		}
		before = b.add(fmt.Sprintf("c%02d", i), 2, func(r int) int {
			yes := 0
			if b.rng.Float64() < rate[hidden[r]] {
				yes = 1
			}
			switch {
			case i%3 == 1: // needs the column before
				return yes * int(before[r])
			case i%3 == 2 && b.rng.Float64() < .998:
				return int(before[r])
			}
			return yes
		})
	}
	return b.table(name)
}

// declared is Binary with 12 columns whose structural zeros the domain declares.
func declared(units int, seed uint64) *Table {
	t := makeBinary("12 binary columns, zeros declared", 12, units, seed)
	for a := 1; a < 12; a += 3 {
		t.Domain.StructuralZeros = append(t.Domain.StructuralZeros,
			domain.Exclusion{Clique: domain.Clique{a - 1, a}, Codes: [][]domain.Code{{0}, {1}}})
	}
	return t
}

// ties has ordered columns of 30 to 90 values in which a few round values hold nearly all.
func ties(units int, seed uint64) *Table {
	b := newBuilder(units, seed)
	wealth := make([]float64, units)
	for r := range wealth {
		wealth[r] = b.rng.NormFloat64()
	}
	for i, k := range []int{90, 60, 48, 30, 75} {
		weight := .9 - .15*float64(i)
		b.add(fmt.Sprint("amount", i), k, func(r int) int {
			x := (.5 + .2*(weight*wealth[r]+(1-weight)*b.rng.NormFloat64())) * float64(k)
			switch u := b.rng.Float64(); {
			case u < .55: // most say the same
				return k / 3
			case u < .97: // others a round number
				x = math.Round(x/10) * 10
			}
			return clamp(x, k)
		})
	}
	b.add("rich", 2, func(r int) int {
		if wealth[r] > 1 {
			return 1
		}
		return 0
	})
	return b.table("ties")
}

// constants has columns that could take 1 to 60 values and take one, among others that vary.
func constants(units int, seed uint64) *Table {
	b := newBuilder(units, seed)
	draw := b.zipf(12, 1)
	first := b.add("varies", 12, func(int) int { return draw() })
	for _, k := range []int{1, 2, 9, 60} {
		b.add(fmt.Sprint("constant of ", k), k, func(int) int { return k / 2 })
	}
	b.add("follows", 6, func(r int) int { return (int(first[r]) + b.rng.IntN(3)) % 6 })
	b.add("one of 1", 1, func(int) int { return 0 })
	return b.table("constants")
}

// dominated has columns in which one value has 99.9 % of the records; the others come together.
func dominated(units int, seed uint64) *Table {
	b := newBuilder(units, seed)
	rare := make([]bool, units)
	for r := range rare {
		rare[r] = b.rng.Float64() < .0008
	}
	for i, k := range []int{2, 5, 20, 50, 100, 8} {
		other := b.zipf(k-1, 1)
		b.add(fmt.Sprint("mostly", i), k, func(r int) int {
			if rare[r] || b.rng.Float64() < .0002 {
				return 1 + other()
			}
			return 0
		})
	}
	b.add("sex", 2, func(int) int { return b.rng.IntN(2) })
	return b.table("one value of 99.9 %")
}

// small has seven columns and 50,400 possible records, each linked to the one before by half.
func small(units int, seed uint64) *Table {
	b := newBuilder(units, seed)
	before := make([]domain.Code, units)
	last := 1
	for i, k := range []int{2, 7, 15, 4, 5, 2, 6} {
		draw, from, size := b.zipf(k, .7), before, last
		before = b.add(fmt.Sprint("c", i), k, func(r int) int {
			if b.rng.IntN(2) == 0 {
				return int(from[r]) * k / size
			}
			return draw()
		})
		last = k
	}
	return b.table("a small universe")
}

package figures

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"
)

// text is a number of so many parts of 1.
func text(n int, parts float64) string { return strconv.FormatFloat(float64(n)/parts, 'f', -1, 64) }

// under returns a family of before with other terms of the promise.
func under(name, before string, terms ...string) family {
	list := slices.Concat(plain, odd)
	f := list[slices.IndexFunc(list, func(f family) bool { return f.name == before })]
	return family{name, func(r *rand.Rand, people int) *generated {
		g := f.make(r, people)
		g.terms = terms
		return g
	}}
}

// strange are families of interactions that no pair shows, columns that hardly vary, values of one person each, numbers below 0, times
// with zones, wide tables, derived columns, numbers that a resolution rounds, and other promises.
var strange = []family{
	under("categories of replaced people", "categories", "--delta=1e-9", "--neighbouring=replace"),
	under("rare outcomes with δ = 0", "rare outcomes", "--delta=0"),
	under("diagonal with δ = 0", "diagonal", "--delta=0"),
	{"skew parities", func(r *rand.Rand, people int) *generated {
		g := &generated{exact: true}
		p, q, noise := .1+.4*r.Float64(), .1+.4*r.Float64(), .2*r.Float64()
		x, y := make([]int, people), make([]int, people)
		for i := range people {
			x[i], y[i] = hit(r, p), hit(r, q)
		}
		g.add("x", list(2), people, func(i int) string { return "v" + strconv.Itoa(x[i]) })
		g.add("y", list(2), people, func(i int) string { return "v" + strconv.Itoa(y[i]) })
		g.add("z", list(2), people, func(i int) string { return "v" + strconv.Itoa(x[i]^y[i]^hit(r, noise)) })
		return g
	}},
	{"copies but for 1 %", func(r *rand.Rand, people int) *generated {
		g := &generated{exact: true}
		k := 5 + r.IntN(20)
		names, x := r.Perm(k), make([]int, people)
		g.add("x", list(k), people, func(i int) string {
			x[i] = int(float64(k) * r.Float64() * r.Float64())
			return "v" + strconv.Itoa(x[i])
		})
		g.add("again", list(k), people, func(i int) string {
			if r.IntN(100) == 0 {
				return "v" + strconv.Itoa(r.IntN(k))
			}
			return "v" + strconv.Itoa(names[x[i]])
		})
		g.add("z", "type: BOOL", people, func(int) string { return strconv.FormatBool(r.Float64() < .4) })
		return g
	}},
	{"numbers below 0", func(r *rand.Rand, people int) *generated {
		g := &generated{exact: true}
		least, spread, x := -100*r.IntN(1000), 4+8*r.Float64(), make([]int, people)
		g.add("x", fmt.Sprintf("type: INT64, min: %d, max: %d", least, least+39), people, func(i int) string {
			x[i] = min(39, max(0, int(20+spread*r.NormFloat64())))
			return strconv.Itoa(least + x[i])
		})
		g.add("y", "type: NUMERIC, min: -1.5, max: 1.5, resolution: 0.1", people, func(i int) string {
			return text(min(15, max(-15, int(float64(x[i])-20+4*r.NormFloat64()))), 10)
		})
		return g
	}},
	{"old dates", func(r *rand.Rand, people int) *generated {
		g := &generated{exact: true}
		from, born := -365*(51+r.IntN(100)), make([]int, people)
		g.add("born", fmt.Sprintf("type: DATE, min: %s, max: %s, step: day", day(from), day(from+39)), people, func(i int) string {
			born[i] = int(40 * math.Pow(r.Float64(), 1.5))
			return day(from + born[i])
		})
		g.add("named", fmt.Sprintf("type: DATE, min: %s, max: %s, step: day", day(from), day(from+45)), people, func(i int) string { return day(from + born[i] + r.IntN(6)) })
		return g
	}},
	{"times with zones", func(r *rand.Rand, people int) *generated {
		g := &generated{exact: true}
		first, late := time.Date(1960+r.IntN(80), 6, 1, 0, 0, 0, 0, time.UTC), r.Float64()
		at := make([]int, people)
		g.add("at", fmt.Sprintf("type: TIMESTAMP, min: %s, max: %s, resolution: hour, bins: 24", first.Format(time.RFC3339), first.Add(23*time.Hour).Format(time.RFC3339)), people, func(i int) string {
			at[i] = int(24 * math.Pow(r.Float64(), .5+late))
			return first.Add(time.Duration(at[i]) * time.Hour).Format(time.RFC3339)
		})
		g.columns[0].written = func(text string) string {
			t, _ := time.Parse(time.RFC3339, text)
			return t.In(time.FixedZone("", 3600*(len(text)%5+2)+1800)).Format(time.RFC3339)
		}
		g.add("kind", list(4), people, func(i int) string { return "v" + strconv.Itoa((at[i]/6+r.IntN(2))%4) })
		return g
	}},
	{"hardly ever", func(r *rand.Rand, people int) *generated {
		g := &generated{exact: true}
		rare := math.Pow(10, -2-1.5*r.Float64())
		g.add("one", list(1), people, func(int) string { return "v0" })
		g.add("ever", "type: BOOL", people, func(int) string { return strconv.FormatBool(r.Float64() < rare) })
		g.add("z", list(3), people, func(int) string { return "v" + strconv.Itoa(r.IntN(3)) })
		return g
	}},
	{"a person each", func(r *rand.Rand, people int) *generated {
		g := &generated{exact: true}
		k, few := 100+r.IntN(200), 3+r.IntN(5)
		g.add("x", list(k), people, func(i int) string {
			if i >= few && i < k {
				return "v" + strconv.Itoa(i)
			}
			return "v" + strconv.Itoa(r.IntN(few))
		})
		g.add("y", list(2), people, func(int) string { return "v" + strconv.Itoa(r.IntN(2)) })
		return g
	}},
	{"tails of tiny steps", func(r *rand.Rand, people int) *generated {
		g := &generated{}
		middle, sd := .2+.6*r.Float64(), math.Pow(10, -3*r.Float64()-.5)
		g.add("group", list(3), people, func(int) string { return "v" + strconv.Itoa(r.IntN(3)) })
		g.add("part", "type: NUMERIC, min: -1, max: 1, resolution: 0.0001", people, func(int) string {
			return text(min(10_000, max(-10_000, int(1e4*(middle+sd*r.NormFloat64())))), 1e4)
		})
		return g
	}},
	{"wide", func(r *rand.Rand, people int) *generated {
		g := &generated{}
		hidden := make([]float64, people/8)
		for i := range hidden {
			hidden[i] = r.NormFloat64()
		}
		for c := range 14 {
			k, weight := 2+r.IntN(4), 2*r.Float64()
			g.add(fmt.Sprintf("c%d", c), list(k), len(hidden), func(i int) string {
				return "v" + strconv.Itoa(min(k-1, max(0, int(float64(k)/2+weight*hidden[i]+r.NormFloat64()))))
			})
		}
		return g
	}},
	{"derived columns", func(r *rand.Rand, people int) *generated {
		g := &generated{exact: true, head: "constraints: [{derive: c, from: a + 2*b}]\n"}
		a, b := make([]int, people), make([]int, people)
		g.add("a", "type: INT64, min: 0, max: 9", people, func(i int) string {
			a[i] = int(10 * math.Pow(r.Float64(), 2))
			return strconv.Itoa(a[i])
		})
		g.add("b", "type: INT64, min: 0, max: 9", people, func(i int) string {
			b[i] = min(9, a[i]/2+r.IntN(5))
			return strconv.Itoa(b[i])
		})
		return g
	}},
	{"three in order", func(r *rand.Rand, people int) *generated {
		g := &generated{head: "constraints: [{order: [low, middle, high]}]\n"} // evaluate compares its pairs
		top, wide := 12+r.IntN(8), 3+r.IntN(5)
		var at [3][]int
		for k := range at {
			at[k] = make([]int, people)
			for i := range people {
				if at[k][i] = r.IntN(wide); k == 0 {
					at[k][i] = int(float64(top) * math.Pow(r.Float64(), 1.5))
				}
			}
		}
		declared := func(max int) string { return fmt.Sprintf("type: INT64, min: 0, max: %d, bins: %d", max, max+1) }
		g.add("low", declared(top-1), people, func(i int) string { return strconv.Itoa(at[0][i]) })
		g.add("middle", declared(top+wide), people, func(i int) string { return strconv.Itoa(at[0][i] + at[1][i]) })
		g.add("high", declared(top+2*wide), people, func(i int) string { return strconv.Itoa(at[0][i] + at[1][i] + at[2][i]) })
		g.add("gap_middle", "", people, func(i int) string { return strconv.Itoa(at[1][i]) })
		g.add("gap_high", "", people, func(i int) string { return strconv.Itoa(at[2][i]) })
		return g
	}},
	{"people without rows", func(r *rand.Rand, people int) *generated {
		g := &generated{full: true, head: "events: {person: [sex], rows: {min: 0, max: 6}}\n"}
		rows := g.draw(r, people)
		sex := make([]int, people)
		g.idle, g.all = people/4, "id,sex\n"
		for p := range people + g.idle {
			x := hit(r, .8)
			if p < people {
				x = r.IntN(2)
				sex[p] = x
			}
			g.all += fmt.Sprintf("p%d,v%d\n", p, x)
		}
		g.add("sex", list(2)+", fallback: v0", rows, func(i int) string { return "v" + strconv.Itoa(sex[g.persons[i]]) })
		g.add("kind", list(4)+", fallback: v0", rows, func(i int) string { return "v" + strconv.Itoa((sex[g.persons[i]]+r.IntN(3))%4) })
		g.add("cost", "type: INT64, min: 0, max: 9, fallback: 0", rows, func(int) string { return strconv.Itoa(r.IntN(10)) })
		return g
	}},
	{"rounded numbers", func(r *rand.Rand, people int) *generated {
		g := &generated{}
		steps := [2]int{10 + r.IntN(50), 100 + r.IntN(300)} // a cell each, and in learned bins
		middle, size := make([]float64, people), []int{2, 10, 25}[r.IntN(3)]
		for k, name := range []string{"x", "y"} {
			top := steps[k]
			g.add(name, fmt.Sprintf("type: INT64, min: 0, max: %d, resolution: %d", top*size, size), people, func(i int) string {
				middle[i] = .5*float64(k)*middle[i] + (1-.5*float64(k))*r.Float64()
				return strconv.Itoa(size * min(top, int(float64(top+1)*math.Pow(middle[i], 2))))
			})
			g.columns[k].written = func(text string) string { // any number that the multiple stands for
				n, _ := strconv.Atoi(text)
				return strconv.Itoa(min(size*top, max(0, n-size/2+r.IntN(size))))
			}
		}
		g.add("z", list(3), people, func(i int) string { return "v" + strconv.Itoa(int(3*math.Pow(middle[i], 1.5))) })
		return g
	}},
	under("linear queries with δ = 0", "linear queries", "--delta=0"),
	{"nights", func(r *rand.Rand, people int) *generated {
		g := &generated{}
		from, wide := 20+r.IntN(4), 3+r.IntN(4)
		at := make([]int, people)
		g.add("at", "type: TIME, min: \"00:00:00\", max: \"23:59:59\", resolution: minute", people, func(i int) string {
			at[i] = (60*from + r.IntN(60*wide)) % (24 * 60)
			return fmt.Sprintf("%02d:%02d:00", at[i]/60, at[i]%60)
		})
		g.add("ward", list(3), people, func(i int) string { return "v" + strconv.Itoa((at[i]/60+r.IntN(2))%3) })
		return g
	}},
	goesWithRows,
}

// goesWithRows has people of whom one value of a column goes with few rows and the other with many.
var goesWithRows = family{"rows that go with a column", func(r *rand.Rand, people int) *generated {
	most := 10 + r.IntN(11)
	g := &generated{full: true, head: fmt.Sprintf("events: {rows: {max: %d}}\n", most)}
	part, few, many, low, high := .06+.12*r.Float64(), 1+r.Float64(), float64(most)*(.5+.4*r.Float64()), 20*r.Float64(), 40+50*r.Float64()
	var kind []int
	for p := range people {
		k, mean := hit(r, part), few
		if k == 1 {
			mean = many
		}
		for range min(most, max(1, int(mean+math.Sqrt(mean)*r.NormFloat64()+.5))) {
			g.persons, kind = append(g.persons, p), append(kind, k)
		}
	}
	g.add("kind", list(2)+", fallback: v0", len(kind), func(i int) string { return "v" + strconv.Itoa(kind[i]) })
	g.add("x", "type: INT64, min: 0, max: 99, fallback: 0", len(kind), func(i int) string {
		return strconv.Itoa(min(99, max(0, int([2]float64{low, high}[kind[i]]+6*r.NormFloat64()))))
	})
	return g
}}

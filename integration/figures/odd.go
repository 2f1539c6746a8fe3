package figures

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"time"
)

// day is a date so many days after the first.
func day(n int) string {
	return time.Date(2020, 1, 1+n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// draw draws how many rows each of some people has, and returns how many there are.
func (g *generated) draw(r *rand.Rand, people int) (rows int) {
	for p := range people {
		for range 1 + min(5, int(-1.5*math.Log(1-r.Float64()))) {
			g.persons = append(g.persons, p)
		}
	}
	return len(g.persons)
}

// odd are families of codes, dates, neighbours, tails, wide pairs, few people, ordered events and linear queries.
var odd = []family{
	{"diagonal of dates", func(r *rand.Rand, people int) *generated {
		g := &generated{exact: true}
		top, wide := 20+r.IntN(30), 3+r.IntN(8)
		low := make([]int, people)
		g.add("low", fmt.Sprintf("type: DATE, min: %s, max: %s, step: day", day(0), day(top-1)), people, func(i int) string {
			low[i] = r.IntN(top)
			return day(low[i])
		})
		g.add("high", fmt.Sprintf("type: DATE, min: %s, max: %s, step: day", day(0), day(top+wide)), people, func(i int) string { return day(low[i] + r.IntN(wide)) })
		return g
	}},
	{"diagonal of categories", func(r *rand.Rand, people int) *generated {
		g := &generated{exact: true}
		top, wide := 10+r.IntN(51), 2+r.IntN(5)
		names, low := r.Perm(top+wide), make([]int, people)
		g.add("low", list(top), people, func(i int) string {
			low[i] = int(float64(top) * math.Pow(r.Float64(), 1.5))
			return "v" + strconv.Itoa(low[i])
		})
		g.add("high", list(top+wide), people, func(i int) string { return "v" + strconv.Itoa(names[low[i]+r.IntN(wide)]) })
		return g
	}},
	{"sixty by sixty", func(r *rand.Rand, people int) *generated {
		g := &generated{exact: true}
		n := 40 + r.IntN(21)
		tilt := make([]float64, n)
		for i := range tilt {
			tilt[i] = .3 + 2*r.Float64()
		}
		first := make([]int, people)
		g.add("x", list(n), people, func(i int) string {
			first[i] = int(float64(n) * math.Pow(r.Float64(), 2))
			return "v" + strconv.Itoa(first[i])
		})
		g.add("y", list(60), people, func(i int) string { return "v" + strconv.Itoa(int(60*math.Pow(r.Float64(), tilt[first[i]]))) })
		return g
	}},
	{"nearly all NULL", func(r *rand.Rand, people int) *generated {
		g := &generated{exact: true}
		g.add("x", "type: INT64, min: 1, max: 9", people, func(int) string {
			if r.Float64() < .999 {
				return ""
			}
			return strconv.Itoa(1 + r.IntN(9))
		})
		g.add("y", list(3), people, func(int) string { return "v" + strconv.Itoa(r.IntN(3)) })
		return g
	}},
	{"codes for missing", func(r *rand.Rand, people int) *generated {
		g := &generated{}
		code, part := []string{"-9", "999", "-1", "99999"}[r.IntN(4)], .5*math.Pow(1000, -r.Float64())
		g.add("age", "type: INT64, min: 0, max: 99, exact: ["+code+"]", people, func(int) string {
			if r.Float64() < part {
				return code
			}
			return strconv.Itoa(min(99, max(0, int(40+18*r.NormFloat64()))))
		})
		g.add("sex", list(2), people, func(int) string { return "v" + strconv.Itoa(r.IntN(2)) })
		return g
	}},
	{"neighbours beyond 2^53", func(r *rand.Rand, people int) *generated {
		g := &generated{exact: true}
		base := int64(1)<<53 + r.Int64N(1<<60)
		first := make([]int64, people)
		g.add("x", fmt.Sprintf("type: INT64, min: %d, max: %d", base, base+7), people, func(i int) string {
			first[i] = r.Int64N(8)
			return strconv.FormatInt(base+first[i], 10)
		})
		g.add("y", list(8), people, func(i int) string { return "v" + strconv.FormatInt((first[i]+r.Int64N(3))%8, 10) })
		return g
	}},
	{"constants of 17 digits", func(r *rand.Rand, people int) *generated {
		g := &generated{exact: true}
		c := strconv.FormatInt(1e16+r.Int64N(9e16), 10)
		g.add("x", "type: INT64, min: "+c+", max: "+c, people, func(int) string { return c })
		g.add("y", list(3), people, func(int) string { return "v" + strconv.Itoa(int(3*math.Pow(r.Float64(), 3))) })
		return g
	}},
	{"copies", func(r *rand.Rand, people int) *generated {
		g := &generated{exact: true}
		k := 5 + r.IntN(30)
		names, x := r.Perm(k), make([]int, people)
		g.add("x", list(k), people, func(i int) string {
			x[i] = int(float64(k) * r.Float64() * r.Float64())
			return "v" + strconv.Itoa(x[i])
		})
		g.add("renamed", list(k), people, func(i int) string { return "v" + strconv.Itoa(names[x[i]]) })
		g.add("z", list(3), people, func(int) string { return "v" + strconv.Itoa(r.IntN(3)) })
		return g
	}},
	{"weekdays and hours", func(r *rand.Rand, people int) *generated {
		g := &generated{exact: true}
		late, weekday := 14+6*r.Float64(), make([]int, people)
		g.add("weekday", list(7), people, func(i int) string {
			weekday[i] = r.IntN(7)
			return "v" + strconv.Itoa(weekday[i])
		})
		g.add("hour", "type: INT64, min: 0, max: 23", people, func(i int) string {
			mean, sd := late, 4.0
			if weekday[i] < 5 && r.IntN(2) == 0 {
				mean, sd = 8, 1
			}
			return strconv.Itoa(min(23, max(0, int(mean+sd*r.NormFloat64()))))
		})
		return g
	}},
	{"surveys", func(r *rand.Rand, people int) *generated {
		g := &generated{exact: true}
		answers := make([]int, people)
		g.add("answer", list(5), people, func(i int) string {
			answers[i] = r.IntN(5)
			return "v" + strconv.Itoa(answers[i])
		})
		for _, name := range []string{"why", "since"} {
			g.add(name, list(5), people, func(i int) string {
				if r.Float64() < .95 {
					return ""
				}
				return "v" + strconv.Itoa((answers[i]+r.IntN(2))%5)
			})
		}
		return g
	}},
	{"heavy tails", func(r *rand.Rand, people int) *generated {
		g := &generated{}
		power := .5 + r.Float64()
		g.add("group", list(3), people, func(int) string { return "v" + strconv.Itoa(r.IntN(3)) })
		g.add("pay", "type: NUMERIC, min: 0, max: 100000, resolution: 1", people, func(int) string {
			return strconv.Itoa(min(100_000, int(20*math.Pow(1-r.Float64(), -power))))
		})
		return g
	}},
	{"few people", func(r *rand.Rand, people int) *generated {
		g := &generated{exact: true}
		g.add("x", list(3), people/8, func(int) string { return "v" + strconv.Itoa(r.IntN(3)) })
		g.add("y", "type: INT64, min: 0, max: 4", people/8, func(int) string { return strconv.Itoa(r.IntN(5)) })
		return g
	}},
	{"ordered events", func(r *rand.Rand, people int) *generated {
		g := &generated{full: true, head: "events: {person: [sex], rows: {max: 6}, order: day}\n"}
		rows := g.draw(r, people)
		sex, at := make([]int, people), make([]int, rows)
		for p := range sex {
			sex[p] = r.IntN(2)
		}
		g.add("sex", list(2)+", fallback: v0", rows, func(i int) string { return "v" + strconv.Itoa(sex[g.persons[i]]) })
		g.add("kind", list(4)+", fallback: v0", rows, func(i int) string { return "v" + strconv.Itoa((sex[g.persons[i]]+r.IntN(3))%4) })
		g.add("day", fmt.Sprintf("type: DATE, min: %s, max: %s, fallback: %s", day(5), day(5+7*30-1), day(5)), rows, func(i int) string {
			if i > 0 && g.persons[i] == g.persons[i-1] {
				at[i] = min(7*30-1, at[i-1]+1+r.IntN(25))
			} else {
				at[i] = r.IntN(60)
			}
			return day(5 + at[i])
		})
		return g
	}},
	{"linear queries", func(r *rand.Rand, people int) *generated {
		g := &generated{full: true, exact: true, answers: map[string]float64{}}
		g.head = "workload:\n  - {count: {x: v1, y: [v0, v2]}}\n  - {prefixes: n}\n  - {parity: [x, z]}\n  - {halfspace: {n: 1, z: 3}, at_least: 4}\n"
		x, y, z, n := make([]int, people), make([]int, people), make([]int, people), make([]int, people)
		rare := math.Pow(10, -1-2*r.Float64())
		for i := range people {
			x[i], y[i], z[i], n[i] = r.IntN(2), r.IntN(3), hit(r, rare), int(8*math.Pow(r.Float64(), 2))
			g.answers["1"] += float64(x[i] * (1 - y[i]%2))
			for k := n[i]; k < 7; k++ {
				g.answers["2."+strconv.Itoa(k+1)]++
			}
			g.answers["3"] += float64(1 - 2*((x[i]+z[i])%2))
			if n[i]+3*z[i] >= 4 {
				g.answers["4"]++
			}
		}
		of := func(list []int, name string) func(int) string {
			return func(i int) string { return name + strconv.Itoa(list[i]) }
		}
		g.add("x", list(2)+", fallback: v0", people, of(x, "v"))
		g.add("y", list(3)+", fallback: v0", people, of(y, "v"))
		g.add("z", list(2)+", fallback: v0", people, of(z, "v"))
		g.add("n", "type: INT64, min: 0, max: 8, bins: 8, fallback: 0", people, of(n, ""))
		return g
	}},
	{"diagonal in order", func(r *rand.Rand, people int) *generated {
		g := &generated{exact: true, head: "constraints: [{order: [low, high]}]\n"}
		top, wide := 12+r.IntN(8), 3+r.IntN(5)
		low, gap := make([]int, people), make([]int, people)
		g.add("low", fmt.Sprintf("type: INT64, min: 0, max: %d, bins: %d", top-1, top), people, func(i int) string {
			low[i], gap[i] = r.IntN(top), r.IntN(wide)
			return strconv.Itoa(low[i])
		})
		g.add("high", fmt.Sprintf("type: INT64, min: 0, max: %d, bins: %d", top+wide, top+wide+1), people, func(i int) string { return strconv.Itoa(low[i] + gap[i]) })
		g.add("gap_high", "", people, func(i int) string { return strconv.Itoa(gap[i]) })
		return g
	}},
}

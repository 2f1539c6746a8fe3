package families

import (
	"math"
)

// Schedule is a timetable of flights as a year of one carrier's reports has it: 16 columns coded to 12 to 104
// values. The hour and the minute of departure follow from the time planned, the distance from the route, the
// carrier from the type of aircraft; times and delays of departure and arrival are close.
func Schedule(units int, seed uint64) *Table {
	b := newBuilder(units, seed)
	const carriers, origins, destinations, tails, distances = 16, 12, 104, 24, 40
	n := units
	month, day := b.zipf(12, .05), b.zipf(31, .02)
	carrier, origin := b.zipf(carriers, 1.2), b.zipf(origins, 1)
	var home [carriers]func() int // every carrier serves some origins more than others
	for c := range home {
		shares := make([]float64, origins)
		for o := range shares {
			shares[o] = math.Exp(2.5 * b.rng.NormFloat64())
		}
		home[c] = b.choose(shares)
	}
	var routes [carriers]func() int
	for c := range routes {
		shares := make([]float64, destinations)
		for d := range shares {
			shares[d] = math.Pow(float64(d+1), -1.2) * math.Exp(1.5*b.rng.NormFloat64())
		}
		routes[c] = b.choose(shares)
	}
	var far [origins][destinations]int
	for o := range far {
		for d := range far[o] {
			far[o][d] = clamp(float64(distances)*math.Pow(b.rng.Float64(), 1.3), distances)
		}
	}
	var fleet [tails]int
	for i := range fleet {
		fleet[i] = i * carriers / tails
	}
	b.add("month", 12, func(int) int { return month() })
	b.add("day", 31, func(int) int { return day() })
	flown := b.add("carrier", carriers, func(int) int { return carrier() })
	b.add("type", tails, func(r int) int {
		c := int(flown[r])
		from, to := (c*tails+carriers-1)/carriers, ((c+1)*tails+carriers-1)/carriers
		return from + min(b.rng.IntN(to-from), b.rng.IntN(to-from))
	})
	from := b.add("origin", origins, func(r int) int {
		if b.rng.Float64() < .1 {
			return origin()
		}
		return home[flown[r]]()
	})
	to := b.add("destination", destinations, func(r int) int { return routes[flown[r]]() })
	distance := b.add("distance", distances, func(r int) int { return far[from[r]][to[r]] })
	air := b.add("air time", 24, func(r int) int { return clamp(1+.5*float64(distance[r])+.5*b.rng.NormFloat64(), 24) })
	// The time planned, in quarters of an hour from 05:00 to 24:00, with peaks.
	peaks := make([]float64, 76)
	for q := range peaks {
		h := 5 + float64(q)/4
		peaks[q] = math.Exp(-math.Pow((h-8)/2, 2)) + math.Exp(-math.Pow((h-17)/3, 2)) + .3
		if q%4 == 0 {
			peaks[q] *= 2
		}
	}
	quarter := b.choose(peaks)
	planned := b.add("planned", 76, func(int) int { return quarter() })
	b.add("hour", 19, func(r int) int { return int(planned[r]) / 4 })
	minute := make([]int, n)
	for r := range minute {
		minute[r] = int(planned[r])%4*15 + []int{0, 0, 0, 5, 10}[b.rng.IntN(5)]
	}
	b.add("minute", 12, func(r int) int { return minute[r] / 5 })
	late := make([]float64, n)
	for r := range late {
		late[r] = -5 + 4*b.rng.NormFloat64()
		if b.rng.Float64() < .1+.01*float64(planned[r])/2 {
			late[r] += 30 * b.rng.ExpFloat64()
		}
	}
	b.add("departure delay", 24, func(r int) int { return clamp(late[r]/5+3, 24) })
	const quarters = 96 // of a day, kept as whole hours
	b.add("departed", 24, func(r int) int { return clamp(float64(planned[r])+20+late[r]/15, quarters) / 4 })
	arrives := func(r int) float64 { return float64(planned[r]) + 23 + float64(air[r]) } // quarters, as planned
	b.add("planned arrival", 24, func(r int) int { return clamp(arrives(r), 2*quarters) % quarters / 4 })
	made := make([]float64, n) // minutes made up for or lost in the air
	for r := range made {
		made[r] = 6 * b.rng.NormFloat64()
	}
	b.add("arrived", 24, func(r int) int { return clamp(arrives(r)+(late[r]+made[r])/15, 2*quarters) % quarters / 4 })
	b.add("arrival delay", 24, func(r int) int { return clamp((late[r]+made[r])/5+5, 24) })
	return b.table("schedule")
}

package domain

import "time"

// Categories returns a STRING column of some values.
//
// Of this and the next functions: an unusable value becomes NULL, and a range of more than DefaultLearned values has bins
// that are learned. Fields of the attribute that they return can be set to others.
func Categories(name string, values ...string) Attribute {
	return Attribute{Name: name, Type: String, Values: values, Null: true}
}

// Bools returns a BOOL column.
func Bools(name string) Attribute {
	return Attribute{Name: name, Type: Bool, Values: []string{"false", "true"}, Null: true}
}

// Integers returns an INT64 column of the numbers from least to most.
func Integers(name string, least, most int64) Attribute {
	return between(Attribute{Name: name, Type: Int64, Resolution: 1}, least, most)
}

// Numbers returns a FLOAT64 column of the multiples of a resolution from least to most.
func Numbers(name string, least, most, resolution float64) Attribute {
	a := Attribute{Name: name, Type: Float64, FloatCuts: []float64{least, most}, FloatResolution: resolution, Learned: DefaultLearned, Null: true}
	a.Learned = min(DefaultLearned, max(1, a.Fine()))
	return a
}

// Dates returns a DATE column of the days that the wall clocks of two moments show, and those in between.
func Dates(name string, from, to time.Time) Attribute {
	return between(Attribute{Name: name, Type: Date, Resolution: 1}, wallDay(from), wallDay(to))
}

// Times returns a TIMESTAMP column of moments, which come out in whole seconds; over more than 12 days in minutes, more
// than 1.9 years in hours, and more than 119 years in days.
func Times(name string, from, to time.Time) Attribute {
	a := Attribute{Name: name, Type: Timestamp}
	lo, hi := from.UnixMicro(), to.UnixMicro()
	for _, a.Resolution = range []int64{microsPerSecond, 60 * microsPerSecond, 3600 * microsPerSecond, microsPerDay} {
		if uint64(hi-lo)/uint64(a.Resolution) < MaxFine {
			break
		}
	}
	return between(a, lo, hi)
}

// between completes a column of a range: with a bin of each value if they are few.
func between(a Attribute, lo, hi int64) Attribute {
	a.Cuts, a.Learned, a.Null = []int64{lo, hi}, DefaultLearned, true
	n := a.Fine()
	if a.Learned = min(DefaultLearned, max(1, n)); a.Resolution == 1 && 0 < n && n <= DefaultLearned {
		a.Cuts, a.Learned = EqualCuts(lo, hi, n), 0
	}
	return a
}

package domain

import (
	"math"
	"time"
)

// Type is the type of a column, by BigQuery's name: String, Int64, Float64, Numeric, Bool, Date, DateTime, Timestamp or Time. Date
// counts days, the others of time microseconds; Numeric holds multiples of 10^−Scale. Type.FromTime makes numbers of a time.Time.
type Type uint8

// The types a column can have.
const (
	String Type = iota
	Int64
	Float64
	Numeric
	Bool
	Date
	DateTime
	Timestamp
	Time

	numTypes
)

// Facts are the properties of a type, for code that treats all types alike.
type Facts struct {
	Form        Form   // how a Chunk holds the values: Text, Floats, or Ints in the native unit
	Categories  bool   // the cells may be Values
	Bins        bool   // the cells may be bins
	Calendar    bool   // the values are points in time, or parts of one: time.Time holds them
	Day         int64  // native units in a day; 0 if the unit is not one of time
	Least, Most int64  // the least and the largest value in the native unit
	Resolution  int64  // the resolution of bins if none is declared, in native units
	Example     string // how a value is written
}

// typeRow is a type: its facts, and conversions of texts and times to native values and back. A new type is a
// constant above, a row below, and a row in the tables of fields, parquetio and bigqueryio.
type typeRow struct {
	name string
	Facts
	parse    func(s string, scale int) (int64, bool)     // nil: values have no native unit
	format   func(dst []byte, v int64, scale int) []byte // nil: as the integer
	fromTime func(t time.Time) int64                     // Calendar: what t's wall clock shows, or the instant
	toTime   func(v int64) time.Time                     // Calendar: the inverse, in UTC
	steps    [2]Step                                     // Calendar: the shortest and the longest
}

const (
	minMicro = minDay * microsPerDay
	maxMicro = (maxDay+1)*microsPerDay - 1
)

var types = [numTypes]typeRow{
	String: {name: "STRING",
		Facts: Facts{Form: Text, Categories: true, Least: math.MinInt64, Most: math.MaxInt64, Example: "red"}},
	Int64: {name: "INT64",
		Facts: Facts{Form: Ints, Categories: true, Bins: true, Least: math.MinInt64, Most: math.MaxInt64, Resolution: 1, Example: "17"},
		parse: unscaled(parseInt)},
	Float64: {name: "FLOAT64",
		Facts: Facts{Form: Floats, Bins: true, Least: math.MinInt64, Most: math.MaxInt64, Example: "0.5"}},
	Numeric: {name: "NUMERIC",
		Facts: Facts{Form: Ints, Categories: true, Bins: true, Least: math.MinInt64, Most: math.MaxInt64, Resolution: 1, Example: "12.5"},
		parse: parseDecimal, format: appendDecimal},
	Bool: {name: "BOOL",
		Facts: Facts{Form: Ints, Categories: true, Least: 0, Most: 1, Example: "true"},
		parse: parseTruth, format: appendTruth},
	Date: {name: "DATE",
		Facts: Facts{Form: Ints, Bins: true, Calendar: true, Day: 1, Least: minDay, Most: maxDay, Resolution: 1, Example: "2024-12-31"},
		parse: unscaled(parseDate), format: plain(appendDate), fromTime: wallDay, toTime: dayTime, steps: [2]Step{Day, Year}},
	DateTime: {name: "DATETIME",
		Facts: Facts{Form: Ints, Bins: true, Calendar: true, Day: microsPerDay, Least: minMicro, Most: maxMicro,
			Resolution: microsPerSecond, Example: "2024-12-31T23:59:59"},
		parse: unscaled(parseDateTime), format: plain(appendDateTime), fromTime: civilMicros, toTime: microTime, steps: [2]Step{Minute, Year}},
	Timestamp: {name: "TIMESTAMP",
		Facts: Facts{Form: Ints, Bins: true, Calendar: true, Day: microsPerDay, Least: minMicro, Most: maxMicro,
			Resolution: microsPerSecond, Example: "2024-12-31T23:59:59Z"},
		parse: unscaled(parseTimestamp), format: plain(appendTimestamp), fromTime: time.Time.UnixMicro, toTime: microTime, steps: [2]Step{Minute, Year}},
	Time: {name: "TIME",
		Facts: Facts{Form: Ints, Bins: true, Calendar: true, Day: microsPerDay, Least: 0, Most: microsPerDay - 1,
			Resolution: microsPerSecond, Example: "23:59:59"},
		parse: unscaled(parseTime), format: plain(appendClock), fromTime: clockMicros, toTime: microTime, steps: [2]Step{Minute, Hour}},
}

// unscaled makes a parser of a type that has no Scale.
func unscaled(parse func(string) (int64, bool)) func(string, int) (int64, bool) {
	return func(s string, _ int) (int64, bool) { return parse(s) }
}

// plain makes a formatter of a type that has no Scale.
func plain(format func([]byte, int64) []byte) func([]byte, int64, int) []byte {
	return func(dst []byte, v int64, _ int) []byte { return format(dst, v) }
}

// Types returns all types, in the order of their constants.
func Types() []Type {
	all := make([]Type, numTypes)
	for i := range all {
		all[i] = Type(i)
	}
	return all
}

// String returns BigQuery's name of the type.
func (t Type) String() string { return types[t].name }

// Facts returns the properties of the type.
func (t Type) Facts() Facts { return types[t].Facts }

// ParseType reads BigQuery's name of a type.
func ParseType(s string) (Type, bool) {
	for i := range types {
		if types[i].name == s {
			return Type(i), true
		}
	}
	return 0, false
}

// FromTime returns a point in time in the native unit: the instant for a TIMESTAMP, and what the wall clock of t's
// location shows for a DATE, DATETIME or TIME. It returns false if the type does not hold points in time.
func (t Type) FromTime(moment time.Time) (int64, bool) {
	if f := types[t].fromTime; f != nil {
		return f(moment), true
	}
	return 0, false
}

// Time returns a native value as a point in time, in UTC; a TIME is on 1970-01-01. It panics if the type does not
// hold points in time.
func (t Type) Time(v int64) time.Time { return types[t].toTime(v) }

package domain

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestEqualCuts: known cut points, and each integer in a bin of its own when there are as many.
func TestEqualCuts(t *testing.T) {
	tests := []struct {
		lo, hi int64
		bins   int
		want   []int64
	}{
		{0, 10, 4, []int64{0, 3, 5, 8, 10}},
		{-10, 0, 4, []int64{-10, -7, -5, -2, 0}},
		{0, 3, 4, []int64{0, 1, 2, 3, 3}},
		{5, 5, 1, []int64{5, 5}},
		{math.MinInt64, math.MaxInt64, 2, []int64{math.MinInt64, 0, math.MaxInt64}},
		{0, 3, 5, nil}, {0, 3, 0, nil}, {3, 0, 1, nil}, {0, math.MaxInt64, MaxSize + 1, nil},
	}
	for _, test := range tests {
		must.List(t, EqualCuts(test.lo, test.hi, test.bins), test.want, "EqualCuts(%d, %d, %d)", test.lo, test.hi, test.bins)
	}
	for bins := 1; bins <= 64; bins++ {
		c := EqualCuts(1, 64, bins)
		for i := 0; i+2 < len(c); i++ { // the last bin is closed and may have one value more
			w := c[i+1] - c[i]
			must.Hold(t, w >= 63/int64(bins) && w <= 63/int64(bins)+1, "64 numbers in %d bins: bin %d has %d", bins, i, w)
		}
	}
}

func TestEqualFloatCuts(t *testing.T) {
	must.List(t, EqualFloatCuts(0, 1, 10), []float64{0, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1}, "cuts")
	inf, eps := math.Inf(1), math.Nextafter(1, 2)
	for _, bad := range [][2]float64{{1, 1}, {2, 1}, {math.NaN(), 1}, {0, inf}, {-inf, 0}, {1, eps}} {
		got := EqualFloatCuts(bad[0], bad[1], 2)
		must.Hold(t, got == nil, "EqualFloatCuts(%g, %g, 2) = %v, want none", bad[0], bad[1], got)
	}
}

// TestCalendarCuts: the boundaries of each step between two dates, as texts.
func TestCalendarCuts(t *testing.T) {
	tests := []struct {
		typ    Type
		lo, hi string
		step   Step
		want   string
	}{
		{Date, "2024-02-27", "2024-03-01", Day, "2024-02-27 2024-02-28 2024-02-29 2024-03-01 2024-03-01"},
		{Date, "2024-02-27", "2024-03-12", Week, "2024-02-27 2024-03-04 2024-03-11 2024-03-12"},
		{Date, "2023-11-30", "2024-02-02", Month, "2023-11-30 2023-12-01 2024-01-01 2024-02-01 2024-02-02"},
		{Date, "1969-11-30", "1970-04-01", Quarter, "1969-11-30 1970-01-01 1970-04-01 1970-04-01"},
		{Date, "2020-01-01", "2022-01-01", Year, "2020-01-01 2021-01-01 2022-01-01 2022-01-01"},
		{Timestamp, "2020-01-01", "2022-01-01", Year, "2020-01-01T00:00:00Z 2021-01-01T00:00:00Z 2022-01-01T00:00:00Z"},
		{DateTime, "1969-12-31 23:59", "1970-01-01 01:00:01", Hour, "1969-12-31T23:59:00 1970-01-01T00:00:00 1970-01-01T01:00:00 1970-01-01T01:00:01"},
		{Time, "12:58:30", "13:00", Minute, "12:58:30 12:59:00 13:00:00"},
		{Time, "12:58", "13:00", Day, ""},
		{Date, "2024-01-02", "2024-01-01", Day, ""},
		{Date, "0001-01-01", "9999-12-31", Day, ""},
	}
	for _, test := range tests {
		cuts := CalendarCuts(test.typ, mustNative(t, test.typ, 0, test.lo), mustNative(t, test.typ, 0, test.hi), test.step)
		var b []byte
		for _, c := range cuts {
			b = append((&Attribute{Type: test.typ}).AppendNative(b, c), ' ')
		}
		got := strings.TrimSpace(string(b))
		must.Hold(t, got == test.want, "%s %s to %s by %s:\n got %s\nwant %s", test.typ, test.lo, test.hi, test.step, got, test.want)
	}
}

// TestCivil: every day of years 1 to 9999 agrees with package time, both ways.
func TestCivil(t *testing.T) {
	day := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	for n := int64(minDay); n <= maxDay; n++ {
		y, m, d := civilDate(n)
		if ty, tm, td := day.Date(); y != int64(ty) || m != int64(tm) || d != int64(td) || civilDay(y, m, d) != n {
			t.Fatalf("day %d is %d-%d-%d and back %d, want %v", n, y, m, d, civilDay(y, m, d), day)
		}
		day = day.AddDate(0, 0, 1)
	}
	must.Hold(t, day.Year() == 10000, "the last day is not the end of year 9999")
}

// TestNativeText: canonical texts read back, and are what they look like.
func TestNativeText(t *testing.T) {
	tests := []struct {
		typ   Type
		scale int
		v     int64
		want  string
	}{
		{Numeric, 2, 150, "1.5"}, {Numeric, 2, -5, "-0.05"}, {Numeric, 9, 1_000_000_001, "1.000000001"},
		{Numeric, 0, math.MinInt64, "-9223372036854775808"}, {Numeric, 9, math.MaxInt64, "9223372036.854775807"},
		{Date, 0, -1, "1969-12-31"}, {Date, 0, minDay, "0001-01-01"}, {Date, 0, maxDay, "9999-12-31"},
		{DateTime, 0, -1, "1969-12-31T23:59:59.999999"}, {Timestamp, 0, 1_500_000, "1970-01-01T00:00:01.5Z"},
		{Time, 0, microsPerDay - microsPerSecond, "23:59:59"}, {Int64, 0, math.MinInt64, "-9223372036854775808"},
	}
	for _, test := range tests {
		a := Attribute{Type: test.typ, Scale: test.scale}
		got := string(a.AppendNative(nil, test.v))
		must.Hold(t, got == test.want, "%s %d: %s, want %s", test.typ, test.v, got, test.want)
		back, ok := a.ParseNative(got)
		// a NUMERIC saturates at ±MaxInt64
		must.Hold(t, ok && (back == test.v || back == -math.MaxInt64), "%s %s reads back as %d, want %d", test.typ, got, back, test.v)
	}
}

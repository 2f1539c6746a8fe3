package domain

import (
	"math"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// The rhythm of a week at a resolution of hours: of two values of eight parts to one, every other hour, and twice as many at
// weekends. Values of less than four weeks have the rhythm of a day, and values of less than four days have none.
func TestRhythm(t *testing.T) {
	const hour = 3_600_000_000
	weight := func(k int) float64 {
		x := float64(1 + 7*(k%2))
		if k/24%7 >= 5 {
			x *= 2
		}
		return x
	}
	of := func(hours int, crowded bool) *Attribute {
		a := &Attribute{Name: "at", Type: Timestamp, Cuts: []int64{0, int64(hours-1) * hour}, Resolution: hour, HasFallback: true}
		for k := range hours {
			x := weight(k)
			if k/24/7 == 1 { // a week of more values
				x *= 1.5
			}
			if crowded { // nearly all values are of its first two weeks
				x *= math.Pow(.01, float64(k/24/14))
			}
			a.Runs = append(a.Runs, Run{From: k, Share: x})
		}
		return a
	}
	for _, c := range []struct {
		hours   int
		crowded bool
		moments int
	}{{24*7*6 + 11, false, 24 * 7}, {24 * 7 * 6, true, 24}, {24 * 27, false, 24}, {24 * 3, false, 0}} {
		got := of(c.hours, c.crowded).Rhythm()
		must.Need(t, len(got) == c.moments, "%d hours: %d moments", c.hours, len(got))
		for k, x := range got {
			want := weight(k) / 16
			if c.moments == 24 { // of days alone, weekends among them
				want = float64(1+7*(k%2)) / 8
			}
			must.Hold(t, math.Abs(x-want) <= 1e-9, "%d hours, moment %d: %g, want %g", c.hours, k, x, want)
		}
	}
	days := Attribute{Name: "day", Type: Date, Cuts: []int64{0, 400}, Resolution: 1, Runs: []Run{{Share: 1}}, HasFallback: true}
	if got := days.Rhythm(); len(got) != 7 || math.Abs(got[3]-1) > 1e-9 {
		t.Errorf("even days: %v", got)
	}
	weeks, number := days, days
	weeks.Resolution, number.Type = 7, Int64
	unknown := days
	unknown.Runs = nil
	for name, a := range map[string]*Attribute{"weeks": &weeks, "numbers": &number, "no learned distribution": &unknown} {
		got := a.Rhythm()
		must.Hold(t, got == nil, "%s: %v", name, got)
	}
}

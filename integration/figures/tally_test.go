package figures

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"
)

// tally counts how many of the figures of a kind hold the truth: in all, and by release.
type tally struct {
	held, all int
	misses    map[int][2]int // of each release: missed, all
	farthest  float64        // how many half widths the truth is off, at most
}

// least and most are the coverage that an interval of 95 % has to have. A run of the short test tries fewer than 40 kinds, and a
// run of the long one fewer than 400 kinds of a family: an alarm of each is for chance in fewer than 1 in a million runs.
const (
	least = .90
	most  = .99
	alarm = 1e-9
)

// tooFew reports whether so few hold the truth that the coverage is below the least. Figures of a release err together, in no known
// way, and releases err apart: the sum of the parts that n releases miss, each with a mean of at most p, exceeds a number no more
// than e times as often as a binomial variable does (Bentkus 2004).
func (x *tally) tooFew() bool {
	sum, n := 0.0, float64(len(x.misses))
	for _, r := range x.misses {
		sum += float64(r[0]) / float64(r[1])
	}
	at := math.Floor(sum)
	return sum >= 1 && math.E*(1-distuv.Binomial{N: n, P: 1 - least}.CDF(at-1)) < alarm
}

// tooMany reports whether so many hold it that intervals are wider than need be: as though figures erred apart, so that this is for
// the long test alone, where there are many releases.
func (x *tally) tooMany() bool {
	return distuv.Binomial{N: float64(x.all), P: 1 - most}.CDF(float64(x.all-x.held)) < alarm
}

// interval counts a figure.
func (m *machine) interval(family, kind string, truth, low, high float64, what string) {
	key := [2]string{family, kind}
	x := m.counts[key]
	if x == nil {
		x = &tally{misses: map[int][2]int{}}
		m.counts[key] = x
	}
	x.all++
	r := x.misses[m.made]
	r[1]++
	if slack := 1e-9 * max(1, math.Abs(truth)); low-slack <= truth && truth <= high+slack {
		x.held++
	} else {
		r[0]++
		m.t.Logf("%s, %s, %s: %g is not in %g to %g", family, kind, what, truth, low, high)
	}
	x.misses[m.made] = r
	if half := (high - low) / 2; half > 0 {
		x.farthest = max(x.farthest, math.Abs(truth-low-half)/half)
	}
}

// judge fails for kinds of figures that are wrong too often, and returns the table of the package's page.
func (m *machine) judge(long bool) string {
	kinds := map[string]*tally{}
	keys := make([][2]string, 0, len(m.counts))
	for key, x := range m.counts {
		keys = append(keys, key)
		all := kinds[key[1]]
		if all == nil {
			all = &tally{misses: map[int][2]int{}}
			kinds[key[1]] = all
		}
		all.held, all.all, all.farthest = all.held+x.held, all.all+x.all, max(all.farthest, x.farthest)
		for r, n := range x.misses {
			all.misses[r] = n
		}
	}
	for kind, x := range kinds {
		key := [2]string{"all families", kind}
		keys, m.counts[key] = append(keys, key), x
	}
	slices.SortFunc(keys, func(a, b [2]string) int { return strings.Compare(a[1]+"\x00"+a[0], b[1]+"\x00"+b[0]) })
	var b strings.Builder
	for _, key := range keys {
		x := m.counts[key]
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %.1f %% | %.1f |\n", key[1], key[0], len(x.misses), x.held, x.all, 100*float64(x.held)/float64(x.all), x.farthest)
		if x.tooFew() {
			m.t.Errorf("%s: %d of %d of %s hold the truth", key[0], x.held, x.all, key[1])
		}
		if long && !strings.HasSuffix(key[1], empty) && x.tooMany() {
			m.t.Logf("%s: %d of %d of %s hold the truth, more than %.0f %%", key[0], x.held, x.all, key[1], 100*most)
		}
	}
	return b.String()
}

// write writes the package's page.
func (m *machine) write(name, table string) {
	command, sizes := "go test ./figures -run TestFigures -args -page", "the sizes of CI"
	if nightly() {
		command, sizes = fmt.Sprintf("DAPPLE_NIGHTLY=1 %s -seeds=%d", command, *many), "the sizes of `make nightly`"
	}
	text := "# Figures and the truth\n\n" +
		fmt.Sprintf("Made by `%s`: %d releases of generated tables, by the command, in %s.\n", command, m.made, sizes) +
		"An interval states 95 %; *held* are the figures that hold the truth, *farthest* how many half widths the worst one is off.\n" +
		"Intervals of empty cells begin at 0 and hold by construction: that 99 % are the most is asked of the others alone.\n\n" +
		"| figure | tables | releases | held | of | | farthest |\n|---|---|---|---|---|---|---|\n" + table
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		m.t.Fatal(err)
	}
}

// nightly reports whether the long test runs.
func nightly() bool { return os.Getenv("DAPPLE_NIGHTLY") != "" }

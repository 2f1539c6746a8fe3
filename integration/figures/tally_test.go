package figures

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// tally counts how many of the figures of a kind hold the truth: in all, and by release.
type tally struct {
	held, all int
	misses    map[int][2]int // of each release: missed, all
	farthest  float64        // how many half widths the truth is off, at most
}

// least and most are the coverage that an interval of 95 % has to have.
const (
	least = .90
	most  = .99
)

// Each alarm is for chance in fewer than 1 in a million cases, if the coverage is the least or the most and no better. A run of the
// short test asks of some 700 kinds and families, and a run of the long one of some 3,000.
const alarm = 1e-6

// crowd is by how much the number of misses of a kind varies more than if figures erred apart, in variance: of cells of two and more
// columns, and of others. Of 134 releases it was 1 to 2 of the latter, and 6 to 20 of the former, whose counts are 1 or 2 in some tables.
const crowdOfTables, crowd = 20, 3

// tooFew reports whether so few hold the truth that the coverage is below the least. Figures of a release err together, in no known
// way, and releases err apart: the sum of the parts that n releases miss, each with a mean of at most p, exceeds a number no more
// than e times as often as a binomial variable does (Bentkus 2004). Of one figure a release it is one.
func (x *tally) tooFew() bool {
	sum, n, factor := 0.0, float64(len(x.misses)), 1.0
	for _, r := range x.misses {
		sum += float64(r[0]) / float64(r[1])
		if r[1] > 1 {
			factor = math.E
		}
	}
	at := math.Floor(sum)
	return sum >= 1 && factor*(1-distuv.Binomial{N: n, P: 1 - least}.CDF(at-1)) < alarm
}

// tooMany reports whether so many hold it that intervals are wider than need be. How many err together is taken from measurement, see
// crowd: were nothing known, it would take a thousand releases without a miss.
func (x *tally) tooMany(crowd float64) bool {
	return distuv.Binomial{N: float64(x.all) / crowd, P: 1 - most}.CDF(float64(x.all-x.held)/crowd) < alarm
}

// add counts a figure of a release.
func (x *tally) add(release int, truth, low, high float64) (held bool) {
	x.all++
	r := x.misses[release]
	r[1]++
	slack := 1e-9 * max(1, math.Abs(truth))
	if held = low-slack <= truth && truth <= high+slack; held {
		x.held++
	} else {
		r[0]++
	}
	x.misses[release] = r
	if half := (high - low) / 2; half > 0 {
		x.farthest = max(x.farthest, math.Abs(truth-low-half)/half)
	}
	return held
}

// interval counts a figure: of the family, of the family by this method in the long test, and of all families.
func (m *machine) interval(family, kind string, truth, low, high float64, what string) {
	names, held := []string{family, everywhere}, true
	if m.by != "" {
		names = append(names, family+m.by)
	}
	for _, name := range names {
		key := [2]string{name, kind}
		if m.counts[key] == nil {
			m.counts[key] = &tally{misses: map[int][2]int{}}
		}
		held = m.counts[key].add(m.made, truth, low, high)
	}
	if !held {
		m.t.Logf("%s%s, %s, %s: %g is not in %g to %g", family, m.by, kind, what, truth, low, high)
	}
}

// wide reports whether a kind of 95 % intervals holds the truth too often. Forecasts have factors, and no count is below 0.
func (x *tally) wide(kind string) bool {
	switch {
	case strings.HasSuffix(kind, empty) || strings.HasPrefix(kind, "errors") || strings.HasPrefix(kind, "forecasts"):
		return false
	case strings.Contains(kind, "pairs") || strings.Contains(kind, "triples") || kind == "noisy answers":
		return x.tooMany(crowdOfTables)
	}
	return x.tooMany(crowd)
}

// everywhere stands for all families.
const everywhere = "all families"

// judge fails for kinds of figures that are wrong too often, or hardly ever, and returns the table of the package's page.
func (m *machine) judge() string {
	keys := slices.Collect(maps.Keys(m.counts))
	slices.SortFunc(keys, func(a, b [2]string) int { return strings.Compare(a[1]+"\x00"+a[0], b[1]+"\x00"+b[0]) })
	var b strings.Builder
	for _, key := range keys {
		x := m.counts[key]
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %.1f %% | %.1f |\n", key[1], key[0], len(x.misses), x.held, x.all, 100*float64(x.held)/float64(x.all), x.farthest)
		few, many := x.tooFew(), x.wide(key[1])
		if few || many {
			m.red = append(m.red, key[0]+": "+key[1])
		}
		must.Hold(m.t, !few, "%s: %d of %d of %s hold the truth", key[0], x.held, x.all, key[1])
		must.Hold(m.t, !many, "%s: %d of %d of %s hold the truth, more than %.0f %%", key[0], x.held, x.all, key[1], 100*most)
	}
	return b.String()
}

const (
	heading  = "| figure | tables | releases | held | of | | farthest |\n|---|---|---|---|---|---|---|\n"
	longForm = "\n## The long form\n\n"
)

// write writes the package's page: the long test its end, and the short one all before it.
func (m *machine) write(name, table string) {
	old, err := os.ReadFile(name)
	short, long, _ := strings.Cut(string(old), longForm)
	if nightly() {
		lines := slices.DeleteFunc(strings.SplitAfter(table, "\n"), func(line string) bool { return !strings.Contains(line, "| "+everywhere+" |") })
		long = fmt.Sprintf("`DAPPLE_NIGHTLY=1 go test ./figures -run TestFigures -args -page -seeds=%d` on %s: %d releases by all methods, ε = .3 to 10. Red: %s.\n\n",
			*many, time.Now().Format("2 January 2006"), m.made, cmp.Or(strings.Join(m.red, "; "), "none")) + heading + strings.Join(lines, "")
	} else {
		short = "# Figures and the truth\n\n" +
			fmt.Sprintf("Made by `go test ./figures -run TestFigures -args -page`: %d releases of generated tables, by the command, in the sizes of CI.\n", m.made) +
			"An interval states 95 %; *held* are the figures that hold the truth, *farthest* how many half widths the worst one is off.\n" +
			"Intervals of empty cells begin at 0 and hold by construction: that 99 % are the most is asked of the others alone.\n" +
			"Noise is whole people: where it is nearly always 0 and is not, a noisy answer is off by one, which is up to 47 half widths.\n" +
			fmt.Sprintf("Shares of the page may be off by what their digits leave out besides, %.0f %% of a half width in the mean: so nearly all hold.\n\n", 100*stat.Mean(m.rounded, nil)) +
			heading + table
	}
	must.Do(m.t, errors.Join(err, os.WriteFile(name, []byte(short+longForm+long), 0o644)))
}

// nightly reports whether the long test runs.
func nightly() bool { return os.Getenv("DAPPLE_NIGHTLY") != "" }

// TestTally: kinds whose coverage is .75, or .4 of 32 figures that are alone, are too few in a run of the long test, kinds whose coverage
// is .999 too many, and .95 neither, nor .93 or .98. The figures are fixed.
func TestTally(t *testing.T) {
	for _, c := range []struct {
		coverage float64
		releases int
		each     int
		few      bool
		many     bool
	}{{.75, 200, 30, true, false}, {.4, 32, 1, true, false}, {.93, 200, 30, false, false}, {.95, 200, 30, false, false}, {.98, 200, 30, false, false}, {.999, 200, 30, false, true}} {
		r, x := rand.New(rand.NewPCG(47, 1)), &tally{misses: map[int][2]int{}}
		for release := range c.releases {
			for range c.each {
				truth := 0.0
				if r.Float64() > c.coverage {
					truth = 2
				}
				x.add(release, truth, -1, 1)
			}
		}
		if x.tooFew() != c.few || x.tooMany(crowd) != c.many {
			t.Errorf("coverage %g: %d of %d held, too few: %t, too many: %t", c.coverage, x.held, x.all, x.tooFew(), x.tooMany(crowd))
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/integration/research/families"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestRivals holds the algorithms for comparison to the figures of their authors' programs, at ε = 0.1 and 1, so that
// a comparison with them is fair. The noise is fixed; the largest error of a run varies by a fifth, and so may exceed theirs by that.
func TestRivals(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for real tables, 22 CPU seconds; make nightly runs it")
	}
	dir := os.Getenv("DAPPLE_DATA")
	if dir == "" {
		t.Skip("missing: the tables adult7 and adult14; set DAPPLE_DATA to the directory that holds it")
	}
	tables := map[string]*families.Table{}
	deltas := map[string]dp.Delta{"adult7": adult7Delta, "adult14": adult14Delta}
	for name := range deltas {
		table := must.Value(load(dir, name))(t)
		tables[name] = table
	}
	type run struct {
		table, method string
		epsilon       dp.Epsilon
	}
	done := map[run][2]float64{}
	for _, p := range peers {
		if p.epsilon > 1 || p.like == "" || p.like == "mwem" { // whose run takes 20 CPU seconds: the page has it
			continue
		}
		name, _, _ := strings.Cut(p.table, "-")
		this, table := run{name, p.like, p.epsilon}, tables[name]
		if _, ok := done[this]; !ok {
			runs := 1
			if p.like == "pep" || p.like == "mst" { // the nearest to their authors' figures
				runs = 3
			}
			var mean [2]float64
			for seed := range runs {
				s := must.Value(families.Solve(table, families.Request{Method: p.like, Neighbouring: p.relation, Epsilon: p.epsilon, Delta: deltas[name], Unrecorded: true}, families.Fixed(uint64(seed))))(t)
				average, largest := table.Errors(ofWidth(s.Problem.Workload, 0), func(c domain.Clique) []float64 { return s.Model.Marginal(c, nil) })
				mean[0], mean[1] = mean[0]+average/float64(runs), mean[1]+largest/float64(runs)
			}
			done[this] = mean
		}
		average, largest := done[this][0], done[this][1]
		t.Logf("%s, %s, ε = %g: %.4f / %.4f, of its authors' program %s / %s", p.table, p.like, float64(p.epsilon), average, largest, orDash(p.average), orDash(p.largest))
		must.Hold(t, (p.average <= 0 || average <= p.average) && (p.largest <= 0 || largest <= 1.2*p.largest),
			"%s, %s, ε = %g: average TV %.4f, largest %.4f; its authors' program has %.4f, %.4f", p.table, p.like, float64(p.epsilon), average, largest, p.average, p.largest)
	}
}

// TestPage: the page is made of the measured entries, and names what is ahead of the method that is chosen.
func TestPage(t *testing.T) {
	all := must.Value(readEntries("."))(t)
	var rows []followed
	must.Do(t, readLines(followedFile, &rows))
	var others []modelled
	must.Do(t, readLines(modelledFile, &others))
	got, err := os.ReadFile(pageFile)
	must.Hold(t, err == nil && string(got) == page(all, rows, others),
		"%s is not made of %s (%v): run go -C integration/research run ./bench -only none -page bench", pageFile, entriesFile, err)
	ours := entry{Contest: "adult7-3", Epsilon: 1, Method: "rake", outcome: outcome{Average: .02, Largest: .002, CPU: 1, Chosen: true}}
	rival := entry{Contest: "adult7-3", Epsilon: 1, Method: "pep", outcome: outcome{Average: .05, Largest: .001, CPU: 1}}
	dir := t.TempDir()
	must.Do(t, writeEntries(dir, []entry{ours, rival}))
	back, err := readEntries(dir)
	must.Need(t, err == nil && len(back) == 2 && back[1] == rival, "%s has %+v, %v", filepath.Join(dir, entriesFile), back, err)
	text := page(back, nil, nil)
	must.Hold(t, strings.Contains(text, "| largest 50 % |") && strings.Count(text, "largest 50 %") == 1 && strings.Contains(text, "rake (auto)"),
		"the page does not say that pep is ahead by half in largest errors:\n%s", text)
}

// TestWorstGroupsOfThePage: on every table whose rows are judged, dapple's worst group is no further off than mst's.
func TestWorstGroupsOfThePage(t *testing.T) {
	all := must.Value(readEntries("."))(t)
	tables := 0
	for _, c := range contests {
		worst := map[string]float64{}
		for _, e := range all {
			if c.written && e.Contest == c.name() {
				worst[e.Method] = e.Worst
			}
		}
		if ours, theirs := worst["rake"], worst["mst"]; c.written {
			if tables++; !(ours > 0) || ours > theirs {
				t.Errorf("%s: worst group %.3f, of mst %.3f", c.name(), ours, theirs)
			}
		}
	}
	must.Hold(t, tables >= 4, "%d tables of rows, want four and more", tables)
}

// TestWanted: a pattern selects names by as many parts as it has.
func TestWanted(t *testing.T) {
	for _, c := range []struct {
		only string
		want bool
	}{{"", true}, {"rivals/*", true}, {"rivals/adult7-?/pe", true}, {"rivals/*/pe/1", false}, {"rivals/*/pe/10", true}, {"whole/*", false}} {
		must.Equal(t, wanted(c.only, "rivals/adult7-3/pe/10"), c.want, "%q", c.only)
	}
}

// TestBeside: a page never sets a figure beside one that nobody measured.
func TestBeside(t *testing.T) {
	must.Equal(t, beside(.02, .04), "0.50", "half")
	must.Equal(t, beside(0, .04)+beside(.02, 0), "", "an unknown figure")
	got := others(ask("adult7", "auto", dp.AddRemove, 1, adult7Delta))
	must.Hold(t, strings.HasPrefix(got, "AIM 0.0320/0.0045/82–174, "), "figures of others: %q", got)
}

package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// The files of a directory that -page names: an entry a line, and what is made of them.
const (
	entriesFile = "rivals.jsonl"
	pageFile    = "README.md"
)

func readEntries(dir string) (all []entry, err error) {
	return all, readLines(filepath.Join(dir, entriesFile), &all)
}

func writeEntries(dir string, all []entry) error {
	b, err := encodeLines(all)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, entriesFile), b, 0o644)
}

func writePage(dir string, all []entry) error {
	var rows []followed
	if err := readLines(filepath.Join(dir, followedFile), &rows); err != nil {
		return err
	}
	var others []modelled
	if err := readLines(filepath.Join(dir, modelledFile), &others); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, pageFile), []byte(page(all, rows, others)), 0o644)
}

// machine names what a run is made on.
func machine() string {
	model := runtime.GOARCH
	text, _ := os.ReadFile("/proc/cpuinfo")
	if _, rest, ok := strings.Cut(string(text), "model name"); ok {
		line, _, _ := strings.Cut(rest, "\n")
		model = strings.TrimSpace(strings.TrimLeft(line, "\t :"))
	}
	return fmt.Sprintf("%d cores, %s", runtime.NumCPU(), model)
}

const intro = `# All methods side by side

Every method of dapple, those for comparison too, under one interface, one accountant and one workload: errors of the released
weights, CPU time and memory of the solve. ` + "`make bench`" + ` measures all again, and a part of it

	go -C integration/research run ./bench -only 'rivals/parity12-4/dpfw' -page bench

This page is made from [rivals.jsonl](rivals.jsonl), and each run from a fixed seed, so that it can be made again.

* **average TV** and **largest**: average total variation and largest error of a cell, as a part of the units, over the widest
  marginals of the workload. **4-way** and **5-way TV**: over all marginals of so many columns, whatever the workload.
* **worst group**: a group is the people with one value of a column, if they are .5 to 5 %; the figure is the average total
  variation of the other columns inside the worst one, with its standard error. **told apart**: area under the ROC curve of
  gradient boosting that tells written rows from those of the table; .5 is best, and rows drawn again fall below it, since some
  are on both sides.
* **kept**: mean |rank correlation| of the strongest pairs, as many as columns, as a part of their mean in the table; **worst rank**:
  the largest error of a rank correlation. **rare**: part of the values of .1 to 1 % of the people that rows have half to twice as often.
* **AUC**: of gradient boosting trained on as many written rows, tried on other people of the same law. **CPU s**: of the solve
  alone. **MB**: by how much the resident memory of a process grows in the solve, before collection of garbage.
* **runs**: the figures are means of so many; the classifier is of the first, and of all in tables of rows. A slow method
  runs once elsewhere, so that small differences between single runs are noise: the largest error of one varies by a fifth and more.
* **(auto)** marks the method that dapple chooses by its public rule, which depends on no data. **ahead of ours by** says by how
  much another method, ours or a rival, is more accurate than that one in these runs: where nothing is said, ours is ahead. A
  method with a public table is compared with ours with the same table.

δ = 1/n² of adult7 throughout; neighbours differ by one person added or removed, or replaced in the table whose name says so. pmw-pub, pap and the lines that say public have a
tenth of the rows as a public table, which are not among the private ones.

Tables: **adult7** is UCI Adult, 48,842 people, 7 columns, 336,000 possible records; **people** is a random four fifths of it,
whose rest is the classifier's test. **parity12** has 50,000 records of 12 binary columns, uniform but for the last, which for
90 % is the parity of three others: nothing is to be seen in fewer than four columns. **dense8** has 50,000 records of 8
columns that all depend on each other. **adult14** has all columns of UCI Adult but one; **ties** and **columns of 100 values that
follow from others** are made up, 20,000 records with a binary column last. The name ends with the widest marginals asked for, or
with *rows* where written rows of four fifths of the people are judged, and the rest is the classifier's test.
`

const about = `
## A classifier of one label

Classifiers of income that spend all of ε = 1, δ = 1e-9 (add or remove one) on that label, on the 32,561 training and 16,281 test people of UCI
Adult, 15 columns, area under the ROC curve, on 2026-11-24:

	python integration/research/bench/yardstick.py train.csv test.csv

| trained on or by | area | runs, standard deviation |
|---|---|---|
| the private table itself: gradient boosting; logistic regression on bins | .927; .917 | |
| noisy gradient descent, logistic, on bins and with steps chosen without privacy | .909 | 5, .001 |
| DPExplainableBoostingClassifier of interpret-core 0.7.8, its defaults | .884 | 5, .003 |
| gradient boosting on rows of dapple, which knows of no label | .904 | 6, .003 |
| the same at ε = 3, 10 and 100: bins and marginals alone cost .011 | .911, .915, .917 | 3, .001 |

Logistic regression on the rows has .903 at ε = 1, so that what is lost to the second line is noise of pairs with the label.

## Programs of other authors

The figures of the programs were noted on %s. AIM on adult7 at ε = 1 is the mean of three runs, most others are of one; the
programs' revisions were not kept. CPU is of a whole Python process. A ratio below 1 says that the figure here is the better
one: average / largest.

%s
There is no public program of sepFEM and DQRS, and none here of PMW, PMW^Pub, PAP and GEM on this table. RAP is not built, see
package comparators, and no figure of it on this table and workload was found: its authors' (Aydore et al. 2021,
[arXiv:2103.06641](https://arxiv.org/abs/2103.06641)) are of other workloads.

Others claim the tables of high order: Tab-PE (Tran et al. 2026, [arXiv:2606.08259](https://arxiv.org/abs/2606.08259)) up to
10 %% more accurate classifiers than AIM's on tables with structure of high order, in a 28th of its time; MargNet (Chen, Gong, Wang 2025,
[arXiv:2511.13893](https://arxiv.org/abs/2511.13893)) up to 26 %% less error than the best before it on densely dependent tables. Both
are claims of their abstracts on tables that are not here; ` + "`pe`" + ` is the first one's algorithm.

%s`

// page returns the page of entries, a table for each contest, and of rows in order.
func page(all []entry, rows []followed, others []modelled) string {
	var b strings.Builder
	b.WriteString(intro)
	days, least, most := []string(nil), 0.0, 0.0
	for i, e := range all {
		days = append(days, e.Date)
		if i == 0 || e.Load < least {
			least = e.Load
		}
		most = max(most, e.Load)
	}
	if len(days) > 0 {
		slices.Sort(days)
		fmt.Fprintf(&b, "\nMeasured from %s to %s on %s, while %.0f to %.0f processes wanted a core, so that CPU seconds may be a third too high.\n",
			days[0], days[len(days)-1], all[0].Machine, least, most)
	}
	for _, c := range contests {
		var lines [][]string
		for _, epsilon := range c.epsilons {
			for _, method := range c.contenders() {
				for _, e := range all {
					if e.Contest == c.name() && e.Epsilon == epsilon && e.Method == method {
						lines = append(lines, e.cells(all)[1:])
					}
				}
			}
		}
		fmt.Fprintf(&b, "\n## %s\n\n", c.name())
		if len(lines) == 0 {
			b.WriteString("Not measured.\n")
			continue
		}
		for _, line := range filled(lines) {
			fmt.Fprintf(&b, "| %s |\n", strings.Join(line, " | "))
		}
		if n := c.wanted(); len(lines) < n {
			fmt.Fprintf(&b, "\n%d of %d lines were measured.\n", len(lines), n)
		}
	}
	b.WriteString(followedPart(rows, others))
	list := ""
	for _, name := range []string{"AIM", "MST", "MWEM+PGM", "PrivBayes", "SWIFT", "PEP", "MWEM", "DualQuery", "FEM"} {
		list += fmt.Sprintf("* %s: %s\n", name, sources[name])
	}
	fmt.Fprintf(&b, about, peersKnown, peerTable(all), list)
	return b.String()
}

// filled returns the titles, the rule below them and the lines, without the columns that have no figure in any line.
func filled(lines [][]string) [][]string {
	table := append([][]string{entryTitles[1:], slices.Repeat([]string{"---"}, len(entryTitles)-1)}, lines...)
	out := make([][]string, len(table))
	for column := range table[0] {
		if !slices.ContainsFunc(lines, func(line []string) bool { return line[column] != "" && line[column] != none }) {
			continue
		}
		for i, line := range table {
			out[i] = append(out[i], line[column])
		}
	}
	return out
}

// none stands for a figure that was not measured.
const none = "–"

// wanted is the number of lines of a contest.
func (c contest) wanted() int { return len(c.epsilons) * len(c.contenders()) }

var entryTitles = []string{"table", "ε", "method", "runs", "average TV", "largest", "4-way TV", "5-way TV", "worst group", "kept", "worst rank", "rare", "AUC", "told apart", "CPU s", "MB", "ahead of ours by"}

// cells returns an entry's line of the table, with what it is ahead of ours by.
func (e entry) cells(all []entry) []string {
	name := e.Method
	if e.Chosen {
		name += " (auto)"
	}
	if e.Refused != "" {
		return []string{e.Contest, fmt.Sprint(float64(e.Epsilon)), name, "", "does not apply: " + e.Refused, "", "", "", "", "", "", "", "", "", "", "", ""}
	}
	figure := func(x float64, format string) string {
		if x == 0 {
			return none
		}
		return fmt.Sprintf(format, x)
	}
	worst := figure(e.Worst, "%.3f")
	if e.WorstSE > 0 {
		worst += fmt.Sprintf(" ± %.3f", e.WorstSE)
	}
	return []string{e.Contest, fmt.Sprint(float64(e.Epsilon)), name, strconv.Itoa(e.Runs), figure(e.Average, "%.4f"), figure(e.Largest, "%.4f"),
		figure(e.Average4, "%.4f"), figure(e.Average5, "%.4f"),
		worst, figure(e.Kept, "%.2f"), figure(e.Rank, "%.3f"), figure(e.Rare, "%.2f"), figure(e.AUC, "%.3f"), figure(e.Apart, "%.3f"), fmt.Sprintf("%.1f", e.CPU), figure(e.MB, "%.0f"), e.ahead(all)}
}

// ahead names what a rival does better than the method that the rule of package methods chooses for the same request: with
// a public table if the rival has one.
func (e entry) ahead(all []entry) string {
	i := slices.IndexFunc(all, func(f entry) bool {
		return f.Contest == e.Contest && f.Epsilon == e.Epsilon && f.Chosen && f.Public == e.Public
	})
	if i < 0 || e.Chosen || e.Method == itself {
		return ""
	}
	ours, list := all[i], []string(nil)
	for _, x := range []struct {
		what        string
		rival, ours float64
	}{{"average", e.Average, ours.Average}, {"largest", e.Largest, ours.Largest}, {"4-way", e.Average4, ours.Average4}, {"5-way", e.Average5, ours.Average5},
		{"worst group", e.Worst, ours.Worst}} {
		if x.rival > 0 && x.rival < x.ours {
			list = append(list, fmt.Sprintf("%s %.0f %%", x.what, math.Ceil(100*(1-x.rival/x.ours))))
		}
	}
	if e.AUC > ours.AUC && ours.AUC > 0 {
		list = append(list, fmt.Sprintf("AUC %.3f", e.AUC-ours.AUC))
	}
	if e.Apart > 0 && e.Apart < ours.Apart {
		list = append(list, fmt.Sprintf("told apart %.3f", ours.Apart-e.Apart))
	}
	return strings.Join(list, ", ")
}

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/solver/methods"
)

// contest is a table and a workload on which methods run.
type contest struct {
	table    string
	width    int // marginals of up to so many columns
	epsilons []dp.Epsilon
	relation dp.Neighbouring
	methods  []string // nil: all
	written  bool     // written rows are judged, of writtenRuns runs
}

// name is what -only selects by, after "rivals/".
func (c contest) name() string {
	name := fmt.Sprintf("%s-%d", c.table, c.width)
	if c.relation == dp.Replace {
		name += "-replace"
	}
	if c.written {
		name += "-rows"
	}
	return name
}

var (
	threeBudgets = []dp.Epsilon{.1, 1, 10}
	contests     = []contest{
		{table: "adult7", width: 3, epsilons: threeBudgets},
		{table: "people", width: 3, epsilons: []dp.Epsilon{1}},
		{table: "parity12", width: 4, epsilons: threeBudgets},
		{table: "dense8", width: 4, epsilons: threeBudgets},
		{table: "adult7", width: 3, epsilons: []dp.Epsilon{1}, relation: dp.Replace, methods: []string{"rake", "mwem", "pep", "gem", "dualquery", "fem"}},
		{table: "adult7", width: 4, epsilons: []dp.Epsilon{1}},
		{table: "adult7", width: 5, epsilons: []dp.Epsilon{1}},
		rowsOf("adult7"), rowsOf("adult14"), rowsOf("ties"), rowsOf("columns of 100 values that follow from others"),
	}
)

// rowsOf is a contest of the rows that are written.
func rowsOf(table string) contest {
	return contest{table: table, width: 3, epsilons: []dp.Epsilon{1}, methods: []string{itself, "rake", "mst"}, written: true}
}

// withPublic ends the name of a method that is given a public table, a tenth of the rows, which it could do without.
const withPublic = " public"

// itself is no method: as many of the table's own rows, drawn with replacement.
const itself = "rows drawn again"

// contenders returns the methods of a contest.
func (c contest) contenders() []string {
	if c.methods != nil {
		return c.methods
	}
	return append(append([]string{itself}, methods.Names()...), "rake"+withPublic, "dpam"+withPublic)
}

// entry is the mean of the runs of a method on a table at one ε.
type entry struct {
	Contest string
	Epsilon dp.Epsilon
	Method  string
	outcome
	Runs    int
	WorstSE float64 `json:",omitempty"` // standard error of Worst over the runs
	Date    string
	// Machine is what the runs were made on, Load how many processes wanted one of its cores before the first.
	Machine string
	Load    float64
}

const (
	cheap     = 5.0 // CPU seconds: a method that needs less runs cheapRuns times
	cheapRuns = 3

	writtenRuns = 8 // of a method whose rows are judged
)

// rivals runs the methods that -only names, each run in a process of its own, and prints their errors, CPU time and memory;
// dir "" or where rivals.csv and the page are kept.
func rivals(w *tabwriter.Writer, data, only, dir string) error {
	var all []entry
	if dir != "" {
		var err error
		if all, err = readEntries(dir); err != nil {
			return err
		}
	}
	fmt.Fprintln(w, "\n"+strings.Join(entryTitles, "\t"))
	for _, c := range contests {
		for _, epsilon := range c.epsilons {
			now, err := c.at(data, only, epsilon)
			if err != nil {
				return err
			}
			for _, e := range now {
				if i := slices.IndexFunc(all, e.sameAs); i >= 0 {
					all[i] = e
				} else {
					all = append(all, e)
				}
			}
			if dir != "" {
				if err := errors.Join(writeEntries(dir, all), writePage(dir, all)); err != nil {
					return err
				}
			}
			for _, e := range now {
				fmt.Fprintln(w, strings.Join(e.cells(all), "\t"))
			}
			w.Flush()
		}
	}
	return nil
}

// at runs the methods that are wanted at one ε.
func (c contest) at(data, only string, epsilon dp.Epsilon) (list []entry, err error) {
	dir := "" // for what the classifier reads; "": no classifier
	if c.table != "adult7" || c.written {
		if dir, err = os.MkdirTemp("", "bench-"); err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
	}
	for _, method := range c.contenders() {
		name := fmt.Sprintf("rivals/%s/%s/%g", c.name(), method, float64(epsilon))
		if !wanted(only, name) {
			continue
		}
		e, err := c.enter(data, method, epsilon, dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, e)
	}
	if dir != "" {
		if err := c.classify(list, dir); err != nil {
			fmt.Fprintf(os.Stderr, "no classifier: %v\n", err)
		}
	}
	return list, nil
}

// wanted reports whether a pattern, or "", matches a name or as many first parts of it as the pattern has.
func wanted(only, name string) bool {
	parts := strings.Split(name, "/")
	ok, _ := path.Match(only, strings.Join(parts[:min(len(parts), 1+strings.Count(only, "/"))], "/"))
	return ok || only == ""
}

func (e entry) sameAs(f entry) bool {
	return e.Contest == f.Contest && e.Epsilon == f.Epsilon && e.Method == f.Method
}

// enter runs a method once, and more often if that is cheap or its rows are judged; runs write rows to dir, unless that is "".
func (c contest) enter(data, method string, epsilon dp.Epsilon, dir string) (entry, error) {
	e := entry{Contest: c.name(), Epsilon: epsilon, Method: method, Date: time.Now().UTC().Format(time.DateOnly), Machine: machine(), Load: loadAverage()}
	runs := cheapRuns
	if c.written {
		runs = writtenRuns
	}
	var worst []float64
	for e.Runs < runs {
		job := errand{Data: data, Table: c.table, Width: c.width, Relation: c.relation, Epsilon: epsilon, Method: method, Seed: uint64(e.Runs), Written: c.written}
		if dir != "" && (e.Runs == 0 || c.written) {
			job.Rows, job.Test, job.Real = rowsFile(dir, method, e.Runs), filepath.Join(dir, testFile), filepath.Join(dir, realFile)
		}
		one, err := inProcess(job)
		if err != nil {
			return entry{}, err
		}
		worst = append(worst, one.Worst)
		e.add(one, e.Runs)
		e.Runs++
		if e.Refused != "" || e.CPU > cheap && !c.written {
			break
		}
	}
	if c.written {
		e.WorstSE = stat.StdErr(stat.StdDev(worst, nil), float64(len(worst)))
	}
	return e, nil
}

// The files of a contest: other people, the table, and the rows of a run.
const testFile, realFile = "other people.csv", "the table.csv"

func rowsFile(dir, method string, run int) string {
	return filepath.Join(dir, fmt.Sprintf("%s %d.csv", method, run))
}

// classify trains a classifier on the rows of each entry, and where rows are judged one that tells them from the table; the
// areas are means over the runs that wrote rows.
func (c contest) classify(list []entry, dir string) error {
	var files []string
	var of []*entry
	runs := 1
	if c.written {
		runs = writtenRuns
	}
	for i := range list {
		if e := &list[i]; e.Refused == "" {
			of = append(of, e)
			for run := range runs {
				files = append(files, rowsFile(dir, e.Method, run))
			}
		}
	}
	if len(of) == 0 {
		return nil
	}
	areas, err := classified(append([]string{filepath.Join(dir, testFile)}, files...)...)
	for i, x := range areas {
		of[i/runs].AUC += x / float64(runs)
	}
	if err != nil || !c.written {
		return err
	}
	areas, err = classified(append([]string{"apart", filepath.Join(dir, realFile)}, files...)...)
	for i, x := range areas {
		of[i/runs].Apart += x / float64(runs)
	}
	return err
}

// inProcess runs an errand in a process of its own, so that its memory holds one run.
func inProcess(job errand) (o outcome, err error) {
	name, err := os.Executable()
	if err != nil {
		return o, err
	}
	text, err := json.Marshal(job)
	if err != nil {
		return o, err
	}
	c := exec.Command(name, "-errand", string(text))
	c.Stderr = os.Stderr
	if text, err = c.Output(); err != nil {
		return o, err
	}
	return o, json.Unmarshal(text, &o)
}

// loadAverage returns how many processes want a core, on average over a minute; 0 if the system does not say.
func loadAverage() float64 {
	text, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(text), " ")
	x, _ := strconv.ParseFloat(first, 64)
	return x
}

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
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dapple-dp/dapple/integration/research/families"
	"github.com/dapple-dp/dapple/internal/request/evaluate"
)

// followed is how far rows in order are from the true ones, and the CPU time of a run: means over runs at ε = 1.
type followed struct {
	Table, Form string // Form: inOrder, noOrder or flat
	People      int
	Runs        int
	// Pairs are the value in the row before and the value: of the column that is furthest off, of all on average, and of the
	// first one if rows are shuffled; First is of first rows, of the column that is furthest off.
	Pairs, PairsMean, Dealt, First float64 `json:",omitempty"`
	Gaps, DealtGaps, Start         float64 `json:",omitempty"`
	TwoWay, CPU                    float64
	Date, Machine                  string
}

const (
	followedFile = "histories.jsonl"

	inOrder = "in order"
	noOrder = "without an order"
	flat    = "flattened"
)

// histories prints how far the command's rows in order are from the true ones, on made-up tables at ε = 1, and the CPU time of a
// run beside the error of one without an order. Careers are flattened too: all rows of a person are one line of 122 columns.
func histories(out *tabwriter.Writer, only string, seeds int, keep string) error {
	var all []followed
	if keep != "" {
		if err := readLines(filepath.Join(keep, followedFile), &all); err != nil {
			return err
		}
	}
	var dir string
	for _, h := range families.Histories() {
		if ok, _ := path.Match(only, "histories/"+h.Name); !ok && only != "" {
			continue
		}
		if dir == "" {
			var err error
			dir, err = workspace(out, followedTitles)
			defer os.RemoveAll(dir)
			if err != nil {
				return err
			}
		}
		forms := []string{inOrder, noOrder}
		if h.Name == "careers" {
			forms = append(forms, flat)
		}
		for _, form := range forms {
			f, err := follow(dir, h, form, seeds)
			if err != nil {
				return fmt.Errorf("%s: %w", h.Name, err)
			}
			fmt.Fprintln(out, strings.Join(f.cells(), "\t"))
			all = put(all, f, func(g followed) bool { return g.Table == f.Table && g.Form == f.Form })
		}
		out.Flush()
	}
	if keep == "" || dir == "" {
		return nil
	}
	return keepLines(keep, followedFile, all)
}

// workspace makes a directory with the command, and prints the titles of what is measured in it.
func workspace(out *tabwriter.Writer, titles []string) (dir string, err error) {
	fmt.Fprintln(out, "\n"+strings.Join(titles, "\t"))
	if dir, err = os.MkdirTemp("", "bench-"); err == nil {
		err = buildCommand(dir)
	}
	return dir, err
}

// put replaces the line that is of the same run as x by x, or adds x.
func put[T any](all []T, x T, same func(T) bool) []T {
	if i := slices.IndexFunc(all, same); i >= 0 {
		all[i] = x
		return all
	}
	return append(all, x)
}

// keepLines writes lines to a file of a directory, and the page that is made from it.
func keepLines[T any](dir, file string, all []T) error {
	b, err := encodeLines(all)
	if err != nil {
		return err
	}
	entries, err := readEntries(dir)
	return errors.Join(err, os.WriteFile(filepath.Join(dir, file), b, 0o644), writePage(dir, entries))
}

// buildCommand builds the command in a directory.
func buildCommand(dir string) error {
	if text, err := exec.Command("go", "build", "-C", "../..", "-o", filepath.Join(dir, "dapple"), "./pipelines/dapple").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, text)
	}
	return nil
}

// writeHistory writes a made-up table.
func writeHistory(h families.History, name string) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(h.Write(file, 1), file.Close())
}

// compared compares rows with the true ones by the command in a directory.
func compared(dir, domain, truth, rows string) (*evaluate.Report, error) {
	text, err := exec.Command(filepath.Join(dir, "dapple"), "evaluate", domain, truth, rows, "--marginals=2", "--json=-").Output()
	if err != nil {
		return nil, err
	}
	report := new(evaluate.Report)
	return report, json.Unmarshal(text, report)
}

// follow makes so many runs of a table.
func follow(dir string, h families.History, form string, runs int) (followed, error) {
	out := followed{Table: h.Name, Form: form, People: h.People, Runs: runs, Date: time.Now().UTC().Format(time.DateOnly), Machine: machine()}
	in := func(name string) string { return filepath.Join(dir, h.Name+name) }
	if err := writeHistory(h, in(".csv")); err != nil {
		return out, err
	}
	source, read, judged := in(".csv"), in(".yaml"), in("-judged.yaml")
	f := newFlattening(h, []string{"sex", "age"}, 1499) // of careers, the only table that is flattened
	text := h.File(form == inOrder)
	if form == flat {
		source, text = in("-flat.csv"), f.domain()
		if err := f.flatten(in(".csv"), source); err != nil {
			return out, err
		}
	}
	if err := errors.Join(os.WriteFile(read, []byte(text), 0o600), os.WriteFile(judged, []byte(h.File(form != noOrder)), 0o600)); err != nil {
		return out, err
	}
	for range runs {
		c := exec.Command(filepath.Join(dir, "dapple"), "synth", "--domain="+read, "--input="+source, "--output="+in("-rows"),
			"--epsilon=1", "--delta=1e-9", fmt.Sprintf("--expected_rows=%d", h.People), "--format=csv", "--shards=1", "--overwrite", "--quiet")
		if text, err := c.CombinedOutput(); err != nil {
			return out, fmt.Errorf("%w: %s", err, text)
		}
		out.CPU += (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds() / float64(runs)
		rows := in("-rows")
		if form == flat {
			rows = in("-again.csv")
			if err := f.unflatten(in("-rows/*.csv"), rows); err != nil {
				return out, err
			}
		}
		report, err := compared(dir, judged, in(".csv"), rows)
		if err != nil {
			return out, err
		}
		out.add(report, float64(runs))
	}
	return out, nil
}

// add adds the figures of one of n runs.
func (f *followed) add(report *evaluate.Report, n float64) {
	f.TwoWay += report.Real.Widths[1].AverageTV / n
	s := report.Real.People.Sequences
	if s == nil {
		return
	}
	worst, begin := evaluate.Share{}, 0.0
	for _, t := range s.Transitions {
		if t.Pairs.TV > worst.TV {
			worst = t.Pairs
		}
		begin = max(begin, t.First.TV)
		f.PairsMean += t.Pairs.TV / n / float64(len(s.Transitions))
	}
	f.Pairs, f.Dealt, f.First = f.Pairs+worst.TV/n, f.Dealt+worst.Dealt/n, f.First+begin/n
	f.Gaps, f.DealtGaps, f.Start = f.Gaps+s.Gaps.TV/n, f.DealtGaps+s.Gaps.Dealt/n, f.Start+s.Start.TV/n
}

var followedTitles = []string{"table", "rows", "people", "runs", "transitions, worst column", "mean", "shuffled", "first rows, worst column", "gaps", "shuffled", "first value", "two-way", "CPU s", "date"}

// cells is a line of the table.
func (f followed) cells() []string {
	out := []string{f.Table, f.Form, fmt.Sprint(f.People), fmt.Sprint(f.Runs)}
	for _, x := range []float64{f.Pairs, f.PairsMean, f.Dealt, f.First, f.Gaps, f.DealtGaps, f.Start, f.TwoWay} {
		if x == 0 {
			out = append(out, none)
		} else {
			out = append(out, fmt.Sprintf("%.4f", x))
		}
	}
	return append(out, fmt.Sprintf("%.2f", f.CPU), f.Date)
}

const aboutFollowed = `
## Rows in order

Made-up tables of people whose rows follow each other, ε = 1, δ = 1e-9: total variation of the value in the row before and the
value, of first rows, gaps and first values in 40 bins, and of pairs of columns. *Shuffled* is of the true rows, dealt at random
to people who have as many. CPU is of the whole command.

	go -C integration/research run ./bench -only 'histories/*' -seeds 8 -page bench

%s
*Flattened* is how a program without histories makes them: the rows of a person, up to 40, are one line, with the gap to the row
before in place of the day. The method is rake, which like AIM scores pairs, measures some and fits them, and is ahead of AIM's
figures below on adult7 and adult14. AIM's own program was not run on so many columns: mbi 2.0.0, its package on PyPI, has the
estimator alone.

%s
`

// followedPart is the part of the page on rows in order, ours and others'.
func followedPart(all []followed, others []modelled) string {
	if len(all) == 0 {
		return ""
	}
	list := "| " + strings.Join(followedTitles, " | ") + " |\n|" + strings.Repeat("---|", len(followedTitles)) + "\n"
	for _, f := range all {
		list += "| " + strings.Join(f.cells(), " | ") + " |\n"
	}
	return fmt.Sprintf(aboutFollowed, list, modelledPart(others))
}

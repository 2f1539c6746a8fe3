package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dapple-dp/dapple/integration/research/families"
	"github.com/dapple-dp/dapple/internal/request/evaluate"
)

// modelled is how far rows of a program of others are from the true ones, in one run.
type modelled struct {
	followed          // Form is of programs
	Version, Settings string
	Spent             float64 `json:",omitempty"` // ε as the program reports it; 0: not reported
}

const modelledFile = "sequential.jsonl"

// programs are those that sequential.py runs, by what it calls them.
var programs = []struct{ name, title string }{
	{"mostly-8", "MOSTLY AI, noise"},
	{"mostly", "MOSTLY AI, no noise"},
	{"par", "SDV PAR"},
}

// sequential prints and keeps the figures of the programs of others that a pattern of sequential/table/program names. The
// python3 in the path has to have their packages.
func sequential(out *tabwriter.Writer, only, keep string) error {
	if only == "" { // one run takes many minutes
		return nil
	}
	var all []modelled
	if keep != "" {
		if err := readLines(filepath.Join(keep, modelledFile), &all); err != nil {
			return err
		}
	}
	dir := ""
	for _, h := range families.Histories() {
		for _, p := range programs {
			if !wanted(only, "sequential/"+h.Name+"/"+p.name) {
				continue
			}
			if dir == "" {
				var err error
				dir, err = workspace(out, modelledTitles)
				defer os.RemoveAll(dir)
				if err != nil {
					return err
				}
			}
			m, err := model(dir, h, p.name)
			if err != nil {
				return fmt.Errorf("%s of %s: %w", p.name, h.Name, err)
			}
			fmt.Fprintln(out, strings.Join(m.cells(), "\t"))
			out.Flush()
			all = put(all, m, func(o modelled) bool { return o.Table == m.Table && o.Form == m.Form })
		}
	}
	if keep == "" || dir == "" {
		return nil
	}
	return keepLines(keep, modelledFile, all)
}

// model makes rows by a program and judges them.
func model(dir string, h families.History, program string) (modelled, error) {
	domain, truth, rows := filepath.Join(dir, "table.yaml"), filepath.Join(dir, "table.csv"), filepath.Join(dir, "rows.csv")
	if err := errors.Join(writeHistory(h, truth), os.WriteFile(domain, []byte(h.File(true)), 0o600)); err != nil {
		return modelled{}, err
	}
	c := exec.Command("python3", "bench/sequential.py", program, domain, truth, rows)
	c.Env, c.Stderr = append(os.Environ(), "OMP_NUM_THREADS=1"), os.Stderr
	text, err := c.Output()
	if err != nil {
		return modelled{}, err
	}
	report, err := compared(dir, domain, truth, rows)
	if err != nil {
		return modelled{}, err
	}
	return newModelled(h, program, text, (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds(), report)
}

// newModelled reads the figures of a run from the text that its program printed.
func newModelled(h families.History, program string, text []byte, cpu float64, report *evaluate.Report) (modelled, error) {
	m := modelled{followed: followed{Table: h.Name, Form: program, People: h.People, Runs: 1, CPU: cpu, Date: time.Now().UTC().Format(time.DateOnly), Machine: machine()}}
	m.add(report, 1)
	return m, json.Unmarshal(text, &m)
}

var modelledTitles = []string{"table", "program", "ε", "transitions, worst column", "mean", "first rows, worst column", "gaps", "first value", "two-way", "CPU s", "date", "settings"}

// cells is a line of the table.
func (m modelled) cells() []string {
	title, epsilon := m.Form, none
	for _, p := range programs {
		if p.name == m.Form {
			title = p.title
		}
	}
	if m.Spent > 0 {
		epsilon = fmt.Sprintf("%.2f", m.Spent)
	}
	out := []string{m.Table, title, epsilon}
	for _, x := range []float64{m.Pairs, m.PairsMean, m.First, m.Gaps, m.Start, m.TwoWay} {
		out = append(out, fmt.Sprintf("%.4f", x))
	}
	return append(out, fmt.Sprintf("%.0f", m.CPU), m.Date, m.Version+"; "+m.Settings)
}

const aboutModelled = `Programs of others, one run each on the same tables and judged in the same way. The python3 of the path has to have their packages:

	go -C integration/research run ./bench -only 'sequential/careers/*' -page bench

%s
[sequential.py](sequential.py) pins the versions; settings that are not named are the package's own. Runs are as short as their CPU
seconds say: more epochs, or people, may come nearer. ε is what the program reports, at δ = 1e-9; a dash says that it has none.

MOSTLY AI's engine trains by noisy gradient descent, and counts a person with all rows as one. It is given the true columns of all
people, also for the rows that it draws, which favours it. Of its ε, 1 goes to values and ranges of columns, which it counts by rows
and not by people. A fifth of the people are no part of the training: their loss chooses the model and steps, at no charge.

An epoch of SDV's PARSynthesizer is one step over all people; 128 are its default, and it learns from the first people alone. It
has no ε: SDV's [differential privacy](https://docs.sdv.dev/sdv/explore/sdv-bundles/differential-privacy) is for
single tables (2026-11-28). PATH ([arXiv:2602.02766](https://arxiv.org/abs/2602.02766)) has no public program.`

// modelledPart is the part of the page on rows of programs of others.
func modelledPart(all []modelled) string {
	list := "| " + strings.Join(modelledTitles, " | ") + " |\n|" + strings.Repeat("---|", len(modelledTitles)) + "\n"
	for _, m := range all {
		list += "| " + strings.Join(m.cells(), " | ") + " |\n"
	}
	return fmt.Sprintf(aboutModelled, list)
}

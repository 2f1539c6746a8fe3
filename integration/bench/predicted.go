package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"path"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/mechanism"
	"github.com/dapple-dp/dapple/integration/families"
)

// What predictions of error are to keep: before the run by a factor, after it by a part.
const (
	withinBefore = 1.5
	withinAfter  = .25
)

// consulted are the tables that constants of predictions were chosen on.
var consulted = map[string]bool{"adult7": true, "adult14": true}

// predictions prints the average total variation that plans predict, what runs say of themselves, and what it is, for
// coded tables, made-up ones and CSV files over the domain that is proposed for them.
func predictions(out *tabwriter.Writer, data, only string, seeds int, named []string) error {
	fmt.Fprintln(out, "table\tconstants chosen on it\tε\tmethod\tbefore the run\tafter it\tmeasured\tbefore / measured\tafter / measured\tholds")
	good, all := 0, 0
	each := func(t *families.Table) error {
		for _, epsilon := range []dp.Epsilon{.3, 1, 3} {
			if ok, _ := path.Match(only, fmt.Sprintf("%s/%g", t.Name, float64(epsilon))); !ok && only != "" {
				continue
			}
			held, err := predicted(out, t, epsilon, seeds)
			if err != nil {
				return fmt.Errorf("%s: %w", t.Name, err)
			}
			if !consulted[t.Name] {
				all++
				if held {
					good++
				}
			}
		}
		return nil
	}
	wanted := func(name string) bool {
		ok, _ := path.Match(strings.Split(only, "/")[0], name)
		return ok || only == ""
	}
	for _, name := range []string{"adult7", "adult14"} {
		if !wanted(name) {
			continue
		}
		t, err := open(data, name)
		if err == nil {
			err = each(t)
		}
		if err != nil {
			return err
		}
	}
	for _, f := range families.All() {
		if wanted(f.Name) {
			if err := each(f.Make(40_000, 1)); err != nil {
				return err
			}
		}
	}
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, t := range families.AllAsFound() {
		if !wanted(t.Name) {
			continue
		}
		name, err := written(dir, t)
		if err != nil {
			return err
		}
		named = append(named, name)
	}
	for _, name := range named {
		t, err := families.Read(context.Background(), strings.TrimSuffix(filepath.Base(name), ".csv"), name)
		if err == nil {
			err = each(t)
		}
		if err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "of tables that no constant was chosen on, %d of %d lines hold: within a factor of %g before the run and %.0f %% after it\n", good, all, withinBefore, 100*withinAfter)
	return out.Flush()
}

// predicted prints a line, the mean of some runs.
func predicted(out *tabwriter.Writer, t *families.Table, epsilon dp.Epsilon, seeds int) (held bool, err error) {
	var before, after, measured float64
	method := ""
	for i := range seeds {
		s, err := families.Solve(t, families.Request{Method: "auto", Epsilon: epsilon, Delta: madeUpDelta}, families.Fixed(uint64(i)))
		if err != nil {
			log.Printf("%s, ε = %g: %v", t.Name, float64(epsilon), err)
			return false, nil
		}
		foretold, err := s.Foretold()
		if err != nil {
			return false, err
		}
		seen := t
		for _, c := range s.Calls {
			if c.Request.Method == mechanism.Coarsen { // bins were learned, and the model is of those
				seen = t.Coarsen(c.Request.Merge).(*families.Table)
			}
		}
		n := float64(seeds)
		before, after, measured, method = before+foretold/n, after+s.TV/n, measured+s.AverageTV(seen)/n, s.Method.Name
	}
	chosen := ""
	if consulted[t.Name] {
		chosen = "yes"
	}
	ratio, own := before/measured, after/measured
	var fails []string
	if !(math.Abs(math.Log(ratio)) <= math.Log(withinBefore)) {
		fails = append(fails, "before")
	}
	if !(math.Abs(own-1) <= withinAfter) {
		fails = append(fails, "after")
	}
	holds := "yes"
	if len(fails) > 0 {
		holds = "not " + strings.Join(fails, ", not ")
	}
	fmt.Fprintf(out, "%s\t%s\t%g\t%s\t%.4f\t%.4f\t%.4f\t%.2f\t%.2f\t%s\n", t.Name, chosen, float64(epsilon), method, before, after, measured, ratio, own, holds)
	return len(fails) == 0, nil
}

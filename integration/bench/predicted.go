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

// tally counts the lines that hold, of tables that no constant was chosen on.
type tally struct{ lines, typical, like, ranged, after int }

// predictions prints the average total variation that plans predict, of a typical table and of one like an earlier release,
// what runs say of themselves, and what it is, for coded tables, made-up ones and CSV files over the domain that is
// proposed for them. The earlier release is of another run at a third of ε.
func predictions(out *tabwriter.Writer, data, only string, seeds int, named []string) error {
	fmt.Fprintln(out, "table\tconstants chosen on it\tε\tmethod\tbefore: typical\tbefore: like a release\tafter\tmeasured\ttypical / measured\tlike / measured\tafter / measured\tfails")
	var sum tally
	each := func(t *families.Table) error {
		for _, epsilon := range []dp.Epsilon{.3, 1, 3} {
			if ok, _ := path.Match(only, fmt.Sprintf("%s/%g", t.Name, float64(epsilon))); !ok && only != "" {
				continue
			}
			if err := predicted(out, t, epsilon, seeds, &sum); err != nil {
				return fmt.Errorf("%s: %w", t.Name, err)
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
			if err := each(f.Make(20_000, 1)); err != nil {
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
	fmt.Fprintf(out, "of %d lines of tables that no constant was chosen on: within a factor of %g of the error before the run, of a typical table %d, of one like a release %d; "+
		"error in the range that plan states %d; within %.0f %% after the run %d\n", sum.lines, withinBefore, sum.typical, sum.like, sum.ranged, 100*withinAfter, sum.after)
	return out.Flush()
}

// predicted prints a line, the mean of some runs.
func predicted(out *tabwriter.Writer, t *families.Table, epsilon dp.Epsilon, seeds int, sum *tally) error {
	var typical, like, low, high, after, measured float64
	method := ""
	for i := range seeds {
		solve := func(epsilon dp.Epsilon, seed int) (*families.Solved, error) {
			return families.Solve(t, families.Request{Method: "auto", Epsilon: epsilon, Delta: madeUpDelta}, families.Fixed(uint64(seed)))
		}
		s, err := solve(epsilon, i)
		var earlier *families.Solved
		if err == nil {
			earlier, err = solve(epsilon/3, i+seeds)
		}
		if err != nil {
			log.Printf("%s, ε = %g: %v", t.Name, float64(epsilon), err)
			return nil
		}
		unknown, err := s.Foretold(nil)
		if err != nil {
			return err
		}
		known, err := s.Foretold(earlier.Pattern())
		if err != nil {
			return err
		}
		seen := t
		for _, c := range s.Calls {
			if c.Request.Method == mechanism.Coarsen { // bins were learned, and the model is of those
				seen = t.Coarsen(c.Request.Merge).(*families.Table)
			}
		}
		n := float64(seeds)
		typical, like, low, high = typical+unknown.AverageTV/n, like+known.AverageTV/n, low+unknown.LowTV/n, high+unknown.HighTV/n
		after, measured, method = after+s.TV/n, measured+s.AverageTV(seen)/n, s.Method.Name
	}
	chosen := ""
	if consulted[t.Name] {
		chosen, sum = "yes", &tally{}
	}
	sum.lines++
	var fails []string
	for _, x := range []struct {
		what  string
		count *int
		holds bool
	}{
		{"typical", &sum.typical, math.Abs(math.Log(typical/measured)) <= math.Log(withinBefore)},
		{"like", &sum.like, math.Abs(math.Log(like/measured)) <= math.Log(withinBefore)},
		{"range", &sum.ranged, low <= measured && measured <= high},
		{"after", &sum.after, math.Abs(after/measured-1) <= withinAfter},
	} {
		if x.holds {
			*x.count++
		} else {
			fails = append(fails, x.what)
		}
	}
	fmt.Fprintf(out, "%s\t%s\t%g\t%s\t%.4f\t%.4f\t%.4f\t%.4f\t%.2f\t%.2f\t%.2f\t%s\n", t.Name, chosen, float64(epsilon), method, typical, like, after, measured,
		typical/measured, like/measured, after/measured, strings.Join(fails, ", "))
	return nil
}

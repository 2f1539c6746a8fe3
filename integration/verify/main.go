// Command verify checks the privacy of this checkout by computation, and prints what it found:
//
//	go -C integration run ./verify        # within 10 minutes on two cores
//	go -C integration run ./verify -long  # nightly sizes, fresh tables and runs
//	go -C integration run ./verify -results ../out/integration.json -base HEAD~1  # what has not run yet, and fewer defects
//
// Three tables: the checks, with what they cover, the chance that right code fails them in a run and that
// their fixed seeds were unlucky, their size and result; the checklist of known defects, each with the tests
// that would see it; and the seeded defects, each built into a copy and found by its test. The exit status is
// 1 where anything failed or did not run.
package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dapple-dp/dapple/integration/internal/repo"
)

func main() {
	long := flag.Bool("long", false, "nightly sizes, fresh tables and runs")
	defects := flag.Bool("defects", true, "end with the seeded defects")
	logs := flag.String("results", "", "files of events of go test -json, between commas, whose results are taken as they are")
	base := flag.String("base", "", "seeded defects in files that have changed since this commit, and a quarter of the others")
	flag.Parse()
	if err := verify(*long, *defects, *logs, *base); err != nil {
		fmt.Fprintln(os.Stderr, "verify:", err)
		os.Exit(1)
	}
}

func verify(long, defects bool, logs, base string) error {
	start := time.Now()
	root, err := repo.Root()
	if err != nil {
		return err
	}
	results, err := logged(root, planned(), logs)
	if err != nil {
		return err
	}
	fmt.Printf("%d of %d tests have run already\n", len(results), len(planned()))
	maps.Copy(results, runAll(root, without(planned(), results), long))
	bad := printChecks(results, long) + printChecklist(results)
	printFailures(results)
	fmt.Printf("\n%d tests in %.0f s\n", len(results), time.Since(start).Seconds())
	if defects {
		fmt.Println("\nSeeded defects")
		cmd := exec.Command("go", "run", "./mutation", "-base", base)
		cmd.Dir, cmd.Stdout, cmd.Stderr = filepath.Join(root, "integration"), os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			bad++
		}
	}
	fmt.Printf("\nall together %.0f s\n", time.Since(start).Seconds())
	if bad > 0 {
		return fmt.Errorf("%d lines failed", bad)
	}
	return nil
}

// planned lists every named test once.
func planned() (all []named) {
	seen := map[named]bool{}
	add := func(list []named) {
		for _, n := range list {
			if !seen[n] {
				seen[n] = true
				all = append(all, n)
			}
		}
	}
	for _, c := range checks {
		add(c.tests)
	}
	for _, r := range checklist {
		add(r.tests)
	}
	return all
}

// printChecks prints the first table with the figures of each check, and returns how many failed.
func printChecks(results map[named]result, long bool) (bad int) {
	w := tabwriter.NewWriter(os.Stdout, 2, 0, 2, ' ', 0)
	fmt.Fprintln(w, "check\tfalse alarms\tseeds\tsize\ttests\tseconds\tresult\tcovers")
	for _, c := range checks {
		size, word, seconds := c.size, "passed", 0.0
		if long && c.long != "" {
			size = c.long
		}
		for _, n := range c.tests {
			seconds += results[n].seconds
			if r := results[n]; r.verdict != passed {
				word = "FAILED"
			}
		}
		if word != "passed" {
			bad++
		}
		fmt.Fprintf(w, "%s\t%.2g\t%.2g\t%s\t%d\t%.1f\t%s\t%s\n", c.name, c.alarms.of(long), c.alarms.fixed, size, len(c.tests), seconds, word, c.covers)
	}
	w.Flush()
	a := together(long)
	fmt.Printf("\nfalse alarms of a run: %.2g together; that a fixed seed was unlucky: %.2g, once\n", a.fresh, a.fixed)
	fmt.Println("\nfigures")
	for _, c := range checks {
		for _, n := range c.tests {
			for _, f := range results[n].figures {
				fmt.Printf("  %s: %s\n", n.test, f)
			}
		}
	}
	return bad
}

// together adds up the rates of a run of all checks. No test shares its randomness with another, and where one
// did the sum would still be a bound.
func together(long bool) (sum alarms) {
	for _, c := range checks {
		sum.fresh += c.alarms.of(long)
		sum.fixed += c.alarms.fixed
	}
	return sum
}

func printChecklist(results map[named]result) (bad int) {
	w := tabwriter.NewWriter(os.Stdout, 2, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nrow\tdefect\tresult\ttests")
	for _, r := range checklist {
		word, list := "passed", []string{}
		for _, n := range r.tests {
			if results[n].verdict != passed {
				word = "FAILED"
			}
			list = append(list, n.dir+" "+n.test)
		}
		if word != "passed" {
			bad++
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", r.number, r.defect, word, strings.Join(list, ", "))
	}
	w.Flush()
	return bad
}

func printFailures(results map[named]result) {
	for n, r := range results {
		if r.verdict != passed {
			fmt.Printf("\n%s %s: %s\n%s", n.dir, n.test, r.verdict, r.output)
		}
	}
}

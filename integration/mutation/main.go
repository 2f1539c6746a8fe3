package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

func main() {
	jobs := flag.Int("jobs", 2, "defects tried at a time")
	only := flag.String("only", "", "defects whose names match this pattern")
	flag.Parse()
	if err := run(*jobs, *only); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run tries the defects and prints a line for each as it ends. It fails if one survives.
func run(jobs int, only string) error {
	start := time.Now()
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	names, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	var chosen []defect
	for _, d := range all() {
		if names.MatchString(d.name) {
			chosen = append(chosen, d)
		}
	}
	copies := make(chan *workspace, jobs)
	for range jobs {
		w, err := newWorkspace(root)
		if err != nil {
			return err
		}
		defer w.remove()
		copies <- w
	}
	if err := baseline(copies, chosen); err != nil {
		return err
	}
	var bad atomic.Int64
	var wg sync.WaitGroup
	for _, d := range chosen {
		w := <-copies
		wg.Go(func() {
			if o := w.try(d); !report(d, o) {
				bad.Add(1)
			}
			copies <- w
		})
	}
	wg.Wait()
	missed := int(bad.Load())
	fmt.Printf("%d defects, %d found, %d not; %.0f s\n", len(chosen), len(chosen)-missed, missed, time.Since(start).Seconds())
	if missed > 0 {
		return fmt.Errorf("mutation: %d defects were not found", missed)
	}
	return nil
}

// baseline runs every named test on the module as it is: a test that fails anyway finds nothing.
func baseline(copies chan *workspace, chosen []defect) error {
	tests, order := map[string][]string{}, []string{}
	for _, d := range chosen {
		if tests[d.pkg()] == nil {
			order = append(order, d.pkg())
		}
		tests[d.pkg()] = append(tests[d.pkg()], d.test)
	}
	faults := make([]error, len(order))
	var wg sync.WaitGroup
	for i, pkg := range order {
		w := <-copies
		wg.Go(func() {
			if out, err := w.test(pkg, "^("+strings.Join(tests[pkg], "|")+")$"); err != nil {
				faults[i] = fmt.Errorf("the tests of %s fail without a defect:\n%s", pkg, out)
			}
			copies <- w
		})
	}
	wg.Wait()
	return errors.Join(faults...)
}

// report prints what became of a defect, and reports whether it was found.
func report(d defect, o outcome) bool {
	line := fmt.Sprintf("%-9s %-58s %s %s\n", o.verdict, d.name, d.pkg(), d.test)
	if o.verdict != found {
		line += o.output + "\n"
	}
	fmt.Print(line)
	return o.verdict == found
}

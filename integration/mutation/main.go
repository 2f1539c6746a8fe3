package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dapple-dp/dapple/integration/internal/repo"
)

func main() {
	jobs := flag.Int("jobs", 2, "defects tried at a time")
	only := flag.String("only", "", "defects whose names match this pattern")
	base := flag.String("base", "", "defects in files that have changed since this commit, and a quarter of the others")
	flag.Parse()
	if err := check(*jobs, *only, *base); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// check tries the defects and prints a line for each as it ends. It fails if one survives.
func check(jobs int, only, base string) error {
	start := time.Now()
	root, err := repo.Root()
	if err != nil {
		return err
	}
	names, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	files, err := readTree(root)
	if err != nil {
		return err
	}
	list, err := all()
	if err != nil {
		return err
	}
	chosen, err := files.placed(slices.DeleteFunc(list, func(d defect) bool { return !names.MatchString(d.name) }))
	if err != nil {
		return err
	}
	if base != "" {
		if chosen, err = since(root, base, chosen); err != nil {
			return err
		}
	}
	copies := make(chan *workspace, jobs) // of the repository as it is, for defects that need a build of their own
	for range jobs {
		w, err := newWorkspace(root)
		if err != nil {
			return err
		}
		defer w.remove()
		copies <- w
	}
	shared, err := newWorkspace(root)
	if err != nil {
		return err
	}
	defer shared.remove()
	single, err := shared.switchIn(chosen)
	if err != nil {
		return err
	}
	alone := map[int]bool{}
	for _, d := range single {
		alone[d.number] = true
	}
	if err := baseline(copies, shared, chosen, alone); err != nil {
		return err
	}
	var bad atomic.Int64
	var wg sync.WaitGroup
	for _, d := range chosen {
		w := <-copies
		wg.Go(func() {
			try := shared.try
			if alone[d.number] {
				try = w.tryAlone
			}
			if !report(d, try(d)) {
				bad.Add(1)
			}
			copies <- w
		})
	}
	wg.Wait()
	missed := int(bad.Load())
	fmt.Printf("%d defects, %d found, %d not; %d built alone; %.0f s\n", len(chosen), len(chosen)-missed, missed, len(single), time.Since(start).Seconds())
	if missed > 0 {
		return fmt.Errorf("mutation: %d defects were not found", missed)
	}
	return nil
}

// suite is the tests of a package that defects name, in the shared build or in the repository as it is.
type suite struct {
	pkg   string
	alone bool
}

// baseline builds what defects share, and runs every named test without a defect: a test that fails anyway finds
// nothing.
func baseline(copies chan *workspace, shared *workspace, chosen []defect, alone map[int]bool) error {
	tests, order := map[suite][]string{}, []suite{}
	for _, d := range chosen {
		s := suite{d.pkg(), alone[d.number]}
		if tests[s] == nil {
			order = append(order, s)
		}
		tests[s] = append(tests[s], d.test)
	}
	faults := make([]error, len(order))
	var wg sync.WaitGroup
	for i, s := range order {
		w := <-copies
		wg.Go(func() {
			defer func() { copies <- w }()
			pattern := "^(" + strings.Join(tests[s], "|") + ")$"
			if s.alone {
				if out, err := w.test(s.pkg, pattern); err != nil {
					faults[i] = fmt.Errorf("the tests of %s fail without a defect:\n%s", s.pkg, out)
				}
			} else if out, err := shared.build(s.pkg); err != nil {
				faults[i] = fmt.Errorf("a defect does not compile (lines count from its function):\n%s", out)
			} else if out, err := shared.runBuilt(s.pkg, pattern, 0); err != nil {
				faults[i] = fmt.Errorf("the tests of %s fail with no defect acting:\n%s", s.pkg, out)
			}
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

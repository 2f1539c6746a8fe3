package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// effect is what leaving a heuristic out does to errors, as parts of them, and to CPU.
type effect struct {
	mean, se, cpu float64
	best, worst   string // tables
	most, least   float64
}

// leastError is the least error that a change is a part of: a hundredth of what is nearly exact is nothing.
const leastError = .03

// effectOf compares runs without a heuristic to those with it, of the same table, ε and seed. A run that was left out is not
// changed.
func effectOf(base, without []point) (e effect, err error) {
	if len(without) == 0 {
		return e, errors.New("no runs to compare")
	}
	type place struct {
		table   string
		epsilon float64
	}
	mean, n, then := map[place]float64{}, map[place]float64{}, map[point]point{}
	for _, p := range without {
		then[point{Table: p.Table, Epsilon: p.Epsilon, Seed: p.Seed}] = p
	}
	for _, p := range base {
		at := place{p.Table, p.Epsilon}
		mean[at], n[at] = mean[at]+p.Error, n[at]+1
	}
	var names []string
	var cpu, cpuWithout float64
	bySeed, byTable, runs := map[int]float64{}, map[string]float64{}, map[string]float64{}
	for _, p := range base {
		if runs[p.Table]++; !slices.Contains(names, p.Table) {
			names = append(names, p.Table)
		}
		at := place{p.Table, p.Epsilon}
		change := 0.
		if q, ok := then[point{Table: p.Table, Epsilon: p.Epsilon, Seed: p.Seed}]; ok {
			change = (q.Error - p.Error) / max(mean[at]/n[at], leastError)
			cpu, cpuWithout = cpu+p.CPU, cpuWithout+q.CPU
		}
		bySeed[p.Seed] += change / float64(len(mean))
		byTable[p.Table] += change
	}
	seeds := float64(len(bySeed))
	for _, x := range bySeed {
		e.mean += x / seeds
	}
	for _, x := range bySeed {
		e.se += (x - e.mean) * (x - e.mean) / max(seeds*(seeds-1), 1)
	}
	e.se, e.cpu = math.Sqrt(e.se), cpuWithout/max(cpu, 1e-9)-1
	e.most, e.least = math.Inf(-1), math.Inf(1)
	for _, name := range names {
		x := byTable[name] / runs[name]
		if x > e.most {
			e.best, e.most = name, x
		}
		if x < e.least {
			e.worst, e.least = name, x
		}
	}
	return e, nil
}

// report runs the chosen switches, prints a line for each and writes README.md if it is asked for.
func (w *workshop) report(list []change, base []point, r request, jobs int, page bool) error {
	lines, faults := make([]string, len(list)), make([]error, len(list))
	fmt.Print(head)
	var wg sync.WaitGroup
	places := make(chan bool, max(jobs, 1))
	for i, c := range list {
		places <- true
		wg.Go(func() {
			defer func() { <-places }()
			points, err := w.run(c, r)
			var e effect
			if err == nil {
				e, err = effectOf(base, points)
			}
			var code int
			if err == nil {
				code, err = codeLines(w.root, c.code)
			}
			if faults[i] = err; err != nil {
				fmt.Fprintln(os.Stderr, err)
				return
			}
			lines[i] = fmt.Sprintf("| %s | %+.2f ± %.2f | %s %+.1f | %s %+.1f | %s | %+.0f |\n", c.name, 100*e.mean, 100*e.se,
				e.best, 100*e.most, e.worst, 100*e.least, fmt.Sprint(code), 100*e.cpu)
			fmt.Print(lines[i])
		})
	}
	wg.Wait()
	for _, err := range faults {
		if err != nil {
			return errors.New("not all switches could be tried")
		}
	}
	if !page {
		return nil
	}
	text := fmt.Sprintf(about, r.Seeds, r.Epsilons, leastError) + head + strings.Join(lines, "")
	return os.WriteFile(filepath.Join(w.root, "integration", "research", "ablate", "README.md"), []byte(text), 0o644)
}

const (
	head = "| without | error, % | helps most, % | helps least, % | lines | CPU, % |\n|---|---|---|---|---|---|\n"

	about = `# What each heuristic of the fit earns

` + "`make ablate`" + ` makes this table: the fit without one heuristic, compared to the fit as it is, with the same noise, %d seeds at
ε = %v. Errors are the total variation of marginals of coded tables, what Pair Trends of rows lack of 1 for tables as
found, of people with rows the error of a pair row by row, or of their number, and of strongest pairs what they lose of their rank correlation
and the largest error of one; changes are parts of them, or of %g where
they are less. Above 0: it helps. The standard error is
over seeds. Lines are code, without comments, of the functions that go with it; 0 is a constant or a condition.

`
)

// codeLines counts the lines of code without comments of folders and files, and of functions, methods and types as file:name.
func codeLines(root string, parts []string) (lines int, err error) {
	for _, part := range parts {
		file, name, _ := strings.Cut(part, ":")
		files := []string{filepath.Join(root, filepath.FromSlash(file))}
		if !strings.HasSuffix(file, ".go") {
			if files, err = filepath.Glob(filepath.Join(files[0], "*.go")); err != nil {
				return 0, err
			}
		}
		before := lines
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") {
				continue
			}
			n, err := codeLinesOf(f, name)
			if err != nil {
				return 0, err
			}
			lines += n
		}
		if lines == before {
			return 0, fmt.Errorf("%s: there is no such code", part)
		}
	}
	return lines, nil
}

// codeLinesOf counts the code lines of a declaration in a file; "": of all.
func codeLinesOf(file, name string) (lines int, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
	if err != nil {
		return 0, err
	}
	for _, decl := range parsed.Decls {
		if name != "" && !declares(decl, name) {
			continue
		}
		for _, line := range strings.Split(string(text[set.Position(decl.Pos()).Offset:set.Position(decl.End()).Offset]), "\n") {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				lines++
			}
		}
	}
	return lines, nil
}

// declares reports whether a declaration is of a function, a method or a type of that name.
func declares(decl ast.Decl, name string) bool {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		return d.Name.Name == name
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if t, ok := s.(*ast.TypeSpec); ok && t.Name.Name == name {
				return true
			}
		}
	}
	return false
}

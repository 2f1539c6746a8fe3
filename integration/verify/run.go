package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/dapple-dp/dapple/integration/internal/repo"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
)

// The verdicts. A test that was skipped or is not there has not run, which is a failure.
const (
	passed = "pass"
	failed = "fail"
	absent = "did not run"
)

// result is what one test did.
type result struct {
	verdict string
	seconds float64
	figures []string
	output  string
}

// jobs is the number of packages tested at a time.
const jobs = 2

// runAll runs the tests, a package at a time on each of two cores.
func runAll(root string, tests []named, long bool) map[named]result {
	byDir, order := map[string][]string{}, []string{}
	for _, n := range tests {
		if byDir[n.dir] == nil {
			order = append(order, n.dir)
		}
		byDir[n.dir] = append(byDir[n.dir], n.test)
	}
	results := map[named]result{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	slots := make(chan struct{}, jobs)
	for _, dir := range order {
		slots <- struct{}{}
		wg.Go(func() {
			got := runPackage(root, dir, byDir[dir], long)
			mu.Lock()
			for test, r := range got {
				results[named{dir, test}] = r
			}
			mu.Unlock()
			<-slots
		})
	}
	wg.Wait()
	return results
}

// event is a line of `go test -json`.
type event struct {
	Time                 time.Time
	Action, Test, Output string
}

func runPackage(root, dir string, tests []string, long bool) map[string]result {
	timeout := "20m"
	if long {
		timeout = "12h"
	}
	module, pattern := repo.Module(root, dir)
	cmd := exec.Command("go", "test", "-json", "-count=1", "-timeout="+timeout, "-run", "^("+strings.Join(tests, "|")+")$", pattern)
	cmd.Dir, cmd.Env = module, append(os.Environ(), "GOGC=400") // numbers of 256 bits: a fifth less CPU
	if long {
		cmd.Env = append(cmd.Env, "DAPPLE_NIGHTLY=1")
	}
	out, err := cmd.Output() // a failure shows in the events, or in their absence
	var exit *exec.ExitError
	if e := (*exec.ExitError)(nil); errors.As(err, &e) {
		exit = e
	}
	return read(out, tests, exit)
}

// read collects the events of each named test, subtests included.
func read(out []byte, tests []string, exit *exec.ExitError) map[string]result {
	results := map[string]result{}
	for _, t := range tests {
		results[t] = result{verdict: absent}
	}
	started := map[string]time.Time{} // Elapsed leaves out parallel subtests
	var rest strings.Builder
	for scan := bufio.NewScanner(bytes.NewReader(out)); scan.Scan(); {
		var e event
		if json.Unmarshal(scan.Bytes(), &e) != nil {
			rest.WriteString(scan.Text() + "\n")
			continue
		}
		top, _, sub := strings.Cut(e.Test, "/")
		r, ours := results[top]
		if !ours {
			rest.WriteString(e.Output)
			continue
		}
		switch {
		case !sub && e.Action == "run":
			started[top] = e.Time
		case e.Action == "output":
			r.output += e.Output
			if _, figure, ok := strings.Cut(e.Output, dptest.FigureMark); ok {
				r.figures = append(r.figures, strings.TrimSpace(figure))
			}
		case !sub && (e.Action == passed || e.Action == failed):
			r.verdict, r.seconds = e.Action, e.Time.Sub(started[top]).Seconds()
		}
		results[top] = r
	}
	for _, t := range tests {
		if r := results[t]; r.verdict == absent {
			r.output += rest.String()
			if exit != nil {
				r.output += string(exit.Stderr)
			}
			results[t] = r
		}
	}
	return results
}

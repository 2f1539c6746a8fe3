package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
)

// event is a line of go test -json.
type event struct{ Action, Package, Test, Output string }

// results collects what tests print, and what was left out.
type results struct {
	out, log io.Writer
	printed  map[event]*strings.Builder // by package and test, until it ends
	reasons  []string                   // in the order of their first tests
	tests    map[string][]string        // by reason
}

// read takes in all events.
func (r *results) read(events io.Reader) error {
	r.printed, r.tests = map[event]*strings.Builder{}, map[string][]string{}
	for d := json.NewDecoder(events); ; {
		var e event
		switch err := d.Decode(&e); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("go test prints something else than events: %w", err)
		}
		r.take(e)
	}
}

func (r *results) take(e event) {
	key := event{Package: e.Package, Test: e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "output":
		if r.printed[key] == nil {
			r.printed[key] = &strings.Builder{}
		}
		r.printed[key].WriteString(e.Output)
		fmt.Fprint(r.log, e.Output)
	case "pass", "skip", "fail":
		r.end(key, e.Action)
	}
}

// end takes in the end of a test, or of a package, whose Test is empty.
func (r *results) end(key event, how string) {
	text := ""
	if b := r.printed[key]; b != nil {
		text = b.String()
	}
	delete(r.printed, key)
	switch {
	case how == "fail" && key.Test == "":
		for other, b := range r.printed { // of tests that have not ended: the program has
			if other.Package == key.Package {
				fmt.Fprint(r.out, b.String())
			}
		}
		fmt.Fprint(r.out, text)
	case how == "fail":
		fmt.Fprint(r.out, text)
	case key.Test == "":
		if i := strings.LastIndex(text, "ok  \t"); i >= 0 {
			fmt.Fprint(r.out, text[i:])
		}
	case how == "skip":
		r.skip(key, text)
	}
}

var position = regexp.MustCompile(`^\w+\.go:\d+: `)

// skip notes a test that was left out. The last line that it has printed itself says why.
func (r *results) skip(key event, text string) {
	why := "no reason given"
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- ") {
			why = position.ReplaceAllString(line, "")
		}
	}
	if !slices.Contains(r.reasons, why) {
		r.reasons = append(r.reasons, why)
	}
	r.tests[why] = append(r.tests[why], path.Base(key.Package)+"."+key.Test)
}

// left lists what was left out: a line for each reason, then one with its tests.
func (r *results) left() string {
	var b strings.Builder
	for _, why := range r.reasons {
		fmt.Fprintf(&b, "  %s\n    %s\n", why, strings.Join(r.tests[why], " "))
	}
	return b.String()
}

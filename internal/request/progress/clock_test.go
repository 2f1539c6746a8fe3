package progress

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

var aboutLeft = regexp.MustCompile(`ends in (?:at most )?about ([0-9hms]+)`)

// What the clock says of ten seconds or more is right to a factor of two, for reading and for writing whose rate wavers by
// a third, and every stage shows the time that has gone by.
func TestClockEstimates(t *testing.T) {
	var out bytes.Buffer
	m := New(300_000_000, Form{Progress: &out, Terminal: true})
	start := time.Unix(1_700_000_000, 0)
	at := start
	read := int64(0)
	m.began, m.now, m.read = start, func() time.Time { return at }, func() int64 { return read }
	wavering := func(i int) int64 { return 100 + []int64{0, 33, -33, 10}[i/7%4] }
	said := 0
	check := func(stage string, end time.Time) {
		t.Helper()
		lines := strings.Split(out.String(), "\r")
		line := lines[len(lines)-1]
		must.Need(t, strings.HasPrefix(line, stage) && strings.Contains(line, ", "+at.Sub(start).String()), "%q at %v of %s", line, at.Sub(start), stage)
		match := aboutLeft.FindStringSubmatch(line)
		if match == nil {
			return
		}
		left := must.Value(time.ParseDuration(match[1]))(t)
		took := end.Sub(at)
		if left >= 10*time.Second || took >= 10*time.Second {
			said++
			must.Hold(t, left <= 2*took && took <= 2*left, "%s: %v left, and it took %v", stage, left, took)
		}
	}
	steps := func(total int64) (n int) { // seconds that a stage of so many parts takes
		for sum := int64(0); sum < total; n++ {
			sum += wavering(n)
		}
		return n
	}
	m.report("reading", 0, 0)
	seconds := steps(6000)
	end := at.Add(time.Duration(seconds) * time.Second)
	for i := range seconds - 1 {
		at, read = at.Add(time.Second), read+wavering(i)*50_000
		m.draw()
		check("reading", end)
	}
	read = 300_000_000
	m.draw()
	check("counting", at)
	seconds, end = steps(9000), at.Add(time.Duration(steps(9000))*time.Second)
	done := 0
	m.report("writing", 0, 9000)
	for i := range seconds - 1 {
		at = at.Add(time.Second)
		done += int(wavering(i))
		m.report("writing", min(done, 9000), 9000)
		check("writing", end)
	}
	m.report("fit", 100, 1000) // a second fit, after one of 100 sweeps
	for end, done = at.Add(180*time.Second), 100; done < 1000; check("fit", end) {
		at, done = at.Add(time.Second), done+5
		m.report("fit", done, 1000)
	}
	must.Hold(t, said >= 80, "an estimate was given %d times", said)
}

// In JSON each line is an object, with stages and elapsed time; the size of the input is not among them.
func TestProgressInJSON(t *testing.T) {
	var out bytes.Buffer
	m := New(1_234_567, Form{Progress: &out, Terminal: true, LogJSON: true})
	stop := m.Start()
	for i := range 5 {
		m.report("fit", i, 4)
	}
	stop()
	var stages []string
	for line := range strings.Lines(out.String()) {
		var l map[string]any
		err := json.Unmarshal([]byte(line), &l)
		must.Need(t, err == nil, "%q: %v", line, err)
		must.Hold(t, l["level"] == "info" && l["time"] != nil && l["elapsed_seconds"] != nil, "got %s", line)
		stages = append(stages, fmt.Sprint(l["stage"], l["done"]))
	}
	text := out.String()
	must.Hold(t, !strings.Contains(text, "bytes") && !strings.Contains(text, "1234567"), "the size of the table is logged: %s", text)
	must.Equal(t, strings.Join(stages, " "), "reading0 fit0")
}

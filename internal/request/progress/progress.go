// Package progress shows how far a run is, in this process or at a job service, in public figures.
package progress

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/release/report/page"
	"github.com/dapple-dp/dapple/internal/request/jobs"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// fits are the stages whose number of parts is a forecast, since they end when they have converged, and which may be done more
// than once.
var fits = map[string]bool{"fit": true, "descent": true}

// refreshEvery is the interval between two lines about a long stage in a file.
const refreshEvery = 30 * time.Second

// tick is how often the clock of a moving line moves.
const tick = 500 * time.Millisecond

// Meter shows the progress of a run in this process: a moving line on a terminal, else one line for
// each stage, and for a fit one more from time to time. It shows public figures, and on a terminal how many bytes of the
// private table there are and were read. Logs, which are collected, say nothing of its size.
type Meter struct {
	out      io.Writer
	terminal bool
	objects  bool  // a JSON object a line
	total    int64 // bytes of the input
	read     func() int64
	now      func() time.Time
	began    time.Time

	mu          sync.Mutex
	stage       string
	done, parts int
	first       int // parts that were done when the stage began
	since       time.Time
	shown       time.Time
	width       int
}

// Form is how progress is shown.
type Form struct {
	Progress          io.Writer // nil: nowhere
	Terminal, LogJSON bool
}

// New makes the meter of a run that reads so many bytes; 0: it is not known.
func New(bytes int64, f Form) *Meter {
	m := &Meter{out: f.Progress, terminal: f.Terminal && !f.LogJSON, objects: f.LogJSON, total: bytes, now: time.Now, began: time.Now()}
	before := files.ReadSoFar()
	m.read = func() int64 { return files.ReadSoFar() - before }
	return m
}

// Start listens to the stages of this process's run until the returned function is called.
func (m *Meter) Start() (stop func()) {
	if m.out == nil {
		return func() {}
	}
	restore := synth.Observe(m.report)
	if m.total > 0 {
		m.report("reading", 0, 0)
	}
	over := make(chan struct{})
	var clock sync.WaitGroup
	if m.terminal {
		clock.Go(func() {
			t := time.NewTicker(tick)
			defer t.Stop()
			for {
				select {
				case <-over:
					return
				case <-t.C:
					m.mu.Lock()
					m.draw()
					m.mu.Unlock()
				}
			}
		})
	}
	return func() {
		restore()
		close(over)
		clock.Wait()
		if m.terminal && m.width > 0 {
			fmt.Fprintf(m.out, "\r%*s\r", m.width, "")
		}
	}
}

// report shows that done of total parts of a stage are finished; total 0 means that it is not known.
func (m *Meter) report(stage string, done, total int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	isNew := stage != m.stage
	if isNew || fits[stage] && done < m.done {
		m.stage, m.since, m.first = stage, now, done
	}
	m.done, m.parts = done, total
	switch {
	case m.terminal:
		if isNew || now.Sub(m.shown) > 100*time.Millisecond || done == total {
			m.draw()
		}
	case !isNew && !(fits[stage] && now.Sub(m.shown) > refreshEvery):
	case m.objects:
		m.shown = now
		m.object(now)
	default:
		m.shown = now
		amount := m.reached(stage, done, total)
		if isNew {
			amount = m.amount(stage, done, total)
		}
		fmt.Fprintf(m.out, "%s%s (%s)\n", stage, amount, elapsed(now.Sub(m.began)))
	}
}

// object writes where the run is as a line of JSON.
func (m *Meter) object(now time.Time) {
	line, err := json.Marshal(struct {
		Time    string  `json:"time"`
		Level   string  `json:"level"`
		Stage   string  `json:"stage"`
		Done    int     `json:"done"`
		Total   int     `json:"total,omitempty"`
		Seconds float64 `json:"elapsed_seconds"`
	}{now.UTC().Format(time.RFC3339), "info", m.stage, m.done, m.parts, now.Sub(m.began).Round(100 * time.Millisecond).Seconds()})
	if err == nil {
		_, _ = m.out.Write(append(line, '\n')) // there is nowhere to report a failure
	}
}

// draw writes the moving line anew.
func (m *Meter) draw() {
	if m.stage == "" {
		return
	}
	now, stage, done, parts := m.now(), m.stage, m.done, m.parts
	if stage == "reading" {
		done, parts = int(min(m.read(), m.total)), int(m.total)
		if m.first == 0 { // Beam takes a while until it reads
			m.first, m.since = done, now
		}
		if done == parts {
			stage, done, parts = "counting", 0, 0
		}
	}
	line := fmt.Sprintf("%s%s, %s", stage, m.amount(stage, done, parts), elapsed(now.Sub(m.began)))
	if left := m.left(now, done, parts); left > time.Second {
		line += "; " + stage + " ends in about " + left.Round(time.Second).String()
	}
	fmt.Fprintf(m.out, "\r%-*s", m.width, line)
	m.shown, m.width = now, len(line)
}

func (m *Meter) amount(stage string, done, total int) string {
	switch {
	case stage == "reading" && m.terminal:
		return fmt.Sprintf(" %s of %s", page.Bytes(float64(done)), page.Bytes(float64(m.total)))
	case stage == "reading":
		return ""
	case m.terminal || done > 0 && !fits[stage] && stage != "writing":
		return m.reached(stage, done, total)
	case total == 0:
		return ""
	case fits[stage]:
		return fmt.Sprintf(": about %d steps", total)
	}
	return fmt.Sprintf(": %d in all", total)
}

// reached is how far a stage is, with as much of its parts in all as is known.
func (m *Meter) reached(stage string, done, total int) string {
	switch {
	case total == 0 && done == 0:
		return ""
	case total == 0:
		return fmt.Sprintf(" %d", done)
	case fits[stage]:
		return fmt.Sprintf(" %d of about %d", done, total)
	}
	return fmt.Sprintf(" %d of %d", done, total)
}

// left estimates the remaining time of a stage from its rate so far; 0 says nothing: too little is known, or parts are so
// few that they differ, as a sweep that begins with a renewal of all records does.
func (m *Meter) left(now time.Time, done, total int) time.Duration {
	spent := now.Sub(m.since)
	did := done - m.first
	if total < 10 || total <= done || did < 3 || 10*did < total-m.first || spent < time.Second {
		return 0
	}
	return time.Duration(float64(spent) * float64(total-done) / float64(did))
}

func elapsed(d time.Duration) string { return d.Round(100 * time.Millisecond).String() }

// publicCounters are the counters of a run that show public figures.
func publicCounters(namespace string) bool {
	return namespace == "dapple.solve" || namespace == "dapple.sample"
}

// Watch shows the messages of a job service about a job, which may be silent for so long.
func (m *Meter) Watch(patience time.Duration) jobs.Watcher {
	if m.out == nil {
		return jobs.Watcher{Patience: patience}
	}
	totals := map[string]int64{}
	return jobs.Watcher{
		Patience: patience,
		State: func(s jobs.State) {
			if name := strings.ToLower(s.String()); name != "stopped" { // as Flink calls a job that has not begun
				m.report("job "+name, 0, 0)
			}
		},
		Counters: publicCounters,
		Counted: func(namespace, name string, value int64) {
			stage, what, _ := strings.Cut(name, ".")
			switch {
			case namespace == "dapple.sample" && name == "rows":
				m.report("writing", int(value), 0)
			case what == "total":
				totals[stage] = value
			case what == "done" && totals[stage] > 0 && value < totals[stage]:
				m.report(stage, int(value), int(totals[stage]))
			}
		},
	}
}

// Submitted shows the name under which a job is found and cancelled at its service.
func (m *Meter) Submitted(id, endpoint string) {
	if m.out != nil {
		fmt.Fprintf(m.out, "Submitted job: %s at %s\n", id, endpoint) // Airflow looks for these words
	}
}

package pipelines

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/dapple-dp/dapple/internal/plan"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// fits are the stages whose number of parts is a forecast, since they end when they have converged, and which may be done more
// than once.
var fits = map[string]bool{"fit": true, "descent": true}

// refreshEvery is the interval between two lines about a long stage in a file.
const refreshEvery = 30 * time.Second

// tick is how often the clock of a moving line moves.
const tick = 500 * time.Millisecond

// meter shows the progress of a run in this process: a moving line on a terminal, else one line for
// each stage, and for a fit one more from time to time. It shows public figures, and on a terminal how many bytes of the
// private table there are and were read. Logs, which are collected, say nothing of its size.
type meter struct {
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

func newMeter(c meterForm, bytes int64) *meter {
	m := &meter{out: c.Progress, terminal: c.Terminal && !c.LogJSON, objects: c.LogJSON, total: bytes, now: time.Now, began: time.Now()}
	before := files.ReadSoFar()
	m.read = func() int64 { return files.ReadSoFar() - before }
	return m
}

// meterForm is how progress is shown.
type meterForm struct {
	Progress          io.Writer
	Terminal, LogJSON bool
}

// start listens to the stages of this process's run until the returned function is called.
func (m *meter) start() (stop func()) {
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
func (m *meter) report(stage string, done, total int) {
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
	case m.objects && (isNew || fits[stage] && now.Sub(m.shown) > refreshEvery):
		m.shown = now
		m.object(now)
	case !m.objects && isNew:
		m.shown = now
		fmt.Fprintf(m.out, "%s%s (%s)\n", stage, m.amount(stage, done, total), elapsed(now.Sub(m.began)))
	case !m.objects && fits[stage] && now.Sub(m.shown) > refreshEvery:
		m.shown = now
		fmt.Fprintf(m.out, "%s%s (%s)\n", stage, m.reached(stage, done, total), elapsed(now.Sub(m.began)))
	}
}

// object writes where the run is as a line of JSON.
func (m *meter) object(now time.Time) {
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
func (m *meter) draw() {
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

func (m *meter) amount(stage string, done, total int) string {
	switch {
	case stage == "reading" && m.terminal:
		return fmt.Sprintf(" %s of %s", plan.Bytes(float64(done)), plan.Bytes(float64(m.total)))
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
func (m *meter) reached(stage string, done, total int) string {
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
func (m *meter) left(now time.Time, done, total int) time.Duration {
	spent := now.Sub(m.since)
	did := done - m.first
	if total < 10 || total <= done || did < 3 || 10*did < total-m.first || spent < time.Second {
		return 0
	}
	return time.Duration(float64(spent) * float64(total-done) / float64(did))
}

func elapsed(d time.Duration) string { return d.Round(100 * time.Millisecond).String() }

package pipelines

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/dapple-dp/dapple/transforms/synth"
)

// upTo are the stages that may end before all of their parts are done: sweeps of a fit, until it converges.
var upTo = map[string]bool{"fit": true, "descent": true}

// often is how often a stage that takes long is heard of in a file.
const often = 30 * time.Second

// meter shows the progress of a run in this process: a moving line on a terminal, else one line for
// each stage, and for a fit one more from time to time. It shows public figures, and of the private table
// only how many of its bytes were read.
type meter struct {
	out      io.Writer
	terminal bool
	total    int64 // bytes of the input
	began    time.Time

	mu    sync.Mutex
	stage string
	since time.Time
	shown time.Time
	width int
}

func newMeter(out io.Writer, terminal bool, bytes int64) *meter {
	return &meter{out: out, terminal: terminal, total: bytes, began: time.Now()}
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
	return func() {
		restore()
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.terminal && m.width > 0 {
			fmt.Fprintf(m.out, "\r%*s\r", m.width, "")
		}
	}
}

// report shows that done of total parts of a stage are finished; total 0 means that it is not known.
func (m *meter) report(stage string, done, total int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	isNew := stage != m.stage
	if isNew {
		m.stage, m.since = stage, now
	}
	switch {
	case !m.terminal && isNew:
		m.shown = now
		fmt.Fprintf(m.out, "%s%s (%s)\n", stage, m.amount(stage, done, total), elapsed(now.Sub(m.began)))
	case !m.terminal && upTo[stage] && now.Sub(m.shown) > often:
		m.shown = now
		fmt.Fprintf(m.out, "%s %d of at most %d (%s)\n", stage, done, total, elapsed(now.Sub(m.began)))
	case m.terminal && (isNew || now.Sub(m.shown) > 100*time.Millisecond || done == total):
		line := fmt.Sprintf("%s%s, %s", stage, m.amount(stage, done, total), elapsed(now.Sub(m.began)))
		if left := m.left(now, done, total); left > time.Second {
			about := ", about "
			if upTo[stage] {
				about = ", at most about "
			}
			line += about + elapsed(left) + " left"
		}
		fmt.Fprintf(m.out, "\r%-*s", m.width, line)
		m.shown, m.width = now, len(line)
	}
}

func (m *meter) amount(stage string, done, total int) string {
	switch {
	case stage == "reading" && total == 0:
		return fmt.Sprintf(" %.3g MB", float64(m.total)/1e6)
	case total == 0:
		return ""
	case !m.terminal && upTo[stage]:
		return fmt.Sprintf(": at most %d steps", total)
	case !m.terminal:
		return fmt.Sprintf(": %d in all", total)
	case upTo[stage]:
		return fmt.Sprintf(" %d of at most %d", done, total)
	}
	return fmt.Sprintf(" %d of %d", done, total)
}

// left estimates the remaining time of a stage from its rate so far.
func (m *meter) left(now time.Time, done, total int) time.Duration {
	if done <= 0 || total <= done {
		return 0
	}
	return time.Duration(float64(now.Sub(m.since)) * float64(total-done) / float64(done))
}

func elapsed(d time.Duration) string { return d.Round(100 * time.Millisecond).String() }

package pipelines

import (
	"bytes"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// heard is what is logged while it listens.
type heard struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// listen hears everything that is logged, at every level but debugging, until the test ends or
// somebody else listens.
func listen(t *testing.T) *heard {
	t.Helper()
	h, before := &heard{}, slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(h, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return h
}

func (h *heard) Write(line []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(line)
}

// varying are times, durations, ports, names of jobs and bundles, and numbers of elements: what the
// promise leaves out, and what differs between two runs of one table.
var varying = regexp.MustCompile(`time=\S+|[0-9][0-9a-zµ.:_+-]*`)

// lines returns the different lines without what varies, sorted: goroutines make the order.
func (h *heard) lines() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	seen := map[string]bool{}
	for line := range strings.Lines(h.text.String()) {
		seen[varying.ReplaceAllString(line, "#")] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(seen)), "")
}

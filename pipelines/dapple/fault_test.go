package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// A fault inside prism has no log of it printed, which names elements: its one line says where it is.
func TestFaultOfTheRunnerHasNoLog(t *testing.T) {
	for text, logged := range map[string]bool{"pipeline panicked: SECRET": false, "connecting to a service failed": true} {
		stderr := must.Value(os.Create(filepath.Join(t.TempDir(), "stderr")))(t)
		defer stderr.Close()
		c := command{beam: true, run: func(context.Context, io.Writer) error {
			slog.Error("Bundle Failed.", "error", "SECRET")
			return errtext.Of(errors.New(text))
		}}
		if err := execute(t.Context(), c, stderr, stderr); err == nil || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: %v", text, err)
		}
		said, err := os.ReadFile(stderr.Name())
		must.Hold(t, strings.Contains(string(said), "Bundle Failed.") == logged && err == nil, "%s: the log says %q, %v", text, said, err)
	}
}

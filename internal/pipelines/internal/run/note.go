package run

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dapple-dp/dapple/internal/release/book"
)

// noteName is the file of a staging that says whose it is, and keptName is there once its run has ended and
// left its release to the next one: on gs:// no lock could tell.
const (
	noteName = "run.json"
	keptName = "kept"
)

// Note says whose a staging is.
type Note struct {
	Version string // of dapple
	RunID   string
	Request string // hash of what the release depends on; empty: it cannot be taken up
	Input   string
	Output  string
	Began   time.Time
	Ledger  string // budget book; empty: none
	Key     string // of its charge there
	Once    string `json:",omitempty"` // of a run with an ID of its own, and Again: see book.Payer
	Again   bool   `json:",omitempty"`
}

// Payer is the run as the budget book knows it.
func (n Note) Payer() book.Payer {
	return book.Payer{Key: n.Charge(), Once: n.Once, Again: n.Again, Run: n.RunID, Input: n.Input, Output: n.Output}
}

// Begun is when the run began, as texts say it.
func (n Note) Begun() string { return n.Began.Format("2006-01-02 15:04:05 UTC") }

// Charge returns the key of a run's charge. The ID of a run may be used again for another run once its staging is gone.
func (n Note) Charge() string {
	if n.Key == "" {
		return n.RunID // of a staging of an earlier version
	}
	return n.Key
}

// GiveBack returns the charge of a run that never drew noise, and says so.
func (n Note) GiveBack(ctx context.Context) string {
	if n.Ledger == "" {
		return ""
	}
	b, err := book.Open(ctx, n.Ledger)
	back := false
	if err == nil {
		back, err = b.Return(ctx, n.Charge())
	}
	switch {
	case err != nil:
		return fmt.Sprintf("\nwhether it is charged in %s could not be found out, or not be changed: what is charged there stays spent: %s", n.Ledger, strings.TrimPrefix(err.Error(), "book: "))
	case back:
		return fmt.Sprintf("\nits charge in %s is taken back", n.Ledger)
	}
	return ""
}

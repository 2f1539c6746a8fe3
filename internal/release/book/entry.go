package book

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/kit/wire"
)

// Terms are what the owner sets once. They are public.
type Terms struct {
	Name         string     `json:"name"`                 // of the data set
	PrivacyID    string     `json:"privacy_id,omitempty"` // column that names the privacy unit; empty: every record is one
	Neighbouring string     `json:"neighbouring"`         // as the flag: add_remove or replace
	Epsilon      dp.Epsilon `json:"epsilon"`
	Delta        dp.Delta   `json:"delta"`
	Mixed        bool       `json:"mixed,omitempty"` // see accountant.NewBook
	Inputs       []string   `json:"inputs"`          // where the table is, each as a run names it
}

// Entry is one page of a book: its terms, a charge, a charge taken back, or another place of the table.
type Entry struct {
	Number   int       `json:"entry"`
	Previous string    `json:"previous,omitempty"` // SHA-256 of the entry before, in hex
	Time     time.Time `json:"time"`
	Terms    *Terms    `json:"terms,omitempty"` // of entry 0, and of no other
	Charge   *Charge   `json:"charge,omitempty"`
	Return   string    `json:"return,omitempty"` // key of a charge whose run can never draw
	Input    string    `json:"input,omitempty"`
	SHA256   string    `json:"sha256,omitempty"` // of the entry without this line, in hex: the last one has no entry behind it
}

// Payer is who draws noise. A key stands for noise that is drawn once, whoever draws it and however often that is tried.
type Payer struct {
	Key    string `json:"key"`            // random, or a hash of all that decides the noise
	Once   string `json:"once,omitempty"` // of a run with an ID of its own: see RunKey; of all its keys one stands. Empty: no such ID
	Again  bool   `json:"-"`              // what is charged of Once before was lost, and its owner pays again
	Run    string `json:"run"`            // ID of the run or the finding
	Input  string `json:"input"`          // the table
	Output string `json:"output,omitempty"`
}

// RunKey names a run by the ID that its owner gave it, and by where it goes. What else it asks, and its table, may change.
func RunKey(runID, output string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s\n%s", len(runID), runID, output))
	return hex.EncodeToString(sum[:16])
}

// FoundRun is the ID, for RunKey, of the finding of a run's domain.
func FoundRun(runID string) string { return "domain of " + runID }

// Charge is what one run may lose at most.
type Charge struct {
	Payer
	Epsilon     dp.Epsilon `json:"epsilon"`
	Delta       dp.Delta   `json:"delta"`
	Accounting  string     `json:"accounting"`
	Loss        string     `json:"loss"` // exact, a/b: rho, ε or μ²/2
	Coordinates int64      `json:"noisy_numbers,omitempty"`
	ValuesDelta dp.Delta   `json:"values_delta,omitempty"` // the part of Delta for values above a threshold
}

// chargeOf returns the charge of a run.
func chargeOf(p Payer, r accountant.Run) *Charge {
	return &Charge{
		Payer: p, Epsilon: r.Epsilon, Delta: r.Delta,
		Accounting: r.Accounting.String(), Loss: r.Loss.RatString(), Coordinates: r.Coordinates, ValuesDelta: r.ValuesDelta,
	}
}

// is reports whether a charge is for a loss.
func (c *Charge) is(r accountant.Run) bool {
	other := chargeOf(c.Payer, r)
	return *c == *other
}

// Of returns what a charge says of a run for a relation.
func (c *Charge) Of(n dp.Neighbouring) (r accountant.Run, err error) {
	loss, ok := new(big.Rat).SetString(c.Loss)
	kinds := []string{dp.ZCDP.String(), dp.Pure.String(), dp.GaussianOnly.String()}
	kind := slices.Index(kinds, c.Accounting)
	if !ok || kind < 0 || c.Key == "" || c.Coordinates < 0 || c.ValuesDelta < 0 || c.ValuesDelta > c.Delta {
		return r, errors.New("its charge is none")
	}
	return accountant.Run{
		Neighbouring: n, Accounting: dp.Accounting(kind), Epsilon: c.Epsilon, Delta: c.Delta, Loss: loss, Coordinates: c.Coordinates, ValuesDelta: c.ValuesDelta,
	}, errors.Join(c.Epsilon.Validate(), c.Delta.Validate())
}

// encode sets the hash of an entry, and returns its text.
func (e *Entry) encode() []byte { return wire.Sealed(e, &e.SHA256) }

// decode reads the text of an entry: every byte of it means something.
func decode(data []byte) (e Entry, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&e); err != nil {
		return e, errors.New("it is no entry of this version")
	}
	if !bytes.Equal(e.encode(), data) {
		return e, errors.New("it is not as it was written")
	}
	kinds := 0
	for _, is := range []bool{e.Terms != nil, e.Charge != nil, e.Return != "", e.Input != ""} {
		if is {
			kinds++
		}
	}
	if kinds != 1 {
		return e, fmt.Errorf("it says %d things", kinds)
	}
	return e, nil
}

package schema

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/internal/kit/wire"
	"go.yaml.in/yaml/v3"
)

// Charge is what it has cost to find a domain privately. The file carries it, so that every release that uses the file can
// state it. Texts are a budget book's.
type Charge struct {
	ID           string // of the finding: a book charges it once
	PrivacyID    string // whom it was charged for; empty: every record is a unit
	Neighbouring string // add_remove or replace
	Epsilon      float64
	Delta        float64
	Accounting   string
	Loss         string  // exact, a/b: rho or μ²/2
	ValuesDelta  float64 // the part of Delta for values above a threshold
	NoisyNumbers int64
}

// String returns the line of a domain file that holds the charge, with a hash of it: a change by mistake is seen.
func (c Charge) String() string {
	values := c.values()
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = fmt.Sprintf("%s: %q", foundKeys[i].name, v)
	}
	return fmt.Sprintf("found: {%s, sha256: %s}\n", strings.Join(parts, ", "), sealOf(values))
}

// values are the texts of the charge, in the order of foundKeys.
func (c Charge) values() []string {
	unit := c.PrivacyID
	if unit == "" {
		unit = NoPrivacyID
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	return []string{c.ID, unit, c.Neighbouring, number(c.Epsilon), number(c.Delta), c.Accounting, c.Loss, number(c.ValuesDelta), strconv.FormatInt(c.NoisyNumbers, 10)}
}

// sealOf is a hash of the values of a charge. It is no signature: who means to lie can.
func sealOf(values []string) string { return wire.Hash([]byte(strings.Join(values, "\n"))) }

// charge reads what it has cost to find the domain, for people of a privacy ID.
func (r *reader) charge(n *yaml.Node, privacyID string) *Charge {
	m, ok := r.mapping(n, "found", foundKeys.names()...)
	if !ok {
		return nil
	}
	values := make([]string, len(foundKeys))
	for i, k := range foundKeys {
		if !m.has(k.name) {
			r.add(n, "found: no %s; take the whole line from the file that infer wrote, since a release has to state what finding its domain has cost", k.name)
			return nil
		}
		if values[i], ok = r.text(m.values[k.name], "found: "+k.name); !ok {
			return nil
		}
	}
	last := len(values) - 1
	c := &Charge{ID: values[0], PrivacyID: values[1], Neighbouring: values[2], Accounting: values[5], Loss: values[6]}
	c.Epsilon, _ = strconv.ParseFloat(values[3], 64) // the comparison below sees what is not as it was written
	c.Delta, _ = strconv.ParseFloat(values[4], 64)
	c.ValuesDelta, _ = strconv.ParseFloat(values[7], 64)
	c.NoisyNumbers, _ = strconv.ParseInt(values[8], 10, 64)
	if c.PrivacyID == NoPrivacyID {
		c.PrivacyID = ""
	}
	switch {
	case sealOf(values[:last]) != values[last], sealOf(c.values()) != values[last]:
		r.add(n, "found: it is not as infer wrote it; take the line from that file again, since it says what finding the domain has cost. Everything else may be edited")
	case c.PrivacyID != privacyID:
		r.add(n, "found: the domain was found for privacy_id %s; write that as the privacy_id, or find the domain of the other one", quote(values[1]))
	}
	return c
}

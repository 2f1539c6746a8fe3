// Package contract proposes a domain file from a public description of a table: an ODCS data contract, a JSON Schema, or
// dbt's schema.yml. It reads no row.
package contract

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/yamltext"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
)

// Propose returns a domain file, which is valid. table names one of several tables that the description has, and privacyID the
// column of the people, "" without one. Columns that the description says too little about are left out, each with what is missing.
func Propose(name string, data []byte, table, privacyID string) ([]byte, error) {
	if len(data) > schema.MaxBytes {
		return nil, fmt.Errorf("infer: %s: it is larger than %d MiB", name, schema.MaxBytes>>20)
	}
	var doc yaml.Node // JSON is YAML
	if err := yaml.Unmarshal(data, &doc); err != nil || len(doc.Content) == 0 {
		return nil, fmt.Errorf("infer: %s: it is neither JSON nor YAML", name)
	}
	c, err := descriptionOf(doc.Content[0], table)
	if err != nil {
		return nil, fmt.Errorf("infer: %s: %w", name, err)
	}
	names := make([]string, len(c.facts))
	for i, f := range c.facts {
		names[i] = f.name
		if why := domain.NameFault(f.name); why != "" {
			return nil, fmt.Errorf("infer: %s: column %d: %s", name, i+1, why)
		}
		if slices.Contains(names[:i], f.name) {
			return nil, fmt.Errorf("infer: %s: two columns are called %q; rename one", name, f.name)
		}
	}
	if privacyID != "" && !slices.Contains(names, privacyID) {
		return nil, fmt.Errorf("infer: %s: there is no column %q to be the privacy ID", name, privacyID)
	}
	return c.file(privacyID)
}

// description is what a description says of a table.
type description struct {
	kind  string // of description
	facts []fact
}

// fact is what a description says of a column.
type fact struct {
	name     string
	typ      domain.Type
	typed    bool
	kind     string // the type in the words of the description
	places   int    // of a NUMERIC
	values   []string
	min, max string
	step     string // its values are multiples
	null     bool
	unique   bool
	form     string // email, uuid, …
	nested   bool
}

// file writes the domain file.
func (c *description) file(privacyID string) ([]byte, error) {
	var b, columns, generate strings.Builder
	fmt.Fprintf(&b, "# Proposed from %s, which is public; no row was read. Look at each comment \"review:\".\n", c.kind)
	if privacyID != "" {
		fmt.Fprintf(&b, "privacy_id: %s\n", yamltext.Plain(privacyID))
	} else {
		fmt.Fprintf(&b, "privacy_id: %s  # every record is protected by itself\n", schema.NoPrivacyID)
	}
	b.WriteString("# expected_rows: N  # review: about how many people are publicly known, for planning\n")
	kept := 0
	for _, f := range c.facts {
		if f.name == privacyID {
			continue
		}
		keys, review, out := f.propose()
		if !out {
			if _, err := schema.Parse("proposal", []byte("privacy_id: none\ncolumns:\n"+yamltext.Column(keys, false, ""))); err != nil {
				out, review = true, "left out: its limits do not fit a column; "+f.missing()
			} else {
				kept++
			}
		}
		columns.WriteString(yamltext.Column(keys, out, review))
		if as := f.generated(); out && as != "" {
			fmt.Fprintf(&generate, "  - {column: %s, as: %s}\n", yamltext.Plain(f.name), as)
		}
	}
	if kept == 0 {
		return nil, errors.New("infer: the description has no values and no limits of any column; add values, or min and max, to it")
	}
	b.WriteString("columns:\n" + columns.String())
	if generate.Len() > 0 {
		b.WriteString("generate:  # made up for each row, never from the data\n" + generate.String())
	}
	return []byte(b.String()), nil
}

// propose makes the keys of a column, and says what is to be reviewed, or why it is left out.
func (f *fact) propose() (keys, review string, out bool) {
	keys = "name: " + yamltext.Plain(f.name)
	leave := func(why string) (string, string, bool) { return keys, "left out: " + why, true }
	switch {
	case f.nested:
		return leave(yamltext.Plain(f.kind) + " is nested; flatten it")
	case !f.typed:
		return leave(strings.TrimSpace("the type "+yamltext.Plain(f.kind)) + " is not supported")
	}
	keys += ", type: " + f.typ.String()
	end := ", null: true"
	if !f.null {
		end = ""
	}
	facts := f.typ.Facts()
	switch {
	case f.typ == domain.Bool:
		if !f.null {
			end = ", fallback: false"
		}
	case len(f.values) > 0 && facts.Categories:
		keys += ", values: " + yamltext.List(f.values, yamltext.Plain)
		if !f.null {
			end = ", fallback: " + yamltext.Plain(f.values[0])
		}
	case !facts.Bins || !f.limits():
		return leave(f.missing())
	default:
		if !f.null {
			end = ", fallback: " + yamltext.Plain(f.min)
		}
		keys += ", min: " + yamltext.Plain(f.min) + ", max: " + yamltext.Plain(f.max) + f.resolution()
		if f.form == wide {
			review = "min and max: the first and last day that the table is about"
		}
	}
	keys += end
	return keys, review, false
}

// missing says what a column lacks.
func (f *fact) missing() string {
	if f.typ.Facts().Bins {
		return "the description has no min and max"
	}
	return "the description has no list of values"
}

// wide marks limits that nobody has declared.
const wide = "wide"

// limits completes min and max by what everybody knows, and reports whether there are both.
func (f *fact) limits() bool {
	if f.min != "" && f.max != "" {
		return true
	}
	if len(f.values) > 0 { // of a type without categories
		return false
	}
	known, isMoment := wideLimits[f.typ]
	switch {
	case !isMoment:
		if low, high, ok := cellkind.Limits(f.name); ok {
			known = low + ", max: " + high
		}
	case f.typ != domain.Time:
		f.form = wide
	}
	lo, hi, ok := strings.Cut(known, ", max: ")
	if ok {
		f.min, f.max = cmp.Or(f.min, lo), cmp.Or(f.max, hi)
	}
	return ok
}

// wideLimits are the limits of dates and times that a description leaves without any.
var wideLimits = map[domain.Type]string{
	domain.Date: "1900-01-01, max: 2100-12-31", domain.DateTime: "1970-01-01T00:00:00, max: 2100-12-31T00:00:00",
	domain.Timestamp: "1970-01-01T00:00:00Z, max: 2100-12-31T00:00:00Z", domain.Time: "00:00:00, max: 23:59:59",
}

// resolution returns the key that keeps the values of a column below 2^20, or that the description gives.
func (f *fact) resolution() string {
	switch f.typ {
	case domain.Date:
		return ""
	case domain.Time:
		return ", resolution: second"
	case domain.DateTime, domain.Timestamp:
		return ", resolution: day"
	}
	lo, ok := new(big.Rat).SetString(f.min)
	hi, good := new(big.Rat).SetString(f.max)
	if !ok || !good || hi.Cmp(lo) <= 0 {
		return ""
	}
	span, _ := new(big.Rat).Sub(hi, lo).Float64()
	power := math.Ceil(math.Log10(span / 1e6))
	switch step, isStep := new(big.Rat).SetString(f.step); {
	case isStep && step.Sign() > 0 && span/approx(step) < 1<<20:
		if f.typ == domain.Int64 && step.Cmp(big.NewRat(1, 1)) == 0 {
			return ""
		}
		return ", resolution: " + f.step
	case f.typ == domain.Int64 && power <= 0:
		return ""
	case f.typ == domain.Numeric && power <= -2 && f.places <= 2:
		return ""
	}
	return ", resolution: " + strconv.FormatFloat(math.Pow(10, power), 'f', -1, 64)
}

func approx(r *big.Rat) float64 {
	v, _ := r.Float64()
	return v
}

// generated returns how a column that is left out can be made up; empty: it cannot.
func (f *fact) generated() string {
	switch {
	case f.nested || !f.typed:
		return ""
	case f.form == "uuid":
		return "uuid"
	case f.unique && f.typ == domain.Int64:
		return "serial"
	}
	return ""
}

package domain

import (
	"crypto/sha256"
	"encoding/json"
	"math"
	"slices"
)

// Code numbers a cell of an attribute: 0 ≤ code < Attribute.Size(). The codes of records are below
// Attribute.RecordSize(), which is larger if bins are learned.
type Code uint32

// MaxSize is the largest number of cells of one attribute.
const MaxSize = 1 << 16

// Domain is the public description of a table: its attributes in order, and the column that names
// the privacy unit. It is plain data and can be part of a serialised configuration.
type Domain struct {
	PrivacyID       string // column naming the privacy unit; empty: every record is a unit
	Attributes      []Attribute
	StructuralZeros Exclusions `json:",omitempty"` // records that cannot exist

	Orders    []Order     `json:",omitempty"` // constraints between the values of every row written
	Gaps      []gap       `json:",omitempty"` // attributes that hold differences in place of columns in order
	Dates     []DateParts `json:",omitempty"` // attributes that together form a day of the calendar
	Derived   []Derived   `json:",omitempty"` // columns written that are computed from others, in order of Place
	Generated []Generated `json:",omitempty"` // columns of made-up keys, independent of the data

	Layout    []string `json:",omitempty"` // columns written, in their order; nil: see LayOut
	KeyBehind string   `json:",omitempty"` // of two tables, the column of rows that the number of the person stands behind; empty: as in Layout

	Events *Events `json:",omitempty"` // a unit has several records, which are written as such; nil: one row for each
}

// Len returns the number of attributes.
func (d *Domain) Len() int { return len(d.Attributes) }

// copied returns a copy with attributes of its own.
func (d *Domain) copied() *Domain {
	out := *d
	out.Attributes = slices.Clone(d.Attributes)
	return &out
}

// uncoupled returns d, whose attributes depend on no other one from now on.
func (d *Domain) uncoupled() *Domain {
	for i := range d.Attributes {
		d.Attributes[i].Coupling = nil
	}
	return d
}

// Names returns the names of the attributes.
func (d *Domain) Names() []string {
	names := make([]string, len(d.Attributes))
	for i := range names {
		names[i] = d.Attributes[i].Name
	}
	return names
}

// Sizes returns the number of cells of each attribute.
func (d *Domain) Sizes() []int {
	s := make([]int, len(d.Attributes))
	for i := range d.Attributes {
		s[i] = d.Attributes[i].Size()
	}
	return s
}

// Index returns the position of the attribute called name, or -1.
func (d *Domain) Index(name string) int {
	for i := range d.Attributes {
		if d.Attributes[i].Name == name {
			return i
		}
	}
	return -1
}

// Universe returns the number of cells of the whole domain as a float64 (it may be beyond 1e300) and,
// when it fits an int64, exactly.
func (d *Domain) Universe() (cells int64, approx float64, exact bool) {
	cells, approx, exact = 1, 1, true
	for i := range d.Attributes {
		n := int64(d.Attributes[i].Size())
		approx *= float64(n)
		if cells > math.MaxInt64/n {
			exact = false
		}
		if exact {
			cells *= n
		}
	}
	if !exact {
		cells = 0
	}
	return cells, approx, exact
}

// Fingerprint is a hash of everything in the domain: two domains that encode any table differently
// have different fingerprints.
func (d *Domain) Fingerprint() [sha256.Size]byte {
	b, err := json.Marshal(d)
	if err != nil {
		panic("domain: a domain is plain data and always marshals")
	}
	return sha256.Sum256(b)
}

package dp

import "fmt"

// Neighbouring is the relation between two tables for which a guarantee is stated.
type Neighbouring uint8

const (
	// AddRemove relates tables that differ by the presence of one privacy unit. The number of units
	// is private under it.
	AddRemove Neighbouring = iota
	// Replace relates tables of equal size that differ in the record of one privacy unit. The number
	// of units is public under it.
	Replace
)

// ParseNeighbouring reads the flag form: "add_remove" or "replace".
func ParseNeighbouring(s string) (Neighbouring, error) {
	switch s {
	case "add_remove":
		return AddRemove, nil
	case "replace":
		return Replace, nil
	}
	return 0, fmt.Errorf("dp: neighbouring relation %q: want add_remove or replace", s)
}

// Flag returns the form that ParseNeighbouring reads.
func (n Neighbouring) Flag() string {
	if n == Replace {
		return "replace"
	}
	return "add_remove"
}

// String returns the name used in reports: AddRemove or Replace.
func (n Neighbouring) String() string {
	if n == Replace {
		return "Replace"
	}
	return "AddRemove"
}

// UnitChanges returns how many one-record changes separate neighbours: replacing a record removes one and adds
// another.
func (n Neighbouring) UnitChanges() int64 {
	if n == Replace {
		return 2
	}
	return 1
}

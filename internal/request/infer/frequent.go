package infer

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

const (
	// MinSupport is how many privacy units, or records if no privacy ID is named, need to have a
	// value before it is proposed as a category.
	MinSupport = 20

	maxCategories = 100  // of one column
	maxCounted    = 4096 // different values of one column that are counted at a time
	maxCategory   = 256  // bytes of a value that can be a category
)

// frequent counts the values of a column. They may be too many to hold. If that happens
// every count is lowered by one and what is at zero is forgotten (Misra and Gries 1982), so that counts
// are lower bounds and a value of more than 1 in limit records stays.
type frequent struct {
	limit   int // different values that are counted at a time
	values  map[string]*support
	records int64 // that have a value
	lossy   bool  // some value was forgotten
	long    bool  // some value is too long for a category
}

// support is who has a value.
type support struct {
	records int64
	units   []uint64 // hashes of different privacy IDs, at most MinSupport of them
}

func newFrequent(limit int) *frequent { return &frequent{limit: limit, values: map[string]*support{}} }

// add counts one record with the value. unit is a hash of its privacy ID.
func (f *frequent) add(value []byte, unit uint64, units bool) {
	f.records++
	if len(value) > maxCategory {
		f.long = true
		return
	}
	s := f.values[string(value)]
	if s == nil {
		if len(f.values) == f.limit {
			f.lower()
			return
		}
		s = &support{}
		f.values[string(value)] = s
	}
	s.records++
	if units && len(s.units) < MinSupport && !slices.Contains(s.units, unit) {
		s.units = append(s.units, unit)
	}
}

// lower takes one from every count, the new value's included.
func (f *frequent) lower() {
	f.lossy = true
	for v, s := range f.values {
		if s.records--; s.records == 0 {
			delete(f.values, v)
		}
	}
}

// supported returns the values that enough units have, the most frequent ones first, and whether they are all that there is.
func (f *frequent) supported(units bool) (values []string, all bool) {
	for v, s := range f.values {
		if (units && len(s.units) >= MinSupport || !units && s.records >= MinSupport) && utf8.ValidString(v) {
			values = append(values, v)
		}
	}
	all = !f.lossy && !f.long && len(values) == len(f.values)
	slices.SortFunc(values, func(a, b string) int {
		return cmp.Or(cmp.Compare(f.values[b].records, f.values[a].records), cmp.Compare(a, b))
	})
	if len(values) > maxCategories {
		values, all = values[:maxCategories], false
	}
	return values, all
}

// drop forgets a value.
func (f *frequent) drop(value string) {
	if s := f.values[value]; s != nil {
		f.records -= s.records
		delete(f.values, value)
	}
}

// anyAbove reports whether one value has more than a share of the records.
func (f *frequent) anyAbove(share float64) bool {
	for _, s := range f.values {
		if float64(s.records) > share*float64(f.records) {
			return true
		}
	}
	return false
}

// having is the number of counted records with values of a kind.
func (f *frequent) having(are func(string) bool) (n int64) {
	for v, s := range f.values {
		if are(v) {
			n += s.records
		}
	}
	return n
}

// mostly reports whether half of the counted records have values of a kind.
func (f *frequent) mostly(are func(string) bool) bool {
	return 2*f.having(are) > f.having(func(string) bool { return true })
}

// all reports whether a share of the records has one of the values.
func (f *frequent) all(values []string, share float64) bool {
	return float64(f.having(func(v string) bool { return slices.Contains(values, v) })) >= share*float64(f.records)
}

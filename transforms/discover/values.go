package discover

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
)

// levels returns the number of releases of values that a column takes part in: whole ones, and each length of prefix.
func (c *Column) levels() int { return 1 + len(c.Prefixes) }

// askValues releases the values of columns, and then, level by level, the prefixes of those that did not pass. share is that
// of one column and level.
func (f *Found) askValues(p Params, cut int64, c asker, columns []int, share func(n int) dp.Share) error {
	all := 0
	for _, i := range columns {
		all += p.Columns[i].levels()
	}
	standing, named := make([][]string, len(p.Columns)), make([]float64, len(p.Columns))
	for level := 0; ; level++ {
		var of []query.ValuesOf
		for _, i := range columns {
			prefixes := p.Columns[i].Prefixes
			switch {
			case level == 0:
				of = append(of, query.ValuesOf{Column: i})
			case level <= len(prefixes):
				of = append(of, query.ValuesOf{Column: i, Prefix: prefixes[len(prefixes)-level], Standing: standing[i]})
			}
		}
		if len(of) == 0 {
			break
		}
		found, err := c.Values(valuesStage, 1+level, of, cut, dp.ShareOf(int64(len(of)), int64(all)), share(len(of)))
		if err != nil {
			return err
		}
		for _, v := range found {
			for _, value := range v.Values {
				standing[v.Column] = append(standing[v.Column], value.Text)
				named[v.Column] += value.Count
			}
			f.Columns[v.Column].Needed = math.Ceil(v.Threshold)
		}
	}
	for _, i := range columns {
		x := &f.Columns[i]
		if x.categories(standing[i]); x.Left == "" && !p.Columns[i].Values && named[i] < leastNamed*x.there {
			x.Left = fmt.Sprintf("values found: %d, of %.1f %% of its texts, and the rest would be other; a domain file with values: find keeps it", len(x.Values), 100*named[i]/x.there)
		}
	}
	return nil
}

// leastNamed is the least part of a column's texts that found values have to be, unless a domain file asks for them. Of what is
// nearly always other nothing can be learned.
const leastNamed = .1

// categories picks the values of a column.
func (f *FoundColumn) categories(values []string) {
	f.Values = slices.DeleteFunc(values, func(s string) bool { return !usable(s) })
	f.Values = f.Values[:min(len(f.Values), domain.MaxSize/2)]
	if len(f.Values) == 0 {
		f.Left = fmt.Sprintf("no value was found; one needs about %.0f people who share it", f.Needed)
	}
}

// usable reports whether a domain file can hold a text.
func usable(s string) bool {
	return s != "" && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return r == '\r' || !unicode.IsPrint(r) && r != ' ' && r != '\t' })
}

// whole reports whether a text may be released as it is: what looks like a prefix is counted as one of its own prefixes.
func whole(text string, prefixes []int) bool {
	return len(prefixes) == 0 || !strings.HasSuffix(text, domain.PrefixMark)
}

// family returns what decides the shard of a value: all values with a prefix are in one shard, which knows all that it counts.
func family(text []byte, prefixes []int) []byte {
	if len(prefixes) > 0 {
		if p, ok := domain.Prefix(string(text), prefixes[0]); ok {
			return []byte(p)
		}
	}
	return text
}

// cut drops values that the mechanism would drop, since at most least units have them. Where a column has prefixes, these
// units count for the prefix; and where no value of a prefix is left and at most least units have it, for the next shorter.
// It needs all values of a family, see there.
func (t *table) cut(least int64, prefixes [][]int) {
	for c, m := range t.values {
		lengths := prefixes[c]
		rest := map[string]int64{}
		for text, n := range m {
			if n > least && whole(text, lengths) {
				continue
			}
			delete(m, text)
			if name, ok := longest(text, lengths); ok {
				rest[name] += n
			}
		}
		if len(lengths) == 0 {
			continue
		}
		alive := map[string]bool{}
		for text := range m {
			for _, n := range lengths {
				if name, ok := domain.Prefix(text, n); ok {
					alive[name] = true
				}
			}
		}
		t.rest[c] = fold(rest, least, lengths, alive)
	}
}

// longest returns the longest prefix of a text.
func longest(text string, lengths []int) (name string, ok bool) {
	for _, n := range slices.Backward(lengths) {
		if name, ok := domain.Prefix(text, n); ok {
			return name, true
		}
	}
	return "", false
}

// lengthOf returns the number of characters before the star of a prefix.
func lengthOf(name string) int { return utf8.RuneCountInString(name) - len(domain.PrefixMark) }

// fold counts units of rare prefixes for shorter ones, or drops them, from the longest on. alive are prefixes of values that are left.
func fold(rest map[string]int64, least int64, lengths []int, alive map[string]bool) map[string]int64 {
	for level, n := range slices.Backward(lengths) {
		for name, count := range rest {
			if lengthOf(name) != n {
				continue
			}
			if count > least || alive[name] {
				for _, shorter := range lengths[:level] {
					p, _ := domain.Prefix(name, shorter)
					alive[p] = true
				}
				continue
			}
			delete(rest, name)
			if level > 0 {
				p, _ := domain.Prefix(name, lengths[level-1])
				rest[p] += count
			}
		}
	}
	return rest
}

// Values implements mechanism.ValueCounts. A unit is in one count at most: that of its value or, if neither this nor a longer
// prefix stands, that of its prefix.
func (t *table) Values(of query.ValuesOf, drop int64) []query.Value {
	counts := t.values[of.Column]
	if of.Prefix > 0 {
		counts = t.prefixed(of)
	}
	var list []query.Value
	for text, n := range counts {
		if n > drop {
			list = append(list, query.Value{Text: text, Count: n})
		}
	}
	return list
}

// prefixed counts units by the prefix of their value, without those that a value or a longer prefix stands for.
func (t *table) prefixed(of query.ValuesOf) map[string]int64 {
	standing, lengths := map[string]bool{}, map[int]bool{}
	for _, text := range of.Standing {
		standing[text] = true
		if strings.HasSuffix(text, domain.PrefixMark) { // no whole value does: see whole
			lengths[lengthOf(text)] = true
		}
	}
	counts := map[string]int64{}
	add := func(text string, n int64) {
		for length := range lengths {
			if p, ok := domain.Prefix(text, length); ok && standing[p] {
				return
			}
		}
		if name, ok := domain.Prefix(text, of.Prefix); ok {
			counts[name] += n
		}
	}
	for text, n := range t.values[of.Column] {
		if !standing[text] {
			add(text, n)
		}
	}
	for name, n := range t.rest[of.Column] {
		if lengthOf(name) >= of.Prefix {
			add(strings.TrimSuffix(name, domain.PrefixMark), n)
		}
	}
	return counts
}

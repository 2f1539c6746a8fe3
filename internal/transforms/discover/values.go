package discover

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
)

// named are the values that are released of a column, and how many units have them: whole ones, and then the prefixes of others.
type named struct {
	texts    []string
	units    float64
	variance float64 // of these
	unread   float64 // of values that are no texts
	prefixes []query.FoundValue
}

// askValues releases the values of columns, and then, level by level, the prefixes of those that did not pass. share is that
// of some columns at one level, whose weight is given.
func (f *Found) askValues(p Params, cut int64, c asker, columns []int, share func(n int, each int64) dp.Share) error {
	all, released := 0, make([]named, len(p.Columns))
	for _, i := range columns {
		all += 1 + len(f.cuts(p, i))
	}
	for level := 0; ; level++ {
		of, each := f.level(p, columns, level, released), int64(prefixWeight)
		if len(of) == 0 {
			break
		}
		if level == 0 {
			each = valueWeight
		}
		found, err := c.Values(valuesStage, 1+level, of, cut, dp.ShareOf(int64(len(of)), int64(all)), share(len(of), each))
		if err != nil {
			return err
		}
		for _, v := range found {
			released[v.Column].add(v)
			if level == 0 {
				f.Columns[v.Column].whole(v, released[v.Column].units)
			}
		}
	}
	for _, i := range columns {
		f.choose(p, i, released[i])
	}
	return nil
}

// level returns what is asked for at a level: all columns, or the prefixes of a length of those that have so many lengths.
func (f *Found) level(p Params, columns []int, level int, released []named) (of []query.ValuesOf) {
	for _, i := range columns {
		lengths := f.cuts(p, i)
		switch {
		case level == 0:
			of = append(of, query.ValuesOf{Column: i})
		case level <= len(lengths):
			of = append(of, query.ValuesOf{Column: i, Prefix: lengths[len(lengths)-level], Standing: released[i].texts})
		}
	}
	return of
}

func (n *named) add(found query.FoundValues) {
	for _, v := range found.Values {
		if !utf8.ValidString(v.Text) { // any other text can stand in a domain file, in quotes
			n.unread += v.Count
			continue
		}
		n.texts, n.units, n.variance = append(n.texts, v.Text), n.units+v.Count, n.variance+found.Variance
	}
	if found.Prefix > 0 {
		n.prefixes = append(n.prefixes, found.Values...)
	}
}

// whole notes what is released of whole values, which so many units have. Codes are cut if there is something left to name, and
// no value looks like a prefix.
func (f *FoundColumn) whole(found query.FoundValues, units float64) {
	f.Needed = math.Ceil(found.Threshold)
	f.codes = f.codes && units < mostNamed*f.there && !slices.ContainsFunc(found.Values, func(v query.FoundValue) bool { return strings.HasSuffix(v.Text, domain.PrefixMark) })
}

// choose picks the values of a column from what is released.
func (f *Found) choose(p Params, column int, n named) {
	x := &f.Columns[column]
	if x.codes && hierarchy(n.prefixes) {
		x.Prefixes = codeLengths
	} else if x.codes {
		n.texts = n.texts[:len(n.texts)-len(n.prefixes)]
		for _, v := range n.prefixes {
			n.units -= v.Count
		}
	}
	switch x.Values = n.texts[:min(len(n.texts), domain.MaxSize/2)]; {
	case len(x.Values) == 0:
		x.Left = fmt.Sprintf("no value was found; one needs about %.0f people who share it", x.Needed)
	case x.Left == "" && x.Type == domain.String:
		x.named(n)
	}
	if x.Left == "" && !p.Columns[column].Values && n.units < leastNamed*x.there {
		x.Left = fmt.Sprintf("values found: %d, of %.1f %% of its texts, and the rest would be other; a domain file with values: find keeps it", len(x.Values), 100*n.units/x.there)
	}
}

// named notes how much of a column of texts would be other, as far as noise lets one see.
func (f *FoundColumn) named(n named) {
	if part := n.unread / max(f.there, 1); part >= leastNoted {
		f.noted(part, fmt.Sprintf("about %s of its values are not UTF-8, and became other; a CSV file may need csv: {encoding: windows-1252}", percent(part)))
	}
	if other := 1 - (n.units+n.unread)/max(f.there, 1); other*f.there > max(leastNoted*f.there, foreign*math.Hypot(f.blur, math.Sqrt(n.variance))) {
		f.noted(other, fmt.Sprintf("about %s of its values are too rare to be named, and became other", percent(other)))
	}
}

// leastNamed is the least part of a column's texts that found values have to be, unless a domain file asks for them. Of what is
// nearly always other nothing can be learned.
const leastNamed = .1

// mostNamed is the part of a column's texts that found values may be for its codes to be cut: more leave nothing to name.
const mostNamed = .95

// codeLengths are the numbers of characters at which codes are cut if nothing declares others: the chapter and the group of
// a diagnosis, and the area of a postcode.
var codeLengths = []int{1, 3}

// cuts are the numbers of characters at which texts of a column may be cut: declared ones, or the ones of codes.
func (c *Column) cuts() []int {
	if len(c.Prefixes) > 0 || c.Values || !c.Untyped && c.Type != domain.String {
		return c.Prefixes
	}
	return codeLengths
}

// lengths are those at which a text may be cut. Without a declaration that is a rule about texts, and not about columns, since
// it has to be known before anything of a column is.
func (c *Column) lengths(text []byte) []int {
	if len(c.Prefixes) > 0 || code(text) {
		return c.cuts()
	}
	return nil
}

// code reports whether a text may be a code such as D66.5, SW1A 1AA or 01067: letters and digits, or four or five digits.
func code(text []byte) bool {
	letters, digits := 0, 0
	for _, b := range text[:min(len(text), longestCode+1)] {
		switch {
		case '0' <= b && b <= '9':
			digits++
		case 'A' <= b && b <= 'Z' || 'a' <= b && b <= 'z':
			letters++
		case b != '.' && b != '-' && b != '/' && b != ' ':
			return false
		}
	}
	return len(text) <= longestCode && digits > 0 && (letters > 0 || len(text) == digits && (digits == 4 || digits == 5))
}

// longestCode is the largest number of characters of a code.
const longestCode = 10

// cuts are the lengths of prefixes that are asked for a column.
func (f *Found) cuts(p Params, column int) []int {
	if f.Columns[column].codes {
		return codeLengths
	}
	return p.Columns[column].Prefixes
}

// hierarchy reports whether prefixes tell codes apart: at most half of them begin alike. All serial numbers of aircraft begin
// with the same letter, and numbers of orders as well.
func hierarchy(prefixes []query.FoundValue) bool {
	first, all := map[rune]float64{}, 0.
	for _, v := range prefixes {
		r, _ := utf8.DecodeRuneInString(v.Text)
		first[r] += v.Count
		all += v.Count
	}
	for _, n := range first {
		if n > all/2 {
			return false
		}
	}
	return len(prefixes) > 0
}

// whole reports whether a text may be released as it is: what looks like a prefix is counted as one of its own prefixes.
func whole(text []byte, prefixes []int) bool {
	return len(prefixes) == 0 || !bytes.HasSuffix(text, []byte(domain.PrefixMark))
}

// family returns what decides the shard of a value: its longest declared prefix, so that one shard knows all that this counts.
// Codes are spread by themselves: they have few prefixes of three characters, which no shard drops, and may all begin alike.
func (c *Column) family(text []byte) []byte {
	if len(c.Prefixes) > 0 {
		if end, ok := beginning(text, c.Prefixes[len(c.Prefixes)-1]); ok {
			return text[:end]
		}
	}
	return text
}

// beginning returns where the first n characters of a text end.
func beginning(text []byte, n int) (end int, ok bool) {
	for ; n > 0; n-- {
		if end == len(text) {
			return 0, false
		}
		_, size := utf8.DecodeRune(text[end:])
		end += size
	}
	return end, true
}

// keep takes over the counts of a column. Values that at most least units have are left out, as the mechanism would drop them:
// where a text has lengths its units count for the longest prefix of it. It needs all values of a family, see there.
func (t *table) keep(column int, counted *texts, least int64) {
	var rest texts
	var name []byte
	values, alive, declared := map[string]int64{}, map[string]bool{}, t.columns[column].Prefixes
	for text, n := range counted.all() {
		lengths := t.columns[column].lengths(text)
		if n > least && whole(text, lengths) {
			values[string(text)] = n
			if len(declared) > 0 {
				name, _ := domain.Prefix(string(text), declared[len(declared)-1])
				alive[name] = true
			}
			continue
		}
		for _, length := range slices.Backward(lengths) {
			if end, ok := beginning(text, length); ok {
				name = append(append(name[:0], text[:end]...), domain.PrefixMark...)
				rest.add(name, n)
				break
			}
		}
	}
	t.values[column] = values
	if len(rest.list) > 0 {
		t.rest[column] = fold(&rest, least, declared, alive)
	}
}

// lengthOf returns the number of characters before the star of a prefix.
func lengthOf(name string) int { return utf8.RuneCountInString(name) - len(domain.PrefixMark) }

// fold counts units of the longest declared prefixes that are rare for the next shorter one, or drops them without one. alive
// are such prefixes of values that are left. Other prefixes are of values of other shards too, and stay.
func fold(counted *texts, least int64, lengths []int, alive map[string]bool) map[string]int64 {
	rest, last := map[string]int64{}, len(lengths)-1
	for text, n := range counted.all() {
		name := string(text)
		if last >= 0 && n <= least && lengthOf(name) == lengths[last] && !alive[name] {
			if last == 0 {
				continue
			}
			name, _ = domain.Prefix(name, lengths[last-1])
		}
		rest[name] += n
	}
	return rest
}

// Values implements mechanism.ValueCounts. A unit is in one count at most: its value's or, if neither this nor a longer
// prefix stands, its prefix's.
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
		if !standing[text] && slices.Contains(t.columns[of.Column].lengths([]byte(text)), of.Prefix) {
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

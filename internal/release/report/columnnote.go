package report

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/internal/release/report/page"
)

// columnNote says how the values of a column differ from the table's: what did not fit and became NULL or another
// value, what was rounded, moved to an end, or left out with its column.
type columnNote struct {
	Column, Text string
	Part         float64 // of the values, with noise; 0: not known
}

var inPercent = regexp.MustCompile(`([0-9]+(?:\.[0-9]+)?)[ \x{a0}]%`)

// muchMoved is the part of a column's values from which on their change stands on the first card.
const muchMoved = .2

// notes are what did not fit, as it is listed: the worst first; then the columns that are left out.
func (p Privacy) notes() (list []columnNote) {
	for _, line := range p.DidNotFit {
		name, text, _ := strings.Cut(line, ": ")
		n := columnNote{Column: name, Text: text}
		if m := inPercent.FindStringSubmatch(text); m != nil {
			n.Part, _ = strconv.ParseFloat(m[1], 64) // it matched
			n.Part /= 100
		}
		list = append(list, n)
	}
	for _, text := range p.LeftOut {
		name, why, _ := strings.Cut(text, ": ")
		list = append(list, columnNote{Column: name, Text: "left out: " + cmp.Or(why, "too little was found of it"), Part: 1})
	}
	return list
}

// changed are the notes on columns with those that the shares of the model add: a column that is mostly other.
func (p Page) changed(oneWay []*Marginal) []columnNote {
	list := p.Privacy.notes()
	for a, m := range oneWay {
		attr := &p.Domain.Attributes[a]
		c, ok := attr.OtherCode()
		if m == nil || !ok || int(c) >= len(m.Fitted) || m.Fitted[c] < muchMoved || slices.ContainsFunc(list, func(n columnNote) bool { return n.Column == attr.Name }) {
			continue
		}
		list = append(list, columnNote{Column: attr.Name, Text: "about " + page.Percent(m.Fitted[c], 0) + " of its values became " + attr.Label(c), Part: m.Fitted[c]})
	}
	return list
}

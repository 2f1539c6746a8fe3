package discover

import (
	"math"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/kit/bisect"
)

// Outlook is what a discovery can see, before anything is read: public figures.
type Outlook struct {
	Value float64 // people who have to share a value for it to be found; 0: no values are to be found
	Cell  float64 // people who have to be near an end of a range for it to be found
}

// mostOfPeople is the part of the people that a value may need; if it needs more, too little would be found. Of 4,406 people
// and 19 columns, where a value needs 9 %, ranges left out up to 30 % of the values of a column.
const mostOfPeople = .08

// mostEpsilon is the largest ε that is proposed: far above it, it promises next to nothing.
const mostEpsilon = 10

// Outlook returns what can be found with the budget.
func (p Params) Outlook() (Outlook, error) {
	l, err := p.ledger()
	if err != nil {
		return Outlook{}, err
	}
	cut, err := p.firstCut()
	if err != nil {
		return Outlook{}, err
	}
	texts, lengths, others := p.expected()
	if texts+others == 0 {
		return Outlook{}, nil // rows of people alone
	}
	weight := valueWeight*texts + prefixWeight*lengths + rangeWeight*others
	rest := int64(100 - kindsShare - formsShare - placesShare)
	out := Outlook{}
	if texts > 0 {
		e, err := l.Values(accountant.Values{Columns: int(texts), First: cut, Delta: dp.ShareOf(texts, texts+lengths)}, share(p.Share, rest*valueWeight*texts, 100*weight))
		if err != nil {
			return Outlook{}, err
		}
		threshold, _ := e.Threshold.Float64()
		out.Value = math.Ceil(threshold)
	}
	if others > 0 {
		m, err := l.Measure(accountant.Equal(int(others), others*magnitudeCells), share(p.Share, rest*rangeWeight*others, 100*weight))
		if err != nil {
			return Outlook{}, err
		}
		out.Cell = math.Ceil(math.Sqrt(m.Variance(0)) * quantile(.001/magnitudeCells))
	}
	return out, nil
}

// expected returns of how many columns values are found, at how many declared lengths they are cut, and of how many columns
// ranges are found. Half of the columns whose types are to be found are taken for texts, and none for codes.
func (p Params) expected() (texts, lengths, others int64) {
	untyped := int64(0)
	for i := range p.Columns {
		switch c := &p.Columns[i]; {
		case c.Untyped:
			untyped++
		case c.hasValues():
			texts, lengths = texts+1, lengths+int64(len(c.Prefixes))
		case c.Type != domain.Bool && c.Type != domain.Time:
			others++
		}
	}
	return texts + (untyped+1)/2, lengths, others + untyped/2
}

// Enough reports whether a number of people is enough for most of a table to be found, and how many would do.
func (o Outlook) Enough(people float64) (ok bool, needed float64) {
	if needed = math.Ceil(o.Value / mostOfPeople); o.Value == 0 {
		needed = math.Ceil(o.Cell / mostOfPeople)
	}
	return people >= needed, needed
}

// WouldDo returns what would be enough for a number of people: the least multiple of a tenth as ε, with these columns, and
// the most columns, with this ε. 0: none is.
func (p Params) WouldDo(people float64) (epsilon dp.Epsilon, columns int) {
	enough := func(p Params) bool {
		o, err := p.Outlook()
		ok, _ := o.Enough(people)
		return err == nil && ok
	}
	at := func(tenths int64) Params {
		q := p
		q.Epsilon = dp.Epsilon(tenths) / 10
		return q
	}
	if tenths := bisect.Int(1, 10*mostEpsilon+1, func(n int64) bool { return enough(at(n)) }); tenths <= 10*mostEpsilon {
		epsilon = at(tenths).Epsilon
	}
	most := int64(len(p.Columns))
	fewer := bisect.Int(0, most, func(n int64) bool { // columns that are left out
		q := p
		if q.Columns = p.Columns[n:]; p.Share == DefaultShare(len(p.Columns)) {
			q.Share = DefaultShare(len(q.Columns))
		}
		return len(q.Columns) > 0 && enough(q)
	})
	return epsilon, int(most - fewer)
}

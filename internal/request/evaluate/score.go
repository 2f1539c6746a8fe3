package evaluate

import (
	"encoding/json"
	"math"

	"github.com/dapple-dp/dapple/internal/kit/lists"
)

// Score is a similarity from 0 (as different as can be) to 1 (equal), or NaN if it is not defined;
// in JSON that is null.
type Score float64

// Defined reports whether s is a finite number.
func (s Score) Defined() bool { return !math.IsNaN(float64(s)) && !math.IsInf(float64(s), 0) }

// MarshalJSON writes the number, or null.
func (s Score) MarshalJSON() ([]byte, error) {
	if !s.Defined() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(s))
}

// UnmarshalJSON reads a number, or null.
func (s *Score) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*s = undefined
		return nil
	}
	return json.Unmarshal(b, (*float64)(s))
}

var undefined = Score(math.NaN())

// Property is a score with the items that it is the mean of.
type Property struct {
	Average Score  `json:"average"`
	Items   []Item `json:"items"`
}

// Item is the score of one column or of one pair of columns.
type Item struct {
	Columns []string `json:"columns"`
	Metric  string   `json:"metric"`
	TV      Score    `json:"tv"` // total variation of the domain's cells; null if they were not compared
	Score   Score    `json:"score"`
	Reason  string   `json:"reason,omitempty"` // why there is no score

	Association *Association `json:"association,omitempty"` // of a pair of columns as they are written
}

// Association is how strongly two columns go together in each of the tables: Pearson's r, or Cramér's V.
type Association struct {
	Real      Score `json:"real"`
	Synthetic Score `json:"synthetic"`
}

// newProperty takes the mean over the items whose score is defined.
func newProperty(items []Item) Property {
	scores := lists.Of(items, func(item Item) Score { return item.Score })
	return Property{Average: mean(scores...), Items: items}
}

// mean returns the mean of the scores that are defined.
func mean(scores ...Score) Score {
	sum, n := Score(0), Score(0)
	for _, s := range scores {
		if s.Defined() {
			sum += s
			n++
		}
	}
	return sum / n // 0/0 is NaN: undefined
}

package evaluate

import (
	"encoding/json"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func TestScoreInJSON(t *testing.T) {
	text, err := json.Marshal([]Score{0.25, undefined})
	must.Need(t, err == nil && string(text) == "[0.25,null]", "Marshal = %s, %v", text, err)
	var back []Score
	err = json.Unmarshal(text, &back)
	must.Hold(t, err == nil && back[0] == 0.25 && !back[1].Defined(), "Unmarshal = %v, %v", back, err)
}

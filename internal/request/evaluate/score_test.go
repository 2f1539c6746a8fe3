package evaluate

import (
	"encoding/json"
	"testing"
)

func TestScoreInJSON(t *testing.T) {
	text, err := json.Marshal([]Score{0.25, undefined})
	if err != nil || string(text) != "[0.25,null]" {
		t.Fatalf("Marshal = %s, %v", text, err)
	}
	var back []Score
	if err := json.Unmarshal(text, &back); err != nil || back[0] != 0.25 || back[1].Defined() {
		t.Errorf("Unmarshal = %v, %v", back, err)
	}
}

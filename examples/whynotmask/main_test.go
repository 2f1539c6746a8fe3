package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestAttack: most people of the masked table are found; of a table in which all are alike, nobody is.
func TestAttack(t *testing.T) {
	var out bytes.Buffer
	if err := run(1000, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "fit one record alone") {
		t.Errorf("%s", out.String())
	}
	alike := make([]masked, 50)
	for i := range alike {
		alike[i] = masked{"Male", "50", "North", []string{"2024-01", "2024-02", "2024-03", "2024-04", "2024-05"}, []string{"Cardiology"}}
	}
	if targets, found, learned := attack(alike); targets != 50 || found != 0 || learned != 0 {
		t.Errorf("of people who are alike: %d targets, %d found, %d visits learned", targets, found, learned)
	}
	alike[7].months = []string{"2024-01", "2024-05", "2024-05", "2024-07", "2024-12"}
	if _, found, learned := attack(alike); found != 1 || learned != 1 {
		t.Errorf("of one who differs: %d found, %d visits learned", found, learned)
	}
}

func TestContains(t *testing.T) {
	all := []string{"1", "2", "2", "5"}
	for _, tt := range []struct {
		known string
		want  bool
	}{{"1 2 2", true}, {"2 2 2", false}, {"1 5", true}, {"1 1", false}, {"6", false}} {
		if got := contains(all, strings.Fields(tt.known)); got != tt.want {
			t.Errorf("%s: %v", tt.known, got)
		}
	}
}

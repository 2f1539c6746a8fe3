package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
)

func answers(n, values int) (attrs []domain.Attribute) {
	for i := range n {
		attrs = append(attrs, domain.Attribute{Name: fmt.Sprintf("q%d_%d", values, i), Type: domain.String, Values: strings.Split("abcdefgh", "")[:values], Null: true})
	}
	return attrs
}

// Few columns have a line each. Of many, those that are alike share one, and what is left is counted.
func TestColumnsOfWideDomains(t *testing.T) {
	var mixed []domain.Attribute
	for i := range 300 {
		mixed = append(mixed, answers(1, 1+i%7)...)
	}
	for _, tt := range []struct {
		name  string
		attrs []domain.Attribute
		lines int
		last  string
	}{
		{"few and alike", answers(100, 2), 100, "  q2_99                STRING        3 cells  a … b + NULL"},
		{"many and alike", append(answers(600, 2), answers(400, 3)...), 2, "  q3_0 … q3_399 (400 columns) STRING        4 cells  a … c + NULL"},
		{"many kinds", mixed, 101, "  … and 200 more columns, which the domain file lists"},
	} {
		var b strings.Builder
		writeColumns(&b, tt.attrs)
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		if len(lines) != tt.lines || lines[len(lines)-1] != tt.last {
			t.Errorf("%s: %d lines, want %d; the last is %q, want %q", tt.name, len(lines), tt.lines, lines[len(lines)-1], tt.last)
		}
	}
}

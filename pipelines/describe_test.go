package pipelines

import (
	"bytes"
	"strings"
	"testing"
)

// TestStrictRunsSaySo: that a strict run has ended well shows that every cell was usable, which no guarantee
// covers. Its statement and its closing words say so, and those of other runs list nothing.
func TestStrictRunsSaySo(t *testing.T) {
	for _, strict := range []bool{false, true} {
		c := shop(t, 20)
		c.Strict, c.Delta = strict, 0
		res := mustRun(t, c)
		var words, page bytes.Buffer
		if err := res.WriteText(&words); err != nil {
			t.Fatal(err)
		}
		if err := res.Privacy.WriteText(&page); err != nil {
			t.Fatal(err)
		}
		listed := len(res.Privacy.NotPrivate)
		said := strings.Contains(words.String(), "\nnote    not private is that there is a release: ")
		written := strings.Contains(page.String(), "\nNot private that there is a release: ")
		if listed != map[bool]int{true: 1}[strict] || said != strict || written != strict {
			t.Errorf("strict %v: %d figures listed; said %v, written %v", strict, listed, said, written)
		}
	}
}

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
		var words bytes.Buffer
		if err := res.WriteText(&words); err != nil {
			t.Fatal(err)
		}
		statement, err := res.Privacy.JSON()
		if err != nil {
			t.Fatal(err)
		}
		listed := len(res.Privacy.NotPrivate)
		said := strings.Contains(words.String(), "\nnote    not private is that there is a release: ")
		written := bytes.Contains(statement, []byte(`"that there is a release: `))
		if listed != map[bool]int{true: 1}[strict] || said != strict || written != strict {
			t.Errorf("strict %v: %d figures listed; said %v, written %v", strict, listed, said, written)
		}
	}
}

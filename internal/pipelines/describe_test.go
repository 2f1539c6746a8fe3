package pipelines

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestStrictRunsSaySo: that a strict run has ended well shows that every cell was usable, which no guarantee
// covers. Its statement and its closing words say so, and other runs list nothing.
func TestStrictRunsSaySo(t *testing.T) {
	for _, strict := range []bool{false, true} {
		c := shop(t, 20)
		c.Strict, c.Delta = strict, 0
		res := mustRun(t, c)
		var words bytes.Buffer
		must.Do(t, res.WriteText(&words))
		statement := must.Value(res.Privacy.JSON())(t)
		listed := len(res.Privacy.NotPrivate)
		said := strings.Contains(words.String(), "note    NOT PRIVATE: that there is a release: ")
		written := bytes.Contains(statement, []byte(`"that there is a release: `))
		if listed != map[bool]int{true: 1}[strict] || said != strict || written != strict {
			t.Errorf("strict %v: %d figures listed; said %v, written %v", strict, listed, said, written)
		}
	}
}

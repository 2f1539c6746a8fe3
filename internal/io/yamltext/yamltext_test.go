package yamltext

import (
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// A reader of YAML finds the text as it was, whatever is in it.
func TestQuotedIsReadBack(t *testing.T) {
	for _, s := range []string{"", "a b", `"`, `\`, "a\nb\r\t", "# x", "- a: b", "\x00\x7f\u0085\u00a0\u2028\ufeff", "é", "\U0001F600", "\U000E0001", "null", "~"} {
		var got string
		err := yaml.Unmarshal([]byte(Quoted(s)), &got)
		must.Hold(t, err == nil && got == s, "%q is read as %q: %v", s, got, err)
	}
}

func TestOther(t *testing.T) {
	for want, values := range map[string][]string{"": {"a", "Other"}, "other value": {"other"}, "other value__": {"other value_", "other", "other value"}} {
		must.Equal(t, Other(values), want, "%q", values)
	}
}

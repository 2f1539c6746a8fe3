package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// events are what go test -json prints, shortened.
const events = `{"Action":"start","Package":"m/a"}
{"Action":"run","Package":"m/a","Test":"TestGood"}
{"Action":"output","Package":"m/a","Test":"TestGood","Output":"    a_test.go:1: of no interest\n"}
{"Action":"pass","Package":"m/a","Test":"TestGood"}
{"Action":"output","Package":"m/a","Test":"TestBad/one","Output":"    a_test.go:2: got 1\n"}
{"Action":"fail","Package":"m/a","Test":"TestBad/one"}
{"Action":"output","Package":"m/a","Test":"TestPart/first","Output":"=== RUN   TestPart/first\n"}
{"Action":"output","Package":"m/a","Test":"TestPart/first","Output":"    a_test.go:30: missing: a compiler\n"}
{"Action":"output","Package":"m/a","Test":"TestPart/second","Output":"    a_test.go:31: missing: time: a minute\n"}
{"Action":"output","Package":"m/a","Test":"TestPart/first","Output":"    --- SKIP: TestPart/first (0.00s)\n"}
{"Action":"skip","Package":"m/a","Test":"TestPart/first"}
{"Action":"skip","Package":"m/a","Test":"TestPart/second"}
{"Action":"output","Package":"m/a","Output":"FAIL\tm/a\t0.1s\n"}
{"Action":"fail","Package":"m/a"}
{"Action":"output","Package":"m/b","Test":"TestAlone","Output":"    b_test.go:9: missing: a compiler\n"}
{"Action":"skip","Package":"m/b","Test":"TestAlone"}
{"Action":"output","Package":"m/b","Output":"PASS\n"}
{"Action":"output","Package":"m/b","Output":"ok  \tm/b\t0.2s\n"}
{"Action":"pass","Package":"m/b"}
{"Action":"output","Package":"m/c","Test":"TestPanic","Output":"panic: oh\n"}
{"Action":"output","Package":"m/c","Output":"FAIL\tm/c\t0.1s\n"}
{"Action":"fail","Package":"m/c"}
{"Action":"skip","Package":"m/without"}
{"ImportPath":"m/d","Action":"build-output","Output":"d.go:1: no package\n"}
`

// What fails is shown, what passes is a line a package, and each reason is listed once with its tests.
func TestResults(t *testing.T) {
	var out strings.Builder
	r := &results{out: &out, log: io.Discard}
	must.Do(t, r.read(strings.NewReader(events)))
	const want = "    a_test.go:2: got 1\nFAIL\tm/a\t0.1s\nok  \tm/b\t0.2s\npanic: oh\nFAIL\tm/c\t0.1s\nd.go:1: no package\n"
	must.Hold(t, out.String() == want, "printed %q, want %q", out.String(), want)
	const left = "  missing: a compiler\n    a.TestPart/first b.TestAlone\n  missing: time: a minute\n    a.TestPart/second\n"
	must.Hold(t, r.left() == left, "left out %q, want %q", r.left(), left)
	must.Fail(t, r.read(strings.NewReader("FAIL")), "", "what is no event was taken for one")
}

// Lists of several suites become one.
func TestAdd(t *testing.T) {
	file := filepath.Join(t.TempDir(), "list")
	for _, text := range []string{"one\n", "", "two\n"} {
		must.Do(t, add(file, text))
	}
	must.Equal(t, string(must.Value(os.ReadFile(file))(t)), "one\ntwo\n")
}

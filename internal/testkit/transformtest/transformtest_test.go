package transformtest

import (
	"fmt"
	"net"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func TestMain(m *testing.M) { Main(m) }

// recorder notes whether a helper failed the test.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }

func unregistered(s string) string { return s }

// The gate fails on a function that nothing has registered.
func TestPerformantFinds(t *testing.T) {
	p, s := beam.NewPipelineWithRoot()
	beam.ParDo(s, unregistered, Create(s, "a"))
	r := &recorder{TB: t}
	Performant(r, p)
	must.Hold(t, r.failed, "an unregistered function passed the gate")
}

// A port is the caller's alone, until somebody asks for it by number.
func TestPort(t *testing.T) {
	port := Port(t)
	for range 2000 {
		l := must.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
		must.Hold(t, l.Addr().(*net.TCPAddr).Port != port, "the port was given away")
		must.Do(t, l.Close())
	}
	l := must.Value(net.Listen("tcp", fmt.Sprint("127.0.0.1:", port)))(t)
	must.Pass(t, l.Close())
}

package transformtest

import (
	"reflect"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

// Captured holds the elements of a PCollection after the pipeline has run. It works on runners whose
// workers live in the test's process, which are prism in its default mode and direct.
type Captured[T any] struct{ token string }

var (
	lastToken atomic.Int64
	captureMu sync.Mutex
	captured  = map[string][]any{}
)

// Capture keeps the elements of col, which has elements of type T.
func Capture[T any](s beam.Scope, col beam.PCollection) Captured[T] {
	if got := col.Type().Type(); got != reflect.TypeFor[T]() {
		panic("transformtest: captured a collection of another type than " + got.String())
	}
	c := Captured[T]{strconv.FormatInt(lastToken.Add(1), 10)}
	beam.ParDo0(s, &captureFn{Token: c.token}, col)
	return c
}

// Elements returns the captured elements in no particular order.
func (c Captured[T]) Elements() []T {
	captureMu.Lock()
	defer captureMu.Unlock()
	var out []T
	for _, e := range captured[c.token] {
		out = append(out, e.(T))
	}
	return out
}

func init() {
	register.DoFn1x1[beam.T, error](&captureFn{})
}

type captureFn struct{ Token string }

func (f *captureFn) ProcessElement(e beam.T) error {
	captureMu.Lock()
	defer captureMu.Unlock()
	captured[f.Token] = append(captured[f.Token], e)
	return nil
}

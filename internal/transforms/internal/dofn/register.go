package dofn

import (
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/reflectx"
)

// Method is a lifecycle method of a DoFn or CombineFn, such as ProcessElement.
type Method struct {
	name      string
	signature reflect.Type                 // without the receiver
	call      func(fn any) reflectx.Func   // wraps a function of that signature
	bind      func(recv any) reflectx.Func // wraps the method of one receiver
}

// Register makes the struct type D usable as a DoFn or CombineFn on every worker, with the given
// methods called directly. It panics, through Beam, if D lacks ProcessElement or MergeAccumulators,
// and if a method is not one that Beam calls.
func Register[D any](methods ...Method) {
	t := reflect.TypeFor[D]()
	for _, m := range methods {
		if _, ok := reflect.PointerTo(t).MethodByName(m.name); !ok {
			panic("dofn: registered a method that the type does not have")
		}
		reflectx.RegisterFunc(m.signature, m.call)
	}
	reflectx.RegisterStructWrapper(t, func(recv any) map[string]reflectx.Func {
		wrapped := make(map[string]reflectx.Func, len(methods))
		for _, m := range methods {
			wrapped[m.name] = m.bind(recv)
		}
		return wrapped
	})
	beam.RegisterDoFn(t)
}

// method builds the Method of a signature F from the two ways of wrapping it.
func method[D, F any](name string, call func(F) reflectx.Func, bound func(*D) F) Method {
	return Method{
		name:      name,
		signature: reflect.TypeFor[F](),
		call:      func(fn any) reflectx.Func { return call(fn.(F)) },
		bind:      func(recv any) reflectx.Func { return call(bound(recv.(*D))) },
	}
}

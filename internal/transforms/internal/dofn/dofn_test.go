package dofn

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/reflectx"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// busy has a lifecycle method of most arities.
type busy struct{ Sum int }

func (b *busy) Setup() error                { b.Sum++; return nil }
func (b *busy) StartBundle(func(int)) error { b.Sum += 10; return nil }
func (b *busy) ProcessElement(k int, v int, w int, emit func(int)) error {
	emit(k*v*w + b.Sum)
	return nil
}
func (b *busy) FinishBundle(emit func(int)) error { emit(b.Sum); return nil }

// adder is a CombineFn.
type adder struct{}

func (*adder) MergeAccumulators(a, b int) int { return a + b }
func (*adder) ExtractOutput(a int) int        { return a }

func init() {
	Register[busy](
		Method0x1("Setup", (*busy).Setup),
		Method1x1("StartBundle", (*busy).StartBundle),
		Method4x1("ProcessElement", (*busy).ProcessElement),
		Method1x1("FinishBundle", (*busy).FinishBundle),
	)
	Register[adder](
		Method2x1("MergeAccumulators", (*adder).MergeAccumulators),
		Method1x1("ExtractOutput", (*adder).ExtractOutput),
	)
}

// Beam finds the wrapped methods, and they are called on the receiver that it made.
func TestBeamCallsWithoutReflection(t *testing.T) {
	recv := &busy{Sum: 100}
	fn := must.Value(graph.NewDoFn(recv))(t)
	var got []int
	emit := func(v int) { got = append(got, v) }
	fn.SetupFn().Fn.(reflectx.Func0x1).Call0x1()
	fn.StartBundleFn().Fn.(reflectx.Func1x1).Call1x1(emit)
	err := fn.ProcessElementFn().Fn.(reflectx.Func4x1).Call4x1(2, 3, 5, emit)
	must.Hold(t, err == nil, "%v", err)
	fn.FinishBundleFn().Fn.Call([]any{emit})
	want := []int{141, 111}
	must.Hold(t, fmt.Sprint(got) == fmt.Sprint(want), "emitted %v, want %v", got, want)
	combine := must.Value(graph.NewCombineFn(&adder{}))(t)
	must.Equal(t, combine.MergeAccumulatorsFn().Fn.(reflectx.Func2x1).Call2x1(3, 4), 7, "merged to")
}

// Call and the call of its arity agree for every wrapper.
func TestArities(t *testing.T) {
	a := []any{1, 2, 3, 4, 5}
	for n, f := range []reflectx.Func{
		wrap0x1(func() int { return 0 }),
		wrap1x1(func(a int) int { return a }),
		wrap2x1(func(a, b int) int { return a + b }),
		wrap3x1(func(a, b, c int) int { return a + b + c }),
		wrap4x1(func(a, b, c, d int) int { return a + b + c + d }),
		wrap5x1(func(a, b, c, d, e int) int { return a + b + c + d + e }),
	} {
		var direct any
		switch g := f.(type) {
		case reflectx.Func0x1:
			direct = g.Call0x1()
		case reflectx.Func1x1:
			direct = g.Call1x1(1)
		case reflectx.Func2x1:
			direct = g.Call2x1(1, 2)
		case reflectx.Func3x1:
			direct = g.Call3x1(1, 2, 3)
		case reflectx.Func4x1:
			direct = g.Call4x1(1, 2, 3, 4)
		case reflectx.Func5x1:
			direct = g.Call5x1(1, 2, 3, 4, 5)
		}
		if want := n * (n + 1) / 2; direct != want || f.Call(a[:n])[0] != want {
			t.Errorf("%d arguments: %v and %v, want %d", n, direct, f.Call(a[:n]), want)
		}
		if f.Type().NumIn() != n || f.Type().Kind() != reflect.Func || f.Name() == "" {
			t.Errorf("%d arguments: type %v, name %q", n, f.Type(), f.Name())
		}
	}
}

func TestRegisterRefusesAMissingMethod(t *testing.T) {
	defer func() {
		must.Hold(t, recover() != nil, "a method that the type does not have was registered")
	}()
	Register[adder](Method1x1("FinishBundle", func(*adder, int) error { return nil }))
}

func BenchmarkCall(b *testing.B) {
	fn := must.Value(graph.NewDoFn(&busy{}))(b)
	call, emit := fn.ProcessElementFn().Fn.(reflectx.Func4x1), func(int) {}
	b.ReportAllocs()
	for b.Loop() {
		call.Call4x1(2, 3, 5, emit)
	}
}

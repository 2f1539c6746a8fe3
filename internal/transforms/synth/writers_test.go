package synth

import (
	"context"
	"errors"
	"testing"

	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
)

func init() {
	RegisterSink("never opened", func(string) (Sink, error) { return nil, errors.New("the sink was opened") })
}

// A shard waits while the process writes as many as it may, before its sink is opened; a stopped run ends
// the wait.
func TestShardsWaitForWriters(t *testing.T) {
	ref := must.Value(process(newSolveFn(StoreRef{}), []mechanism.Seed{testSeed(t, 1)}, []*counts.Table{table(t, 60)}))(t)
	f := &filesFn{newSampleFn(Release{domain: visits()}, WriteParams{Rows: 30, Shards: 1, Sink: SinkRef{"dir", t.TempDir()}}.withDefaults())}
	var leave []func()
	for range cap(writers) {
		one := must.Value(enterWriting(context.Background()))(t)
		leave = append(leave, one)
	}
	waiting := &filesFn{f.Sample}
	waiting.Sample.Params.Sink = SinkRef{Kind: "never opened"}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- waiting.ProcessElement(ctx, 0, iterate(ref), func(FileRef) {}) }()
	stop()
	err := <-ended
	must.Hold(t, errors.Is(err, context.Canceled), "a stopped run: got %v, want that it was canceled", err)
	for _, l := range leave {
		l()
	}
	written := false
	err = f.ProcessElement(context.Background(), 0, iterate(ref), func(FileRef) { written = true })
	must.Hold(t, err == nil && written, "the shard was not written once it may be: error %v", err)
	must.Hold(t, len(writers) == 0, "%d writers did not leave", len(writers))
}

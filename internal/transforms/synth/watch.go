package synth

import (
	"context"
	"errors"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/hooks"
	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"

	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"github.com/dapple-dp/dapple/internal/kit/runner"
)

// sentences is the hook that makes errors of workers what people read: Beam's harness sends its plan of the step, with the types of
// all functions, around what a step has said.
const sentences = "dapple_sentences"

// everyStep is the option of a worker that has no functions of others.
const everyStep = "every step"

func init() {
	hooks.RegisterHook(sentences, func(options []string) hooks.Hook {
		return hooks.Hook{Resp: func(_ context.Context, _ *fnpb.InstructionRequest, resp *fnpb.InstructionResponse) error {
			switch text := resp.GetError(); {
			case text == "":
			case len(options) > 0:
				resp.Error = "dapple: " + errtext.Of(errors.New(text)).Error()
			default:
				resp.Error = errtext.InStep(text)
			}
			return nil
		}}
	})
}

// Watch makes workers note failed bundles, and say once what has failed.
func Watch(options ...string) {
	runner.Watch()
	if err := hooks.EnableHook(sentences, options...); err != nil {
		panic(err) // it is registered above
	}
}

// WatchWorker does so in a worker of a pipeline in another language, which knows none of its options. All its functions are dapple's.
func WatchWorker() {
	Watch(everyStep)
	hooks.SerializeHooksToOptions()
}

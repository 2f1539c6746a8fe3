package main

import (
	"context"
	"errors"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/hooks"
	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"

	"github.com/dapple-dp/dapple/internal/kit/errtext"
)

// sentencesHook makes errors of workers what people read who have no Go: Beam's harness sends its plan of the step, with
// the types of all functions, around what a step has said.
const sentencesHook = "dapple_sentences"

func init() {
	hooks.RegisterHook(sentencesHook, func([]string) hooks.Hook {
		return hooks.Hook{Resp: func(_ context.Context, _ *fnpb.InstructionRequest, resp *fnpb.InstructionResponse) error {
			if resp.GetError() != "" {
				resp.Error = "dapple: " + errtext.Of(errors.New(resp.GetError())).Error()
			}
			return nil
		}}
	})
}

package main

import (
	"context"
	"io"
	"os"

	"github.com/dapple-dp/dapple/internal/request/expansion"
)

func expandCommand() command {
	c := expansion.Config{Environment: expansion.Environments[0]}
	untilEOF := false
	return command{
		name:    "expand",
		group:   groupKeep,
		summary: "offer Synthesize to pipelines in Python and Beam YAML, as an expansion service",
		example: "dapple expand --port=8097",
		options: []option{
			{name: "port", group: groupWhere, value: "N", usage: "of this machine alone; 0: any, which it prints", required: true, set: port(&c.Port)},
			{name: "env", group: groupWhere, value: "WHERE", def: expansion.Environments[0], choices: expansion.Environments, usage: "its workers: local, docker, or anyof of both", set: oneOf(&c.Environment, expansion.Environments...)},
			{name: "until_eof", group: groupWhere, usage: "end when standard input does: for programs that start it", set: toggle(&untilEOF)},
		},
		beam:  true,
		check: func(context.Context) error { return nil },
		run: func(ctx context.Context, out io.Writer) error {
			if untilEOF {
				var end context.CancelFunc
				ctx, end = context.WithCancel(ctx)
				go func() {
					_, _ = io.Copy(io.Discard, os.Stdin) // whatever ends it
					end()
				}()
			}
			return expansion.Serve(ctx, c, out)
		},
	}
}

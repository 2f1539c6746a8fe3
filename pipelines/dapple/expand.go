package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strconv"

	"github.com/dapple-dp/dapple/internal/beamrun/expansion"
	"github.com/dapple-dp/dapple/io/schema"
	"github.com/dapple-dp/dapple/io/table"
	"github.com/dapple-dp/dapple/pipelines"
	"github.com/dapple-dp/dapple/solver"
)

func expandCommand() command {
	c := expansion.Config{Environment: expansion.Environments[0], Public: func(ctx context.Context, name string, f *schema.File) (*solver.Public, error) {
		return pipelines.ReadPublic(ctx, name, f, table.Options{})
	}}
	untilEOF := false
	return command{
		name:    "expand",
		summary: "offer Synthesize to pipelines in Python and Beam YAML, as an expansion service",
		example: "dapple expand --port=8097",
		options: []option{
			{name: "port", value: "N", usage: "of this machine alone; 0: any, which it prints", required: true, set: port(&c.Port)},
			{name: "env", value: "WHERE", usage: "its workers: local (default), docker, or anyof of both", set: oneOf(&c.Environment, expansion.Environments...)},
			{name: "until_eof", usage: "end when standard input does: for programs that start it", set: toggle(&untilEOF)},
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

func port(p *int) func(string) error {
	return func(s string) error {
		v, err := strconv.ParseUint(s, 10, 16)
		if err != nil {
			return errors.New("want a number from 0 to 65535")
		}
		*p = int(v)
		return nil
	}
}

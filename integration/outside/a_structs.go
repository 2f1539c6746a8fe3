package outside

import (
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/textio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/transforms/synth"
)

func init() { register.Function1x1(line) }

func line(o Order) string { return fmt.Sprintf("%s,%d", o.Country, o.Items) }

// structs: structs, the stage, a file of text.
func structs(ctx context.Context, runner, out string) error {
	p, s := beam.NewPipelineWithRoot()
	rows, _ := synth.Synthesize(s, beam.CreateList(s, records(4000)), synth.Params{Domain: orders, Epsilon: 1, Delta: 1e-9, Rows: 1000, Runner: runner})
	textio.Write(s, out, beam.ParDo(s, line, rows))
	_, err := beam.Run(ctx, runner, p)
	return err
}

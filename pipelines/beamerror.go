package pipelines

import (
	"context"
	"errors"
	"strings"

	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
)

// rootCause finds our own message in an error of the runner. Runners wrap the text of a DoFn's error
// in the names of bundles, stages and jobs, one a line or behind "caused by:".
func rootCause(err error) error {
	text := err.Error()
	for _, mark := range []string{"caused by:\n", "Caused by:\n", "caused by: "} {
		if i := strings.LastIndex(text, mark); i >= 0 {
			text = text[i+len(mark):]
		}
	}
	for _, prefix := range prefixes {
		if i := strings.Index(text, prefix); i >= 0 {
			return errors.New(strings.TrimSpace(text[i:]))
		}
	}
	return errors.New(strings.TrimSpace(text))
}

// prefixes begin the messages of dapple's packages.
var prefixes = []string{"csv: ", "parquet: ", "sink: ", "private: ", "counts: ", "synth: ", "pipelines: ", "domain: "}

// quietLogger drops the runner's log below warnings: it speaks of bundles and ports.
type quietLogger struct{}

func (quietLogger) Log(ctx context.Context, sev beamlog.Severity, calldepth int, msg string) {}

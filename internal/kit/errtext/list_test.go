package errtext

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func TestErrors(t *testing.T) {
	var none, few, many, all Errors
	none.Add(nil)
	must.Hold(t, none.Err() == nil, "no error is one")
	cause := errors.New("cause")
	few.Addf("a: %w", cause)
	few.Add(errors.New("b"))
	err := few.Err()
	must.Hold(t, err.Error() == "a: cause\nb" && errors.Is(err, cause), "got %q", err)
	for i := range 1_000_000 {
		many.Addf("%d", i)
	}
	lines := strings.Split(many.Err().Error(), "\n")
	must.Hold(t, len(lines) == Shown+1 && lines[0] == "0" && lines[Shown-1] == fmt.Sprint(Shown-1) && lines[Shown] == "and at least 999980 more", "got %q", lines)
	all.Add(few.Err())
	all.Add(many.Err())
	lines = strings.Split(all.Err().Error(), "\n")
	must.Hold(t, len(lines) == Shown+1 && lines[1] == "b" && lines[2] == "0" && lines[Shown] == "and at least 999982 more", "got %q", lines)
}

package synth_test

import (
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
)

func TestMain(m *testing.M) { transformtest.Main(m) }

package main

import (
	"fmt"
	"sync"
	_ "unsafe" // for go:linkname

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core"
)

// Workers send metrics under short IDs, and say once what each means. Prism keeps those meanings by job and not by worker
// (sdks/go/pkg/beam/runners/prism/internal/jobservices/metrics.go), while every worker counts from 1: Go in base 36,
// Python in hexadecimal. In a job with both, the number of one is read as the other's, which ends prism by a panic
// ("error decoding metrics", EOF), or passes and is wrong. So ours begin beyond what Python counts to. The counter is a
// variable of the harness that nothing exports.

// shortIDs is the beginning of harness.shortIDCache.
type shortIDs struct {
	mu   sync.Mutex
	_    map[struct{}]string // of each metric
	_    map[string]struct{} // by ID
	last int64
}

//go:linkname harnessShortIDs github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness.defaultShortIDCache
var harnessShortIDs *shortIDs

// layoutOf is the version of Beam whose shortIDCache is laid out as shortIDs.
const layoutOf = "2.77.0"

// firstShortID has ten digits in base 36, which Python reaches after 16^9 metrics.
const firstShortID = 1 << 47

// separateMetrics makes the short IDs of this worker differ from every other SDK's.
func separateMetrics() {
	if core.SdkVersion != layoutOf {
		panic(fmt.Sprintf("dapple: built with Beam %s, and the numbers of its metrics are known of %s; compare shortIDCache of both, then set layoutOf", core.SdkVersion, layoutOf))
	}
	harnessShortIDs.mu.Lock()
	defer harnessShortIDs.mu.Unlock()
	harnessShortIDs.last = max(harnessShortIDs.last, firstShortID)
}

package query_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func frame(columns, width int) query.Frame {
	var f query.Frame
	for i := range columns {
		f.Domain.Attributes = append(f.Domain.Attributes, domain.Attribute{
			Name: fmt.Sprintf("column_%d", i), Type: domain.String, Values: []string{"yes", "no", "perhaps"}, Other: true,
		})
	}
	f.Workload = query.AllMarginals(f.Domain.Sizes(), width, 10_000)
	return f
}

// A frame comes back from its JSON as it was, whatever the order and the weights of its marginals.
func TestFrameRoundTrip(t *testing.T) {
	odd := frame(7, 3)
	slices.Reverse(odd.Workload.Marginals)
	odd.Workload.Marginals[3].Weight = 0.1
	odd.Workload.Marginals[5].Clique = domain.Clique{}
	for name, f := range map[string]query.Frame{"nothing": {}, "domain": {Domain: frame(3, 1).Domain}, "all": frame(20, 3), "odd": odd} {
		b, err := json.Marshal(f)
		must.Need(t, err == nil, "%s: %v", name, err)
		var got query.Frame
		err = json.Unmarshal(b, &got)
		must.Need(t, err == nil, "%s: %v", name, err)
		must.Hold(t, reflect.DeepEqual(got, f), "%s: %d bytes gave another frame", name, len(b))
		for n := range min(len(b), 300) {
			must.Hold(t, json.Unmarshal(b[:n], &got) != nil, "%s: %d bytes of %d are taken for a frame", name, n, len(b))
		}
	}
	must.Fail(t, json.Unmarshal([]byte(`"AAAA"`), new(query.Frame)), "", "a text that is no frame is taken for one")
}

// 166,750 marginals take some kilobytes: 2.3 MB as plain JSON, in each of ten steps.
func TestFrameIsSmall(t *testing.T) {
	b := must.Value(json.Marshal(frame(100, 3)))(t)
	must.Hold(t, len(b) <= 50_000, "100 columns take %d bytes", len(b))
	t.Logf("%d bytes", len(b))
}

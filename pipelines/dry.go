package pipelines

import (
	"context"

	"github.com/dapple-dp/dapple/internal/release/dry"
	"github.com/dapple-dp/dapple/io/schema"
)

// checkDry finds the faults of a request for dry rows.
func checkDry(ctx context.Context, r *SampleRequest, faults *Faults) {
	if r.Model != "" {
		faults.add("--domain", "together with --model", "keep one: the model has a domain of its own, and --domain alone gives dry rows")
	}
	if r.Rows == 0 {
		faults.add("--rows", "is required for dry rows, which stand for nobody", "")
	}
	file, err := schema.ReadFile(r.Domain)
	if err != nil {
		*faults = append(*faults, ErrorFaults("--domain", err)...)
		return
	}
	if file.Domain.Events != nil {
		faults.add("--domain", "declares events, and dry rows stand for no people", "leave events out, and name the privacy ID among generate, for rows without a model")
		return
	}
	checkLayout(ctx, r.target(), file.Domain, r.Tables, faults)
	if r.Rows <= 0 {
		return
	}
	r.file = dry.File(file.Domain, r.Rows, sampleSeed(r.SampleSeed, r.HasSampleSeed))
	checkWhere(r, faults)
	checkMinCount(r.MinCount, r.Rows, 0, &r.file.Domain, faults)
}

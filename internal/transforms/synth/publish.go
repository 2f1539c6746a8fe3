package synth

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/dapple-dp/dapple/internal/transforms/internal/dofn"
)

func init() {
	dofn.Register[publishFn](dofn.Method5x1("ProcessElement", (*publishFn).ProcessElement))
}

// publishFn makes the shards visible when each of them is there exactly once.
type publishFn struct {
	Store   StoreRef
	Params  WriteParams
	Columns []string // of the domain that was given
}

func (f *publishFn) ProcessElement(ctx context.Context, _ int, files func(*FileRef) bool, refs func(*ModelRef) bool, emit func(Published)) error {
	ref, err := onlyRef(refs)
	if err != nil {
		return err
	}
	all, err := collect(files, ref.SHA256)
	if err != nil {
		return err
	}
	data, err := ref.Read(ctx, f.Store)
	if err != nil {
		return err
	}
	release, err := DecodeArtifact(data)
	if err != nil {
		return err
	}
	rows := f.Params.rows(release.Result.Total.Units)
	if f.Params.Where != "" {
		src, err := (&sampleFn{f.Params, f.Columns, f.Store}).open(ctx, ref)
		if err != nil {
			return err
		}
		rows = src.n
	}
	if err := complete(all, f.Params.tables()*f.Params.shards(rows)); err != nil {
		return err
	}
	sink, err := sinks.Open(f.Params.Sink.Kind, f.Params.Sink.Config)
	if err != nil {
		return err
	}
	m, err := sink.Publish(ctx, all, release)
	if err != nil {
		return fmt.Errorf("synth: publishing %d files: %w", len(all), err)
	}
	emit(m)
	return nil
}

// collect returns the shards in order, after checking that each is there exactly once and that all were sampled from
// the model whose statement is published with them.
func collect(files func(*FileRef) bool, model string) ([]FileRef, error) {
	var all []FileRef
	for file := (FileRef{}); files(&file); {
		all = append(all, file)
	}
	slices.SortFunc(all, func(a, b FileRef) int { return cmp.Compare(a.Shard, b.Shard) })
	for i, file := range all {
		if file.Shard != i {
			return nil, fmt.Errorf("synth: shard %d is missing or appears twice", min(i, file.Shard))
		}
		if file.Model != model {
			return nil, errTwoModels
		}
	}
	return all, nil
}

// complete makes sure that as many shards were written as there are.
func complete(all []FileRef, shards int) error {
	if len(all) != shards {
		return fmt.Errorf("synth: %d shards of %d were written", len(all), shards)
	}
	return nil
}

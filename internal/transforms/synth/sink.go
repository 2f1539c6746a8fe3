package synth

import (
	"context"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/kit/wire"
	"github.com/dapple-dp/dapple/internal/transforms/internal/carry"
)

// Sink writes sampled rows. It is opened anew in every DoFn that uses it.
//
// Any call can happen twice, also at the same time: a runner repeats what failed or took long. So shards are written
// under names of their own attempt, and only Publish makes them visible.
type Sink interface {
	// Create begins an attempt at writing one of the shards, shard being 0..shards−1.
	Create(ctx context.Context, shard, shards int) (ShardWriter, error)
	// Publish makes one complete set of shards visible, in the order of their numbers, together with the description
	// of the release. A second call with the same set succeeds and changes nothing.
	Publish(ctx context.Context, files []FileRef, release *Artifact) (Published, error)
}

// ShardWriter writes one shard.
type ShardWriter interface {
	// Write appends the rows of a chunk and does not keep it.
	Write(c *domain.Chunk) error
	// Commit ends the shard and returns what Publish needs to find it.
	Commit() (FileRef, error)
	// Abort discards the attempt. It is not called after Commit.
	Abort()
}

// FileRef is one written shard: its number, rows, bytes and checksums, and where the attempt is staged. Write
// sets its Model, the ModelRef.SHA256 of the release that the rows were sampled from.
//
//	type FileRef struct {
//		Shard  int
//		Rows   int64
//		Bytes  int64
//		CRC32C uint32 // of the whole file, polynomial of Castagnoli
//		SHA256 string // of the whole file, in hexadecimal digits
//		URI    string // where this attempt is staged
//		Model  string // SHA-256 of the release that the rows were sampled from; sinks leave it empty
//	}
type FileRef = dirsink.FileRef

// Published is what a sink has made visible: where, and how many files, rows and bytes.
//
//	type Published struct {
//		URI    string // directory or table
//		Files  int
//		Rows   int64 // -1: not known
//		Bytes  int64
//		People int64  // rows of a table of people beside them; 0: no such table
//		Digest string // SHA-256 of the manifest; empty: no manifest
//	}
type Published = dirsink.Published

// SinkRef names a registered kind of Sink and configures it: plain data that a DoFn can carry.
type SinkRef struct{ Kind, Config string }

var sinks = carry.Registry[Sink]{What: "sink"}

// RegisterSink makes a kind of Sink known, from an init function. It panics if the name is taken.
func RegisterSink(kind string, open func(config string) (Sink, error)) { sinks.Register(kind, open) }

func init() {
	beam.RegisterCoder(reflect.TypeFor[FileRef](), encodeFileRef, decodeFileRef)
	beam.RegisterCoder(reflect.TypeFor[Published](), encodePublished, decodePublished)
	register.Emitter1[FileRef]()
	register.Emitter1[Published]()
	register.Iter1[FileRef]()
}

func encodeFileRef(f FileRef) []byte { return wire.JSON(f) }

func decodeFileRef(b []byte) (f FileRef, err error) {
	err = fromJSON(b, &f)
	return f, err
}

func encodePublished(m Published) []byte { return wire.JSON(m) }

func decodePublished(b []byte) (m Published, err error) {
	err = fromJSON(b, &m)
	return m, err
}

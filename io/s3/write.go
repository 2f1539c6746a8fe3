package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"net/url"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/remote"
)

// partSize is what a writer holds in memory and sends in one request, in bytes: at least 5 MiB, and at most 10,000
// parts make an object. copySize is the size of a copied part, whose bytes do not pass here.
const (
	partSize = 8 << 20
	copySize = 512 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var (
	errAborted = errors.New("the upload was given up")
	errClosed  = errors.New("the object is closed")
)

// condition is what a name must hold when an object is made: version, or nothing.
type condition struct{ match, none *string }

func replacing(version string) condition {
	if version == "" {
		return condition{none: aws.String("*")}
	}
	return condition{match: &version}
}

// upload makes an object of parts. Nothing has its name before complete, and nothing ever does after abort.
type upload struct {
	c           *s3.Client
	bucket, key *string
	id          *string
	parts       []types.CompletedPart
}

func begin(ctx context.Context, c *s3.Client, bucket, key *string) (*upload, error) {
	out, err := c.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{
		Bucket: bucket, Key: key, ContentType: aws.String("application/octet-stream"),
		ChecksumAlgorithm: types.ChecksumAlgorithmCrc32c, ChecksumType: types.ChecksumTypeFullObject,
	})
	if err != nil {
		return nil, err
	}
	return &upload{c: c, bucket: bucket, key: key, id: out.UploadId}, nil
}

// add notes a part. The first is number 1.
func (u *upload) add(etag, crc *string) {
	u.parts = append(u.parts, types.CompletedPart{PartNumber: u.next(), ETag: etag, ChecksumCRC32C: crc})
}

func (u *upload) next() *int32 { return aws.Int32(int32(len(u.parts) + 1)) }

// complete makes the object; crc is the checksum of all of it, nil if it is not known.
func (u *upload) complete(ctx context.Context, on condition, crc *string) error {
	in := &s3.CompleteMultipartUploadInput{
		Bucket: u.bucket, Key: u.key, UploadId: u.id, IfMatch: on.match, IfNoneMatch: on.none,
		MultipartUpload: &types.CompletedMultipartUpload{Parts: u.parts},
	}
	if crc != nil {
		in.ChecksumCRC32C, in.ChecksumType = crc, types.ChecksumTypeFullObject
	}
	_, err := u.c.CompleteMultipartUpload(ctx, in)
	return err
}

// abort frees the parts, which would be paid for. It does what it can.
func (u *upload) abort(ctx context.Context) {
	_ = remote.Watched(context.WithoutCancel(ctx), func(ctx context.Context, _ func()) error {
		_, err := u.c.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: u.bucket, Key: u.key, UploadId: u.id})
		return err
	})
}

// writer writes an object.
type writer struct {
	ctx    context.Context
	name   string
	on     condition
	buf    []byte
	upload *upload // nil until there is more than one part
	size   int64
	crc    uint32
	err    error // the first
}

// Create begins an object that does not exist yet. Most faults show at Close, a missing bucket among them; fs.ErrExist
// is in its error if the name has been taken by another content.
func (system) Create(ctx context.Context, name string) (files.Writer, error) {
	return create(ctx, name, replacing(""))
}

// Replace is Create for a name that may be taken: the object that it has now is replaced at Close, and fs.ErrExist is
// in the error if somebody else has written it meanwhile.
func (system) Replace(ctx context.Context, name string) (files.Writer, error) {
	old, err := cloud.Stat(ctx, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return create(ctx, name, replacing(old.Version))
}

func create(ctx context.Context, name string, on condition) (files.Writer, error) {
	if _, _, _, err := at(ctx, name); err != nil {
		return nil, err
	}
	return &writer{ctx: ctx, name: name, on: on}, nil
}

// Write appends to the object.
func (w *writer) Write(p []byte) (int, error) {
	n := 0
	for len(p) > 0 && w.err == nil {
		if len(w.buf) == partSize {
			if w.err = w.send(); w.err != nil {
				break
			}
		}
		k := min(partSize-len(w.buf), len(p))
		w.buf = append(w.buf, p[:k]...)
		w.size, w.crc = w.size+int64(k), crc32.Update(w.crc, castagnoli, p[:k])
		p, n = p[k:], n+k
	}
	return n, w.err
}

// send sends a part.
func (w *writer) send() error {
	err := remote.Watched(w.ctx, func(ctx context.Context, alive func()) (err error) {
		if w.upload == nil {
			c, bucket, key, err := at(ctx, w.name)
			if err != nil {
				return err
			}
			if w.upload, err = begin(ctx, c, bucket, key); err != nil {
				return err
			}
			alive()
		}
		u, crc := w.upload, encodeCRC(crc32.Checksum(w.buf, castagnoli))
		out, err := u.c.UploadPart(ctx, &s3.UploadPartInput{Bucket: u.bucket, Key: u.key, UploadId: u.id, PartNumber: u.next(),
			Body: bytes.NewReader(w.buf), ChecksumCRC32C: crc})
		if err == nil {
			u.add(out.ETag, crc)
			w.buf = w.buf[:0]
		}
		return err
	})
	return bucketFault(w.name, err)
}

// Close makes the object. After an error of Write no object exists; after an error of Close one may.
func (w *writer) Close() error {
	if w.err != nil {
		w.abandon()
		return w.err
	}
	if w.upload != nil && len(w.buf) > 0 {
		w.err = w.send()
	}
	if w.err == nil {
		w.err = bucketFault(w.name, remote.Watched(w.ctx, func(ctx context.Context, _ func()) error { return w.make(ctx) }))
	}
	if w.err != nil {
		// The answer to a request of ours may have been lost: then the object is the one we wrote.
		if remote.Holds(w.ctx, cloud, w.name, w.size, w.crc) {
			w.err = nil
		} else {
			w.abandon()
			return w.err
		}
	}
	w.err = errClosed
	return nil
}

// make sends the request that makes the object.
func (w *writer) make(ctx context.Context) error {
	crc := encodeCRC(w.crc)
	if w.upload != nil {
		return w.upload.complete(ctx, w.on, crc)
	}
	c, bucket, key, err := at(ctx, w.name)
	if err != nil {
		return err
	}
	_, err = c.PutObject(ctx, &s3.PutObjectInput{Bucket: bucket, Key: key, Body: bytes.NewReader(w.buf), ChecksumCRC32C: crc,
		ContentType: aws.String("application/octet-stream"), IfMatch: w.on.match, IfNoneMatch: w.on.none})
	return err
}

// Abort gives the object up. It does nothing after Close.
func (w *writer) Abort() {
	if w.err == nil {
		w.err = errAborted
		w.abandon()
	}
}

func (w *writer) abandon() {
	if w.upload != nil {
		w.upload.abort(w.ctx)
	}
	w.upload, w.buf = nil, nil
}

// bucketFault is fault for new objects: if those are not found, the bucket is missing.
func bucketFault(name string, err error) error {
	if err = fault(name, err); errors.Is(err, fs.ErrNotExist) {
		bucket, _ := remote.Split(scheme, name)
		return remote.ErrNoBucket(bucket)
	}
	return err
}

// Copy copies the given version of an object to a name that is free, or that holds the object old and nothing newer;
// the zero Info means that it is free. If the target holds the same content already, there is nothing to do.
// fs.ErrExist is in the error if it holds something else, fs.ErrNotExist if the source is gone.
func (system) Copy(ctx context.Context, from files.Info, to string, old files.Info) error {
	if from.Size == 0 { // an upload has no empty part
		w, err := create(ctx, to, replacing(old.Version))
		if err != nil {
			return err
		}
		return w.Close()
	}
	c, bucket, key, err := at(ctx, to)
	if err != nil {
		return err
	}
	if err := cloud.CheckName(from.Name); err != nil {
		return err
	}
	src, path := remote.Split(scheme, from.Name)
	source := aws.String((&url.URL{Path: src + "/" + path}).EscapedPath())
	gone := false
	err = remote.Watched(ctx, func(ctx context.Context, alive func()) error {
		u, err := begin(ctx, c, bucket, key)
		if err != nil {
			return err
		}
		for at := int64(0); at < from.Size; at += copySize {
			alive()
			out, err := c.UploadPartCopy(ctx, &s3.UploadPartCopyInput{
				Bucket: bucket, Key: key, UploadId: u.id, PartNumber: u.next(), CopySource: source, CopySourceIfMatch: &from.Version,
				CopySourceRange: aws.String(fmt.Sprintf("bytes=%d-%d", at, min(at+copySize, from.Size)-1)),
			})
			if err != nil {
				gone = true
				u.abort(ctx)
				return err
			}
			u.add(out.CopyPartResult.ETag, out.CopyPartResult.ChecksumCRC32C)
		}
		alive()
		if err := u.complete(ctx, replacing(old.Version), nil); err != nil {
			u.abort(ctx)
			return err
		}
		return nil
	})
	switch err := bucketFault(to, err); {
	case err == nil:
		return nil
	case gone:
		if err = fault(from.Name, errors.Unwrap(err)); errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s: the object has been replaced: %w", from.Name, fs.ErrNotExist)
		}
		return err
	case remote.Same(ctx, cloud, from, to):
		return nil
	default:
		return err
	}
}

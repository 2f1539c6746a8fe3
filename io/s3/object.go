package s3

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/remote"
)

// Stat returns an object's state, without its content. The error wraps fs.ErrNotExist if no object has that name.
func (system) Stat(ctx context.Context, name string) (files.Info, error) {
	c, bucket, key, err := at(ctx, name)
	if err != nil {
		return files.Info{}, err
	}
	var out *s3.HeadObjectOutput
	err = remote.Watched(ctx, func(ctx context.Context, _ func()) (err error) {
		out, err = c.HeadObject(ctx, &s3.HeadObjectInput{Bucket: bucket, Key: key, ChecksumMode: types.ChecksumModeEnabled})
		if statusOf(err) == http.StatusNotFound { // the answer has no text: the bucket may be missing
			if _, err := c.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: bucket}); statusOf(err) == http.StatusNotFound {
				return &types.NoSuchBucket{}
			}
		}
		return err
	})
	if err != nil {
		return files.Info{}, fault(name, err)
	}
	info := files.Info{Name: name, Size: aws.ToInt64(out.ContentLength), Version: aws.ToString(out.ETag)}
	if out.ChecksumType != types.ChecksumTypeComposite {
		info.CRC32C = decodeCRC(aws.ToString(out.ChecksumCRC32C))
	}
	return info, nil
}

// decodeCRC returns a checksum as the service writes it, or 0 without one.
func decodeCRC(text string) uint32 {
	if b, err := base64.StdEncoding.DecodeString(text); err == nil && len(b) == 4 {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func encodeCRC(crc uint32) *string {
	return aws.String(base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, crc)))
}

// List returns the objects whose names match a pattern; see files.Match. Names that end in "/" stand for directories and
// are left out. They come in the order of their names. Checksums are not known.
func (system) List(ctx context.Context, pattern string) (found []files.Info, err error) {
	bucket, path := remote.Split(scheme, pattern)
	prefix, _, _ := strings.Cut(path, "*")
	err = list(ctx, scheme+bucket+"/"+prefix, nil, func(page *s3.ListObjectsV2Output) {
		for _, o := range page.Contents {
			if key := aws.ToString(o.Key); !strings.HasSuffix(key, "/") && files.Match(path, key) {
				found = append(found, files.Info{Name: scheme + bucket + "/" + key, Size: aws.ToInt64(o.Size), Version: aws.ToString(o.ETag)})
			}
		}
	})
	return found, err
}

// Names lists a directory: what stands up to the next "/" behind dir and a slash, each once, in order. A directory
// that is not there is empty.
func (system) Names(ctx context.Context, dir string) (names []string, err error) {
	dir = strings.TrimSuffix(dir, "/") + "/"
	_, path := remote.Split(scheme, dir)
	add := func(key *string) {
		if name := strings.TrimSuffix(strings.TrimPrefix(aws.ToString(key), path), "/"); name != "" {
			names = append(names, name)
		}
	}
	err = list(ctx, dir, aws.String("/"), func(page *s3.ListObjectsV2Output) {
		for _, o := range page.Contents {
			add(o.Key)
		}
		for _, p := range page.CommonPrefixes {
			add(p.Prefix)
		}
	})
	slices.Sort(names)
	return slices.Compact(names), err
}

// list visits the objects whose names begin with prefix, a page at a time; with a delimiter, up to it.
func list(ctx context.Context, prefix string, delimiter *string, visit func(*s3.ListObjectsV2Output)) error {
	c, bucket, key, err := at(ctx, prefix)
	if err != nil {
		return err
	}
	err = remote.Watched(ctx, func(ctx context.Context, alive func()) error {
		pages := s3.NewListObjectsV2Paginator(c, &s3.ListObjectsV2Input{Bucket: bucket, Prefix: key, Delimiter: delimiter})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				return err
			}
			visit(page)
			alive()
		}
		return nil
	})
	return fault(prefix, err)
}

// Open reads length bytes of an object from offset; a length below 0 means up to its end. It is an error,
// fs.ErrNotExist, if the object has been replaced or removed since o was looked at.
func (system) Open(ctx context.Context, o files.Info, offset, length int64) (io.ReadCloser, error) {
	c, bucket, key, err := at(ctx, o.Name)
	if err != nil {
		return nil, err
	}
	in := &s3.GetObjectInput{Bucket: bucket, Key: key}
	if o.Version != "" {
		in.IfMatch = &o.Version
	}
	switch {
	case length == 0:
		return io.NopCloser(strings.NewReader("")), nil
	case length > 0:
		in.Range = aws.String(fmt.Sprintf("bytes=%d-%d", offset, offset+length-1))
	case offset > 0:
		in.Range = aws.String(fmt.Sprintf("bytes=%d-", offset))
	}
	r, err := remote.Open(ctx, func(ctx context.Context) (io.ReadCloser, error) {
		out, err := c.GetObject(ctx, in)
		if statusOf(err) == http.StatusRequestedRangeNotSatisfiable { // nothing follows
			return io.NopCloser(strings.NewReader("")), nil
		}
		if err != nil {
			return nil, err
		}
		return out.Body, nil
	})
	if err = fault(o.Name, err); errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s: the object has been replaced: %w", o.Name, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Remove removes the given version of an object. That it is gone already is no error: the answer to the request that
// removed it may have been lost. fs.ErrExist is in the error if the name holds another version.
func (system) Remove(ctx context.Context, o files.Info) error {
	c, bucket, key, err := at(ctx, o.Name)
	if err != nil {
		return err
	}
	in := &s3.DeleteObjectInput{Bucket: bucket, Key: key}
	if o.Version != "" {
		in.IfMatch = &o.Version
	}
	err = fault(o.Name, remote.Watched(ctx, func(ctx context.Context, _ func()) error {
		_, err := c.DeleteObject(ctx, in)
		return err
	}))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

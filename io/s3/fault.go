package s3

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"

	"github.com/dapple-dp/dapple/internal/io/remote"
)

// fault words an error of the client library, whose texts hold names and no contents of objects. It begins with the
// name; a prefix is the caller's, which knows what the object is for.
func fault(name string, err error) error {
	if err == nil {
		return nil
	}
	bucket, _ := remote.Split(scheme, name)
	code := ""
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		code = api.ErrorCode()
	}
	var signing *v4.SigningError
	switch status := statusOf(err); {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, remote.ErrSlow), errors.Is(err, remote.ErrStalled):
		return fmt.Errorf("%s: %w", name, err)
	case code == "NoSuchBucket":
		return remote.ErrNoBucket(bucket)
	case status == http.StatusNotFound:
		return fmt.Errorf("%s: no such object: %w", name, fs.ErrNotExist)
	case status == http.StatusPreconditionFailed, status == http.StatusConflict:
		return fmt.Errorf("%s: the object is there already, or has changed: %w", name, fs.ErrExist)
	case status == http.StatusForbidden, status == http.StatusUnauthorized:
		return fmt.Errorf("%s: not allowed; grant s3:ListBucket on bucket %q, and s3:GetObject, and to write s3:PutObject, s3:DeleteObject and s3:AbortMultipartUpload on %s/*: %w",
			name, bucket, bucket, fs.ErrPermission)
	case status == http.StatusMovedPermanently:
		return fmt.Errorf("%s: bucket %q is in another region; set AWS_REGION to it", name, bucket)
	case errors.As(err, &signing):
		return fmt.Errorf("%s: no credentials; run aws configure, or set AWS_PROFILE: %w", name, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// statusOf returns the status of the answer that an error comes from, or 0.
func statusOf(err error) int {
	if answer, ok := errors.AsType[*awshttp.ResponseError](err); ok {
		return answer.HTTPStatusCode()
	}
	return 0
}

package gs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"

	"cloud.google.com/go/storage"
	"google.golang.org/api/googleapi"

	"github.com/dapple-dp/dapple/internal/io/remote"
)

// fault words an error of the client library, whose texts hold names and no contents of objects. It
// begins with the name; a prefix is the caller's, which knows what the object is for.
func fault(name string, err error) error {
	bucket, _ := split(name)
	var api *googleapi.Error
	code := 0
	if errors.As(err, &api) {
		code = api.Code
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: %w", name, err)
	case errors.Is(err, storage.ErrBucketNotExist), code == http.StatusNotFound && noBucket(api):
		return remote.ErrNoBucket(bucket)
	case errors.Is(err, storage.ErrObjectNotExist), code == http.StatusNotFound:
		return fmt.Errorf("%s: no such object: %w", name, fs.ErrNotExist)
	case code == http.StatusPreconditionFailed:
		return fmt.Errorf("%s: the object is there already, or has changed: %w", name, fs.ErrExist)
	case code == http.StatusForbidden, code == http.StatusUnauthorized:
		return fmt.Errorf("%s: not allowed; grant this account roles/storage.objectUser on bucket %q (objectViewer to read only): %w",
			name, bucket, fs.ErrPermission)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// bucketFault is fault for lists and new objects: if those are not found, the bucket is missing.
func bucketFault(name string, err error) error {
	if err = fault(name, err); errors.Is(err, fs.ErrNotExist) {
		bucket, _ := split(name)
		return remote.ErrNoBucket(bucket)
	}
	return err
}

// noBucket tells a missing bucket from a missing object: both are 404, and the text alone differs.
func noBucket(err *googleapi.Error) bool {
	text := strings.ToLower(err.Message + err.Body)
	return strings.Contains(text, "bucket does not exist") || strings.Contains(text, "bucket not found")
}

package bigqueryio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"testing"

	"cloud.google.com/go/bigquery"
	"google.golang.org/api/googleapi"
)

// A request is repeated where the service or the connection failed, and nowhere else.
func TestPassing(t *testing.T) {
	post := func(err error) error { return &url.Error{Op: "Post", URL: "http://127.0.0.1", Err: err} }
	for _, c := range []struct {
		err  error
		want bool
	}{
		{post(io.EOF), true},
		{fmt.Errorf("later: %w", io.ErrUnexpectedEOF), true},
		{&googleapi.Error{Code: 502}, true},
		{&googleapi.Error{Code: 429}, true},
		{&googleapi.Error{Code: 408}, true},
		{&googleapi.Error{Code: 403, Errors: []googleapi.ErrorItem{{Reason: "rateLimitExceeded"}}}, true},
		{&googleapi.Error{Code: 403, Errors: []googleapi.ErrorItem{{Reason: "accessDenied"}}}, false},
		{&bigquery.Error{Reason: "internalError"}, true},
		{&bigquery.Error{Reason: "invalid"}, false},
		{post(context.Canceled), false},
		{post(&fs.PathError{Op: "read", Path: "part", Err: errors.New("input/output error")}), false},
		{fileFault{io.ErrUnexpectedEOF}, false},
		{errors.New("any other"), false},
	} {
		if got := passing(c.err); got != c.want {
			t.Errorf("%v: got %v", c.err, got)
		}
	}
}

package bigqueryio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"slices"

	"cloud.google.com/go/bigquery"
)

// passing reports whether the same request may succeed later: the service or the connection failed.
func passing(err error) bool {
	if r, ok := refusalOf(err); ok {
		return r.transient() || r.code == http.StatusTooManyRequests || r.code == http.StatusRequestTimeout
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || is[fileFault](err) || is[*fs.PathError](err) {
		return false
	}
	return is[*url.Error](err) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// fileFault is a fault of a staged file on this machine, which repeating the load does not fix.
type fileFault struct{ error }

func (f fileFault) Unwrap() error { return f.error }

// is reports whether err wraps an E.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func missing(err error) bool {
	r, ok := refusalOf(err)
	return ok && r.code == http.StatusNotFound
}

// because returns the part of a failure that may be shown: messages of jobs can quote cells, so none is shown, only
// the code, the reason, and the place if that is one of the staged files.
func (l *loading) because(err error) error {
	r, ok := refusalOf(err)
	reason := cmp.Or(r.reason, "(no reason given)")
	switch {
	case !ok:
		return err
	case r.code != 0:
		return fmt.Errorf("%d %s%s", r.code, reason, remedies[r.reason])
	}
	at := ""
	if job, ok := errors.AsType[*bigquery.Error](err); ok && slices.Contains(l.uris, job.Location) {
		at = " at " + job.Location
	}
	return fmt.Errorf("%s%s%s", reason, at, remedies[r.reason])
}

const quotaUsedUp = "; a quota is used up: wait, or have it raised"

// remedies are advice on a load that was refused, by the reason.
var remedies = map[string]string{
	"accessDenied":         "; writing needs the roles BigQuery Data Editor on the dataset, BigQuery Job User on the project, and Storage Object Viewer on staged files",
	"notFound":             "; the dataset or a staged file is not there, or may not be seen",
	"quotaExceeded":        quotaUsedUp,
	"rateLimitExceeded":    quotaUsedUp,
	"jobRateLimitExceeded": quotaUsedUp,
	"billingNotEnabled":    "; see to the billing of the project",
	"authError":            "; the credentials were not taken: log in, or set GOOGLE_APPLICATION_CREDENTIALS",
	"stopped":              "; somebody cancelled the job",
}

// notEmpty is the error of a table that holds rows and should not.
func (s Sink) notEmpty() error {
	return fmt.Errorf("bigquery: %s is not empty; choose another table or set write=truncate", s.Table)
}

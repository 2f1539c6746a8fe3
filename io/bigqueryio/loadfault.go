package bigqueryio

import (
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
	var local fileFault
	var path *fs.PathError
	if ended(err) || errors.As(err, &local) || errors.As(err, &path) {
		return false
	}
	var request *url.Error
	return errors.As(err, &request) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// fileFault is a fault of a staged file on this machine, which repeating the load does not fix.
type fileFault struct{ error }

func (f fileFault) Unwrap() error { return f.error }

// ended reports whether err is that of a context.
func ended(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func missing(err error) bool {
	r, ok := refusalOf(err)
	return ok && r.code == http.StatusNotFound
}

// because returns the part of a failure that may be shown: messages of jobs can quote cells, so none is shown, only
// the code, the reason, and the place if that is one of the staged files.
func (l *loading) because(err error) error {
	r, ok := refusalOf(err)
	switch {
	case !ok:
		return err
	case r.code != 0:
		return fmt.Errorf("%d %s%s", r.code, orNone(r.reason), remedy(r))
	}
	return fmt.Errorf("%s%s%s", orNone(r.reason), l.place(err), remedy(r))
}

func orNone(reason string) string {
	if reason == "" {
		return "(no reason given)"
	}
	return reason
}

// place returns where the service sees the fault.
func (l *loading) place(err error) string {
	var job *bigquery.Error
	if errors.As(err, &job) && slices.Contains(l.uris, job.Location) {
		return " at " + job.Location
	}
	return ""
}

// remedy returns advice on a load that was refused.
func remedy(r refusal) string {
	switch r.reason {
	case "accessDenied":
		return "; writing needs the roles BigQuery Data Editor on the dataset, BigQuery Job User on the project, and Storage Object Viewer on staged files"
	case "notFound":
		return "; the dataset or a staged file is not there, or may not be seen"
	case "quotaExceeded", "rateLimitExceeded", "jobRateLimitExceeded":
		return "; a quota is used up: wait, or have it raised"
	case "billingNotEnabled":
		return "; see to the billing of the project"
	case "authError":
		return "; the credentials were not taken: log in, or set GOOGLE_APPLICATION_CREDENTIALS"
	case "stopped":
		return "; somebody cancelled the job"
	}
	return ""
}

// notEmpty is the error of a table that holds rows and should not.
func (s Sink) notEmpty() error {
	return fmt.Errorf("bigquery: %s is not empty; choose another table or set write=truncate", s.Table)
}

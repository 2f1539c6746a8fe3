package bigqueryio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"cloud.google.com/go/bigquery"
	"google.golang.org/api/googleapi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// refusal is the part of a service's error that may be shown: not its message, because messages quote cells.
type refusal struct {
	code             int // of HTTP; 0: none
	reason, location string
}

// refusalOf returns the refusal in err; ok is false if err is not the service's.
func refusalOf(err error) (r refusal, ok bool) {
	if e := (*googleapi.Error)(nil); errors.As(err, &e) {
		r.code = e.Code
		if len(e.Errors) > 0 {
			r.reason = token(e.Errors[0].Reason)
		}
		return r, true
	}
	if e := (*bigquery.Error)(nil); errors.As(err, &e) {
		return refusal{reason: token(e.Reason), location: token(e.Location)}, true
	}
	if s, isStatus := status.FromError(err); isStatus && s.Code() != codes.Unknown && s.Code() != codes.OK {
		return refusal{reason: grpcReason(s.Code())}, true
	}
	return refusal{}, false
}

// token lets through single words, which reasons and locations are.
func token(s string) string {
	if len(s) > 64 || strings.Trim(s, letters+"_") != "" {
		return ""
	}
	return s
}

// grpcReason gives a status of the Storage Read API the name that the other API has for it.
func grpcReason(c codes.Code) string { return cmp.Or(grpcReasons[c], c.String()) }

var grpcReasons = map[codes.Code]string{codes.NotFound: "notFound", codes.PermissionDenied: "accessDenied",
	codes.Unauthenticated: "authError", codes.ResourceExhausted: "quotaExceeded", codes.InvalidArgument: "invalid"}

func (r refusal) String() string {
	s := cmp.Or(r.reason, "no reason given")
	if r.code != 0 {
		s = fmt.Sprintf("%d %s", r.code, s)
	}
	if r.location != "" {
		s += " at " + r.location
	}
	if fix := r.fix(); fix != "" {
		s += "; " + fix
	}
	return s
}

// fix returns advice.
func (r refusal) fix() string {
	switch {
	case r.reason == "responseTooLarge":
		return "the result is too large for a query; read it by the Storage Read API"
	case r.reason == "quotaExceeded", r.reason == "rateLimitExceeded", r.reason == "jobRateLimitExceeded":
		return "a quota is used up; wait, or have it raised"
	case r.reason == "billingNotEnabled", r.reason == "billingTierLimitExceeded":
		return "see to the billing of the project"
	case r.reason == "accessDenied", r.code == 403:
		return "reading needs the roles BigQuery Data Viewer on the dataset, and Job User and Read Session User on the billed project"
	case r.reason == "authError", r.code == 401:
		return "the credentials were not taken; log in, or set GOOGLE_APPLICATION_CREDENTIALS"
	case r.reason == "notFound", r.code == 404:
		return "nothing has this name, or permission to see it is missing"
	case r.reason == "invalidQuery":
		return "have the table's columns changed since the run was planned?"
	case r.reason == "stopped":
		return "somebody cancelled the job"
	}
	return ""
}

// transient reports whether the same request may succeed later.
func (r refusal) transient() bool {
	switch r.reason {
	case "backendError", "internalError", "rateLimitExceeded", "jobRateLimitExceeded", "Unavailable", "Internal", "Aborted":
		return true
	}
	return r.code >= 500
}

// shown returns an error about what, with no part of err that could be a cell: only codes, reasons, places,
// addresses.
func shown(what string, err error) error {
	if err == nil {
		return nil
	}
	for _, end := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, end) {
			return fmt.Errorf("bigquery: %s: %w", what, end)
		}
	}
	if r, ok := refusalOf(err); ok {
		return fmt.Errorf("bigquery: %s: %s", what, r)
	}
	if e := (*net.OpError)(nil); errors.As(err, &e) {
		return fmt.Errorf("bigquery: %s: the service cannot be reached: %w", what, e)
	}
	return fmt.Errorf("bigquery: %s: the client failed (%T)", what, err)
}

// errNoAnswer is the error of a request at launch that timed out.
var errNoAnswer = errors.New("the service does not answer; is it within reach of this machine? try again later")

// unanswered returns errNoAnswer if err means that the time for a request is up, else err.
func unanswered(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return errNoAnswer
	}
	return err
}

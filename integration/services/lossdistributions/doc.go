// Package lossdistributions checks that the figures of another library, with which the accountant is compared, are what
// that library says. Tests only.
package lossdistributions

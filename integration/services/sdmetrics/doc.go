// Package sdmetrics checks that the figures of evaluate that carry SDMetrics' names are SDMetrics' own. Tests only.
package sdmetrics

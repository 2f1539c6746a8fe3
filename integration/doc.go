// Package integration holds the tests that look at the whole project: who may import whom, whole
// pipelines on real tables, and the figures that the product must reach.
package integration

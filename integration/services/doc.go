// Package services holds what tests of dapple against the services and the readers of others share: the
// emulators of BigQuery and Cloud Storage, and where to find them. It is a module of its own, because
// what it needs is large and no user of dapple should download it.
package services

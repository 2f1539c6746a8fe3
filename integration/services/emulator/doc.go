// Package emulator pins the emulator of BigQuery that tests run against. It is a module of its own, and
// it holds no code: the emulator's author publishes no versions that `go install` finds by itself.
//
//	cd integration/services/emulator
//	go build -o ../../../bin/bigquery-emulator github.com/goccy/bigquery-emulator/cmd/bigquery-emulator
//	export BQ_EMULATOR_BIN=$PWD/../../../bin/bigquery-emulator
//
// The build takes 11 minutes of CPU time and 5 GB of memory, and needs no C compiler. Tests that need
// the emulator are skipped where BQ_EMULATOR_BIN is not set.
package emulator

// Package bigqueryio reads tables of Google BigQuery and writes them.
package bigqueryio

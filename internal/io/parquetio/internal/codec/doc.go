// Package codec writes Parquet files, and reads their footers and pages, which the readers of arrow-go decode to arrays.
//
// It knows Parquet's physical and logical types, and nothing of what the numbers mean. Package parquetio maps them to the attributes of a domain, and says
// what is measured of both and which libraries are used for what.
package codec

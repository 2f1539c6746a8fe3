package parquetio

import (
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/dapple-dp/dapple/dp/domain"
)

// typeRow says how the values of a type are written.
type typeRow struct {
	physical parquet.Type
	logical  func(c *column) schema.LogicalType
}

// types has a row for every type.
var types = [...]typeRow{
	domain.String:  {parquet.Types.ByteArray, always(schema.StringLogicalType{})},
	domain.Float64: {parquet.Types.Double, always(schema.NoLogicalType{})},
	domain.Int64:   {parquet.Types.Int64, always(schema.NewIntLogicalType(64, true))},
	domain.Numeric: {parquet.Types.FixedLenByteArray, func(c *column) schema.LogicalType {
		return schema.NewDecimalLogicalType(int32(c.digits), int32(c.places))
	}},
	domain.Bool:      {parquet.Types.Boolean, always(schema.NoLogicalType{})},
	domain.Date:      {parquet.Types.Int32, always(schema.DateLogicalType{})},
	domain.Timestamp: {parquet.Types.Int64, always(schema.NewTimestampLogicalType(true, schema.TimeUnitMicros))},
	domain.DateTime:  {parquet.Types.Int64, always(schema.NewTimestampLogicalType(false, schema.TimeUnitMicros))},
	domain.Time:      {parquet.Types.Int64, always(schema.NewTimeLogicalType(false, schema.TimeUnitMicros))},
}

// always is the logical type of every column of a type.
func always(t schema.LogicalType) func(*column) schema.LogicalType {
	return func(*column) schema.LogicalType { return t }
}

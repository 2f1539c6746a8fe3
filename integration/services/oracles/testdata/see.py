"""Prints what pyarrow and Polars see in the Parquet files of a directory: FILE.pyarrow.json, FILE.polars.json.

Cells are printed in the native unit: days, microseconds, multiples of 10^-9, the bits of a float64.
"""
import json
import math
import pathlib
import struct
import sys

import polars
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

NULL = "NULL"


def bits(x):
    return "nan" if math.isnan(x) else struct.pack(">d", x).hex()


def unscaled(x):
    sign, digits, exponent = x.as_tuple()
    n = int("".join(map(str, digits))) * 10 ** (9 + exponent)
    return str(-n if sign else n)


def cells(column):
    t = column.type
    if pa.types.is_dictionary(t):
        column, t = column.cast(t.value_type), t.value_type
    if pa.types.is_date32(t):
        column = column.cast(pa.int32())
    elif pa.types.is_timestamp(t) or pa.types.is_time64(t):
        column = column.cast(type(t) is pa.Time64Type and pa.time64("us") or pa.timestamp("us", t.tz)).cast(pa.int64())
    elif pa.types.is_boolean(t):
        column = column.cast(pa.int8())
    to_text = bits if pa.types.is_floating(t) else unscaled if pa.types.is_decimal(t) else str
    return [NULL if x is None else to_text(x) for x in column.to_pylist()]


def end(value, t):
    if pa.types.is_floating(t):
        return bits(value)
    if pa.types.is_decimal(t):
        return unscaled(value)
    return cells(pa.array([value], t))[0]


def footer(stats, t):
    f = {"nulls": stats.null_count if stats.has_null_count else None, "min": None, "max": None}
    if stats.has_min_max:
        f["min"], f["max"] = end(stats.min, t), end(stats.max, t)
    return f


def total(column, t):
    if not pa.types.is_integer(t) or len(column) == column.null_count:
        return None
    return pc.sum(column.cast(pa.float64(), safe=False)).as_py()


def see_pyarrow(path):
    file = pq.ParquetFile(path)
    table, schema, meta = file.read(), file.schema, file.metadata
    columns = []
    for i, field in enumerate(file.schema_arrow):
        chunks = [meta.row_group(g).column(i) for g in range(meta.num_row_groups)]
        columns.append({
            "name": field.name, "type": str(field.type), "optional": schema.column(i).max_definition_level == 1,
            "cells": cells(table.column(i)), "sum": total(table.column(i), field.type),
            "footer": [footer(c.statistics, field.type) for c in chunks],
        })
    return {"rows": meta.num_rows, "groups": meta.num_row_groups, "columns": columns}


def see_polars(path):
    frame = polars.read_parquet(path)
    table = frame.to_arrow()
    return {"rows": frame.height, "columns": [
        {"name": name, "type": str(frame.schema[name]), "cells": cells(table.column(name))} for name in frame.columns]}


for path in sorted(pathlib.Path(sys.argv[1]).glob("*.parquet")):
    for name, see in (("pyarrow", see_pyarrow), ("polars", see_polars)):
        path.with_suffix(f".{name}.json").write_text(json.dumps(see(path)))

"""Reads files of several formats that hold one table, and compares them with its Parquet file.

usage: seeformats.py TABLE.parquet FILE …
"""
import sys

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

want = pq.read_table(sys.argv[1])
rows = want.to_pylist()
for name in sys.argv[2:]:
    if name.endswith(".arrow"):
        got = feather.read_table(name)
        assert got.column_names == want.column_names, got.column_names
        assert got.to_pylist() == rows, name
        for field in got.schema:
            kind = want.schema.field(field.name).type
            assert field.type == kind or pa.types.is_decimal(kind) and field.type.scale == kind.scale, (field, kind)
        assert pl.read_ipc(name, memory_map=False).height == len(rows)
    else:
        columns = duckdb.sql(f"describe from '{sys.argv[1]}'").fetchall()
        casts = ", ".join(f"{c[0]}::{c[1]} as {c[0]}" for c in columns)
        texts = ", ".join(f"{c[0]}: 'VARCHAR'" for c in columns)
        for a, b in (("from got", "from want"), ("from want", "from got")):
            got = f"with got as (select {casts} from read_json('{name}', format = 'newline_delimited', columns = {{{texts}}})), want as (from '{sys.argv[1]}')"
            assert duckdb.sql(f"{got} ({a}) except all ({b})").fetchall() == [], name

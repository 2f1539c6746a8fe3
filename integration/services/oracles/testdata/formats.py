"""Writes one table, a Parquet file, in formats that others have, each in the ways that their software writes it.

usage: formats.py TABLE.parquet DIR
"""
import json
import os
import sys

import duckdb
import fastavro
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

source, out = sys.argv[1:]
os.makedirs(out, exist_ok=True)
table = pq.read_table(source)
frame = pl.read_parquet(source)
at = lambda name: os.path.join(out, name)

# Arrow files.
for codec in ("uncompressed", "lz4", "zstd"):
    feather.write_feather(table, at(f"pyarrow-{codec}.feather"), compression=codec, chunksize=97)
with pa.ipc.new_file(at("pyarrow.arrow"), table.schema) as w:
    w.write_table(table, max_chunksize=100)
dictionaries = table.set_column(0, "s", table["s"].combine_chunks().dictionary_encode())
feather.write_feather(dictionaries, at("pyarrow-dictionary.arrow"))
large = table.set_column(0, "s", table["s"].cast(pa.large_string())).set_column(1, "u", table["u"].cast(pa.string_view()))
feather.write_feather(large, at("pyarrow-large-and-views.arrow"), compression="uncompressed")
narrow = table.set_column(2, "i", table["i"].cast(pa.uint8())).set_column(8, "dt", table["dt"].cast(pa.timestamp("s")))
narrow = narrow.set_column(9, "ts", table["ts"].cast(pa.timestamp("ns", "Europe/Berlin"))).set_column(10, "ti", table["ti"].cast(pa.time32("s")))
feather.write_feather(narrow, at("pyarrow-narrow.arrow"))
frame.write_ipc(at("polars.arrow"))
frame.write_ipc(at("polars-lz4.arrow"), compression="lz4")
frame.with_columns(pl.col("s").cast(pl.Categorical)).write_ipc(at("polars-categorical.arrow"), compat_level=pl.CompatLevel.oldest())

# JSON lines. DuckDB writes all of them, Polars no times.
duckdb.sql(f"copy (from '{source}') to '{at('duckdb.jsonl')}' (format json)")
duckdb.sql(f"copy (from '{source}') to '{at('duckdb.json.gz')}' (format json, compression gzip)")
frame.write_ndjson(at("polars.ndjson"))
with open(at("python.jsonl"), "w") as f:
    for row in table.to_pylist():
        print(json.dumps(row, default=str), file=f)  # not ASCII is escaped

# Avro.
def union(kind):
    return ["null", kind]

local = {"type": "long", "logicalType": "local-timestamp-micros"}
utc = {"type": "long", "logicalType": "timestamp-micros"}
fields = {"s": "string", "u": "string", "i": "int", "big": "long", "f": "double",
          "d": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}, "b": "boolean",
          "da": {"type": "int", "logicalType": "date"}, "dt": local, "ts": utc, "ti": {"type": "long", "logicalType": "time-micros"}}
schema = fastavro.parse_schema({"type": "record", "name": "t", "namespace": "a.b",
                                "fields": [{"name": name, "type": union(kind)} for name, kind in fields.items()]})
rows = table.to_pylist()
for codec in ("null", "deflate", "bzip2"):
    with open(at(f"fastavro-{codec}.avro"), "wb") as f:
        fastavro.writer(f, schema, rows, codec=codec, sync_interval=3000)
fixed = {"type": "fixed", "name": "cents", "size": 5, "logicalType": "decimal", "precision": 9, "scale": 2}
fields.update(d=fixed, dt={"type": "long", "logicalType": "local-timestamp-millis"}, ts={"type": "long", "logicalType": "timestamp-millis"})
schema = fastavro.parse_schema({"type": "record", "name": "t", "fields": [{"name": "nested", "type": {"type": "map", "values": {"type": "array", "items": "t"}}}]
                                + [{"name": name, "type": [kind, "null"]} for name, kind in fields.items()]})
with open(at("fastavro-fixed.avro"), "wb") as f:
    fastavro.writer(f, schema, [dict(row, nested={"x": []}) for row in rows])

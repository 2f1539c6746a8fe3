"""Writes the kinds of Parquet files that other software makes: kinds.py DIRECTORY WRITER...

Each writer makes a file of all its types with each of its codecs, NAME.parquet, and says in NAME.json what its
columns are: how they are called, as which type of a domain they are meant, and their cells in the native unit of
that type: days, microseconds, hundredths, the bits of a float64. What a type of a domain does not hold is meant as
none.
"""
import datetime as dt
import decimal
import json
import math
import pathlib
import struct
import sys
import uuid

NULL, NONE = "NULL", ""
D, UTC = decimal.Decimal, dt.timezone.utc
EPOCH = dt.datetime(1970, 1, 1)

BOOLS = [True, False, None]
TEXTS = ["Büro", "", None]
BYTES = ["Büro".encode(), b"", None]
FLOATS = [1.5, -0.0, None]
WHOLES = [2.0, -3.0, None]
DECIMALS = [D("1234567.89"), D("-0.01"), None]
DATES = [dt.date(2020, 2, 29), dt.date(1969, 12, 31), None]
TIMES = [dt.time(23, 59, 59), dt.time(0, 0, 1), None]
STAMPS = [dt.datetime(2020, 2, 29, 1, 2, 3), dt.datetime(1969, 12, 31, 23, 59, 59), None]
INSTANTS = [x and x.replace(tzinfo=UTC) for x in STAMPS]
SPANS = [dt.timedelta(seconds=5), dt.timedelta(seconds=-7), None]
UUIDS = [uuid.UUID(int=0), uuid.UUID("123e4567-e89b-12d3-a456-426614174000"), None]
NULLS = [None, None, None]


def whole(bits, signed=True):
    lo, hi = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    return [lo, hi, None]


def native(x, kind):
    if x is None:
        return NULL
    if kind == "BOOL":
        return str(int(x))
    if kind == "INT64" and isinstance(x, dt.timedelta):
        return str(x // dt.timedelta(microseconds=1))
    if kind == "INT64" and isinstance(x, float):
        return struct.pack(">d", x).hex()  # as it is in the file: the domain makes a number of it
    if kind == "INT64":
        return str(x) if x < 2**63 else "beyond the type"  # of attributes: a privacy ID keeps all its digits
    if kind == "FLOAT64":
        return "nan" if math.isnan(x) else struct.pack(">d", x).hex()
    if kind == "NUMERIC":
        return str(int(x.scaleb(2)))
    if kind == "DATE":
        return str((x - EPOCH.date()).days)
    if kind == "TIME":
        return str((dt.datetime.combine(EPOCH, x) - EPOCH) // dt.timedelta(microseconds=1))
    if kind in ("DATETIME", "TIMESTAMP"):
        return str((x.replace(tzinfo=None) - EPOCH) // dt.timedelta(microseconds=1))
    return x.decode() if isinstance(x, bytes) else str(x)


class File:
    """The columns of one file: what the table of the README calls them, what they are meant as, their values."""

    def __init__(self, out, writer, codec, stored=None):
        self.base, self.writer, self.codec, self.stored = out / f"{writer}_{codec}", writer, codec, stored or codec
        self.columns = []

    def add(self, label, kind, values, type=None):
        self.columns.append((f"c{len(self.columns)}", label, kind, values, type))

    def finish(self):
        columns = [
            {"name": name, "label": label, "kind": kind, "cells": [native(v, kind) for v in values] if kind else []}
            for name, label, kind, values, _ in self.columns
        ]
        said = {"writer": self.writer, "codec": self.stored, "columns": columns}
        self.base.with_suffix(".json").write_text(json.dumps(said))

    @property
    def path(self):
        return str(self.base.with_suffix(".parquet"))


def integers(f, types):
    for bits in (8, 16, 32, 64):
        f.add(f"int{bits}", "INT64", whole(bits), types(f"int{bits}"))
    for bits in (8, 16, 32, 64):
        f.add(f"uint{bits}", "INT64", whole(bits, False), types(f"uint{bits}"))


def pyarrow(out):
    import pyarrow as pa
    import pyarrow.parquet as pq

    for codec in ("none", "snappy", "gzip", "brotli", "zstd", "lz4"):
        f = File(out, "pyarrow", codec, {"lz4": "LZ4_RAW"}.get(codec))
        f.add("bool", "BOOL", BOOLS, pa.bool_())
        integers(f, lambda name: getattr(pa, name)())
        f.add("float16", "FLOAT64", FLOATS, pa.float16())
        f.add("float32", "FLOAT64", FLOATS, pa.float32())
        f.add("float64", "FLOAT64", FLOATS, pa.float64())
        f.add("float64 of whole numbers, as INT64", "INT64", WHOLES, pa.float64())
        for t in (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())):
            f.add("string", "STRING", TEXTS, t)
        f.add("bytes", "STRING", BYTES, pa.binary())
        f.add("bytes of one length", NONE, [b"abcd", None, None], pa.binary(4))
        f.add("JSON", "STRING", ['{"a": 1}', "[]", None], pa.json_())
        f.add("UUID", "STRING", UUIDS, pa.uuid())
        for p in (9, 18, 38):
            f.add(f"decimal({p}, 2)", "NUMERIC", DECIMALS, pa.decimal128(p, 2))
        f.add("decimal(76, 38)", NONE, DECIMALS, pa.decimal256(76, 38))
        f.add("date", "DATE", DATES, pa.date32())
        f.add("time", "TIME", TIMES, pa.time32("ms"))
        f.add("time", "TIME", TIMES, pa.time64("us"))
        f.add("time", "TIME", TIMES, pa.time64("ns"))
        for unit in ("s", "ms", "us", "ns"):
            f.add("timestamp", "DATETIME", STAMPS, pa.timestamp(unit))
            f.add("timestamp with zone", "TIMESTAMP", INSTANTS, pa.timestamp(unit, "UTC"))
        f.add("duration", "INT64", SPANS, pa.duration("us"))
        f.add("null", "STRING", NULLS, pa.null())
        f.add("null", "NUMERIC", NULLS, pa.null())
        f.add("list", NONE, [[1], None, None], pa.list_(pa.int64()))
        f.add("struct", NONE, [{"a": 1}, None, None], pa.struct({"a": pa.int64()}))
        f.add("map", NONE, [[("a", 1)], None, None], pa.map_(pa.string(), pa.int64()))
        def column(values, t):
            if t.id in (pa.uuid().id,) and isinstance(t, pa.ExtensionType) and t == pa.uuid():
                values = [x and x.bytes for x in values]
                return pa.ExtensionArray.from_storage(t, pa.array(values, pa.binary(16)))
            if isinstance(t, pa.BaseExtensionType):
                return pa.ExtensionArray.from_storage(t, pa.array(values, t.storage_type))
            return pa.array(values, t)
        table = pa.table({name: column(v, t) for name, _, _, v, t in f.columns})
        pq.write_table(table, f.path, compression=codec, write_page_checksum=codec in ("none", "zstd"))
        f.finish()
    f = File(out, "pyarrow", "int96", "snappy")
    f.add("INT96", "DATETIME", STAMPS)
    f.add("INT96", "TIMESTAMP", INSTANTS)
    table = pa.table({name: pa.array(v, pa.timestamp("ns", v[0].tzinfo and "UTC")) for name, _, _, v, _ in f.columns})
    pq.write_table(table, f.path, use_deprecated_int96_timestamps=True)
    f.finish()


def duckdb(out):
    import duckdb

    for codec in ("uncompressed", "snappy", "gzip", "brotli", "zstd", "lz4_raw"):
        f = File(out, "DuckDB", codec, {"uncompressed": "none", "lz4_raw": "LZ4_RAW"}.get(codec))
        f.add("bool", "BOOL", BOOLS, "boolean")
        names = {"int8": "tinyint", "int16": "smallint", "int32": "integer", "int64": "bigint"}
        integers(f, lambda name: "u" + names[name[1:]] if name[0] == "u" else names[name])
        f.add("int128, in the file float64", "FLOAT64", [1, -2, None], "hugeint")
        f.add("float32", "FLOAT64", FLOATS, "float")
        f.add("float64", "FLOAT64", FLOATS, "double")
        f.add("float64 of whole numbers, as INT64", "INT64", WHOLES, "double")
        f.add("string", "STRING", TEXTS, "varchar")
        f.add("string", "STRING", TEXTS, "enum ('Büro', '')")
        f.add("bytes", "STRING", BYTES, "blob")
        f.add("JSON", "STRING", ['{"a": 1}', "[]", None], "json")
        f.add("UUID", "STRING", UUIDS, "uuid")
        for p in (9, 18, 38):
            f.add(f"decimal({p}, 2)", "NUMERIC", DECIMALS, f"decimal({p}, 2)")
        f.add("date", "DATE", DATES, "date")
        f.add("time", "TIME", TIMES, "time")
        for t in ("timestamp_s", "timestamp_ms", "timestamp", "timestamp_ns"):
            f.add("timestamp", "DATETIME", STAMPS, t)
        f.add("timestamp with zone", "TIMESTAMP", INSTANTS, "timestamptz")
        f.add("interval", NONE, ["1 day", None, None], "interval")
        f.add("list", NONE, [[1], None, None], "bigint[]")
        f.add("struct", NONE, [{"a": 1}, None, None], "struct(a bigint)")
        f.add("map", NONE, [{"a": 1}, None, None], "map(varchar, bigint)")
        f.add("VARIANT", NONE, [1, None, None], "variant")
        f.add("GEOMETRY", NONE, ["POINT (1 2)", None, None], "geometry")
        db = duckdb.connect()
        db.sql("set timezone = 'UTC'")
        db.execute("create table t (" + ", ".join(f"{name} {t}" for name, _, _, _, t in f.columns) + ")")
        for row in zip(*(v for _, _, _, v, _ in f.columns)):
            db.execute("insert into t values (" + ", ".join("?" for _ in row) + ")", row)
        db.execute(f"copy t to '{f.path}' (format parquet, geoparquet_version 'V2', compression {codec}, parquet_version {'v2' if codec == 'zstd' else 'v1'})")
        f.finish()


def polars(out):
    import polars as pl

    for codec in ("uncompressed", "snappy", "gzip", "brotli", "zstd", "lz4"):
        f = File(out, "Polars", codec, {"uncompressed": "none", "lz4": "LZ4_RAW"}.get(codec))
        f.add("bool", "BOOL", BOOLS, pl.Boolean())
        integers(f, lambda name: getattr(pl, name.replace("u", "U", 1).replace("int", "Int" if name[0] == "i" else "Int"))())
        f.add("float32", "FLOAT64", FLOATS, pl.Float32())
        f.add("float64", "FLOAT64", FLOATS, pl.Float64())
        f.add("float64 of whole numbers, as INT64", "INT64", WHOLES, pl.Float64())
        for t in (pl.String(), pl.Categorical(), pl.Enum(["", "Büro"])):
            f.add("string", "STRING", TEXTS, t)
        f.add("bytes", "STRING", BYTES, pl.Binary())
        f.add("decimal(38, 2)", "NUMERIC", DECIMALS, pl.Decimal(38, 2))
        f.add("date", "DATE", DATES, pl.Date())
        f.add("time", "TIME", TIMES, pl.Time())
        for unit in ("ms", "us", "ns"):
            f.add("timestamp", "DATETIME", STAMPS, pl.Datetime(unit))
            f.add("timestamp with zone", "TIMESTAMP", INSTANTS, pl.Datetime(unit, "UTC"))
        f.add("duration", "INT64", SPANS, pl.Duration("us"))
        f.add("null", "STRING", NULLS, pl.Null())
        f.add("list", NONE, [[1], None, None], pl.List(pl.Int64))
        f.add("struct", NONE, [{"a": 1}, None, None], pl.Struct({"a": pl.Int64}))
        pl.DataFrame([pl.Series(name, v, t) for name, _, _, v, t in f.columns]).write_parquet(f.path, compression=codec)
        f.finish()


def fastparquet(out):
    import fastparquet as fp
    import pandas as pd

    for codec in ("UNCOMPRESSED", "SNAPPY", "GZIP", "BROTLI", "ZSTD", "LZ4", "LZ4_RAW"):
        f = File(out, "fastparquet", codec.lower(), {"UNCOMPRESSED": "none", "LZ4": "LZ4 (no frame)", "LZ4_RAW": "LZ4_RAW"}.get(codec, codec.lower()))
        f.add("bool", "BOOL", BOOLS, "boolean")
        integers(f, lambda name: name.replace("int", "Int").replace("uI", "UI"))
        f.add("float32", "FLOAT64", FLOATS, "float32")
        f.add("float64", "FLOAT64", FLOATS, "float64")
        f.add("float64 of whole numbers, as INT64", "INT64", WHOLES, "float64")
        f.add("string", "STRING", TEXTS, "utf8")
        f.add("string", "STRING", TEXTS, "category")
        f.add("bytes", "STRING", BYTES, "bytes")
        f.add("JSON", "STRING", ['"a"', "1", None], "json")
        f.add("timestamp", "DATETIME", STAMPS, "datetime64[us]")
        f.add("timestamp with zone", "TIMESTAMP", INSTANTS, "datetime64[us, UTC]")
        data, encodings = {}, {}
        for name, _, _, values, t in f.columns:
            if t in ("utf8", "bytes", "json"):
                encodings[name] = t
                if t == "json":
                    values = ["a", 1, None]
                data[name] = pd.Series(values, dtype=object)
            else:
                data[name] = pd.Series(values, dtype=t)
        fp.write(f.path, pd.DataFrame(data), compression=codec, object_encoding=encodings, has_nulls=True)
        f.finish()
    f = File(out, "fastparquet", "int96", "none")
    f.add("INT96", "DATETIME", STAMPS)
    fp.write(f.path, pd.DataFrame({"c0": pd.Series(STAMPS, dtype="datetime64[ns]")}), compression="UNCOMPRESSED", times="int96")
    f.finish()


def spark(out):
    import pyspark.sql
    from pyspark.sql import functions as F

    session = (
        pyspark.sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1").config("spark.sql.session.timeZone", "UTC").config("spark.sql.shuffle.partitions", "1")
        .config("spark.driver.memory", "1g").config("spark.log.level", "OFF").getOrCreate()
    )

    def write(f, **options):
        for key, value in options.items():
            session.conf.set("spark.sql." + key, value)
        rows = list(zip(*([None if v is None else text(v) for v in values] for _, _, _, values, _ in f.columns)))
        frame = session.createDataFrame(rows, ", ".join(f"{name} string" for name, *_ in f.columns)).coalesce(1)
        frame = frame.select(*(F.expr(t.format(name)).alias(name) for name, _, _, _, t in f.columns))
        folder = f.base.with_suffix(".spark")
        frame.write.parquet(str(folder), compression=f.codec)
        (part,) = folder.glob("*.parquet")
        part.rename(f.path)
        f.finish()

    def text(v):
        return v.decode() if isinstance(v, bytes) else str(v).replace("+00:00", "")

    stored = {"uncompressed": "none", "lz4": "LZ4 (Hadoop)", "lz4_raw": "LZ4_RAW"}
    for codec in ("uncompressed", "snappy", "gzip", "zstd", "lz4", "lz4_raw"):
        f = File(out, "Spark", codec, stored.get(codec))
        f.add("bool", "BOOL", BOOLS, "cast({} as boolean)")
        for bits, t in ((8, "tinyint"), (16, "smallint"), (32, "int"), (64, "bigint")):
            f.add(f"int{bits}", "INT64", whole(bits), "cast({} as %s)" % t)
        f.add("float32", "FLOAT64", FLOATS, "cast({} as float)")
        f.add("float64", "FLOAT64", FLOATS, "cast({} as double)")
        f.add("float64 of whole numbers, as INT64", "INT64", WHOLES, "cast({} as double)")
        f.add("string", "STRING", TEXTS, "{}")
        f.add("bytes", "STRING", BYTES, "cast({} as binary)")
        for p in (9, 18, 38):
            f.add(f"decimal({p}, 2)", "NUMERIC", DECIMALS, "cast({} as decimal(%d, 2))" % p)
        f.add("date", "DATE", DATES, "cast({} as date)")
        f.add("INT96", "TIMESTAMP", INSTANTS, "cast({} as timestamp)")
        f.add("timestamp", "DATETIME", STAMPS, "cast({} as timestamp_ntz)")
        f.add("list", NONE, TEXTS, "array({})")
        f.add("struct", NONE, TEXTS, "named_struct('a', {})")
        f.add("map", NONE, TEXTS, "map('a', {})")
        f.add("VARIANT", NONE, ["[1]", None, None], "parse_json({})")
        write(f)
    for name in ("micros", "millis"):
        f = File(out, "Spark", "snappy", "snappy")
        f.base = out / f"Spark_{name}"
        f.add("timestamp with zone", "TIMESTAMP", INSTANTS, "cast({} as timestamp)")
        write(f, **{"parquet.outputTimestampType": "TIMESTAMP_" + name.upper()})
    f = File(out, "Spark", "snappy", "snappy")
    f.base = out / "Spark_legacy"
    for p in (9, 18, 38):
        f.add(f"decimal({p}, 2)", "NUMERIC", DECIMALS, "cast({} as decimal(%d, 2))" % p)
    f.add("INT96", "TIMESTAMP", INSTANTS, "cast({} as timestamp)")
    write(f, **{"parquet.writeLegacyFormat": "true", "parquet.outputTimestampType": "INT96"})
    session.stop()


for writer in sys.argv[2:]:
    globals()[writer](pathlib.Path(sys.argv[1]))

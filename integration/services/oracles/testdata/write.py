"""Writes a Parquet file again in many ways: write.py SOURCE DIRECTORY.

DIRECTORY/same holds files with the same cells, DIRECTORY/refused files whose column x dapple must refuse.
"""
import base64
import datetime
import decimal
import pathlib
import sys

import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as encryption

source, out = sys.argv[1], pathlib.Path(sys.argv[2])
table = pq.read_table(source)
(out / "same").mkdir()
(out / "refused").mkdir()


def write(name, t=table, **options):
    options = {"row_group_size": 200, "store_schema": True} | options
    pq.write_table(t, out / "same" / f"pyarrow_{name}.parquet", **options)


def cast(**types):
    """The table with columns of other types; a cast that would lose something fails."""
    fields = [pa.field(f.name, types.get(f.name, f.type), f.nullable) for f in table.schema]
    return table.cast(pa.schema(fields))


# Pages, codecs, dictionaries.
for page in ("1.0", "2.0"):
    for codec in ("none", "snappy", "gzip", "brotli", "zstd", "lz4"):
        for dictionary in (True, False):
            write(f"page{page[0]}_{codec}_{'dict' if dictionary else 'plain'}", data_page_version=page, compression=codec, use_dictionary=dictionary)
    write(f"page{page[0]}_small", data_page_version=page, data_page_size=64, write_batch_size=10)
    write(f"page{page[0]}_overflow", data_page_version=page, dictionary_pagesize_limit=64, data_page_size=64, write_batch_size=10)
    write(f"page{page[0]}_index", data_page_version=page, write_page_index=True, write_page_checksum=True)

# Encodings, on both pages.
whole, texts, floats = ["i", "big", "da", "dt", "ts", "ti"], ["s", "u"], ["f"]
encodings = {
    "delta": {c: "DELTA_BINARY_PACKED" for c in whole} | {c: "DELTA_LENGTH_BYTE_ARRAY" for c in texts} | {"b": "RLE"},
    "deltas": {c: "DELTA_BINARY_PACKED" for c in whole} | {c: "DELTA_BYTE_ARRAY" for c in texts} | {"d": "DELTA_BYTE_ARRAY"},
    "split": {c: "BYTE_STREAM_SPLIT" for c in whole + floats + ["d"]},
}
for name, encoding in encodings.items():
    for page in ("1.0", "2.0"):
        write(f"{name}{page[0]}", data_page_version=page, use_dictionary=False, column_encoding=encoding)
        write(f"{name}{page[0]}_one", data_page_version=page, use_dictionary=False, column_encoding=encoding, row_group_size=1)
for version in ("1.0", "2.4", "2.6"):
    write(f"version{version}", version=version)

# Types.
for t in (pa.int8(), pa.int16(), pa.int32(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()):
    write(f"{t}", cast(i=t))
    write(f"{t}_delta", cast(i=t), use_dictionary=False, column_encoding={"i": "DELTA_BINARY_PACKED"})
write("float", cast(f=pa.float32()))
write("float_split", cast(f=pa.float32()), use_dictionary=False, column_encoding={"f": "BYTE_STREAM_SPLIT"})
for precision, scale in ((5, 2), (9, 2), (18, 2), (18, 4), (38, 2), (38, 9)):
    t = cast(d=pa.decimal128(precision, scale))
    write(f"decimal{precision}_{scale}", t)
    write(f"decimal{precision}_{scale}_plain", t, use_dictionary=False)
    if precision <= 18:
        write(f"decimal{precision}_{scale}_integer", t, store_decimal_as_integer=True)
write("decimal256", cast(d=pa.decimal256(38, 2)))
for unit in ("s", "ms", "us", "ns"):
    write(f"timestamps_{unit}", cast(dt=pa.timestamp(unit), ts=pa.timestamp(unit, "UTC")))
    write(f"zone_{unit}", cast(ts=pa.timestamp(unit, "America/New_York")))
    write(f"time_{unit}", cast(ti=pa.time32(unit) if unit in ("s", "ms") else pa.time64(unit)))
write("large", cast(s=pa.large_string(), u=pa.large_string()))
write("view", cast(s=pa.string_view(), u=pa.string_view()))
write("dictionary", cast(s=pa.dictionary(pa.int16(), pa.string())))
write("no_schema", store_schema=False)
write("order", table.select(list(reversed(table.column_names))))
write("sorted", table.append_column("more", pa.array(range(len(table)))))

# Polars: its writer is its own.
frame = polars.read_parquet(source)
for codec in ("uncompressed", "snappy", "gzip", "brotli", "zstd", "lz4"):
    frame.write_parquet(out / "same" / f"polars_{codec}.parquet", compression=codec, row_group_size=170)
frame.write_parquet(out / "same" / "polars_pages.parquet", data_page_size=100, statistics=False)
frame.with_columns(polars.col("s").cast(polars.Categorical)).write_parquet(out / "same" / "polars_categorical.parquet")
frame.with_columns(polars.col("s").cast(polars.Enum(frame["s"].drop_nulls().unique()))).write_parquet(out / "same" / "polars_enum.parquet")
frame.with_columns(polars.col("dt").cast(polars.Datetime("ns")), polars.col("ts").cast(polars.Datetime("ms", "UTC")),
                   polars.col("i").cast(polars.Int8)).write_parquet(out / "same" / "polars_types.parquet")


def refuse(name, values, t=None, **options):
    x = pa.array(values, t)
    pq.write_table(pa.table({"x": x}), out / "refused" / f"{name}.parquet", **options)


day = datetime.datetime(2020, 1, 2)
refuse("int96", [day], use_deprecated_int96_timestamps=True)
refuse("struct", [{"a": 1, "b": "x"}])
refuse("list", [[1, 2], []])
refuse("text_list", [["a"], None])
refuse("map", [[("k", 1)]], pa.map_(pa.string(), pa.int64()))
refuse("binary", [b"abc"], pa.binary())
refuse("fixed", [b"abcd"], pa.binary(4))
refuse("uuid", [b"0123456789abcdef"], pa.uuid())
refuse("half", [1.5], pa.float16())
refuse("decimal76", [decimal.Decimal("1.5")], pa.decimal256(76, 38))
refuse("double", [1.5])
refuse("text", ["1"])
refuse("integer", [1])
refuse("local", [day], pa.timestamp("us"))
refuse("instant", [day], pa.timestamp("us", "UTC"))
refuse("date", [day.date()])
refuse("time", [day.time()])

# Files that are not what they seem.
numbers = pa.table({"x": pa.array([1, 2, 3]), "y": pa.array([4, 5, 6])})
path = out / "refused" / "checksum.parquet"
pq.write_table(numbers, path, write_page_checksum=True, compression="none", use_dictionary=False)
damaged = bytearray(path.read_bytes())
at = damaged.index((2).to_bytes(8, "little"))
damaged[at] ^= 1
path.write_bytes(damaged)
pq.write_table(pa.table([pa.array([1]), pa.array([2])], names=["x", "x"]), out / "refused" / "twice.parquet")


class Keys(encryption.KmsClient):
    """Wraps keys with nothing: what the keys are does not matter to a reader that has none."""

    def __init__(self, _):
        encryption.KmsClient.__init__(self)

    def wrap_key(self, key, _):
        return base64.b64encode(key)

    def unwrap_key(self, key, _):
        return base64.b64decode(key)


for name, plain in (("encrypted", False), ("encrypted_column", True)):
    how = encryption.EncryptionConfiguration(footer_key="f", column_keys={"c": ["x"]}, plaintext_footer=plain)
    keys = encryption.CryptoFactory(Keys).file_encryption_properties(encryption.KmsConnectionConfig(), how)
    with pq.ParquetWriter(out / "refused" / f"{name}.parquet", numbers.schema, encryption_properties=keys) as w:
        w.write_table(numbers)

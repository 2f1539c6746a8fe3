"""Reads released directories of rows: readers.py SEEN.json READER,... DIRECTORY...

Each reader reads each directory by the pattern of its parts and by its bare name. SEEN.json says for
"READER DIRECTORY WAY" how many rows there are and how the columns are called.
"""
import glob
import json
import os
import pathlib
import sys


def of_duckdb(path, form):
    import duckdb
    table = duckdb.sql(f"from read_{form}('{path}')")
    return table.shape[0], table.columns


def of_polars(path, form):
    import polars
    frame = {"parquet": polars.scan_parquet, "csv": polars.scan_csv}[form](path).collect()
    return frame.height, frame.columns


def of_pandas(path, form):
    import pandas
    read = {"parquet": pandas.read_parquet, "csv": pandas.read_csv}[form]
    # pandas takes no pattern.
    frame = pandas.concat(read(p) for p in glob.glob(path)) if "*" in path else read(path)
    return len(frame), list(frame.columns)


def of_pyarrow(path, form):
    import pyarrow.dataset as dataset
    # pyarrow takes a list, but no pattern.
    table = dataset.dataset(glob.glob(path) if "*" in path else path, format=form).to_table()
    return table.num_rows, table.column_names


def of_spark(path, form):
    from pyspark.sql import SparkSession
    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    frame = spark.read.parquet(path) if form == "parquet" else spark.read.csv(path, header=True)
    return frame.count(), frame.columns


out, readers, directories = sys.argv[1], sys.argv[2].split(","), sys.argv[3:]
seen = {}
for directory in directories:
    form = pathlib.Path(sorted(os.listdir(directory))[0]).suffix[1:]
    for reader in readers:
        for way, path in (("pattern", f"{directory}/*.{form}"), ("bare", directory)):
            if (reader, form, way) == ("pandas", "csv", "bare"):
                continue  # pandas.read_csv takes one file
            rows, columns = globals()["of_" + reader](path, form)
            seen[f"{reader} {os.path.basename(directory)} {way}"] = {"rows": rows, "columns": list(columns)}
pathlib.Path(out).write_text(json.dumps(seen))

"""Tables of other libraries: to the program, and back in the type that came."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from dapple._program import Error, Fault, Hidden

# A released table: its rows as Arrow, and the directory that they stand in.
Restore = Callable[[pa.Table, Path], Any]


@dataclass(frozen=True)
class Source:
    """A table for the program: where it is, and how rows become the type that it had."""

    path: str
    names: list[str] | None  # None if the program reads them itself
    restore: Restore


def arrow(table: pa.Table, _: Path) -> pa.Table:
    return table


def directory(_: pa.Table, path: Path) -> Path:
    return path


def read(path: Path, restore: Restore) -> Any:
    """Reads the Parquet files of a directory, in their order."""
    if restore is directory:
        return path
    return restore(pa.concat_tables([pq.read_table(f, partitioning=None) for f in sorted(path.glob("*.parquet"))]), path)


def write(data: Any, to: Hidden, privacy_id: str | None = None) -> Source:
    """Writes a table for the program, unless it is a path already.

    `data` is a pandas, Polars or PyArrow table, a RecordBatchReader, a DuckDB relation or anything else that offers
    an Arrow stream, or a path. Raises Error with every fault of the table.
    """
    if isinstance(data, (str, os.PathLike)):
        name = os.fspath(data)
        return Source(name if "://" in name else os.path.abspath(name), None, directory)
    faults: list[Fault] = []
    schema, batches, restore = _read(data, faults)
    faults += _faults(schema)
    if privacy_id not in (None, "none") and privacy_id not in schema.names:
        faults.append(Fault("privacy_id", f"there is no column {privacy_id}", f"the table has {_some(schema.names)}"))
    faults += _nobody(schema, batches, privacy_id, to, bool(faults))
    if faults:
        raise Error(faults)
    return Source(str(to.path), list(schema.names), restore)


def _nobody(schema: pa.Schema, batches: Iterator[pa.RecordBatch], privacy_id: str | None, to: Hidden, faulty: bool) -> list[Fault]:
    """Writes the rows, unless something is wrong already, and returns the fault of rows that belong to nobody."""
    at = [i for i, name in enumerate(schema.names) if name == privacy_id]
    plain = pa.schema([pa.field(f.name, _plain(f.type)) for f in schema])
    with contextlib.nullcontext() if faulty else pq.ParquetWriter(to.file, plain) as writer:
        for batch in batches:
            if at and _lacks(batch.column(at[0])):
                return [Fault("privacy_id", f"column {privacy_id} has NULL or NaN, and rows without an ID belong to nobody",
                              f"drop them: dropna(subset=[{privacy_id!r}])")]
            if writer is not None:
                writer.write_table(pa.Table.from_arrays([_written(column, f.type) for column, f in zip(batch.columns, plain)], schema=plain))
    to.file.flush()
    return []


def _lacks(ids: pa.Array) -> bool:
    return bool(ids.null_count or pa.types.is_floating(ids.type) and pc.any(pc.is_nan(ids)).as_py())


def _read(data: Any, faults: list[Fault]) -> tuple[pa.Schema, Iterator[pa.RecordBatch], Restore]:
    """Returns the columns, the rows in batches, and the way back; what is wrong with a frame is added to faults."""
    library = type(data).__module__.partition(".")[0]
    if library == "pandas":
        table = _of_pandas(data, faults)
        return table.schema, iter(table.to_batches()), _to_pandas(data, table.schema)
    if library == "polars":
        polars = sys.modules["polars"]
        lazy = isinstance(data, polars.LazyFrame)
        frame = data.collect() if lazy else data
        if not isinstance(frame, polars.DataFrame):
            raise Error([Fault("table", f"is a polars {type(data).__name__}", "give a DataFrame or a LazyFrame")])
        table = frame.to_arrow()
        return table.schema, iter(table.to_batches()), _to_polars(polars, frame.schema, table.schema, lazy)
    if isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    if isinstance(data, pa.Table):
        return data.schema, iter(data.to_batches()), _to_arrow(data.schema)
    if isinstance(data, pa.RecordBatchReader):
        back = _to_arrow(data.schema)
        return data.schema, iter(data), lambda made, at: back(made, at).to_reader()
    if library in ("duckdb", "_duckdb"):
        import duckdb  # it made the relation
        table = data.arrow()
        table = table.read_all() if isinstance(table, pa.RecordBatchReader) else table
        return table.schema, iter(table.to_batches()), _to_duckdb(duckdb, dict(zip(data.columns, data.types)), table.schema)
    if hasattr(data, "__arrow_c_stream__"):
        reader = pa.RecordBatchReader.from_stream(data)
        return reader.schema, iter(reader), _to_arrow(reader.schema)
    raise Error([Fault("table", f"is a {type(data).__module__}.{type(data).__name__}",
                       "give a pandas, Polars or PyArrow table, a DuckDB relation, or a path")])


def _of_pandas(frame: Any, faults: list[Fault]) -> pa.Table:
    """Converts column by column, so that every fault is found; a column that has one gets other values."""
    import pandas

    if not isinstance(frame, pandas.DataFrame):
        raise Error([Fault("table", f"is a pandas {type(frame).__name__}", "give a DataFrame")])
    before = len(faults)
    index = frame.index
    if index.nlevels > 1 or index.name is not None or index.dtype.kind not in "iu":
        faults.append(Fault("table", "its index means something, and rows have no index",
                            "reset_index() makes it a column, reset_index(drop=True) leaves it out"))
    arrays, names = [], []
    for i, name in enumerate(frame.columns):
        if not isinstance(name, str):
            faults.append(Fault(f"column {name!r}", f"its name is a {type(name).__name__}", "rename it to a text"))
            continue
        names.append(name)
        try:
            arrays.append(pa.array(frame.iloc[:, i], from_pandas=True))
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
            faults.append(Fault(f"column {name}", "its values are of mixed types, or of one that tables lack", "convert it with astype()"))
            arrays.append(pa.array([""] * len(frame)))
    if len(faults) > before or len(set(names)) < len(names):
        return pa.Table.from_arrays(arrays, names=names)
    return pa.Table.from_pandas(frame, preserve_index=False)


def _twice(names: list[Any]) -> list[Fault]:
    return [Fault(f"column {name}", "two columns have this name", "rename one")
            for name in dict.fromkeys(n for n in names if names.count(n) > 1)] if len(set(names)) < len(names) else []


def _faults(schema: pa.Schema) -> list[Fault]:
    faults = _twice(schema.names)
    if not schema.names:
        faults.append(Fault("table", "it has no columns"))
    for field in schema:
        if pa.types.is_nested(field.type):
            faults.append(Fault(f"column {field.name}", f"holds {field.type}", "a cell is one value: unnest it into columns or rows"))
    return faults


def _plain(kind: pa.DataType) -> pa.DataType:
    """Returns the type that a column is written with."""
    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type)
    if pa.types.is_null(kind) or kind in (pa.string_view(), pa.large_string()):
        return pa.string()
    return kind


def _written(column: pa.Array, kind: pa.DataType) -> pa.Array:
    if pa.types.is_dictionary(column.type):
        return _written(column.dictionary, kind).take(column.indices)
    return column.cast(kind)


def _some(names: list[str]) -> str:
    return ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")


def _to_arrow(schema: pa.Schema) -> Restore:
    """Returns rows in the columns' order and types that a table had; columns that it lacked come last, as they are."""
    def back(made: pa.Table, _: Path) -> pa.Table:
        names = [n for n in schema.names if n in made.column_names]
        names += [n for n in made.column_names if n not in names]
        columns = [_cast(made[n], schema.field(n).type if n in schema.names else made.schema.field(n).type) for n in names]
        return pa.Table.from_arrays(columns, names=names)
    return back


def _cast(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """A synthetic value that the type cannot hold leaves its column as it is: the domain declares more than the table has."""
    with contextlib.suppress(pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
        if pa.types.is_dictionary(kind):
            return column.cast(kind.value_type).dictionary_encode().cast(kind)
        return column.cast(kind)
    return column


def _to_pandas(frame: Any, schema: pa.Schema) -> Restore:
    back = _to_arrow(schema)
    dtypes = dict(frame.dtypes.items())

    def restore(made: pa.Table, at: Path) -> Any:
        table = back(made, at)
        out = table.replace_schema_metadata(schema.metadata).to_pandas()
        for name, dtype in dtypes.items():
            if name in out.columns and out[name].dtype != dtype:
                with contextlib.suppress(ValueError, TypeError):
                    out[name] = out[name].astype(dtype)
        return out
    return restore


def _to_polars(polars: Any, types: Any, schema: pa.Schema, lazy: bool) -> Restore:
    back = _to_arrow(schema)

    def restore(made: pa.Table, at: Path) -> Any:
        frame = polars.from_arrow(back(made, at))
        for name, dtype in types.items():
            if name in frame.columns and frame.schema[name] != dtype:
                with contextlib.suppress(polars.exceptions.PolarsError):
                    frame = frame.with_columns(polars.col(name).cast(dtype))
        return frame.lazy() if lazy else frame
    return restore


def _to_duckdb(duckdb: Any, types: dict[str, Any], schema: pa.Schema) -> Restore:
    back = _to_arrow(schema)

    def restore(made: pa.Table, at: Path) -> Any:
        table = back(made, at)
        names = [(name, name.replace('"', '""')) for name in table.column_names]
        return duckdb.from_arrow(table).project(", ".join(
            f'TRY_CAST("{quoted}" AS {types[name]}) AS "{quoted}"' if name in types else f'"{quoted}"' for name, quoted in names))
    return restore

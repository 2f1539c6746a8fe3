"""Rows of every type go in and come out. All have one value in every column, and each value is a cell of its own."""

import datetime
import decimal
import sys
from typing import NamedTuple, Optional

import apache_beam as beam
import numpy as np
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.typehints.schemas import LogicalType, MicrosInstant, MillisInstant
from apache_beam.utils.timestamp import Timestamp

from dapple import Synthesize

DOMAIN = """
privacy_id: id
columns:
  - {name: text, type: STRING, values: [a, b], fallback: a}
  - {name: maybe, type: STRING, values: [a, b], "null": true}
  - {name: raw, type: STRING, values: [a, b], fallback: a}
  - {name: small, type: INT64, values: [200, 5], fallback: 5}
  - {name: medium, type: INT64, values: [-7, 5], fallback: 5}
  - {name: large, type: INT64, edges: [-5000000000, -4000000000, -3999999999, 0], fallback: 0}
  - {name: single, type: FLOAT64, edges: [0, 1.5, 1.5000001, 9], fallback: 0}
  - {name: double, type: FLOAT64, edges: [0, 0.25, 0.2500001, 9], "null": true}
  - {name: flag, type: BOOL, fallback: false}
  - {name: day, type: DATE, edges: [1900-01-01, 1969-12-31, 1970-01-01, 2000-01-01], fallback: 1900-01-01}
  - {name: at, type: TIMESTAMP, edges: ["2024-01-01T00:00:00Z", "2024-02-29T23:59:58Z", "2024-02-29T23:59:59Z", "2025-01-01T00:00:00Z"], resolution: second, "null": true}
  - {name: price, type: NUMERIC, edges: [-20, -12.50, -12.49, 0], resolution: 0.01, fallback: 0}
"""


class Row(NamedTuple):
    id: int
    text: str
    maybe: Optional[str]
    raw: bytes
    note: str  # no column
    small: np.int8
    medium: np.int32
    large: int
    single: np.float32
    double: Optional[float]
    flag: bool
    day: datetime.date
    at: Optional[Timestamp]
    price: decimal.Decimal


beam.coders.registry.register_coder(Row, beam.coders.RowCoder)
WANT = dict(text="b", maybe="b", raw=b"b", small=200, medium=-7, large=-4000000000, flag=True, day=datetime.date(1969, 12, 31),
            at=Timestamp(1709251198), price=decimal.Decimal("-12.50"))


def check(r):
    got = r._asdict()
    assert set(got) == set(WANT) | {"single", "double"}, sorted(got)
    right = all(got[k] == v and type(got[k]) is type(v) for k, v in WANT.items())
    double = got["double"]  # None in a row of the noise
    return right and 1.5 <= got["single"] <= 1.5000001 and double is not None and 0.25 <= double <= 0.2500001


def run(label):
    rows = [Row(i, "b", "b", b"b", "private", 200, -7, -4000000000, 1.5, 0.25, True, WANT["day"], WANT["at"], WANT["price"]) for i in range(2000)]
    with beam.Pipeline(options=PipelineOptions(sys.argv[1:])) as p:
        made = p | beam.Create(rows).with_output_types(Row) | Synthesize(
            domain=DOMAIN, epsilon=200, delta=1e-6, rows=200, workload=[["text", "medium"]] + [[c] for c in list(WANT) + ["single", "double"]], no_retries=True)
        # At ε = 200 the noise of a cell has a standard deviation below 2: that other cells weigh 100 of 2000 has probability below 1e-300.
        made["rows"] | beam.Map(check) | beam.combiners.Count.PerElement() | beam.Map(lambda c: print(label, *c))


run("micros")
LogicalType.register_logical_type(MillisInstant)
run("millis")
LogicalType.register_logical_type(MicrosInstant)

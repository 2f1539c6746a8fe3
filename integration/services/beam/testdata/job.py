"""A job of so many rows: python job.py 300000 localhost:8097 [options of Beam]."""

import sys

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions

from dapple import Synthesize

DOMAIN = """
privacy_id: id
columns:
  - {name: a, type: INT64, min: 0, max: 100, bins: 20, fallback: 0}
  - {name: b, type: INT64, min: 0, max: 100, bins: 20, fallback: 0}
  - {name: c, type: FLOAT64, min: 0, max: 100, bins: 20, fallback: 0}
"""

n = int(sys.argv[1])
with beam.Pipeline(options=PipelineOptions(sys.argv[3:])) as p:
    rows = p | beam.Create(range(n)) | beam.Map(lambda i: beam.Row(id=i, a=i % 100, b=i * 7 % 100, c=float(i * 13 % 100))).with_output_types(
        beam.typehints.row_type.RowTypeConstraint.from_fields([("id", int), ("a", int), ("b", int), ("c", float)]))
    made = rows | Synthesize(domain=DOMAIN, epsilon=1, delta=1e-9, service=sys.argv[2], no_retries=True)
    made["rows"] | beam.combiners.Count.Globally() | beam.Map(lambda n: print("rows", n))

"""A job of so many rows: python job.py READ MADE ADDRESS STORE [options of Beam].

MADE is 0 for the released number. ADDRESS is that of a service; without one, rows go on as they came. Without a STORE
nothing is kept.
"""

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

read, made, address, store = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
with beam.Pipeline(options=PipelineOptions(sys.argv[5:])) as p:
    rows = p | beam.Create(range(read)) | beam.Map(lambda i: beam.Row(id=i, a=i % 100, b=i * 7 % 100, c=float(i * 13 % 100))).with_output_types(
        beam.typehints.row_type.RowTypeConstraint.from_fields([("id", int), ("a", int), ("b", int), ("c", float)]))
    if address:
        rows = (rows | Synthesize(domain=DOMAIN, epsilon=1, delta=1e-9, service=address, rows=made or None,
                                  store=store or None, run_id="job" if store else None, no_retries=not store))["rows"]
    rows | beam.combiners.Count.Globally() | beam.Map(lambda n: print("rows", n))

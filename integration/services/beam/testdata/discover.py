"""Finds a domain in one pipeline and synthesizes with it in another: python discover.py [options of Beam]."""

import sys
import tempfile

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions

from dapple import Discover, Synthesize

OPEN = """privacy_id: id
columns:
  - {name: ward, type: STRING, values: [eye, heart], other: true} # as it is known
  - {name: nights, type: INT64, min: 0, max: find, "null": true}
events: {person: [ward], rows: {max: find}}
"""
FIELDS = beam.typehints.row_type.RowTypeConstraint.from_fields([("id", str), ("ward", str), ("nights", int), ("note", str)])


def visits(p):
    return p | beam.Create(range(30_000)) | beam.Map(
        lambda i: beam.Row(id=f"p{i // 2}", ward=["eye", "heart"][i % 4 // 2], nights=i % 9, note=f"canary {i}")).with_output_types(FIELDS)


def pipeline():
    return beam.Pipeline(options=PipelineOptions(sys.argv[1:]))


with tempfile.TemporaryDirectory() as store:
    found = store + "/domain.yaml"

    def keep(row):
        with open(found, "w") as f:
            f.write(row.domain)
        print("left out", row.left_out, flush=True)

    with pipeline() as p:
        visits(p) | Discover(privacy_id="id", epsilon=1, delta=1e-9, store=store, run_id="one") | beam.Map(keep)
    domain = open(found).read()
    print(domain)
    with pipeline() as p:
        made = visits(p) | Synthesize(domain=domain, epsilon=1, delta=1e-9, store=store, run_id="two", rows=1000)
        made["rows"] | beam.combiners.Count.Globally() | beam.Map(lambda n: print("rows", n, flush=True))
    with pipeline() as p:
        found = visits(p) | Discover(privacy_id="id", domain=OPEN, epsilon=1, delta=1e-9, store=store, run_id="three")
        found | beam.Map(lambda row: print("open", row.domain, flush=True))

"""Rows of people in an order go in, in any order, and come out as histories: a kind follows the one before, days ascend."""

import random
import sys

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions

from dapple import Synthesize

DOMAIN = """
privacy_id: who
columns:
  - {name: sex, type: STRING, values: [f, m], fallback: f}
  - {name: day, type: INT64, min: 0, max: 40, fallback: 0}
  - {name: kind, type: STRING, values: [a, b, c, d], fallback: a}
events: {person: [sex], rows: {max: 8}, order: day}
"""


def judge(of_person):
    """Counts pairs of rows that follow each other, as they come and by their days, and those whose kinds do."""
    _, rows = of_person
    rows = list(rows)
    assert len({r.sex for r in rows}) == 1 and len(rows) <= 8, rows
    assert all(0 <= r.day <= 40 for r in rows), rows
    rows.sort(key=lambda r: r.day)
    pairs = list(zip(rows, rows[1:]))
    return len(pairs), sum((ord(b.kind) - ord(a.kind)) % 4 == 1 for a, b in pairs)


rows = [beam.Row(who=f"p{i // 4}", sex="fm"[i // 4 % 2], day=i // 4 % 28 + [0, 1, 3, 7][i % 4], kind="abcd"[(i + i // 4) % 4]) for i in range(8000)]
random.Random(1).shuffle(rows)
with beam.Pipeline(options=PipelineOptions(sys.argv[1:])) as p:
    made = p | beam.Create(rows) | Synthesize(domain=DOMAIN, epsilon=20, delta=1e-6, no_retries=True)
    counted = made["rows"] | beam.GroupBy(lambda r: r.who) | beam.Map(judge)
    counted | beam.CombineGlobally(lambda n: tuple(map(sum, zip(*n))) or (0, 0)) | beam.Map(lambda n: print("pairs", *n))

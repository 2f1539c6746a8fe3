"""Rows of people who exist become rows of people who do not: python people.py [options of Beam]."""

import datetime
import sys

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions

from dapple import Synthesize

people = [beam.Row(person=str(i), sex=["Female", "Male"][i % 2], age=20 + i % 60,
                   born=datetime.date(2004 - i % 60, 1 + i % 12, 1), income=100.0 * (20 + i % 60)) for i in range(5000)]

with beam.Pipeline(options=PipelineOptions(sys.argv[1:])) as p:
    made = p | beam.Create(people) | Synthesize(domain=open("people.yaml").read(), epsilon=1, delta=1e-9, rows=1000, no_retries=True)
    made["rows"] | beam.Map(lambda r: f"{r.sex} {r.age} {r.born} {r.income}") | beam.io.WriteToText("synthetic", ".txt")
    made["statement"] | beam.Map(lambda s: s.guarantee) | "Promise" >> beam.io.WriteToText("promise", ".txt")

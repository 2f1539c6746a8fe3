"""Every month: a synthetic copy of a table of people, charged to a budget book that refuses what does not fit.

The program is one static binary; launcher and workers are the same. Set retries to 0, or give each interval its own
run_id as below: a task that Airflow starts again then finishes the first run and pays nothing twice.
"""

import pendulum
from airflow.providers.apache.beam.operators.beam import BeamRunGoPipelineOperator
from airflow.sdk import dag


@dag(schedule="@monthly", start_date=pendulum.datetime(2026, 1, 1, tz="UTC"), catchup=False)
def synthetic_table():
    BeamRunGoPipelineOperator(
        task_id="synthesize",
        launcher_binary="/opt/dapple/dapple-linux-amd64",
        runner="PrismRunner",  # in this process; DataflowRunner with a dataflow_config of project_id and location
        pipeline_options={
            "domain": "gs://my-bucket/visits.yaml",
            "input": "gs://my-bucket/visits/*.parquet",
            "output": "gs://my-bucket/synthetic/{{ ds_nodash }}",
            "epsilon": "0.5",
            "delta": "1e-9",
            "ledger": "gs://my-bucket/visits.book",
            "run_id": "visits-{{ ds_nodash }}",
        },
        retries=2,
    )


synthetic_table()

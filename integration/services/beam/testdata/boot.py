"""python boot.py COMMAND …: job.py on a service with --env=docker, whose containers are processes of a command instead."""

import os
import runpy
import sys

from apache_beam.portability import common_urns
from apache_beam.portability.api import beam_runner_api_pb2
from apache_beam.runners.portability.portable_runner import PortableRunner

command = sys.argv.pop(1)
optimized = PortableRunner._optimize_pipeline
replaced = []


def in_processes(pipeline, options):
    proto = optimized(pipeline, options)
    for env in proto.components.environments.values():
        if any("go_worker" in d.role_urn for d in env.dependencies):
            replaced.append(env.urn)
            env.urn = common_urns.environments.PROCESS.urn
            env.payload = beam_runner_api_pb2.ProcessPayload(command=command).SerializeToString()
    return proto


PortableRunner._optimize_pipeline = staticmethod(in_processes)
runpy.run_path(os.path.join(os.path.dirname(__file__), "job.py"))
print("replaced", replaced)

"""Finds or starts the expansion service."""

import atexit
import functools
import shutil
import subprocess

import grpc
from apache_beam.portability.api import beam_expansion_api_pb2
from apache_beam.transforms.external import ExternalTransform

from dapple._program import find

_PATIENCE = 10  # seconds


def address(program: str | None, service: str | None) -> str:
    """Returns the address of a service that answers."""
    if service is None:
        return _start(program or find())
    channel = grpc.secure_channel(service, grpc.local_channel_credentials())
    try:
        grpc.channel_ready_future(channel).result(timeout=_PATIENCE)
    except grpc.FutureTimeoutError:
        raise RuntimeError(f"dapple: nothing answers at {service}; start it by: dapple expand --port={service.rpartition(':')[2]}") from None
    finally:
        channel.close()
    return service


@functools.lru_cache(maxsize=None)
def _start(program: str) -> str:
    """Starts a program for this process, and returns its address."""
    path = shutil.which(program)
    if path is None:
        raise RuntimeError(f"dapple: there is no program {program}; put it on the PATH, name it by program=, or set DAPPLE")
    child = subprocess.Popen(  # it ends when its standard input does: with this process, however that ends
        [path, "expand", "--port=0", "--env=local", "--until_eof"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdin is not None and child.stdout is not None
    atexit.register(child.stdin.close)
    line = child.stdout.readline()
    if not line.startswith("listening on "):
        raise RuntimeError(f"dapple: {path} did not start (exit status {child.wait(_PATIENCE)}); it has to be a dapple that knows expand")
    return line.removeprefix("listening on ").strip()


def options(service: str, urn: str) -> dict[str, str]:
    with ExternalTransform.service(service) as stub:
        found = stub.DiscoverSchemaTransform(beam_expansion_api_pb2.DiscoverSchemaTransformRequest())
    return {f.name: f.description for f in found.schema_transform_configs[urn].config_schema.fields}

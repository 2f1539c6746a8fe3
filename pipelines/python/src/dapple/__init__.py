"""Differentially private synthetic rows in a Beam pipeline.

    from dapple import Synthesize

    made = rows | Synthesize(domain=open("people.yaml").read(), epsilon=1, delta=1e-9)
    made["rows"]       # synthetic rows with the columns of the domain, without the privacy ID
    made["statement"]  # one row: what was promised and spent, and the error that is known of

The work is done by the program dapple, which is found on the PATH, in the variable DAPPLE, or named by program=. It
serves this process alone and ends with it. service="localhost:8097" takes one that is there: dapple expand --port=8097.
"""

from dapple._synthesize import Synthesize

__all__ = ["Synthesize"]

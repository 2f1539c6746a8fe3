"""Differentially private synthetic tables, by one call.

    import dapple

    made = dapple.synthesize(table, privacy_id="person_id", epsilon=1, delta=1e-9)
    made.rows                                                  # synthetic rows, of the table's type
    made.statement                                             # the promise, and what was spent
    made.domain                                                # what columns contain, found privately; domain=… gives it
    made.sample(1000, where="age > 67")                        # more rows, at no privacy cost
    made.query("SELECT AVG(age) FROM rows")                    # answers with 95 % intervals, at no privacy cost
    dapple.combine([f(t) for t in made.draws(20)])             # any other estimate f with its interval, at no privacy cost

`Synthesize` is the same in a Beam pipeline, and `Discover` finds a domain there; they need `pip install 'dapple[beam]'`. The
work is done by the program dapple, which this package carries; the variable DAPPLE names another one.
"""

from typing import Any

from dapple._api import Answers, Check, Evaluation, Ledger, Plan, Release, Report, check, infer, load, plan, synthesize
from dapple._combine import Combined, combine
from dapple._domain import Column, Domain
from dapple._program import Error, Fault, Interrupted

__version__ = "0.1.0"

__all__ = ["Answers", "Budget", "Check", "Column", "Combined", "Discover", "Domain", "Error", "Evaluation", "Fault", "Interrupted", "Ledger", "Plan", "Release", "Report",
           "Synthesize", "check", "combine", "infer", "load", "plan", "synthesize"]


def __getattr__(name: str) -> Any:
    if name not in ("Budget", "Discover", "Synthesize"):
        raise AttributeError(f"module 'dapple' has no attribute {name!r}")
    try:
        from dapple import _synthesize
    except ModuleNotFoundError as e:
        if e.name and e.name.partition(".")[0] in ("apache_beam", "grpc"):
            raise ImportError(f"dapple.{name} needs Apache Beam: pip install 'dapple[beam]'") from e
        raise
    return getattr(_synthesize, name)

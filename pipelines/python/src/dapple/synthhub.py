"""dapple as a backend of SynthHub, whose package has to be there: its import registers the method "dapple".

    import dapple.synthhub
    from synthhub import Synthesizer

    synth = Synthesizer(method="dapple", epsilon=1, delta=1e-9, schema=schema)   # columns, categories and bounds that are public
    synth.fit(table).sample(1000)

Every row is another person. SynthHub cuts numbers into bins before dapple sees them.
"""

from __future__ import annotations

from typing import Any

import pandas
from synthhub.backends.base import FitContext
from synthhub.backends.registry import register_backend
from synthhub.reports import PrivacyReport

from dapple import _api
from dapple._program import Error, Fault


class Fitted:
    """A release, whose rows have the codes of SynthHub."""

    def __init__(self, release: _api.Release, report: PrivacyReport, seed: int | None):
        self.release, self.privacy_report, self._seed = release, report, seed

    def sample(self, n: int) -> pandas.DataFrame:
        """Draws n rows, at no privacy cost; a second call with a random_state draws others. Raises Error."""
        codes: pandas.DataFrame = self.release.sample(n, seed=self._seed).astype(int)
        self._seed = None if self._seed is None else self._seed + 1
        return codes


class Backend:
    """What SynthHub calls. `random_state` repeats the drawing of rows, never the noise. Options are flags of `dapple synth`."""

    name = "dapple"

    def __init__(self, *, epsilon: float, delta: float | None = None, random_state: int | None = None, **options: Any):
        self._epsilon, self._delta, self._seed, self._options = epsilon, delta, random_state, options

    def fit(self, encoded_df: pandas.DataFrame, context: FitContext) -> Fitted:
        """Makes a release of a table of codes. Raises Error."""
        faults, delta = [], self._delta
        if delta is None:
            faults.append(Fault("delta", "is required: dapple chooses none", "state one far below 1/(number of rows); 0 is pure differential privacy"))
        if self._seed is not None and not isinstance(self._seed, int):
            faults.append(Fault("random_state", f"is a {type(self._seed).__name__}", "give a whole number, or None"))
        if faults or delta is None:
            raise Error(faults)
        columns = [{"name": name, "type": "STRING", "values": [str(code) for code in range(size)], "fallback": "0"} for name, size in context.domain.items()]
        made = _api.synthesize(encoded_df[list(context.domain)].astype(str).reset_index(drop=True), domain={"privacy_id": "none", "columns": columns},
                               epsilon=self._epsilon, delta=delta, **self._options)
        report = PrivacyReport(
            method=context.method, requested_epsilon=context.epsilon, epsilon_spent=made.statement["epsilon"], delta=made.statement["delta"],
            accountant=made.statement["accounting"], backend="dapple", warnings=context.warnings)
        return Fitted(made, report, self._seed)


register_backend("dapple", Backend, replace=True)

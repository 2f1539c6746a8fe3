import re
import uuid
import warnings
import weakref
from typing import Any

import apache_beam as beam
from apache_beam.transforms.external import SchemaAwareExternalTransform

from dapple import _service

URN = "beam:schematransform:dapple:synthesize:v1"
DISCOVER = "beam:schematransform:dapple:discover:v1"

# The versions of Beam that this was tried with: older ones send columns of None as pickles.
_LEAST, _MOST = (2, 65), (2, 77)


def _check_version(text: str) -> None:
    """Refuses a Beam that the service does not understand, and warns of one that nobody has tried."""
    found = re.match(r"(\d+)\.(\d+)", text)
    version = tuple(int(n) for n in found.groups()) if found else (0, 0)
    tried = f"{_LEAST[0]}.{_LEAST[1]} to {_MOST[0]}.{_MOST[1]}"
    if version < _LEAST or version[0] != _LEAST[0]:
        raise RuntimeError(f"dapple: apache-beam {text} is installed, and {tried} were tried; install one of those")
    if version > _MOST:
        warnings.warn(f"dapple: apache-beam {text} is newer than those that were tried, {tried}", stacklevel=4)


def _transform(name: str, urn: str, program: str | None, service: str | None, options: dict[str, Any]) -> SchemaAwareExternalTransform:
    """Returns a transform of the service with options, which it has to know."""
    _check_version(beam.__version__)
    address = _service.address(program, service)
    known = _service.options(address, urn)
    for option in options:
        if option not in known:
            raise ValueError(f"dapple: {option} is no option of {name}; there are {', '.join(known)}")
    return SchemaAwareExternalTransform(urn, address, rearrange_based_on_discovery=True, **options)


class Budget:
    """What several releases may lose together: give one to each Synthesize of the same people.

    Args:
      epsilon: ε of all of them.
      delta: δ of all of them.
    """

    def __init__(self, epsilon: float, delta: float):
        self._options = {"budget": uuid.uuid4().hex, "budget_epsilon": epsilon, "budget_delta": delta}


def _unit(domain: str) -> str | None:
    """Returns the privacy ID of the text of a domain file."""
    found = re.search(r"(?m)^privacy_id:\s*[\"']?([^\s\"'#]+)", domain)
    return found.group(1) if found else None


def _may_name(kind: Any, unit: str | None) -> bool:
    """Reports whether elements of a type may hold the privacy ID: rows with that field, and what says nothing of its fields."""
    fields = getattr(kind, "_fields", None)
    if fields is not None:
        return unit in [f if isinstance(f, str) else f[0] for f in fields]
    return kind not in (str, bytes, int, float, bool, type(None))


def _people(rows: Any, unit: str | None) -> set[Any]:
    """Returns the collections of the people of rows: rows, and what they are made of, as far as it may hold the privacy ID."""
    found, open_ = {rows}, [rows]
    while open_:
        made = open_.pop().producer
        for source in made.inputs if made else ():
            if isinstance(source, beam.pvalue.PCollection) and source not in found and _may_name(source.element_type, unit):
                found.add(source)
                open_.append(source)
    return found


# The collections of each pipeline from which something is released, with the budgets of the releases.
_released: "weakref.WeakKeyDictionary[Any, dict[Any, Budget | None]]" = weakref.WeakKeyDictionary()


def _spend(rows: Any, unit: str | None, budget: Budget | None) -> None:
    """Refuses a second release of the same people without a common budget."""
    if not isinstance(rows, beam.pvalue.PCollection):
        return
    before, people = _released.setdefault(rows.pipeline, {}), _people(rows, unit)
    if any(p in before and (budget is None or before[p] is not budget) for p in people):
        raise ValueError("dapple: another release is made of these people, and their losses add, which neither statement would say; "
                         "release once and draw more rows, or give all of them one budget=dapple.Budget(epsilon, delta), the total that they may spend")
    before.update(dict.fromkeys(people, budget))


class Discover(beam.PTransform):  # type: ignore[misc,unused-ignore]
    """Finds what private rows can contain, as the text of a domain file that carries what it has cost.

    Args:
      privacy_id: the field that names the people, or "none" if every row is another person.
      epsilon: ε, which the finding may spend.
      delta: δ of that, above 0 and far below 1/(number of people).
      program: the dapple to start; default: DAPPLE, else the one on the PATH.
      service: the address of a dapple expand that is there already, in its place.
      options: domain, neighbouring, store, run_id, no_retries, ledger. The service describes them. Of a domain with open parts these alone are found.

    Returns a collection of one row with domain, epsilon, delta and left_out. The rows are synthesized in another pipeline.
    """

    def __init__(self, privacy_id: str, epsilon: float, delta: float, *, program: str | None = None, service: str | None = None, **options: Any):
        super().__init__()
        self._unit = None if privacy_id == "none" else privacy_id
        self._transform = _transform("Discover", DISCOVER, program, service, {"privacy_id": privacy_id, "epsilon": epsilon, "delta": delta, **options})

    def expand(self, rows: Any) -> Any:
        _spend(rows, self._unit, None)
        found = rows | self._transform
        return found["domain"] if isinstance(found, dict) else found


class Synthesize(beam.PTransform):  # type: ignore[misc,unused-ignore]
    """Turns private rows into synthetic ones.

    Args:
      domain: the text of a domain file; `dapple help domain` explains it.
      epsilon: ε, the privacy loss.
      delta: δ, far below 1/(number of people); 0 is pure differential privacy.
      program: the dapple to start; default: DAPPLE, else the one on the PATH.
      service: the address of a dapple expand that is there already, in its place.
      options: neighbouring, rows, workload, units, method, memory_limit, error_share, shards, sample_seed, store,
        run_id, no_retries, ledger. The service describes them: `Synthesize.options()`.
      budget: a Budget that several releases of the same people share; without one the second release is refused.

    Returns a dict of two collections: "rows" and "statement". If the domain declares events, rows have the number of their
    person, an int, under the name of the privacy ID. A collection has no order: sort a person's rows by the column of `order`.
    """

    def __init__(self, domain: str, epsilon: float, delta: float, *, budget: Budget | None = None, program: str | None = None, service: str | None = None, **options: Any):
        super().__init__()
        self._unit, self._budget = _unit(domain), budget
        if budget is not None:
            options |= budget._options
        self._transform = _transform("Synthesize", URN, program, service, {"domain": domain, "epsilon": epsilon, "delta": delta, **options})

    def expand(self, rows: Any) -> Any:
        _spend(rows, self._unit, self._budget)
        return rows | self._transform

    @staticmethod
    def options(program: str | None = None, service: str | None = None) -> dict[str, str]:
        """Returns what each option is for, by name."""
        return _service.options(_service.address(program, service), URN)

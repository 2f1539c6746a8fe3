"""What a notebook calls."""

from __future__ import annotations

import html
import json
import os
import shutil
import tempfile
import warnings
import weakref
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dapple import _program
from dapple._domain import Domain
from dapple._program import Error, Fault, Progress

if TYPE_CHECKING:
    from dapple import _frames

DomainLike = Domain | Mapping[str, Any] | str | os.PathLike[str]


def _tables() -> Any:
    """PyArrow is imported when a table is first read: it takes most of a second on a slow disk."""
    from dapple import _frames
    return _frames


class Report:
    """A page: shown in notebooks, `path` elsewhere."""

    def __init__(self, path: Path):
        self.path = path

    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    def __repr__(self) -> str:
        return f"Report({str(self.path)!r})"

    def _repr_html_(self) -> str:
        return _framed(self.text())


def _framed(page: str) -> str:
    return f'<iframe srcdoc="{html.escape(page)}" sandbox="allow-scripts" style="width:100%;height:640px;border:0"></iframe>'


class Release:
    """A synthetic table with its promise.

    `rows` has the type of the table that came in, `statement` is the privacy statement, `domain` the domain,
    `errors` what is known of the rows' errors. Everything in it is public under the statement's promise.
    """

    def __init__(self, path: Path, restore: _frames.Restore, domain: Domain | None = None):
        self._path, self._restore, self._domain = path, restore, domain
        self._beside = path.with_name(path.name + ".release")
        self._rows: Any = None
        self.statement: dict[str, Any] = json.loads((self._beside / "_privacy.json").read_text(encoding="utf-8"))

    @property
    def rows(self) -> Any:
        if self._rows is None:
            self._rows = _tables().read(self._path, self._restore)
        return self._rows

    @property
    def domain(self) -> Domain | None:
        """The domain, also one that was found privately; None of a release that was loaded and had been given one."""
        return self._domain

    @property
    def notes(self) -> list[str]:
        """What is missing or did not fit where the domain was found: columns that are left out, and values that became NULL or other."""
        return [f"left out: {c}" for c in self.statement.get("left_out", [])] + list(self.statement.get("did_not_fit", []))

    @property
    def errors(self) -> dict[str, Any]:
        """What is known of errors: bounds from the noise, and the average that was measured privately."""
        return dict(self.statement.get("error") or {})

    def sample(self, rows: int | None = None, where: str | None = None, *, seed: int | None = None, **options: Any) -> Any:
        """Draws more rows from the model, at no privacy cost.

        `rows` is how many, `where` a condition as in SQL, `seed` repeats a draw; options are flags of `dapple sample`.
        Raises Error.
        """
        with _program.workspace() as at:
            flags = _program.options({"rows": rows, "where": where, "sample_seed": seed, **options})
            _program.run("sample", [f"--model={self._path.absolute()}", "--output=drawn", *flags], at)
            tables = _tables()
            return tables.read(at / "drawn", tables.arrow if self._restore is tables.directory else self._restore)

    def draws(self, number: int = 20, rows: int | None = None, where: str | None = None, *, seed: int | None = None, **options: Any) -> list[Any]:
        """Draws tables that the true one may be, given the release, at no privacy cost.

        An estimate, such as a coefficient of a regression, is computed from each, and `combine` puts them together: how far
        they differ is the error of the release. `number` is at least 5; the rest is as for `sample`. Raises Error.
        """
        with _program.workspace() as at:
            flags = _program.options({"draws": number, "rows": rows, "where": where, "sample_seed": seed, **options})
            _program.run("sample", [f"--model={self._path.absolute()}", "--output=drawn", *flags], at)
            tables = _tables()
            restore = tables.arrow if self._restore is tables.directory else self._restore
            return [tables.read(at / f"drawn_{k + 1:02}", restore) for k in range(number)]

    def query(self, sql: str, *, population: bool = False) -> Answers:
        """Answers a question such as "SELECT sex, COUNT(*), AVG(age) FROM rows WHERE age >= 40 GROUP BY sex", at no privacy cost.

        Each answer is a dict with value, standard_error, and low and high, the ends of its 95 % interval. With `population` it is
        about the population that the table's people are a random sample of. Raises Error.
        """
        with _program.workspace() as at:
            flags = ["--json=answers.json", *(["--population"] if population else [])]
            text = _program.run("query", [str(self._path.absolute()), sql, *flags], at)
            return Answers(json.loads((at / "answers.json").read_text(encoding="utf-8"))["answers"], text)

    def report(self) -> Report:
        """The page on promise, budget and errors, for people who decide."""
        return Report(self._beside / "_report.html")

    def evaluate(self, table: Any, **options: Any) -> Evaluation:
        """Compares the rows with the true table. The result is NOT private. Raises Error."""
        if self._domain is None:
            raise Error([Fault("domain", "a release that was loaded has none", "set domain= in dapple.load")])
        with _program.workspace() as at, _program.hidden(at) as rows:
            source = _tables().write(table, rows)
            self._domain.save(at / "domain.yaml")
            _program.run("evaluate", ["--domain=domain.yaml", f"--input={source.path}", f"--synthetic={self._path.absolute()}",
                                      "--json=figures.json", "--html=page.html", *_program.options(options)], at, rows)
            return Evaluation(json.loads((at / "figures.json").read_text(encoding="utf-8")), (at / "page.html").read_text(encoding="utf-8"))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Copies the rows to a directory, and statement, model and report to the one beside it. Both must be new."""
        to = Path(path)
        beside = to.with_name(to.name + ".release")
        faults = [Fault("path", f"{p} is there already", "name another") for p in (to, beside) if p.exists()]
        if faults:
            raise Error(faults)
        shutil.copytree(self._beside, beside)
        shutil.copytree(self._path, to)

    def __repr__(self) -> str:
        s = self.statement
        return f"Release(epsilon={s['epsilon']}, delta={s['delta']}, rows={s.get('rows')})"

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()


class Figures(dict[str, Any]):
    """Figures by name, and the text or page that shows them."""

    def __init__(self, figures: Mapping[str, Any], text: str):
        super().__init__(figures)
        self.text = text

    def __repr__(self) -> str:
        return self.text.strip()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


class Answers(list[dict[str, Any]]):
    """Answers to a question, each with its error, and the text that shows them."""

    def __init__(self, answers: Iterable[dict[str, Any]], text: str):
        super().__init__(answers)
        self.text = text

    def __repr__(self) -> str:
        return self.text.strip()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


class Plan(Figures):
    """What a release would promise, cost and be good for, from public knowledge alone."""


class Check(Figures):
    """What of the true table does not fit a domain: NOT private."""


class Evaluation(dict[str, Any]):
    """How a synthetic table compares with the true one: NOT private. `page` is a page of pictures."""

    def __init__(self, figures: Mapping[str, Any], page: str):
        super().__init__(figures)
        self.page = page

    def _repr_html_(self) -> str:
        return _framed(self.page)


def synthesize(table: Any, *, epsilon: float, delta: float, domain: DomainLike | None = None, privacy_id: str | None = None,
               expected_rows: int | None = None, rows: int | None = None, about: Mapping[str, str] | str | os.PathLike[str] | None = None,
               ledger: Ledger | str | os.PathLike[str] | None = None, progress: bool | Progress | None = None, **options: Any) -> Release:
    """Makes a synthetic table under (ε, δ)-differential privacy.

    `table` is a pandas, Polars or PyArrow table, a RecordBatchReader, a DuckDB relation, or a path for tables larger
    than memory; `rows` of the result has the same type, and is a directory of Parquet files for a path. `domain` is a
    Domain, a dict, a YAML text or a path; without one it is found privately, by a tenth of the budget. `privacy_id` is the
    column that names people, or "none" if every row is another person; it replaces the domain's. Columns that are left out, and
    values that did not fit, are a UserWarning and stand in `notes` of the result; columns="all" is an Error instead. `expected_rows` is a public estimate of the number of people. `about` are the report's texts,
    `ledger` the budget book to charge. Options are flags of `dapple synth`, such as method="rake" or neighbouring="replace".

    Raises Error with every fault, before anything is spent; Interrupted on Ctrl-C, which says what was spent. An Error after
    that says so: a call keeps nothing for the next one. One about criteria has the paid release in `release`.

    >>> import pyarrow
    >>> visits = pyarrow.table({"nights": [n % 7 for n in range(1000)]})
    >>> nights = {"name": "nights", "type": "INT64", "min": 0, "max": 9, "fallback": 0}
    >>> made = synthesize(visits, privacy_id="none", domain={"columns": [nights]}, epsilon=1, delta=1e-6, expected_rows=1000)
    >>> made.rows.schema == visits.schema
    True
    >>> made.sample(10, where="nights >= 5").num_rows
    10
    """
    faults = [Fault(name, "is no option here", "rows come back as a table; use save()") for name in ("format", "output", "release") if name in options]
    with _program.workspace() as at, _program.hidden(at) as held:
        used = None if domain is None else _gather(faults, lambda: Domain(domain))
        if used is not None and privacy_id is not None:
            used.privacy_id = privacy_id
        source = _gather(faults, lambda: _tables().write(table, held, used.privacy_id if used else privacy_id))
        flags = _program.options({
            "domain": used and "domain.yaml", "privacy_id": None if used else privacy_id,
            "epsilon": epsilon, "delta": delta, "expected_rows": expected_rows, "rows": rows,
            "about": _about(about, at), "ledger": _book(ledger), **options})
        if used is not None:
            used.save(at / "domain.yaml")
        arguments = ["--output=rows", "--release=rows.release", *flags]
        if faults:
            if used is not None or domain is None:  # whatever else is wrong; there is no table that could be read
                others: list[Fault] = []
                _gather(others, lambda: _program.run("synth", ["--input=absent.parquet", *arguments], at))
                faults += [f for f in others if f.where != "input" and f.where not in {g.where for g in faults}]
            raise Error(faults)
        failed = None
        try:
            _program.run("synth", [f"--input={source.path}", *arguments], at, held, progress=progress)
        except Error as e:
            failed = e
        if failed is not None and not (at / "rows.release" / "_manifest.json").exists():
            if failed.began:  # the directory goes, and with it what the program keeps for a second run
                failed = Error([*failed.faults, Fault("dapple", "nothing of this call is kept", "if ε was spent, calling again spends it once more")], began=True)
            raise failed
        home = Path(tempfile.mkdtemp(prefix="dapple-release-"))
        for name in ("rows", "rows.release"):
            shutil.move(at / name, home / name)
    made = Release(home / "rows", source.restore, used or _found(home / "rows.release"))
    if made.notes:
        warnings.warn("dapple: " + "; ".join(made.notes), stacklevel=2)
    weakref.finalize(made, shutil.rmtree, home, ignore_errors=True)
    if failed is not None:
        failed.release = made
        raise failed
    return made


def load(path: str | os.PathLike[str], *, domain: DomainLike | None = None) -> Release:
    """Opens what save or `dapple synth` wrote. Its rows are a PyArrow table. Raises Error."""
    where = Path(path)
    statement = where.with_name(where.name + ".release") / "_privacy.json"
    if not statement.exists():
        raise Error([Fault("path", f"there is no release beside {where}", "name the directory of rows that save or dapple synth wrote")])
    return Release(where, _tables().arrow, _found(statement.parent) if domain is None else Domain(domain))


def _found(release: Path) -> Domain | None:
    """Returns the domain that a run found, which its release holds; None if the run was given one."""
    path = release / "_domain.yaml"
    return Domain(path) if path.exists() else None


def infer(table: Any = None, *, privacy_id: str | None = None, from_data: bool = True,
          schema: Mapping[str, Any] | list[Any] | str | os.PathLike[str] | None = None) -> Domain:
    """Proposes a domain, from a table or from `schema`, its public description.

    `privacy_id` is the column that names people, or "none" if every row is another person. With `from_data` cells of the table
    are read, which is NOT private: edit the domain by what is known without the table, and say so by `reviewed`. A release
    repeats what is left. `schema` is an ODCS contract, a JSON Schema, or the schema.yml of dbt:
    a file, with #TABLE behind its name if it describes several, or what stands in it. Raises Error.

    >>> infer(schema={"type": "object", "properties": {"age": {"type": "integer", "minimum": 0, "maximum": 110}}}, privacy_id="none").columns["age"].max
    110
    """
    if (table is None) == (schema is None):
        raise Error([Fault("table", "either a table is read or a schema", "give one of them")])
    with _program.workspace() as at, _program.hidden(at) as rows:
        if schema is None:
            flags = [f"--input={_tables().write(table, rows, privacy_id).path}", *(["--from_data"] if from_data else [])]
        else:
            flags = [f"--schema={_described(schema, at)}"]
        _program.run("infer", ["--output=domain.yaml", *flags, *_program.options({"privacy_id": privacy_id})], at, rows)
        out = Domain(at / "domain.yaml")
    if from_data and schema is None:
        warnings.warn("dapple: this domain was read off the table and is NOT private; review it", stacklevel=2)
    return out


def _described(schema: Mapping[str, Any] | list[Any] | str | os.PathLike[str], at: Path) -> str:
    if isinstance(schema, (str, os.PathLike)):
        return os.path.abspath(schema)
    (at / "schema.json").write_text(json.dumps(schema, default=str), encoding="utf-8")
    return "schema.json"


def plan(domain: DomainLike, *, epsilon: float, delta: float, expected_rows: int | None = None, **options: Any) -> Plan:
    """Says what a release would promise and cost, without a table. Options are flags of `dapple plan`. Raises Error."""
    with _program.workspace() as at:
        Domain(domain).save(at / "domain.yaml")
        flags = _program.options({"epsilon": epsilon, "delta": delta, "expected_rows": expected_rows, **options})
        text = _program.run("plan", ["--domain=domain.yaml", "--json=plan.json", *flags], at)
        return Plan(json.loads((at / "plan.json").read_text(encoding="utf-8")), text)


def check(domain: DomainLike, table: Any) -> Check:
    """Counts the cells of a true table that do not fit a domain. The result is NOT private. Raises Error."""
    with _program.workspace() as at, _program.hidden(at) as rows:
        source = _tables().write(table, rows)
        Domain(domain).save(at / "domain.yaml")
        text = _program.run("check", ["--domain=domain.yaml", f"--input={source.path}", "--json=check.json"], at, rows)
        return Check(json.loads((at / "check.json").read_text(encoding="utf-8")), text)


class Ledger:
    """A budget book: what all runs on a table may lose, and have lost."""

    def __init__(self, path: str | os.PathLike[str]):
        name = os.fspath(path)
        self.path = name if "://" in name else os.path.abspath(name)

    def create(self, name: str, *, table: str, epsilon: float, delta: float, privacy_id: str | None = None, **options: Any) -> Ledger:
        """Makes the book of a data set; `table` is how runs name it. Its terms never change. Raises Error."""
        with _program.workspace() as at:
            flags = _program.options({"create": name, "input": table, "epsilon": epsilon, "delta": delta,
                                      "privacy_id": privacy_id if privacy_id != "none" else None, **options})
            _program.run("ledger", [self.path, *flags], at)
        return self

    def text(self, *, check: Iterable[str | os.PathLike[str]] = ()) -> str:
        """The book's terms and entries; `check` are outputs of runs that must be in it. Raises Error."""
        with _program.workspace() as at:
            return _program.run("ledger", [self.path, *_program.options({"check": [os.path.abspath(c) for c in check] or None})], at)

    def __repr__(self) -> str:
        return f"Ledger({self.path!r})"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text())}</pre>"


def _gather(faults: list[Fault], work: Callable[[], Any]) -> Any:
    """Returns what work does, or adds what is wrong."""
    try:
        return work()
    except Error as e:
        faults.extend(e.faults)
        return None


def _about(about: Mapping[str, str] | str | os.PathLike[str] | None, at: Path) -> str | None:
    if isinstance(about, Mapping):
        (at / "about.yaml").write_text(json.dumps(dict(about)), encoding="utf-8")
        return "about.yaml"
    return None if about is None else os.path.abspath(about)


def _book(ledger: Ledger | str | os.PathLike[str] | None) -> str | None:
    if ledger is None:
        return None
    return (ledger if isinstance(ledger, Ledger) else Ledger(ledger)).path

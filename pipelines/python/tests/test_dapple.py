"""Tests of the package: DAPPLE names the program, or the package carries it."""

import contextlib
import datetime
import decimal
import doctest
import glob
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
import unittest.mock
import warnings
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import dapple
import dapple._combine
import dapple._domain
import dapple._program

N = 2000
DOMAIN = {
    "privacy_id": "person_id",
    "columns": [
        {"name": "age", "type": "INT64", "min": 0, "max": 99, "null": True},
        {"name": "sex", "type": "STRING", "values": ["f", "m"], "other": True},
        {"name": "Größe in cm", "type": "FLOAT64", "min": 100, "max": 220, "resolution": 0.1, "fallback": 100},
        {"name": "seen", "type": "TIMESTAMP", "min": "2020-01-01T00:00:00Z", "max": "2021-12-31T23:59:59Z", "resolution": "hour", "fallback": "2020-01-01T00:00:00Z"},
        {"name": "born", "type": "DATE", "min": "1920-01-01", "max": "2020-12-31", "fallback": "1920-01-01"},
        {"name": "paid", "type": "NUMERIC", "min": 0, "max": 99, "resolution": 0.01, "fallback": 0},
        {"name": "member", "type": "BOOL", "fallback": False},
        {"name": "visits", "type": "INT64", "min": 0, "max": 9, "fallback": 0},
    ],
}
TERMS = {"epsilon": 1, "delta": 1e-6, "expected_rows": N}


def table() -> pa.Table:
    utc = datetime.timezone.utc
    return pa.table({
        "person_id": pa.array(range(N), pa.int64()),
        "age": pa.array([None if i % 50 == 0 else i % 80 for i in range(N)], pa.int16()),
        "sex": pa.array(["fm"[i % 2] for i in range(N)]).dictionary_encode(),
        "Größe in cm": pa.array([150 + i % 500 / 10 for i in range(N)]),
        "seen": pa.array([datetime.datetime(2020, 1, 1 + i % 28, i % 24, tzinfo=utc) for i in range(N)], pa.timestamp("us", "Europe/Berlin")),
        "born": pa.array([datetime.date(1950 + i % 50, 1, 1) for i in range(N)]),
        "paid": pa.array([decimal.Decimal(i % 5000) / 100 for i in range(N)], pa.decimal128(6, 2)),
        "member": pa.array([i % 3 == 0 for i in range(N)]),
        "visits": pa.array([i % 10 for i in range(N)], pa.uint8()),
    })


def left() -> set[str]:
    return set(glob.glob(os.path.join(tempfile.gettempdir(), "dapple-python-*")) + glob.glob(os.path.join(tempfile.gettempdir(), "dapple-release-*")))


def missing(module: str) -> bool:
    return importlib.util.find_spec(module) is None


class Tables(unittest.TestCase):
    """Rows come back as the kind of table that came, with its columns and types."""

    def test_arrow(self) -> None:
        made = dapple.synthesize(table(), domain=DOMAIN, **TERMS)
        self.assertEqual(made.rows.schema, table().drop_columns("person_id").schema)
        self.assertEqual(made.rows.num_rows, made.statement["rows"])
        self.assertEqual((made.statement["epsilon"], made.statement["delta"]), (1, 1e-6))
        self.assertIn("average_tv_estimate", made.errors)
        self.assertEqual(list(made.domain.columns), made.rows.column_names)
        self.assertIn("<iframe", made._repr_html_())
        old = made.sample(50, where="age > 67 AND sex = f")
        self.assertEqual((old.num_rows, old.schema), (50, made.rows.schema))
        self.assertGreater(min(old["age"].to_pylist()), 67)
        self.assertEqual(made.sample(20, seed=3), made.sample(20, seed=3))
        answers = made.query("SELECT sex, COUNT(*), AVG(age) FROM rows WHERE age > 20 GROUP BY sex", population=True)
        self.assertIn("95 % interval", repr(answers))
        for a in answers:
            self.assertIn(a["from"], ("measured", "modelled"))
            if a["value"] is not None:  # else noise hides it
                self.assertLessEqual(a["low"], a["value"])
                self.assertLess(a["value"], a["high"])

    def test_draws(self) -> None:
        made = dapple.synthesize(table(), domain=DOMAIN, **TERMS)
        draws = made.draws(5, rows=500, seed=3)
        self.assertEqual([(d.num_rows, d.schema) for d in draws], 5 * [(500, made.rows.schema)])
        self.assertEqual(draws, made.draws(5, rows=500, seed=3))
        self.assertNotEqual(draws[0], draws[1])
        visits = [sum(d["visits"].to_pylist()) / 500 for d in draws]
        about = dapple.combine(visits)
        self.assertLess(about.low, about.estimate)
        self.assertAlmostEqual(about.estimate, made.query("SELECT AVG(visits) FROM rows")[0]["value"], delta=2)
        both = dapple.combine([[v, 2 * v] for v in visits], [[0.01, 0.04]] * 5)
        self.assertEqual(len(both), 2)
        self.assertGreater(both[0].standard_error, about.standard_error)
        self.assertAlmostEqual(both[1].high, 2 * both[0].high)
        for few, stated, says in ((visits[:4], None, "give 5 or more"), (visits, [1.0], "give one for each"), ([[1], [2], [3], [4], [5, 6]], None, "as many from each")):
            with self.assertRaisesRegex(dapple.Error, says):
                dapple.combine(few, stated)

    def test_readers_and_paths(self) -> None:
        reader = table().to_reader(max_chunksize=300)
        made = dapple.synthesize(reader, domain=DOMAIN, **TERMS)
        self.assertIsInstance(made.rows, pa.RecordBatchReader)
        with tempfile.TemporaryDirectory() as at:
            pq.write_table(table(), f"{at}/t.parquet")
            made = dapple.synthesize(Path(at) / "t.parquet", domain=DOMAIN, **TERMS)
            self.assertEqual(pq.read_table(made.rows).num_rows, made.statement["rows"])
            made.save(Path(at) / "out")
            again = dapple.load(Path(at) / "out", domain=made.domain)
            self.assertEqual(again.rows.num_rows, made.statement["rows"])
            self.assertEqual(again.sample(5).num_rows, 5)
            self.assertIn("columns", again.evaluate(table()))
            with self.assertRaises(dapple.Error):
                made.save(Path(at) / "out")
        with self.assertRaises(dapple.Error):
            dapple.load("nothing")

    def test_no_domain(self) -> None:
        """Without a domain one is found within the budget, stands in the release, and is found again when that is loaded."""
        made = dapple.synthesize(table(), privacy_id="person_id", epsilon=5, delta=1e-6, expected_rows=N)
        self.assertEqual(set(made.domain.columns), set(made.rows.column_names))
        self.assertIn("age", made.domain.columns)
        self.assertNotIn("derived_from_data", made.domain.keys)
        self.assertEqual(made.rows.schema.field("age").type, pa.int16())
        with tempfile.TemporaryDirectory() as at:
            made.save(Path(at) / "out")
            again = dapple.load(Path(at) / "out")
            self.assertEqual(again.domain.keys, made.domain.keys)
            self.assertIn("columns", again.evaluate(table()))
        again = dapple.synthesize(table(), domain=made.domain, **TERMS)
        self.assertEqual(again.domain.keys, made.domain.keys)

    def test_order(self) -> None:
        """Rows of a person come back in their order, and follow each other as those that came do."""
        days = [(i // 4, i % 28 + [0, 1, 3, 7][i % 4], "fm"[i // 4 % 2], "abcd"[(i + i // 4) % 4]) for i in range(4 * N)]
        who, day, sex, kind = zip(*sorted(days, key=lambda r: r[3]))
        came = pa.table({"who": who, "sex": sex, "day": pa.array(day, pa.int32()), "kind": kind})
        domain = {
            "privacy_id": "who",
            "columns": [
                {"name": "sex", "type": "STRING", "values": ["f", "m"], "fallback": "f"},
                {"name": "day", "type": "INT64", "min": 0, "max": 40, "fallback": 0},
                {"name": "kind", "type": "STRING", "values": list("abcd"), "fallback": "a"},
            ],
            "events": {"person": ["sex"], "rows": {"max": 8}, "order": "day"},
        }
        made = dapple.synthesize(came, domain=domain, **TERMS | {"epsilon": 20})
        for rows in (made.rows, made.sample(people=400), made.sample(people=400, where="sex = m")):
            self.assertEqual(rows.schema, made.rows.schema)
            found: dict[int, list[dict]] = {}
            for row in rows.to_pylist():
                found.setdefault(row["who"], []).append(row)
            pairs = [(a, b) for own in found.values() for a, b in zip(own, own[1:])]
            self.assertGreater(len(pairs), 500)
            self.assertTrue(all(a["day"] <= b["day"] and a["sex"] == b["sex"] for a, b in pairs))
            follows = sum((ord(b["kind"]) - ord(a["kind"])) % 4 == 1 for a, b in pairs)
            self.assertGreater(follows, .9 * len(pairs))

    @unittest.skipIf(missing("pandas"), "missing: pandas")
    def test_pandas(self) -> None:
        frame = table().to_pandas(types_mapper={pa.int16(): __import__("pandas").Int16Dtype()}.get)
        made = dapple.synthesize(frame, domain=DOMAIN, **TERMS)
        self.assertEqual(made.rows.dtypes.to_dict(), frame.drop(columns="person_id").dtypes.to_dict())
        self.assertEqual(made.sample(7).dtypes.to_dict(), made.rows.dtypes.to_dict())

    @unittest.skipIf(missing("polars"), "missing: polars")
    def test_polars(self) -> None:
        import polars
        frame = polars.from_arrow(table())
        self.assertEqual(dapple.synthesize(frame, domain=DOMAIN, **TERMS).rows.schema, frame.drop("person_id").schema)
        self.assertIsInstance(dapple.synthesize(frame.lazy(), domain=DOMAIN, **TERMS).rows, polars.LazyFrame)

    @unittest.skipIf(missing("duckdb"), "missing: duckdb")
    def test_duckdb(self) -> None:
        import duckdb
        people = table()
        relation = duckdb.sql("SELECT * REPLACE (sex::ENUM('f', 'm') AS sex) FROM people")
        made = dapple.synthesize(relation, domain=DOMAIN, **TERMS).rows
        self.assertEqual(list(zip(made.columns, made.types)), list(zip(relation.columns, relation.types))[1:])

    @unittest.skipIf(missing("duckdb"), "missing: duckdb")
    def test_marginals_in_duckdb(self) -> None:
        """The macros of docs/howto/marginals.sql give the numbers of query."""
        import duckdb
        db = duckdb.connect()
        db.execute((Path(__file__).parents[3] / "docs/howto/marginals.sql").read_text())
        self.assertEqual(db.sql(r"SELECT dapple_labels('a\, b, , c\\, d')").fetchall(), [(["a, b", "", "c\\", "d"],)])
        made = dapple.synthesize(table(), domain=DOMAIN, **TERMS)
        with tempfile.TemporaryDirectory() as at:
            made.save(Path(at) / "out")
            for names in (["sex"], ["sex", "visits"], ["age", "sex", "member"]):
                asked = made.query(f"SELECT COUNT(*), SHARE(*) FROM rows GROUP BY {', '.join(names)}")
                for macro, column in (("counts", "COUNT(*)"), ("shares", "SHARE(*)")):
                    cells = db.sql(f"SELECT labels, value, standard_error, low, high FROM dapple_{macro}('{at}/out', {names})").fetchall()
                    found = {tuple(labels): value for labels, value, *_ in cells}
                    self.assertTrue(all(low <= value <= high and error > 0 for _, value, error, low, high in cells))
                    wanted = {tuple(a["group"][n] for n in names): a["value"] for a in asked if a["column"] == column}
                    self.assertGreater(len(wanted), 1)
                    for labels, value in wanted.items():
                        self.assertAlmostEqual(found[labels], value, delta=1e-6 * max(1, value))
            total = db.sql(f"SELECT sum(value) FROM dapple_counts('{at}/out', ['sex', 'visits']) WHERE labels[1] = 'f'").fetchall()[0][0]
            self.assertAlmostEqual(total, made.query("SELECT COUNT(*) FROM rows WHERE sex = f")[0]["value"], delta=1e-6 * N)
            self.assertEqual(db.sql(f"SELECT * FROM dapple_counts('{at}/out', ['nothing'])").fetchall(), [])


class Words(unittest.TestCase):
    """What is wrong is one Error with all faults, and nothing is left behind."""

    def refused(self, *wanted: str, data: object = None, **changed: object) -> None:
        before = left()
        with self.assertRaises(dapple.Error) as caught:
            dapple.synthesize(table() if data is None else data, **{"domain": DOMAIN, **TERMS, **changed})
        for text in wanted:
            self.assertIn(text, str(caught.exception))
        self.assertEqual(len(caught.exception.faults), len(str(caught.exception).splitlines()))
        self.assertEqual(left(), before)

    def test_requests(self) -> None:
        self.refused("privacy_id: is required", "epsilon: got \"-1\"", "bogus: is not a flag", domain=None, epsilon=-1, bogus=1)
        self.refused("table: is a builtins.list", "delta: got \"2\"", domain=None, privacy_id="none", delta=2, data=[1, 2])
        self.refused("epsilon: got \"-1\"", "delta: got \"2\"", "bogus: is not a flag", epsilon=-1, delta=2, bogus=1)
        self.refused("domain: there is no file", domain="nothing.yaml")
        self.refused("values", domain="privacy_id: none\ncolumns: [{name: a, type: STRING}]\n")
        self.refused("output: is no option here", output="x")
        self.refused("privacy_id: there is no column id", privacy_id="id")

    def test_tables(self) -> None:
        whole = table()
        self.refused("table: it has no columns", data=pa.table({}))
        self.refused("column b: holds list", "column c: holds struct", "epsilon", epsilon=0, data=whole.append_column("b", [[[1]] * N]).append_column("c", [[{"x": 1}] * N]))
        self.refused("column age: two columns have this name", data=whole.append_column("age", whole["age"]))
        ids = pa.array([None, *range(1, N)], pa.float64())
        self.refused("privacy_id: column person_id has NULL or NaN", data=whole.set_column(0, "person_id", ids))
        self.refused("table: is a builtins.list", data=[1, 2])

    @unittest.skipIf(missing("pandas"), "missing: pandas")
    def test_frames(self) -> None:
        import pandas
        frame = table().to_pandas()
        self.refused("table: its index means something", data=frame.set_index("person_id"))
        self.refused("table: it has no columns", data=pandas.DataFrame())
        mixed = frame.assign(odd=[1, "x"] * (N // 2), lists=[[1]] * N)
        self.refused("column odd: its values are of mixed types", data=mixed)
        self.refused("column odd: its values are of mixed types", "column lists: holds list", "table: its index means something", "column 7: its name is a int",
                     "column age: two columns have this name", "privacy_id: there is no column id", "epsilon: got",
                     data=pandas.concat([mixed.set_index("person_id"), mixed[["age"]].set_index(mixed.person_id)], axis=1).rename(columns={"sex": 7}), privacy_id="id", epsilon=0)
        nan = frame.assign(person_id=[float("nan"), *range(1, N)])
        self.refused("privacy_id: column person_id has NULL or NaN", "column odd", data=nan.assign(odd=mixed.odd))
        self.refused("privacy_id: column person_id has NULL or NaN", data=nan)
        wide = pandas.DataFrame({f"c{i}": [0, 1] for i in range(10_000)})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.assertEqual(len(dapple.infer(wide, privacy_id="none").columns), 10_000)
        self.refused("columns", data=wide, domain=None, privacy_id="none")


class Others(unittest.TestCase):
    def test_infer_check_plan(self) -> None:
        with self.assertWarns(UserWarning):
            domain = dapple.infer(table(), privacy_id="person_id")
        self.assertEqual(list(domain.columns), table().column_names[1:])
        self.assertIn("derived_from_data", domain.keys)
        domain.columns["age"].max = 99
        self.assertNotIn("derived_from_data", domain.reviewed().keys)
        found = dapple.check(domain, table())
        self.assertEqual(found["records"], N)
        plan = dapple.plan(domain, **TERMS)
        self.assertEqual(plan["epsilon"], 1)
        self.assertIn("ε", repr(plan))
        evaluation = dapple.synthesize(table(), domain=domain, **TERMS).evaluate(table())
        self.assertIn("<iframe", evaluation._repr_html_())

    def test_schema(self) -> None:
        """A public description of a table is a file, or what stands in it; no table is read."""
        columns = {"sex": {"type": "string", "enum": ["f", "m"]}, "age": {"type": "integer", "minimum": 0, "maximum": 110}}
        contract = [{"name": "sex", "logicalType": "string", "quality": [{"type": "library", "metric": "invalidValues", "arguments": {"validValues": ["f", "m"]}, "mustBe": 0}]},
                    {"name": "age", "logicalType": "integer", "logicalTypeOptions": {"minimum": 0, "maximum": 110}}]
        with warnings.catch_warnings(), tempfile.TemporaryDirectory() as at:
            warnings.simplefilter("error")
            path = Path(at) / "contract.json"
            path.write_text(json.dumps({"apiVersion": "v3.1.0", "kind": "DataContract", "schema": [{"name": "other", "properties": []}, {"name": "people", "properties": contract}]}))
            for schema in ({"type": "object", "required": ["sex", "age"], "properties": columns}, f"{path}#people"):
                domain = dapple.infer(schema=schema, privacy_id="none")
                self.assertEqual((domain.columns["sex"].values, domain.columns["age"].max), (["f", "m"], 110))
        for given in ({}, {"table": table(), "schema": {}}):
            with self.assertRaisesRegex(dapple.Error, "table: either a table is read or a schema"):
                dapple.infer(**given)
        with self.assertRaisesRegex(dapple.Error, "schema: "):
            dapple.infer(schema={"a": 1}, privacy_id="none")

    def test_ledger(self) -> None:
        with tempfile.TemporaryDirectory() as at:
            pq.write_table(table(), f"{at}/t.parquet")
            book = dapple.Ledger(f"{at}/book").create("people", table=f"{at}/t.parquet", epsilon=2, delta=1e-6, privacy_id="person_id")
            dapple.synthesize(f"{at}/t.parquet", domain=DOMAIN, ledger=book, **TERMS)
            self.assertIn("people", book.text())
            with self.assertRaises(dapple.Error):
                for _ in range(5):
                    dapple.synthesize(f"{at}/t.parquet", domain=DOMAIN, ledger=book, **TERMS)

    def test_ledger_of_found_domains(self) -> None:
        """Each release whose domain is found is two entries, its finding and itself, and a full book refuses the next."""
        with tempfile.TemporaryDirectory() as at, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # columns may be left out
            pq.write_table(table(), f"{at}/t.parquet")
            book = dapple.Ledger(f"{at}/book").create("people", table=f"{at}/t.parquet", epsilon=2.5, delta=1e-5, privacy_id="person_id")
            for calls in (1, 2):
                made = dapple.synthesize(f"{at}/t.parquet", privacy_id="person_id", epsilon=2, delta=1e-7, ledger=book)
                made.save(f"{at}/out{calls}")
                text = book.text(check=[f"{at}/out{n + 1}" for n in range(calls)])
                self.assertEqual(len(os.listdir(book.path)), 1 + 2 * calls, text)
            with self.assertRaisesRegex(dapple.Error, "book"):
                dapple.synthesize(f"{at}/t.parquet", privacy_id="person_id", epsilon=2, delta=1e-7, ledger=book)
            self.assertEqual(len(os.listdir(book.path)), 5, book.text())

    @unittest.skipIf(os.name == "nt", "missing: scripts of POSIX")
    def test_failures_after_a_draw(self) -> None:
        """What was published is in the error; what the program keeps for a second run is lost with a call, which says so."""
        program = dapple._program.find()
        for before, published in ((program + ' "$@" 2>/dev/null', True), ("true", False)):
            with self.subTest(published=published), tempfile.TemporaryDirectory() as at:
                stand_in = Path(at) / "dapple"
                stand_in.write_text(f"""#!/bin/sh
[ "$1" = synth ] || exec {program} "$@"
{before}
echo '{{"level":"error","what":"criteria are not met"}}' >&2; exit 1
""")
                stand_in.chmod(0o755)
                with unittest.mock.patch.dict(os.environ, {"DAPPLE": str(stand_in)}), self.assertRaises(dapple.Error) as caught:
                    dapple.synthesize(table(), domain=DOMAIN, **TERMS)
                self.assertEqual("calling again spends it once more" in str(caught.exception), not published)
                release = caught.exception.release
                self.assertEqual(release is not None and release.rows.num_rows == release.statement["rows"], published)

    def test_progress(self) -> None:
        heard: list[str] = []
        dapple.synthesize(table(), domain=DOMAIN, progress=lambda stage, done, total: heard.append(stage), **TERMS)
        self.assertIn("writing", heard)

    @unittest.skipIf(os.name == "nt", "missing: signals of POSIX")
    def test_interrupt(self) -> None:
        """Ctrl-C stops the run, which says what was spent; nothing stays."""
        before = left()
        script = textwrap.dedent("""
            import sys
            import dapple
            def tell(stage, done, total):
                print(stage, flush=True)
            try:
                dapple.synthesize(sys.argv[1], domain=sys.argv[2], epsilon=1, delta=1e-9, progress=tell)
            except dapple.Interrupted as e:
                print("stopped:", e, flush=True)
        """)
        with tempfile.TemporaryDirectory() as at:
            wide = pa.table({f"c{i}": [(i * j) % 7 for j in range(20_000)] for i in range(60)})
            pq.write_table(wide, f"{at}/t.parquet")
            dapple.Domain({"privacy_id": "none", "columns": [{"name": n, "type": "INT64", "min": 0, "max": 6, "fallback": 0} for n in wide.column_names]}).save(f"{at}/d.json")
            child = subprocess.Popen([sys.executable, "-c", script, f"{at}/t.parquet", f"{at}/d.json"], stdout=subprocess.PIPE, text=True)
            assert child.stdout is not None
            child.stdout.readline()
            child.send_signal(signal.SIGINT)
            said = child.stdout.read()
            child.wait()
            child.stdout.close()
        self.assertIn("stopped:", said)
        self.assertRegex(said, "spent")
        self.assertEqual(left(), before)

    @unittest.skipIf(missing("synthhub"), "missing: synthhub")
    def test_synthhub(self) -> None:
        """A method of SynthHub: its codes, categories, missing values and report, its refusals, and rows that a seed repeats."""
        import dapple.synthhub
        import pandas
        from synthhub import Synthesizer, infer_schema
        frame = pandas.DataFrame({"smokes": ["yes", "no", "no", None] * (N // 4), "years": [float(i % 60) for i in range(N)]})
        frame["cough"] = ["often" if s == "yes" else "rarely" for s in frame.smokes]
        schema = infer_schema(frame).as_public()
        self.assertIn("dapple", Synthesizer.available_methods())

        def fitted(**options: object) -> Synthesizer:
            return Synthesizer(**{"method": "dapple", "epsilon": 5, "delta": 1e-6, "schema": schema, "random_state": 7, **options}).fit(frame)
        synth = fitted(expected_rows=N)
        made = synth.sample(1000)
        self.assertEqual(list(made.columns), list(frame.columns))
        self.assertEqual(len(made), 1000)
        self.assertGreater(((made.smokes == "yes") == (made.cough == "often")).mean(), .9)
        self.assertAlmostEqual(made.smokes.isna().mean(), .25, delta=.1)
        self.assertTrue(made.years.between(0, 59).all())
        report = synth.privacy_report_
        self.assertEqual((report.epsilon_spent, report.delta, report.backend, report.warnings), (5, 0, "dapple", ()))  # few marginals: δ = 0
        self.assertIn("utility", synth.evaluate(frame, made, target="cough").to_dict())
        again = synth.fitted_backend_.sample(50)
        self.assertFalse(again.equals(synth.fitted_backend_.sample(50)))
        synth.fitted_backend_._seed = 8
        self.assertTrue(again.equals(synth.fitted_backend_.sample(50)))
        with self.assertRaisesRegex(dapple.Error, "delta: is required"):
            fitted(delta=None)
        with self.assertRaisesRegex(dapple.Error, "bogus: is not a flag"):
            fitted(bogus=1)
        with self.assertRaisesRegex(dapple.Error, "random_state: is a str"):
            fitted(random_state="x")

    def test_imports_quickly(self) -> None:
        """PyArrow and Beam are imported when they are used."""
        code = "import sys, dapple; sys.exit(any(m in sys.modules for m in ('pyarrow', 'pandas', 'apache_beam')))"
        self.assertEqual(subprocess.call([sys.executable, "-c", code]), 0)
        if missing("apache_beam"):
            with self.assertRaisesRegex(ImportError, r"dapple\[beam\]"):
                dapple.Synthesize

    def test_examples(self) -> None:
        for module in (dapple._api, dapple._combine, dapple._domain):
            found = doctest.testmod(module)
            self.assertEqual(found.failed, 0)
            self.assertGreater(found.attempted, 0, module.__name__)


class Killed(unittest.TestCase):
    """A frame stands on no disk in the clear, and a killed process leaves none of it, and no program that goes on."""

    @unittest.skipUnless(sys.platform == "linux", "missing: /proc")
    def test_killed(self) -> None:
        calls = {
            "infer": "dapple.infer(t, privacy_id='id')",
            "check": "dapple.check(d, t)",
            "synthesize": "dapple.synthesize(t, domain=d, epsilon=1, delta=1e-9, ledger=book, progress=tell)",
            "found": "dapple.synthesize(t, privacy_id='id', epsilon=1, delta=1e-9, progress=tell)",
        }
        for name, call in calls.items():
            for how in (signal.SIGTERM, signal.SIGKILL):
                for moment in ("reading", "writing") if "tell" in call else ("started",):
                    with self.subTest(call=name, how=how, moment=moment):
                        self.kill(call, how, moment)

    def kill(self, call: str, how: signal.Signals, moment: str) -> None:
        script = textwrap.dedent("""
            import sys, pyarrow as pa, dapple
            n = 150_000
            t = pa.table({"id": range(n), "n": [i % 10 for i in range(n)], "secret": [f"SECRET-{i}" for i in range(n)]})
            d = {"privacy_id": "id", "columns": [{"name": "n", "type": "INT64", "min": 0, "max": 9, "fallback": 0}]}
            book = sys.argv[1]
            def tell(stage, done, total):
                print(stage, flush=True)
            print("started", flush=True)
            CALL
            print("done", flush=True)
        """).replace("CALL", call)
        with tempfile.TemporaryDirectory() as at:
            temp, book = Path(at) / "temp", dapple.Ledger(f"{at}/book")
            temp.mkdir()
            if "book" in call:
                book.create("t", table="/t.parquet", privacy_id="id", epsilon=3, delta=1e-8)
            child = subprocess.Popen([sys.executable, "-c", script, book.path], stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(temp)})
            assert child.stdout is not None
            while (line := child.stdout.readline()) and line.strip() != moment:
                pass
            self.wait_for("the program to start", lambda: bool(self.using(temp)) or child.poll() is not None)
            self.see(temp)
            child.send_signal(how)
            child.wait()
            self.assertNotIn("done", child.stdout.read(), "it was not killed while it worked")
            child.stdout.close()
            self.wait_for("the program to end", lambda: not self.using(temp))
            self.see(temp)
            left = [f.name for f in temp.glob("dapple-python-*")]
            said = subprocess.run([dapple._program.find(), "clean", "--releases"], capture_output=True, text=True, check=True, env={**os.environ, "TMPDIR": str(temp)}).stdout
            self.assertRegex(said, "counts as spent|nothing was spent" if left else "nothing to remove")
            self.assertEqual(list(temp.glob("dapple-*")), [])
            if "book" in call:
                self.assertEqual("counts as spent" in said, "spent   ε = 0 " not in book.text(), (said, book.text()))

    def see(self, temp: Path) -> None:
        """Fails if a file below a directory has a cell of the table; files and directories may go meanwhile."""
        for at, _, names in os.walk(temp):
            for file in (Path(at, name) for name in names):
                with contextlib.suppress(OSError):
                    if file.is_file() and not file.is_symlink():
                        self.assertNotIn(b"SECRET-", file.read_bytes(), file)

    def using(self, temp: Path) -> list[str]:
        """The programs that work below a directory."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if f"DAPPLE_WORKSPACE={temp}".encode() in (process / "environ").read_bytes() and b"zombie" not in (process / "status").read_bytes():
                    found.append(process.name)
        return found

    def wait_for(self, what: str, done: Callable[[], bool]) -> None:
        end = time.monotonic() + 120
        while not done():
            self.assertLess(time.monotonic(), end, f"waited for {what}")
            time.sleep(.02)


if __name__ == "__main__":
    unittest.main()

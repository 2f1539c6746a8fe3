"""Runs the program dapple: nothing of the method is in Python."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong, and how to mend it."""

    where: str  # the argument, the line of the domain file, or the column
    what: str
    fix: str = ""

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text}; {self.fix}" if self.fix else text


class Error(Exception):
    """A request that cannot be carried out, with everything that is wrong with it.

    `faults` is a list of Fault; the text has a line for each. `release` is what was published all the same, as where
    criteria are not met; else None. `began` says that the work had begun.
    """

    release: Any = None

    def __init__(self, faults: Iterable[Fault], began: bool = False):
        self.faults = list(faults)
        self.began = began
        super().__init__("\n".join(map(str, self.faults)))


class Interrupted(KeyboardInterrupt):
    """A run that was stopped; the text says what was spent."""


def find() -> str:
    """Returns the path of the program: DAPPLE, the one in this package, or the one on the PATH."""
    named = os.environ.get("DAPPLE")
    if named:
        path = shutil.which(named)
        if path is None:
            raise Error([Fault("DAPPLE", f"there is no program {named}", "name a file that can be run, or unset DAPPLE")])
        return path
    own = Path(__file__).parent / "_bin" / ("dapple.exe" if os.name == "nt" else "dapple")
    if own.exists():
        return str(own)
    path = shutil.which("dapple")
    if path is None:
        raise Error([Fault("dapple", "this package was installed without its program, and none is on the PATH",
                           "install a wheel for this machine, or set DAPPLE to the program")])
    return path


def main() -> int:
    """The command dapple of this package."""
    return subprocess.call([find(), *sys.argv[1:]])


@contextlib.contextmanager
def workspace() -> Iterator[Path]:
    """A private directory that is gone afterwards.

    If this process is killed, the program that it has started removes the directory, and else `dapple clean`. A lock says
    that the directory is in use: on one in it, since the program locks the directory itself when it publishes.
    """
    path = Path(tempfile.mkdtemp(prefix="dapple-python-"))
    try:
        (path / "in-use").mkdir()
        with _locked(path / "in-use"):
            yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    if os.name == "nt":
        yield
        return
    import fcntl

    directory = os.open(path, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(directory, fcntl.LOCK_SH)
        yield
    finally:
        os.close(directory)


@dataclass(frozen=True)
class Hidden:
    """A file for rows, which the program opens as `path`."""

    path: Path
    file: IO[bytes]


@contextlib.contextmanager
def hidden(at: Path) -> Iterator[Hidden]:
    """A file that has no name on a disk: `path` leads to a descriptor, which ends with the process, however that ends.

    The file is in memory where the system offers that. Windows has neither: there the file stands in the private directory.
    """
    path = at / "rows.parquet"
    if os.name == "nt":
        opened: IO[bytes] = open(path, "x+b")
    else:
        in_memory = hasattr(os, "memfd_create")
        opened = os.fdopen(os.memfd_create("dapple"), "w+b") if in_memory else tempfile.TemporaryFile(dir=at)
        path.symlink_to(f"/dev/fd/{opened.fileno()}")
    with opened:
        yield Hidden(path, opened)


class Progress(Protocol):
    def __call__(self, stage: str, done: int, total: int) -> None: ...


class _Bar:
    """Progress by tqdm where that is installed, else by lines."""

    def __init__(self) -> None:
        self.stage, self.bar = "", None
        try:
            from tqdm.auto import tqdm
            self.make: Any = tqdm
        except ImportError:
            self.make = None

    def __call__(self, stage: str, done: int, total: int) -> None:
        if self.make is None:
            if stage != self.stage:
                print(f"dapple: {stage}", file=sys.stderr)
        elif stage != self.stage:
            self.close()
            self.bar = self.make(total=total or None, desc=f"dapple: {stage}", leave=False)
        if self.bar is not None:
            self.bar.update(done - self.bar.n)
        self.stage = stage

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
        self.bar = None


def _watched() -> bool:
    """Whether somebody looks: a terminal, or a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


def options(values: Mapping[str, Any]) -> list[str]:
    """Returns the flags of keyword arguments; None leaves a flag out."""
    out = []
    for name, value in values.items():
        if value is None or value is False:
            continue
        if value is True:
            out.append(f"--{name}")
        elif isinstance(value, (list, tuple)):
            out.append(f"--{name}={','.join(map(str, value))}")
        else:
            out.append(f"--{name}={value}")
    return out


def run(command: str, arguments: Iterable[str], at: Path, rows: Hidden | None = None, *, progress: bool | Progress | None = False) -> str:
    """Runs a command of the program in a workspace, and returns what it printed; `rows` is a file that it reads.

    The program stops when its standard input ends, which happens when this process does. Raises Error with all faults if it fails, and Interrupted on Ctrl-C once it has stopped.
    """
    bar = _Bar() if progress is True or progress is None and _watched() else None
    report = progress if callable(progress) else bar
    faults: list[Fault] = []
    stopped = False
    environment = {**os.environ, "DAPPLE_WORKSPACE": str(at), "TMPDIR": str(at), "TMP": str(at), "TEMP": str(at)}  # whatever it leaves goes with the directory
    apart: dict[str, Any] = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP} if os.name == "nt" else {  # type: ignore[attr-defined,unused-ignore]
        "start_new_session": True, "pass_fds": [rows.file.fileno()] if rows else []}
    with tempfile.TemporaryFile(dir=at) as printed:
        child = subprocess.Popen(
            [find(), command, *arguments, "--log=json"], cwd=at, env=environment,
            stdin=subprocess.PIPE, stdout=printed, stderr=subprocess.PIPE, text=True, encoding="utf-8", errors="replace", **apart)
        assert child.stdin is not None and child.stderr is not None
        while True:
            try:
                line = child.stderr.readline()
                if not line:
                    child.wait()
                    break
                _hear(line, faults, report)
            except KeyboardInterrupt:
                stopped = True
                child.send_signal(signal.CTRL_BREAK_EVENT if os.name == "nt" else signal.SIGINT)  # type: ignore[attr-defined,unused-ignore]
        child.stdin.close()
        child.stderr.close()
        if bar is not None:
            bar.close()
        printed.seek(0)
        text = printed.read().decode("utf-8", "replace")
    if stopped:
        raise Interrupted("\n".join(map(str, faults)) or text.strip() or "the run had ended")
    if child.returncode != 0:
        raise Error(faults or [Fault("dapple", f"{command} failed with exit status {child.returncode}")], began=child.returncode != 2)
    return text


def _hear(line: str, faults: list[Fault], report: Progress | None) -> None:
    try:
        event = json.loads(line)
    except ValueError:
        event = None
    if not isinstance(event, dict):
        if line.strip():
            faults.append(Fault("", line.strip()))
    elif event.get("level") == "error":
        where = str(event.get("where", "")).removeprefix("--")
        faults.append(Fault(where, str(event.get("what") or event.get("message") or line.strip()), str(event.get("fix", ""))))
    elif report is not None and "stage" in event:
        report(event["stage"], int(event.get("done", 0)), int(event.get("total", 0)))

"""What varies from one motion of an ensemble to the next: named columns, a row for each motion."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...blame import blamed_parts
from ...errors import UsageError
from ...runtime.evaluation.arrays import Floats
from ...runtime.evaluation.arrays import count as whole_number
from ...runtime.extras import require
from ...shown import Shown

#: The designs that draw numbers from ranges.
DESIGNS = ("latin-hypercube", "sobol", "grid")

#: Rows that are drawn at a time.
PORTION = 2**16


@blamed_parts
@dataclass(frozen=True)
class Samples(Shown):
    """A table whose columns are coordinates, speeds or parameters of a model.

    `rows(first, last)` are numbers of shape (last − first, names). Make one by `table`, `grid`,
    `latin_hypercube` or `sobol`.
    """

    names: tuple[str, ...]
    count: int
    rows: Callable[[int, int], Floats]
    description: str

    def __post_init__(self) -> None:
        if not self.names or not self.count:
            raise UsageError("samples need at least one column and one row")

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        return f"<{self.count} samples of {', '.join(self.names)}: {self.description}>"

    def _repr_html_(self) -> str:
        from .drawn import samples_table

        return samples_table(self)

    @staticmethod
    def table(columns: Mapping[str, npt.ArrayLike] | str | Path | Any) -> Samples:
        """The rows of a mapping of columns, of a pandas table, or of a .csv or .parquet file.

        Raises
            UsageError: a file that is no such table, columns of several lengths, or what is no
                finite number; names column and row.
            ToolchainError: a file needs pandas, a .parquet file pyarrow too (extra `ensemble`).

        Source
            own
        """
        where = ""
        if isinstance(columns, str | Path):
            where = f"{columns}: "
            columns = _read(Path(columns))
        if not hasattr(columns, "items"):
            raise UsageError(f"samples = {columns!r} must map names to columns of numbers")
        found = {str(name): _column(where, name, values) for name, values in columns.items()}
        lengths = {len(x) for x in found.values()}
        if len(lengths) > 1:
            told = ", ".join(f"{name} {len(x)}" for name, x in found.items())
            raise UsageError(f"{where}the columns of samples have several lengths: {told}")
        whole = np.column_stack(list(found.values())) if found else np.empty((0, 0))
        return Samples(tuple(found), len(whole), lambda a, b: whole[a:b], where[:-2] or "a table")

    @staticmethod
    def grid(**axes: npt.ArrayLike) -> Samples:
        """All combinations of the axes' values; the last one named changes fastest.

        Source
            own
        """
        values = [_column("", name, axis) for name, axis in axes.items()]
        shape = tuple(len(x) for x in values)

        def rows(first: int, last: int) -> Floats:
            places = np.unravel_index(np.arange(first, last), shape)
            return np.column_stack([x[k] for x, k in zip(values, places, strict=True)])

        size = int(np.prod(shape)) if values else 0
        return Samples(tuple(axes), size, rows, "a grid of " + " x ".join(map(str, shape)))

    @staticmethod
    def latin_hypercube(count: int, *, seed: int = 0, **ranges: tuple[float, float]) -> Samples:
        """One number in each of `count` equal parts of every range, in random combination.

        It is drawn at once: 8 bytes for each number.

        Raises
            ToolchainError: SciPy is missing (extra `ensemble`).

        Source
            McKay, Beckman and Conover 1979, by SciPy.
        """
        return _drawn("latin-hypercube", "LatinHypercube", count, seed, ranges)

    @staticmethod
    def sobol(count: int, *, seed: int = 0, **ranges: tuple[float, float]) -> Samples:
        """The scrambled sequence of Sobol; it fills its ranges best with a power of two.

        Raises
            ToolchainError: SciPy is missing (extra `ensemble`).

        Source
            Sobol 1967, scrambled as Owen 1998, by SciPy.
        """
        return _drawn("sobol", "Sobol", count, seed, ranges)


def design(
    kind: str, count: int | None, seed: int, ranges: Mapping[str, tuple[float, float]]
) -> Samples:
    """The design of this name over the ranges; of a grid, `count` is that of each axis.

    Raises
        UsageError: there is no such design, or it has no count.
    """
    if kind not in DESIGNS:
        raise UsageError(f"there is no design {kind!r}; there are: {', '.join(DESIGNS)}")
    if count is None:
        raise UsageError(f"the design {kind} needs a count")
    count = whole_number("count", count, 1)
    if kind == "grid":
        axes = {name: np.linspace(*_range(name, given), count) for name, given in ranges.items()}
        return Samples.grid(**axes)
    draw = Samples.sobol if kind == "sobol" else Samples.latin_hypercube
    return draw(count, seed=seed, **ranges)


def _drawn(
    kind: str, engine: str, count: int, seed: int, ranges: Mapping[str, tuple[float, float]]
) -> Samples:
    qmc = require("scipy.stats.qmc", extra="ensemble", purpose=f"a {kind} design")
    low, high = np.array([_range(name, given) for name, given in ranges.items()]).reshape(-1, 2).T
    count, seed = whole_number("count", count, 1), whole_number("seed", seed, 0)

    def engine_at(first: int) -> Any:
        made = getattr(qmc, engine)(d=len(low), rng=seed)
        return made.fast_forward(first) if first else made

    @cache
    def whole() -> Floats:
        drawn: Floats = engine_at(0).random(count)
        return drawn

    def rows(first: int, last: int) -> Floats:
        # Of a sequence any part can be drawn; a hypercube is one whole.
        if kind == "sobol":
            with warnings.catch_warnings():
                # That n is no power of two is said in the docstring.
                warnings.simplefilter("ignore", UserWarning)
                unit = engine_at(first).random(last - first)
        else:
            unit = whole()[first:last]
        found: Floats = low + (high - low) * unit
        return found

    return Samples(tuple(ranges), count, rows, f"{kind}, seed {seed}")


def _range(name: str, given: tuple[float, float]) -> tuple[float, float]:
    try:
        low, high = (float(x) for x in given)
    except (TypeError, ValueError):
        raise UsageError(f"{name} = {given!r} must be a range (least, largest)") from None
    if not (np.isfinite(low) and np.isfinite(high) and low <= high):
        raise UsageError(f"{name}: from {low:g} to {high:g} is no finite range")
    return low, high


def _read(path: Path) -> Any:
    pandas = require("pandas", extra="ensemble", purpose="a table of samples")
    readers = {".csv": pandas.read_csv, ".parquet": pandas.read_parquet}
    if path.suffix not in readers:
        raise UsageError(f"{path}: samples are read from .csv or .parquet, not {path.suffix!r}")
    try:
        return readers[path.suffix](path)
    except FileNotFoundError:
        raise UsageError(f"{path}: there is no such file of samples") from None
    except ImportError:
        require("pyarrow", extra="ensemble", purpose="a .parquet file")
        raise
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read as samples: {error}") from None


def _column(where: str, name: object, values: Any) -> Floats:
    try:
        column = np.atleast_1d(np.asarray(values, dtype=np.float64))
    except (TypeError, ValueError):
        raise UsageError(f"{where}column {name} holds what is no number") from None
    if column.ndim != 1:
        raise UsageError(f"{where}column {name} has the shape {column.shape}, not one axis")
    wrong = np.flatnonzero(~np.isfinite(column))
    if len(wrong):
        value = column[wrong[0]]
        raise UsageError(f"{where}column {name}, row {wrong[0]}, is {value}, no finite number")
    return column

"""What the Riccati paper's letters mean at an instant.

What the derivation finds stays symbolic there; here it has the values of an exact point, beside the
states of the example's true motion, of a body's in space, or of elements that are any.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

import sympy as sp

from ...symbolic.equations.worlds import World
from ...symbolic.exact.evaluation import Points
from ...symbolic.exact.points import circle_point
from ..deduction.matrices import Matrices
from ..deduction.system import Plan, System
from .example import BLOCKS, Z_A, Z_B, Example, filled

Letters = dict[str, Callable[..., Any]]

#: What a letter of the file is called in the derivation, and in which form of it.
PLANAR = {
    **{name: name for name in ("U1", "U3", "U5", "U7", "S1", "e1", "S2", "e2", "Utip1")},
    **{name: name for name in ("T11", "T12", "T21", "T22", "fa", "fb")},
    **{name: name for name in ("zall", "zbar")},
    **{f"R{ij}": f"T{ij}_4" for ij in ("11", "12", "21", "22")},
    **{"ra": "fa_4", "rb": "fb_4", "U1r": "U1_rearranged"},
    **{"Hrm": "H_rm", "HO": "H_O1_I2", "Uhat8_1": "Uhat8_I1", "Uhat8_2": "Uhat8_I2"},
    **{f"{name}_{k}": f"{name}{k}" for name in ("main", "geo") for k in (1, 2)},
}
FORMS = {"p": "printed", "c": "completed"}
IN_FORMS = ("S3", "e3", "S4", "e4", "Utip2", "Uall", "Ubar", "b", "rank")

#: Results that have no letter of their own, by their equations.
RESULTS = {
    18: "chain",
    19: "U_chain",
    21: "z_aI",
    22: "z_bO",
    23: "z_bI_solved",
    25: "z_bI",
    26: "z_aO_inserted",
    27: "z_aO",
    28: "z_aI_next",
    31: "z_aO_next",
    32: "z_aO_root",
    33: "z_back",
    41: "zaO1",
    42: "z1O",
    50: "z7O",
    51: "z8O",
    61: "za1O",
    62: "zb1I",
}

#: Letters of a state's entries, and the derivation's symbols.
ENTRIES = {
    "ddx": "ddx",
    "ddy": "ddy",
    "ddz": "ddz",
    **{f"dO{axis}": f"dOmega_{axis}" for axis in "xyz"},
    **{f"{load}{axis}": f"{load}_{axis}" for load in "mq" for axis in "xyz"},
}


class Planar(World):
    """The example in one of its motions."""

    def __init__(self, at: Example, motion: str) -> None:
        moving = getattr(at, motion)

        def state(body: int, end: str, rows: list[int] | None = None) -> sp.Matrix:
            return moving.state(str(body), end)[rows or list(range(7)), :]

        def derived(symbol: str, form: str | None = None) -> sp.Matrix:
            return at.at(at.derived.find(symbol, form=form).matrix)

        def overall() -> sp.Matrix:
            """(56), with the completed hinge."""
            found = at.derived.find("Uall_zall").matrix
            names = {str(x) for x in found.free_symbols}
            known = {
                "U_7": derived("U7"),
                "x_1O": state(1, "O", [*Z_B, 6]),
                "x_5O": state(5, "O", [*Z_B, 6]),
                "z_7O": state(7, "O"),
            }
            known |= {name: derived(name) for name in names - known.keys()}
            return sp.Matrix.vstack(*(filled(row, known) for row in found))

        values = {str(symbol): value for symbol, value in at.values.items()}
        self.sets = {"rod": lambda: (1, 3, 5)}
        self.letters = {
            **{name: partial(derived, symbol) for name, symbol in PLANAR.items()},
            **{
                name + mark: partial(derived, name, form)
                for name in IN_FORMS
                for mark, form in FORMS.items()
            },
            "U4": partial(derived, "U4", "printed"),
            "Y_k": lambda k: overall() if k == 56 else derived(RESULTS[k]),
            "Sr_be": lambda body, end: at.run.of("S of", f"{body}:{end}"),
            "er_be": lambda body, end: at.run.of("e of", f"{body}:{end}"),
            "Ur_b": lambda body: at.run.of("U1 of", body),
            "z_be": state,
            "za_be": partial(state, rows=Z_A),
            "zb_be": partial(state, rows=Z_B),
            **{name: partial(values.__getitem__, name) for name in "mag"},
            "cc": lambda: at.at(sp.Matrix([sp.Symbol("c_c", real=True)])),
            "c_b": lambda body: values[f"cos(theta{body})"],
            "s_b": lambda body: values[f"sin(theta{body})"],
            "w_b": lambda body: values[f"omega{body}"],
        }


class Lettered(World):
    """States, hinges and elements that are any."""

    def __init__(self, at: Example) -> None:
        x, draw = at.letters, Points(at.seed + 3)
        sizes = (2, 1, 1, 2, 1)
        states = {k: draw.vector(6).col_join(sp.eye(1)) for k in (1, 2)}
        widths = (2, 1, 1, 2, 1, 2, 1)
        row = {f"u_3{k}": draw.vector(n).T for k, n in enumerate(widths, start=1)}

        def derived(symbol: str) -> sp.Matrix:
            return at.derived.find(symbol).matrix

        def blocks(symbol: str, letters: Mapping[str, Any], heights: tuple[int, ...]) -> sp.Matrix:
            """A matrix of letters written out."""
            found = derived(symbol)
            return sp.Matrix.vstack(
                *(
                    sp.Matrix.hstack(
                        *(_block(found[i, j], letters, h, w) for j, w in enumerate(sizes))
                    )
                    for i, h in enumerate(heights)
                )
            )

        def parts() -> dict[str, sp.Matrix]:
            names = ("r", "Omega", "m", "q")
            return row | {
                "one": sp.eye(1),
                **{
                    f"{name}_{k}": z[rows, :]
                    for k, z in states.items()
                    for name, rows in zip(names, BLOCKS, strict=False)
                },
            }

        def lettered(symbol: str) -> sp.Matrix:
            return sp.Matrix.vstack(*(at.filled(entry) for entry in derived(symbol)))

        def split() -> sp.Matrix:
            T = derived("T")
            rows = (sp.Matrix.hstack(*map(at.filled, T[i, :])) for i in range(4))
            return sp.Matrix.vstack(*rows)

        entries = {name: sp.Symbol(symbol, real=True) for name, symbol in ENTRIES.items()}
        point = circle_point(entries.values(), at.seed)

        def valued(symbol: str) -> sp.Matrix:
            return derived(symbol).xreplace(point)

        self.letters = {
            "z": partial(valued, "z"),
            "zvec": partial(valued, "z_parts"),
            "zplane": partial(valued, "z_planar"),
            **{name: partial(point.__getitem__, symbol) for name, symbol in entries.items()},
            "u_kl": lambda k, j: x[f"u_{k}{j}"],
            "v_k": lambda k: row[f"u_3{k}"],
            "Uh": lambda: blocks("U_hinge", x, sizes),
            "Uhat_k": lambda k: blocks(("Uhat_I1", "Uhat_Ik")[k - 1], row, widths),
            "zhat": lambda: sp.Matrix.vstack(*(filled(e, parts()) for e in derived("Uhat_sum"))),
            "zin_k": states.__getitem__,
            "zc_k": lambda k: x[f"z_{k}"],
            "Uc_k": lambda k: x[f"U_{k}"],
            **{f"T_{ij}": partial(x.__getitem__, f"T{ij}") for ij in ("11", "12", "21", "22")},
            **{name: partial(x.__getitem__, name) for name in ("S_i", "e_i")},
            "S_n": lambda: x["S_last"],
            "e_n": lambda: x["e_last"],
            "zbN": lambda: x["z_bnext"],
            "zbR": lambda: x["z_broot"],
            "zaR": lambda: x["z_aI"],
            "Sx": partial(lettered, "S_next"),
            "ex": partial(lettered, "e_next"),
            "fA": lambda: x["f_a"],
            "fB": lambda: x["f_b"],
            "zaI": lambda: x["z_aI"],
            "zbI": lambda: x["z_bI"],
            "zaO": lambda: x["z_aO"],
            "zbO": lambda: x["z_bO"],
            "Y_k": lambda k: lettered(RESULTS[k]),
            "Td": split,
            "fd": partial(lettered, "f"),
            "Pd": partial(lettered, "P_i"),
            "qd": partial(lettered, "q_i"),
        }


def _block(entry: sp.Expr, letters: Mapping[str, Any], rows: int, columns: int) -> sp.Matrix:
    if entry == 0:
        return sp.zeros(rows, columns)
    return sp.eye(rows) if entry == 1 else filled(entry, letters)


#: A body with two inputs, two others on it, and a further one on one of them. It hangs on a pin
#: that passes a moment, so that no term of its moments is nothing.
BRANCH = Plan(3, ("1 revolute 0 1", "2 revolute 1 2", "3 revolute 1 3", "4 ball 2 4"), (3, 4))


class Space(World):
    """A body with one input and a body with two, in space."""

    def __init__(self, at: Example) -> None:
        system = System(BRANCH, at.seed)
        matrices = Matrices(system)
        elements = {1: matrices.elements["1"], 2: matrices.elements["2"]}
        rigid = cache(lambda body: matrices.rigid(elements[body]))

        @cache
        def state(body: int, end: str) -> sp.Matrix:
            element = elements[body]
            z = system.output(element) if end == "O" else system.input(element, int(end[1:] or 1))
            return sp.Matrix([*z[:12, :], 1])

        def part(start: int, body: int, end: str) -> sp.Matrix:
            return state(body, end)[start : start + 3, :]

        def names(body: int) -> dict[sp.Expr, sp.Expr]:
            """The states' entries by the derivation's symbols."""
            return {
                sp.Symbol(f"{kind}{end}_{axis}", real=True): state(body, end)[3 * k + n]
                for end in (("I1", "I2") if body == 1 else ("I",))
                for k, kind in enumerate(("ddr", "dOmega", "m", "q"))
                for n, axis in enumerate("xyz")
            }

        def derived(symbol: str, body: int) -> sp.Matrix:
            known = matrices.data(elements[body]) | names(body)
            return sp.Matrix(at.derived.find(symbol).matrix.xreplace(known))

        def data(name: str) -> Callable[[int], Any]:
            return lambda body: getattr(rigid(body), name)

        self.sets = {"body": lambda: (1, 2), "one": lambda: (2,), "two": lambda: (1,)}
        self.letters = {
            "z_be": state,
            "r_be": partial(part, 0),
            "Om_be": partial(part, 3),
            "mm_be": partial(part, 6),
            "q_be": partial(part, 9),
            "m_b": data("mass"),
            "rO_b": data("output"),
            "rC_b": data("centre"),
            "rI_b": lambda body: rigid(body).inputs[1],
            "Ω_b": data("Omega"),
            "f_b": data("force"),
            "mC_b": data("couple"),
            "JC_b": data("inertia"),
            "E_kb": lambda k, body: derived(f"E{k}", body),
            "F_kb": lambda k, body: derived(f"E{k}_Ik", body),
            "EI_b": partial(derived, "E_I2"),
            "U_b": partial(derived, "U"),
            "Um_b": partial(derived, "U_miso"),
            "H_b": partial(derived, "H"),
            "zO_b": lambda body: derived("z_O_miso" if body == 1 else "z_O", body),
            "zm_b": partial(derived, "z_miso"),
            "ddr_b": partial(derived, "ddr_Ik"),
            "gap_b": partial(derived, "geometric"),
        }


@cache
def world(name: str) -> World:
    """An instant: `any`, `space`, or one of the example's motions, and the number of a point.

    Where pins exert couples and tips are pushed (`rough`) every column of a body's matrix counts;
    where they do not (`smooth`) a pin is smooth, which S and e rest on. `stiff` and `branched` have
    couples at the outputs of body 3, and of bodies 1 and 5.
    """
    kind, _, seed = name.partition("-")
    at = example(int(seed))
    if kind == "any":
        return Lettered(at)
    return Space(at) if kind == "space" else Planar(at, kind)


@cache
def example(seed: int) -> Example:
    return Example(seed)

"""Vector–Jacobian products of the accelerations and of inverse dynamics, as programs.

A cotangent g says how much each acceleration counts; g·a is one number, and the program that runs
backwards gives its derivatives by all coordinates, speeds, forces and parameters at once. By the
coordinates they are along unit speeds, as `Derivatives` are: q̇ = N v makes Nᵀ ∂(g·a)/∂q of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import sympy as sp

from ....errors import UsageError
from ....model.expressions.differentiated import rate
from ...language.cotangent import Cotangents
from ...language.program import (
    Array,
    Call,
    Entry,
    Map,
    Output,
    Port,
    Program,
    Ref,
    Step,
    Storage,
    Sweep,
    named,
    result,
)
from ...language.slices import unloaded
from ...language.tangent import Binding
from ...plans.plan import Plan
from ..inverse.program import inverse_program
from ..riccati.absolute import fast_program
from ..riccati.joint import joint_program
from . import kernels

#: Speeds of 1 along which the coordinates move.
UNIT = "u"


def pullback_program(
    plan: Plan,
    *,
    runtime: tuple[str, ...] = (),
    forced: bool = True,
    loaded: bool | None = None,
) -> Program:
    """The derivatives of g·a, a being the accelerations, by the Riccati method backwards.

    Shape
        Arguments as of the Riccati method, and `g` (per speed); results `a`, `gq`, `gv`, `gtau`
        (per speed) and `gp` (per run-time parameter).
    Source
        own
    """
    make = fast_program if plan.model.absolute else joint_program
    return backwards(make(plan, runtime=runtime, forced=True), "accelerations", "a", "tau")


def inverse_pullback_program(
    plan: Plan,
    *,
    runtime: tuple[str, ...] = (),
    forced: bool = True,
    loaded: bool | None = None,
) -> Program:
    """The derivatives of g·τ, τ being the forces that accelerations need.

    Shape
        Arguments as of inverse dynamics, and `g` (per speed); results `tau`, `gq`, `gv`, `gad` (per
        speed) and `gp` (per run-time parameter).
    Source
        own
    """
    return backwards(inverse_program(plan, runtime=runtime), "inverse_dynamics", "tau", "ad")


def backwards(program: Program, of: str, found: str, along: str) -> Program:
    """A program with the derivatives of g·found, which its entry `of` gives, behind it.

    `along` is what it takes besides `q` and `v`.
    """
    program = unloaded(program)
    entry = next(entry for entry in program.entries if entry.name == of)
    steps = [program.step(name) for name in entry.steps]
    if any(step.dense for step in steps):
        raise UsageError(f"{program.algorithm} has no pullback; riccati has")
    steps = [replace(step, calls=tuple(step.single_calls())) for step in steps]
    given = {ref for name in ("q", "v", along) for ref in program.refs(name)}
    pulled = Cotangents(given, parameters=program.runtime)
    for step in steps:
        pulled.spread(step.calls)
    pulled.parts |= {ref: [replace(ref, array="g")] for ref in program.refs(found)}
    back = [
        Sweep(f"back_{step.name}", f"{step.title}, backwards", tuple(pulled.of(step.calls)))
        for step in reversed(steps)
    ]
    turned, unit = _along_speeds(program, pulled)
    gathered = (
        *_totals(program, "v", "gq", unit),
        *_totals(program, "v", "gv", pulled.parts),
        *_totals(program, along, f"g{along}", pulled.parts),
    )
    last = (
        Map("along_speeds", "cotangents of coordinates, along speeds", turned),
        Sweep("by_parameters", "cotangents of parameters", tuple(_by_parameters(program, pulled))),
        Output("gathered", f"derivatives of g·{found}", gathered),
    )
    written = [step for step in (*steps, *back, *last) if step.calls]
    return _assembled(program, written, of, found, along)


def _along_speeds(
    program: Program, pulled: Cotangents
) -> tuple[tuple[Call, ...], dict[Ref, list[Binding]]]:
    """The coordinates' cotangents by unit speeds, and those by the speed that each is of."""

    def of_unit(x: Binding) -> Binding:
        return replace(x, array=UNIT) if isinstance(x, Ref) and x.array == "v" else x

    turned = Cotangents({replace(ref, array=UNIT) for ref in program.refs("v")})
    calls = [
        replace(call, reads={name: of_unit(x) for name, x in call.reads.items()})
        for call in program.step("rates").single_calls()
    ]
    turned.spread(calls)
    for ref in program.refs("q"):
        if ref in pulled.parts:
            turned.parts[replace(ref, array="qd")] = pulled.parts[ref]
    written = tuple(turned.of(calls))
    found = turned.parts
    return written, {replace(x, array="v"): found[x] for x in found if x.array == UNIT}


def _totals(
    program: Program, of: str, name: str, parts: Mapping[Ref, Sequence[Binding]]
) -> Iterator[Call]:
    """The sums of the cotangents of an argument."""
    for ref in program.refs(of):
        yield _total(parts.get(ref, ()), program.arrays[of].port.rows, replace(ref, array=name))


def _total(parts: Sequence[Binding], rows: int, ref: Ref) -> Call:
    kernel = kernels.total.of(dimension=2, parts=len(parts), count=rows)
    reads = {f"part_{j}": x for j, x in enumerate(parts, start=1)}
    return Call(kernel, ref.member, reads, {"total": ref})


def _by_parameters(program: Program, pulled: Cotangents) -> Iterator[Call]:
    """The cotangents of run-time parameters, constant by constant."""
    for name in program.runtime:
        so: Binding = sp.zeros(1, 1)
        for number, (constant, port, b) in enumerate(pulled.constants):
            change = rate(constant, [(sp.Symbol(name, real=True), sp.S.One)])
            if any(change):
                if port.symmetric:  # both entries of a pair have its cotangent
                    change = (change + sp.diag(*change.diagonal())) / 2
                of = {"rows": port.rows, "cols": port.cols, "symmetric": port.symmetric}
                kernel = kernels.by_parameter.of(dimension=2, **of)
                b_name = "bs" if port.symmetric else "b"
                reads: dict[str, Binding] = {"so": so, "slope": change, b_name: b}
                so = Ref("so", f"{name} {number}")
                yield Call(kernel, name, reads, {"sum": so})
        yield _total([so], 1, Ref("gp", name))


def _assembled(program: Program, steps: Sequence[Step], of: str, found: str, along: str) -> Program:
    """The program of these steps, with the arrays that they write."""

    def like(name: str, of: str, storage: Storage) -> Array:
        array = program.arrays[of]
        port = replace(array.port, name=name)
        return replace(array, name=name, port=port, storage=storage, owner=name)

    force = f"g{along}"
    results = [like(x, "v", Storage.RESULT) for x in ("gq", "gv")]
    results.append(like(force, along, Storage.RESULT))
    sets = dict(program.sets)
    if program.runtime:
        sets["parameters"] = program.runtime
        results.append(result("gp", "parameters"))
    own = named([*program.arrays.values(), like("g", found, Storage.ARGUMENT), *results])
    calls = [call for step in steps for call in step.calls]
    arrays = own | named(_written(calls, own, sets))
    used = {
        x.array
        for call in calls
        for x in (*call.reads.values(), *call.writes.values())
        if isinstance(x, Ref)
    }
    name = f"{'inverse_' * (of == 'inverse_dynamics')}pullback"
    entry = Entry(
        name,
        f"derivatives of g·{found}",
        tuple(step.name for step in steps),
        (found, *(x.name for x in results)),
        whole=True,
    )
    return replace(
        program,
        title=f"{program.title}, backwards",
        algorithm=name.replace("_", "-"),
        sets=sets,
        arrays={name: array for name, array in arrays.items() if name in used},
        steps=tuple(steps),
        entries=(entry,),
    )


def _written(
    calls: Sequence[Call], known: Mapping[str, Array], sets: dict[str, tuple[str, ...]]
) -> Iterator[Array]:
    """The work arrays that calls write and nothing has declared, each over a set of its own."""
    ports: dict[str, Port] = {}
    columns: dict[str, dict[str, list[int]]] = {}
    for call in calls:
        for port in call.kernel.outputs:
            ref = call.writes[port.name]
            if ref.array not in known:
                ports.setdefault(ref.array, replace(port, name=ref.array))
                own = columns.setdefault(ref.array, {}).setdefault(ref.member, [])
                own += [] if ref.column is None else [ref.column]
    for name, members in columns.items():
        sets[f"{name} members"] = tuple(members)
        ranges = tuple((min(x), max(x) + 1) for x in members.values() if x)
        yield Array(name, f"{name} members", ports[name], columns=ranges)

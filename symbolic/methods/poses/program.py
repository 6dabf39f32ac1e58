"""A Munthe-Kaas step of a rigid body on SE(3) as a program."""

from __future__ import annotations

from ...language.program import Array, Call, Entry, Kernel, Map, Port, Program, Ref, Step, Storage
from . import kernels


def geometric_program() -> Program:
    """Steps of a free rigid body by body-fixed twists and by spatial momenta.

    Shape
        Arguments `h`, `R` (3×3) and `r`, the twist `V` (ω, v) or the momentum `P` (L, p), the
        inertia `M` and its inverse `Mi` (symmetric, by rows from the diagonal), gravity `g`;
        results `Rn`, `rn`, `Vn` or `Pn`.
    Frame
        `V`, `M`: the body's frame; `P`, `g`: inertial, `P` about its origin.
    Source
        screw paper (37), (42), (89), (90).
    """
    body, momentum = kernels.body_step.of(dimension=3), kernels.momentum_step.of(dimension=3)
    ports = {port.name: port for each in (body, momentum) for port in (*each.inputs, *each.outputs)}
    given = {port.name for each in (body, momentum) for port in each.inputs}

    def array(port: Port) -> Array:
        storage = Storage.ARGUMENT if port.name in given else Storage.RESULT
        return Array(port.name, "system", port, storage, port.name)

    def step(kernel: Kernel) -> Step:
        reads: dict[str, Ref] = {port.name: Ref(port.name, "") for port in kernel.inputs}
        writes = {port.name: Ref(port.name, "") for port in kernel.outputs}
        return Map(f"{kernel.name}s", kernel.title, (Call(kernel, "", reads, writes),))

    return Program(
        name="rigid-body",
        title="geometric integration of a rigid body",
        algorithm="geometric",
        sets={"system": ("",), "coordinates": (), "ends": ()},
        arrays={name: array(port) for name, port in ports.items()},
        steps=(step(body), step(momentum)),
        entries=tuple(
            Entry(kernel.name, kernel.title, (f"{kernel.name}s",), names, whole=True)
            for kernel, names in ((body, ("Rn", "rn", "Vn")), (momentum, ("Rn", "rn", "Pn")))
        ),
    )

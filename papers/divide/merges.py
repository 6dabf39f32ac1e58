"""What the program `dca` computes of the nodes of its assembly tree, as letters."""

from __future__ import annotations

from ...symbolic.equations.matrices import Mat
from ...symbolic.equations.worlds import World
from ...symbolic.methods.divide.program import dca_program
from ...symbolic.plans.plan import plan
from ..systems import System

#: Four bodies in a row: node 1 of their assembly tree joins body 3 to body 4, node 2 the others.
CHAIN = {
    1: (0, "revolute"),
    2: (1, "prismatic"),
    3: (2, "revolute"),
    4: (3, "revolute"),
}


class Merges(World):
    """The program run on a drawn chain; a node is a body, `3`, or a merge, `n1`."""

    def __init__(self, seed: int) -> None:
        system = System(seed, CHAIN)
        program = dca_program(plan(system.model))
        self.run = system.run(program, "accelerations", q=0, v=1)
        #: By node, of how many conditions its joints have together: part of its arrays' names.
        self.conditions = {
            node: name.removeprefix("nodes")
            for name, members in program.sets.items()
            if name.startswith("nodes")
            for node in members
        }
        self.sets = {"node": lambda: tuple(self.conditions)}
        self.letters = {"Ξ_n": self.response, "ξ_n": self.free}

    def response(self, node: object) -> Mat:
        name, size = self._named(node)
        return self.run.of(f"Xi{size}", name)

    def free(self, node: object) -> Mat:
        """With velocities as they are: the program's right sides of accelerations."""
        name, size = self._named(node)
        return self.run.of(f"xi{size}d", name)

    def _named(self, node: object) -> tuple[str, str]:
        name = str(node).replace("n", "node ")
        return name, self.conditions[name]

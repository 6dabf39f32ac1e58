"""Built code as it is kept: what a caller must know of it, without what it was made from."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ...model import Model
from ...model.remembered import identity
from ..build import kept, maker
from ..cache import digest, keep, makers, recall
from ..interface import Interface
from ..targets.registry import target_named
from .choice import Choice
from .variants import Tuned, fixed, variants

if TYPE_CHECKING:
    from ..generate import Generated


@dataclass(frozen=True)
class Wanted:
    """What code is asked for, of a model: all that shapes it.

    `parameters` stay arguments. `loaded` adds external loads to the forces along the speeds,
    `tune` takes the build that is measured to be the fastest. `real` is the type of numbers.
    """

    choice: Choice
    target: str
    parameters: tuple[str, ...]
    loaded: bool = False
    portable: bool = False
    threads: bool = False
    tune: bool = False
    real: str = "double"

    def key(self, model: Model, flags: tuple[str, ...]) -> str | None:
        """The name of the record of this code; none if an option of the algorithm has no text.

        `flags` are further ones of the compiler.

        Raises
            ToolchainError: no compiler works.
        """
        if self.choice.text is None:
            return None
        target = target_named(self.target)
        built = (
            maker(vectors=target.vectors, portable=self.portable, extra_flags=flags)
            if target.compiled
            else ()
        )
        asked = [self.target, repr(self.parameters), str(self.loaded), str(self.threads), self.real]
        if self.tune and target.compiled:
            asked += [str(fixed()), *map(repr, variants(vectors=target.vectors))]
        return digest("code", makers(), identity(model), self.choice.text, *asked, *built)


@dataclass(frozen=True)
class Prepared:
    """Code that is built: its interface, how it is loaded, and the identity of its sources.

    `form`, `alias_of` and `takes_redundant` are those of its algorithm,
    `results` those of each entry, those without numbers too. `library` is the name of the
    compiled file in the cache, `binding` what cffi made of its declarations; of what is not
    compiled there are `files` in their place. `alone`: that library is of the motion alone.
    `tuned` is what was measured of builds, if one was chosen so.
    """

    interface: Interface
    form: str
    alias_of: str
    takes_redundant: bool
    sources: str
    results: Mapping[str, tuple[str, ...]]
    library: str = ""
    binding: str = ""
    alone: bool = False
    tuned: Tuned | None = None
    files: Mapping[str, str] = field(default_factory=dict)

    #: Declarations are not kept: the binding stands for them.
    declarations: ClassVar[str] = ""

    def kept_as(self, key: str | None, **built: Any) -> None:
        """Remember this code by a key, with what is known of it since it is built."""
        if key is not None:
            keep(key, pickle.dumps(replace(self, **built)))


def prepared(generated: Generated, choice: Choice) -> Prepared:
    """What is kept of generated code."""
    sources, program = generated.sources, generated.program
    return Prepared(
        interface=sources.interface,
        form=choice.algorithm.form,
        alias_of=choice.algorithm.alias_of,
        takes_redundant=choice.algorithm.takes_redundant,
        sources=sources.digest,
        results={entry.name: entry.results for entry in program.entries},
        files={} if target_named(sources.target).compiled else dict(sources.files),
    )


def recalled(key: str | None) -> tuple[Prepared, Path | None] | None:
    """The code of this key and its library, if they are in the cache."""
    data = None if key is None else recall(key)
    if data is None:
        return None
    found: Prepared = pickle.loads(data)
    library = None if found.files else kept(found.library)
    return (found, library) if found.files or library else None

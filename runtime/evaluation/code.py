"""Built code of one algorithm for a model: taken from the cache, or generated and compiled."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...codegen.build import ALONE, THREADS, build, kept
from ...codegen.cache import digest, keep, recall
from ...codegen.face.announced import announced
from ...codegen.face.prepared import Prepared, Wanted, prepared, recalled
from ...codegen.face.variants import Variant, fixed, variants
from ...codegen.interface import Interface
from ...codegen.targets.registry import target_named
from ...codegen.toolchain import find_compiler
from ...errors import InternalError, ToolchainError
from ...model import Model
from ...uncollected import uncollected
from .backend import Declared, alone_after_fork

#: Where what the motion does not need has so many characters, its entries are compiled one by one
#: when they are asked for.
APART = 100_000

#: Functions stay apart, except where they are said to be `inline`.
SEPARATE = tuple(
    f"-fno-inline-{x}" for x in ("functions", "small-functions", "functions-called-once")
)

if TYPE_CHECKING:
    from ...codegen.emit import Sources
    from ...codegen.generate import Generated


class Code:
    """Code that is loaded; what it was made from is made again where that is asked for."""

    backend: Any  # a Backend, as its target loads it

    def __init__(self, model: Model, wanted: Wanted) -> None:
        self.model, self.wanted = model, wanted
        self.target = target_named(wanted.target)
        self._load = self.target.loading
        self._flags = THREADS if wanted.threads else ()
        found = recalled(self._key)
        if found is None:
            self.prepared = prepared(self.generated, wanted.choice)
            self._build(self.generated.sources)
            return
        self.prepared, library = found
        if library is None:
            self.backend = self._load(self.prepared)
        else:
            known = self.prepared
            self._open(library, known, known.binding, alone=known.alone)

    @cached_property
    def generated(self) -> Generated:
        """The model's plan, program, blocks and sources, derived when they are first asked for.

        Raises
            InternalError: they are not those that the code in the cache was made from.
        """
        from ...codegen.generate import generate

        wanted = self.wanted
        with uncollected():
            made = generate(
                self.model,
                algorithm=wanted.choice.algorithm,
                target=wanted.target,
                parameters=wanted.parameters,
                forced=True,
                loaded=wanted.loaded,
                real=wanted.real,
            )
        remembered: Prepared | None = vars(self).get("prepared")
        if remembered is not None and remembered.sources != made.sources.digest:
            raise InternalError(
                f"{self.model.name}: the code in the cache was not made from these sources; "
                "empty it: mstmm cache clear"
            )
        return made

    @cached_property
    def _key(self) -> str | None:
        """The name of the record; none where there is no compiler, which the build says better."""
        try:
            return self.wanted.key(self.model, self._flags)
        except ToolchainError:
            return None

    def _build(self, sources: Sources) -> None:
        if not self.target.compiled:
            self.backend = self._load(sources)
            self.prepared.kept_as(self._key)
            return
        alone = len(sources.outputs) > APART and not self.wanted.threads
        library = self._built(ALONE if alone else ())
        self._open(library, sources, "", alone=alone)
        binding = self.backend.binding
        if self.wanted.tune:
            library = self._tune(library, ALONE if alone else ())
            self._open(library, sources, binding, alone=alone)
        known = {"library": library.name, "binding": binding, "alone": alone}
        self.prepared.kept_as(self._key, **known)

    def _tune(self, library: Path, more: tuple[str, ...]) -> Path:
        """The library of the fastest build; the usual one is loaded."""
        from .tuning import fastest

        usual, *others = variants(vectors=self.target.vectors)
        libraries = {usual: library}
        if not fixed():
            with announced(f"timing {len(others) + 1} builds of {self.model.name}, once"):
                for x in others:
                    with suppress(ToolchainError):  # flags that this compiler does not know
                        libraries[x] = self._built(more, variant=x)
        given = self.generated.sources, self.backend.binding
        loaded = {x: self._load(path, *given) for x, path in libraries.items() if x != usual}
        tuned = fastest(usual, loaded, self.backend)
        self.prepared = replace(self.prepared, tuned=tuned)
        return libraries[tuned.variant]

    def _built(
        self, more: tuple[str, ...] = (), *, variant: Variant | None = None, moves: bool = True
    ) -> Path:
        flags, portable = (*self._flags, *more), self.wanted.portable
        sources = self.generated.sources
        return built(sources, portable=portable, flags=flags, variant=variant, moves=moves)

    def _open(self, library: Path, source: Declared, binding: str, *, alone: bool) -> None:
        if self.wanted.threads:
            alone_after_fork(library)
        self.backend = self._load(library, source, binding)
        if alone:
            self.backend.apart = self._apart

    def _apart(self, entry: str) -> Path:
        """The library of one entry, where the one that is loaded is of the motion alone."""
        known, flags = self.prepared, only(self.prepared.interface, entry)
        record = None if self._key is None else digest("entry", *flags, self._key)
        name = None if record is None else recall(record)
        library = kept(name.decode()) if name else None
        if library is None:
            what = f"{self.model.name} for {entry.replace('_', ' ')}"
            with announced(f"making the code of {what}, kept in the cache"):
                variant = known.tuned.variant if known.tuned else None
                library = self._built(flags, variant=variant, moves=False)
            if record is not None:
                keep(record, library.name.encode())
        return library


def only(interface: Interface, entry: str) -> tuple[str, ...]:
    """Flags with which a compiler leaves all entries but one out of a library.

    The others become functions of the file alone, which nothing calls. What is left has one caller,
    into which it would go: then a number may be computed twice, rounded in two ways.
    """
    others = (f"{interface.prefix}_{x}" for x in interface.arguments if x != entry)
    return (*SEPARATE, *(f"-D{x}=static {x}" for x in others))


def loaded(sources: Sources) -> Any:
    """Generated code, built where it is to be compiled, and loaded.

    Raises
        ToolchainError: there is no C compiler, or it fails.
    """
    target = target_named(sources.target)
    return target.loading(*([built(sources)] if target.compiled else []), sources)


def built(
    sources: Sources,
    *,
    portable: bool = False,
    flags: tuple[str, ...] = (),
    variant: Variant | None = None,
    moves: bool = True,
) -> Path:
    """The library of generated C, with the integrators or without, the usual build or another.

    Raises
        ToolchainError: there is no C compiler, or it fails.
    """
    used = variant or Variant(find_compiler(vectors=target_named(sources.target).vectors))
    return build(
        sources.interface.prefix,
        sources.library if moves else sources.unmoved,
        portable=portable,
        compiler=used.compiler,
        extra_flags=(*used.flags, *flags),
        own_flags=sources.own_flags,
    )

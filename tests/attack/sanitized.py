"""Emitted C as a program of its own under the address and undefined-behaviour sanitizers.

The program calls every public function of a library with numbers at which something ends, with
buffers that are exactly as long as the interface says, begin eight bytes past every larger
boundary, and for inputs of one length are one and the same. It says what it finds by itself too: a
result that is not finite with a status that says it is.
"""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from mstmm.codegen.emit import Sources
from mstmm.codegen.motions import forms
from mstmm.codegen.tableaus import METHODS
from mstmm.codegen.toolchain import find_compiler

#: `float-cast-overflow` is none of the undefined behaviour that `undefined` looks for by itself.
FLAGS = (
    *("-std=c11", "-g1", "-ffp-contract=fast", "-march=native"),
    *("-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all"),
)

#: A model's own files are compiled for one program each, those that models share once for all.
OWN, SHARED = "-O0", "-O1"
BATCH_STATES = "{1, LANES - 1 ? LANES - 1 : 1, LANES, 2 * LANES + 3}"

HEAD = """
#include "{prefix}.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double odd[] = {{
    0.0, -0.0, 1.0, -1.0, 5e-324, 2.2250738585072014e-308, 1e-16, 1e16, 1e22, 1e154, 1e308, -1e308,
    INFINITY, -INFINITY, NAN, 3.141592653589793, 1.5707963267948966, 2147483648.0, 9.3e18}};
enum {{ ODD = sizeof odd / sizeof *odd, KINDS = ODD + 2 }};
static uint32_t drawn = 1;
static uint32_t attack_draw(void) {{ return (drawn = drawn * 1664525u + 1013904223u) >> 8; }}
static double attack_number(int kind)
{{
    const uint32_t now = attack_draw();
    return kind < ODD ? odd[kind] : kind == ODD ? now / 8388608.0 - 1.0 : odd[now % ODD];
}}
static void *attack_room(size_t size, int shift)
{{
    char *const whole = malloc(size + shift);
    memset(whole, 0xff, size + shift);
    return whole + shift;
}}
static double *attack_filled(long count, int kind, int shift)
{{
    double *const x = attack_room(8 * count, shift);
    for (long i = 0; i < count; i++) {{
        x[i] = attack_number(kind);
    }}
    return x;
}}
static void attack_left(void *x, int shift) {{ free((char *)x - shift); }}
static void attack_judge(const char *entry, int status, long count, const double *x)
{{
    for (long i = 0; i < count; i++) {{
        if (status < 0 || status > 2 || (status == 0 && !isfinite(x[i]))) {{
            fprintf(stderr, "%s: status %d with number %ld = %g\\n", entry, status, i, x[i]);
            exit(3);
        }}
    }}
}}
"""


def program(sources: Sources) -> str:
    """The C program that calls all of a library."""
    interface, prefix = sources.interface, sources.interface.prefix
    parts = [HEAD.format(prefix=prefix), *_entries(sources)]
    called = [f"try_{name}" for name in interface.arguments]
    if interface.can_close:
        parts.append(_project(sources))
        called.append("try_project")
    if any(forms(interface)) and interface.can_integrate:
        parts.append(_motion(sources))
        called.append("try_motion")
    batch = sources.target == "c-batch"
    calls = "\n            ".join(f"{name}(states[s], kind, shift, alias);" for name in called)
    parts.append(f"""
int main(void)
{{
    static const long states[] = {BATCH_STATES if batch else "{1}"};
    for (unsigned s = 0; s < sizeof states / sizeof *states; s++) {{
        for (int kind = 0; kind < KINDS; kind++) {{
            const int shift = kind % 2 ? 8 : 0, alias = kind % 3 == 0;
            {calls}
        }}
    }}
    return 0;
}}
""")
    return "".join(parts)


def _taken(sources: Sources, names: tuple[str, ...], outputs: tuple[str, ...]) -> tuple[str, str]:
    """What makes the buffers of a call, and what leaves them; inputs may be one and the same."""
    sizes, inputs = sources.interface.sizes, [name for name in names if name not in outputs]
    makes, leaves = [], []
    for name in names:
        count = f"states * {sizes[name]}L"
        twin = next((x for x in inputs if sizes[x] == sizes[name]), name)
        if name in outputs or twin == name:
            makes.append(f"double *const {name} = attack_filled({count}, kind, shift);")
            leaves.append(f"attack_left({name}, shift);")
        else:
            makes.append(
                f"double *const {name} = alias ? {twin} : attack_filled({count}, kind, shift);"
            )
            leaves.append(f"if (!alias) {{ attack_left({name}, shift); }}")
    makes.append(f"{sources.interface.prefix}_work *const w = attack_room(sizeof *w, shift);")
    leaves.append("attack_left(w, shift);")
    return "\n    ".join(makes), "\n    ".join(reversed(leaves))


def _many(sources: Sources) -> str:
    return "states, " if sources.target == "c-batch" else ""


def _entries(sources: Sources) -> Iterator[str]:
    interface = sources.interface
    for entry, names in interface.arguments.items():
        results = interface.results[entry]
        makes, leaves = _taken(sources, names, results)
        judged = "\n    ".join(
            f'attack_judge("{entry}", status, states * {interface.sizes[x]}L, {x});'
            for x in results
        )
        yield f"""
static void try_{entry}(long states, int kind, int shift, int alias)
{{
    (void)alias;
    {makes}
    const int status = {interface.prefix}_{entry}({_many(sources)}{", ".join((*names, "w"))});
    {judged}
    {leaves}
}}
"""


def _project(sources: Sources) -> str:
    names = sources.interface.closing
    makes, leaves = _taken(sources, names, sources.interface.state)
    return f"""
static void try_project(long states, int kind, int shift, int alias)
{{
    (void)alias;
    {makes}
    const int status = {sources.interface.prefix}_project({_many(sources)}{", ".join(names)}, w);
    attack_judge("project", status ? 1 : 0, states * {sources.interface.sizes["q"]}L, q);
    {leaves}
}}
"""


def _motion(sources: Sources) -> str:
    """Some steps of every method, of as many states as there are lanes."""
    interface, prefix = sources.interface, sources.interface.prefix
    sizes, (_, second) = interface.sizes, interface.state
    makes, leaves = _taken(sources, (*interface.state, *interface.held), interface.state)
    given = ", ".join(interface.held) or "0"
    lanes = "LANES" if sources.target == "c-batch" else "1"
    return f"""
static void try_motion(long states, int kind, int shift, int alias)
{{
    (void)alias;
    if (states > {lanes}) {{
        return;
    }}
    {makes}
    const double *const given[] = {{{given}}};
    enum {{ RECORDS = 5, ROOM = 3 + {lanes} }};
    for (int method = 0; method < {len(METHODS)}; method++) {{
        double times[RECORDS] = {{0.0, 0.001, 0.002, 0.003, 0.004}};
        double *const run_q = attack_filled(states * (RECORDS + 1) * {sizes["q"]}L, 0, shift);
        double *const run_v = attack_filled(states * (RECORDS + 1) * {sizes[second]}L, 0, shift);
        double *const found = attack_filled(ROOM * (1L + {sizes["q"]} + {sizes[second]}), 0, shift);
        int *const which = attack_room(2 * ROOM * sizeof(int), shift);
        double *const memory = attack_filled(mstmm_memory(&{prefix}_model), ODD - 5, shift);
        mstmm_motion m = {{.model = &{prefix}_model, .work = w, .memory = memory, .method = method,
                          .end = 0.004, .dt = 0.001, .whole = 4, .stride = 1, .records = RECORDS,
                          .rtol = 1e-6, .atol = 1e-6, .times = times, .run_q = run_q,
                          .run_v = run_v, .room = ROOM, .found_t = found, .found_q = found + ROOM,
                          .found_v = found + ROOM * (1L + {sizes["q"]}), .found_event = which,
                          .found_state = which + ROOM}};
        mstmm_begin(&m, (int)states, q, {second}, given);
        for (int k = 0; k < 20 && mstmm_advance(&m, 50); k++) {{
            m.found = 0;
        }}
        attack_left(memory, shift);
        attack_left(which, shift);
        attack_left(found, shift);
        attack_left(run_v, shift);
        attack_left(run_q, shift);
    }}
    {leaves}
}}
"""


def complaint(sources: Sources, folder: Path, shared: Path, seconds: float) -> str:
    """What the sanitizers, or the program itself, say of a library; nothing if all is well.

    The program is made in `folder`; files that many models share are compiled once for `shared`.
    """
    command = [*sanitizing(sources.target != "c"), *FLAGS]
    for name, text in (*sources.library.items(), ("attack.c", program(sources))):
        (folder / name).write_text(text, encoding="utf-8")
    objects = []
    for file in sorted(folder.glob("*.c")):
        flag, made = OWN, folder / f"{file.stem}.o"
        if file.name.startswith("mstmm_"):
            text = "".join(x.read_text() for x in (file, file.with_suffix(".h")))
            key = hashlib.sha256(text.encode()).hexdigest()[:16]
            flag, made = SHARED, shared / f"{file.stem}-{key}.o"
        if not made.exists():
            said = _run([*command, flag, "-c", file.name, "-o", f"{made}.new"], folder)
            if said:
                return f"not built: {said}"
            Path(f"{made}.new").replace(made)
        objects.append(str(made))
    said = _run([*command, *objects, "-o", "attack", "-lm"], folder)
    limit = f"ulimit -c 0; ulimit -t {int(seconds)}; exec ./attack"
    return f"not built: {said}" if said else _run(["sh", "-c", limit], folder)


@cache
def sanitizing(vectors: bool) -> tuple[str, ...]:
    """The compiler that a library's target would take, or another one if it has no sanitizers."""
    commands = [find_compiler(vectors=x).command for x in (vectors, not vectors)]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "none.c").write_text("int main(void) { return 0; }", encoding="utf-8")
        for command in commands:
            if not _run([*command, *FLAGS, "none.c", "-o", "none"], folder):
                return command
    return commands[0]


def _run(command: list[str], folder: Path) -> str:
    """What a command that fails says."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return f"exit {done.returncode}: {done.stderr[:3000]}" if done.returncode else ""

"""Times the emitted C of a planar chain against a hand-written loop, side by side.

    python benchmarks/chain.py --baseline PATH/chain.c

The baseline is any C file that defines `void rhs(int n, const double *theta, const double
*omega, double *alpha)` for uniform rods of 1 kg and 1 m. Both are built with the same flags
into one program, run in turn on the same states, and judged by the median of many ratios.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

from mstmm.codegen.generate import generate
from mstmm.codegen.toolchain import find_compiler
from mstmm.model import load

FLAGS = ("-O3", "-march=native", "-w")

DRIVER = """
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "rod_chain.h"
void rhs(int n, const double *theta, const double *omega, double *alpha);
static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
enum { n = %(n)d, rounds = 301, repeat = %(repeat)d };
static void report(const char *name, double time)
{
    printf("%%-8s %%8.3f us  (%%.2f ns a body)\\n", name, 1e6 * time, 1e9 * time / n);
}
int main(void)
{
    static double q[n], v[n], a[n], b[n], ours[rounds], theirs[rounds], ratio[rounds];
    static rod_chain_work w;
    srand(1);
    for (int i = 0; i < n; i++) {
        q[i] = 6.28 * rand() / RAND_MAX;
        v[i] = 2.0 * rand() / RAND_MAX - 1.0;
    }
    rod_chain_accelerations(q, v, a, &w);
    rhs(n, q, v, b);
    double difference = 0.0;
    for (int i = 0; i < n; i++) {
        difference = fmax(difference, fabs(a[i] - b[i]));
    }
    for (int k = 0; k < rounds; k++) {
        const double t0 = seconds();
        for (int r = 0; r < repeat; r++) {
            rod_chain_accelerations(q, v, a, &w);
            q[0] += 1e-12 * a[0];
        }
        const double t1 = seconds();
        for (int r = 0; r < repeat; r++) {
            rhs(n, q, v, b);
            q[0] += 1e-12 * b[0];
        }
        const double t2 = seconds();
        ours[k] = (t1 - t0) / repeat;
        theirs[k] = (t2 - t1) / repeat;
        ratio[k] = ours[k] / theirs[k];
    }
    qsort(ours, rounds, sizeof *ours, ascending);
    qsort(theirs, rounds, sizeof *theirs, ascending);
    qsort(ratio, rounds, sizeof *ratio, ascending);
    printf("n = %%d bodies, largest difference %%.1e rad/s2\\n", n, difference);
    report("emitted", ours[rounds / 2]);
    report("baseline", theirs[rounds / 2]);
    printf("ratio    %%8.3f     (quartiles %%.3f, %%.3f)\\n", ratio[rounds / 2], ratio[rounds / 4],
           ratio[3 * rounds / 4]);
    return 0;
}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--baseline", type=Path, required=True, help="C file with rhs()")
    parser.add_argument("--bodies", type=int, default=504)
    arguments = parser.parse_args()
    model = load("rod-chain", n=arguments.bodies)
    generated = generate(model, entries=("accelerations",))
    (loop,) = (b for b in generated.module.step("tips_to_root").blocks if b.count > 1)
    print(f"forward sweep: {sum(loop.operations().values())} operations a body")
    compiler = find_compiler()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in generated.sources.files.items():
            (folder / file).write_text(text, encoding="utf-8")
        repeat = max(1, 100_000 // arguments.bodies)
        (folder / "driver.c").write_text(DRIVER % {"n": arguments.bodies, "repeat": repeat})
        objects = []
        for source, extra in (
            *((folder / file, ()) for file in generated.sources.library if file.endswith(".c")),
            (arguments.baseline.resolve(), ("-Dmain=baseline_main",)),
            (folder / "driver.c", ()),
        ):
            objects.append(str(folder / f"{source.stem}.o"))
            subprocess.run(
                [*compiler.command, *FLAGS, *extra, "-c", str(source), "-o", objects[-1]],
                cwd=folder,
                check=True,
            )
        subprocess.run([*compiler.command, *objects, "-lm", "-o", "timing"], cwd=folder, check=True)
        print(" ".join(FLAGS))
        subprocess.run(["./timing"], cwd=folder, check=True)


if __name__ == "__main__":
    main()

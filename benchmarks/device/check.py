"""On a machine with a graphics processor: every case right, then how fast; a receipt of it.

    python -m benchmarks.device.check FOLDER RECEIPT [--emulate]

FOLDER is what `prepare.py` made. Needs mstmm and PyTorch, and where they are there uses CuPy and
JAX. With --emulate the text runs on the processor, where times mean nothing.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

import mstmm
from mstmm.codegen.targets.cuda import compiling
from mstmm.runtime.device import arrays, driver

#: What results may be off from those of target `c`, as a part of a state's largest number: a fused
#: multiplication rounds once where `c` may round twice, and a state of 1,024 is ill conditioned.
BOUNDS = {"double": 2e-12, "float": 2e-3}

BATCHES = (1024, 4096, 65536, 1 << 20)

#: Motions: how many states, how many steps.
MOTIONS = ((4096, 1000), (65536, 100), (1 << 20, 10))

#: After so many seconds what is left is left out.
LONGEST = 360.0

#: Clock ticks of the device in which the processor asks for the next run: some 0.2 ms.
SLEEP = 400_000

#: What may go wrong in a part while the others go on.
FAILURES = (
    *(ArithmeticError, AssertionError, AttributeError, ImportError, LookupError, OSError),
    *(RuntimeError, TypeError, ValueError, mstmm.MstmmError, subprocess.SubprocessError),
)

FUSED = """
extern "C" __global__ void fused_device(long long n, long long rounds, {real} s, {real} *out)
{{
    {real} a[8];
    for (int k = 0; k < 8; k++) a[k] = s + k;
    for (long long i = 0; i < rounds; i++) {{
        _Pragma("unroll") for (int k = 0; k < 8; k++) a[k] = a[k] * s + s;
    }}
    {real} sum = 0;
    for (int k = 0; k < 8; k++) sum += a[k];
    if (sum == 12345) out[0] = sum;
}}
"""


class Check:
    """What is found by now."""

    def __init__(self, folder: Path, emulated: bool) -> None:
        self.folder, self.emulated, self.began = folder, emulated, time.time()
        self.manifest = json.loads((folder / "manifest.json").read_text())
        self.on = torch.device("cpu" if emulated else "cuda")
        self.states = (64,) if emulated else BATCHES
        self.motions = ((64, 3),) if emulated else MOTIONS
        self.failed: list[str] = []
        self.found: dict[str, Any] = {}

    def say(self, *words: Any) -> None:
        print(f"{time.time() - self.began:6.1f}", *words, flush=True)

    def see(self, holds: bool, what: str) -> None:
        if not holds:
            self.failed.append(what)
            self.say("FAILED", what)

    def part(self, run: Callable[..., None], *of: Any) -> None:
        """A part that fails is said, and the others go on: the machine is there once."""
        try:
            run(*of)
        except FAILURES:
            self.see(False, f"{run.__name__}: {traceback.format_exc(limit=-3)}")

    def seconds(self, run: Callable[[], Any], times: int = 15) -> float:
        """The median of some runs, by the device's own clock.

        It has something to do until a run is asked for, so that it does not wait for that.
        """
        run()
        if self.emulated:
            begin = time.perf_counter()
            run()
            return time.perf_counter() - begin
        run()
        found = []
        for _ in range(times):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            torch.cuda._sleep(SLEEP)
            begin.record()
            run()
            end.record()
            end.synchronize()
            found.append(begin.elapsed_time(end) * 1e-3)
        return float(np.median(found))

    def there(self, array: Any, kind: str, aside: bool) -> Any:
        """An array on the device; `aside`: a number of all states after the other."""
        made = torch.as_tensor(np.asarray(array), dtype=getattr(torch, kind))
        return made.T.contiguous().to(self.on).T if aside else made.to(self.on)

    # ---- the card ------------------------------------------------------------------------------

    def card(self) -> None:
        """What it is, and what it can do at most: bytes and fused operations a second."""
        of = driver.device(0)
        self.found |= {"date": datetime.date.today().isoformat(), "torch": torch.__version__}
        if self.emulated:
            return
        asked = "--query-gpu=name,driver_version,memory.total"
        line = subprocess.run(
            ["nvidia-smi", asked, "--format=csv,noheader"], capture_output=True, text=True
        ).stdout.strip()
        self.found |= dict(zip(("card", "driver", "memory"), line.split(", "), strict=True))
        self.found |= {"architecture": of.architecture, "multiprocessors": of.multiprocessors}
        self.found["bytes"] = self.copied(1 << 27)
        out = torch.zeros(1, dtype=torch.float64, device=self.on)
        for real, form in (("double", "d"), ("float", "f")):
            kernel = driver.Kernel(of.load(FUSED.format(real=real)), "fused_device", f"qq{form}q")
            n, rounds = 256 * 8 * of.multiprocessors, 4096
            given = n, rounds, 0.999, out.data_ptr()
            run = partial(of.launch, kernel, 256, given, torch.cuda.current_stream().cuda_stream)
            spent = self.seconds(run)
            self.found[real] = 8.0 * n * rounds / spent
        self.say(self.found)

    def copied(self, count: int) -> float:
        """Bytes a second, read and written, in copying so many doubles."""
        x, y = torch.rand(2, count, dtype=torch.float64, device=self.on).unbind()
        return 2 * x.nbytes / self.seconds(lambda: x.copy_(y))

    # ---- entries -------------------------------------------------------------------------------

    def case(self, case: dict[str, Any]) -> None:
        """Is it right, in both orders of numbers? How fast is it?"""
        known = np.load(self.folder / f"{case['name']}.npz")
        model = mstmm.load(self.folder / f"{case['model']}.toml")
        options = {"algorithm": case["algorithm"], "target": "cuda", "real": case["real"]}
        solver = mstmm.compile(model, **options)
        digest = hashlib.sha256(solver.backend.text.encode()).hexdigest()
        self.see(digest == case["digest"], f"{case['name']}: the text there is another")
        names, kind = [x[3:] for x in known.files if x.startswith("in_")], solver.backend.kind
        entry, want = case["entry"], known["out"]
        case["error"], case["median"], case["rows"] = 0.0, 0.0, []
        for aside in (True, False):
            given = {x: self.there(known[f"in_{x}"], kind, aside) for x in names}
            self.poison(want.shape, kind)
            got = self.flat(solver, entry, given)
            size = np.abs(want).max(axis=1)
            off = np.abs(got - want).max(axis=1) / size
            off[~np.isfinite(off)] = np.inf
            case["error"] = max(case["error"], float(off.max()))
            case["median"] = float(np.median(off))
            bad = arrays.numbers(solver.status)
            self.see(not bad.any(), f"{case['name']}: {int(bad.sum())} states are said to be bad")
        self.see(case["error"] <= BOUNDS[case["real"]], f"{case['name']}: off by {case['error']}")
        self.say(case["name"], f"error {case['error']:.1e}, median {case['median']:.1e}")
        for states in self.states:
            for aside in (True, False):
                case["rows"].append(self.row(case, solver, known, names, states, aside))
        for method in case["rolls"]:
            self.rolled(case, solver, known, method)

    def poison(self, shape: tuple[int, ...], kind: str) -> None:
        """Leave numbers that are none in the memory that the next results will get."""
        made = [torch.full(shape, torch.nan, dtype=getattr(torch, kind), device=self.on)]
        made.append(torch.full(shape[::-1], torch.nan, dtype=made[0].dtype, device=self.on))
        del made

    def flat(self, solver: Any, entry: str, given: dict[str, Any]) -> Any:
        """All numbers of the results, a row a state."""
        found = arrays.called(solver.backend, entry, given, {})
        return torch.cat([*found.values()], dim=1).cpu().numpy().astype(float)

    def row(
        self, case: dict[str, Any], solver: Any, known: Any, names: list[str], n: int, aside: bool
    ) -> dict[str, Any]:
        """How long one launch of so many states takes, and the part of the nearest ceiling."""
        module, entry, kind = solver.backend, case["entry"], solver.backend.kind
        interface = module.interface
        blocks, places = [], []
        for name in interface.arguments[entry]:
            size = interface.sizes[name]
            if name in names:
                whole = np.tile(known[f"in_{name}"], (max(1, n // 1024), 1))[:n]
                blocks.append(self.there(whole, kind, aside))
            else:
                shape = (size, n) if aside else (n, size)
                made = torch.empty(shape, dtype=getattr(torch, kind), device=self.on)
                blocks.append(made.T if aside else made)
            places.append((blocks[-1].data_ptr(), n if aside else 1, 1 if aside else size))
        status = torch.empty(n, dtype=torch.int32, device=self.on)
        at = {} if self.emulated else {"stream": torch.cuda.current_stream().cuda_stream}
        spent = self.seconds(lambda: module.launch(entry, n, places, status.data_ptr(), **at))
        told = {"states": n, "order": "SoA" if aside else "AoS", "us": spent * 1e6}
        if not self.emulated:
            moved = sum(x.element_size() * x.shape[1] for x in blocks) + 4
            operations = case["operations"] / self.found[case["real"]] / 2
            told["part"] = max(operations, moved / self.found["bytes"]) * n / spent
        return told

    def rolled(self, case: dict[str, Any], solver: Any, known: Any, method: str) -> None:
        """Ten steps against target `c-batch`, then many."""
        from .prepare import DT, STEPS, feedback

        nv = len(solver.speeds)
        law = mstmm.Sampled(mstmm.Feedback(feedback(nv)), DT)
        inputs = None if solver.model.quaternions else {solver.speeds: law}
        given = [known["in_q"], known["in_v"]]
        start = [self.there(x, solver.backend.kind, True) for x in given]
        how = {"dt": DT, "method": method, "inputs": inputs}
        run = solver.simulate(*start, t_end=STEPS * DT, **how)
        run.check()
        got = np.concatenate([x.cpu().numpy() for x in run.last], axis=1)
        want = known[f"rolled_{method}"]
        off = float((np.abs(got - want).max(axis=1) / np.abs(want).max(axis=1)).max())
        self.see(off <= 1e-11, f"{case['name']}: {method} is off by {off}")
        self.say(case["name"], method, f"error {off:.1e}")
        for states, steps in self.motions:
            rows = (np.tile(x, (max(1, states // 1024), 1))[:states] for x in given)
            many = [self.there(x, "float64", True) for x in rows]
            run = partial(solver.simulate, *many, t_end=steps * DT, **how)
            spent = self.seconds(run, 3)
            told = {"method": method, "states": states, "steps": steps, "error": off}
            case.setdefault("motions", []).append(told | {"us": spent * 1e6})

    # ---- faces ---------------------------------------------------------------------------------

    def faces(self) -> None:
        """Other libraries' arrays, streams and graphs; what a call costs the processor."""
        known = np.load(self.folder / "panda accelerations double.npz")
        solver = mstmm.compile(mstmm.load(self.folder / "panda.toml"), target="cuda")
        want, three = known["out"], [known[f"in_{x}"] for x in ("q", "v", "tau")]

        def off(found: Any) -> float:
            return float((np.abs(found - want).max(axis=1) / np.abs(want).max(axis=1)).max())

        told = {"numpy": off(solver.accelerations(*three))}
        given = [torch.as_tensor(np.tile(x, (4, 1))).to(self.on) for x in three]
        begin = time.perf_counter()
        for _ in range(1000):
            solver.accelerations(*given)
        told["host_us"] = (time.perf_counter() - begin) * 1e3
        if not self.emulated:
            torch.cuda.synchronize()
            aside, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
            with torch.cuda.stream(aside):
                found = solver.accelerations(*given)
            aside.synchronize()
            told["torch"] = off(found[:1024].cpu().numpy())
            with torch.cuda.graph(graph):
                for _ in range(100):
                    found = solver.accelerations(*given)
            found.zero_()
            graph.replay()
            told["graph"] = off(found[:1024].cpu().numpy())
            told["graph_us"] = self.seconds(graph.replay) * 1e4
        for name, run in (("cupy", self.by_cupy), ("jax", self.by_jax), ("bridges", self.bridges)):
            try:
                told |= run(solver, three, off)
            except FAILURES as why:  # another library is not what is judged here
                told[name] = f"{type(why).__name__}: {str(why)[:300]}"
        for name in ("numpy", "torch", "graph", "cupy", "jax", "torch_module", "torch_gradient"):
            if name in told:
                holds = isinstance(told[name], float) and told[name] <= BOUNDS["double"]
                self.see(holds or self.emulated, f"{name}: {told[name]}")
        self.found["faces"] = told
        self.say(told)

    def by_cupy(self, solver: Any, three: list[Any], off: Any) -> dict[str, Any]:
        import cupy

        given = [cupy.asarray(x) for x in three]
        with cupy.cuda.Stream(non_blocking=True) as stream:
            found = solver.accelerations(*given)
            stream.synchronize()
        return {"cupy": off(cupy.asnumpy(found))}

    def by_jax(self, solver: Any, three: list[Any], off: Any) -> dict[str, Any]:
        import jax

        from .aba import accelerations

        jax.config.update("jax_enable_x64", True)
        told = dict[str, Any]()
        if not self.emulated:
            told["jax"] = off(np.asarray(solver.accelerations(*map(jax.numpy.asarray, three))))
        run = accelerations(np.load(self.folder / "links.npz"))
        for states in (1024,) if self.emulated else (4096, 65536):
            many = [jax.numpy.asarray(np.tile(x, (states // 1024, 1))) for x in three]
            first = np.asarray(run(*many))[:1024]
            begin = time.perf_counter()
            last = [run(*many) for _ in range(20)][-1]
            last.block_until_ready()
            told[f"jax_aba_us_{states}"] = (time.perf_counter() - begin) / 20 * 1e6
        return told | {"jax_aba": off(first)}

    def bridges(self, solver: Any, three: list[Any], off: Any) -> dict[str, Any]:
        """The bridges' accelerations and their gradients, where they are there."""
        from mstmm import torch as bridge

        given = [torch.as_tensor(x).to(self.on).requires_grad_() for x in three]
        module = bridge.module(solver)
        found = module.accelerations(*given)
        found.sum().backward()
        told = {"torch_module": off(found.detach().cpu().numpy())}
        of = bridge.module(mstmm.compile(solver.model, target="c-batch"))
        plain = [torch.as_tensor(x).requires_grad_() for x in three]
        of.accelerations(*plain).sum().backward()
        pairs = [(x.grad.cpu().numpy(), y.grad.numpy()) for x, y in zip(given, plain, strict=True)]
        each = [(np.abs(x - y).max(axis=1) / np.abs(y).max(axis=1)).max() for x, y in pairs]
        told["torch_gradient"] = float(max(each))
        many = [torch.as_tensor(np.tile(x, (4, 1))).to(self.on).requires_grad_() for x in three]
        told["torch_backward_us"] = 1e6 * self.seconds(
            lambda: module.accelerations(*many).sum().backward()
        )
        return told

    def touch(self) -> None:
        """Run two kernels over an odd number of states, for who watches the memory."""
        for case in self.manifest["cases"]:
            if case["name"] in ("panda accelerations double", "four-bar accelerations double"):
                solver = mstmm.compile(
                    mstmm.load(self.folder / f"{case['model']}.toml"), target="cuda"
                )
                known = np.load(self.folder / f"{case['name']}.npz")
                solver.accelerations(*(known[f"in_{x}"][:1001] for x in ("q", "v", "tau")))

    # ---- the rest ------------------------------------------------------------------------------

    def validated(self) -> None:
        """`validate` on the device, of a small model."""
        proof = mstmm.validate(mstmm.compile("double-pendulum", target="cuda"), points=5)
        self.found["validate"] = {"ok": proof.ok, "worst": proof.worst}
        self.see(proof.ok, f"validate: {proof.worst}")

    def memory(self) -> None:
        """Does a kernel read or write where nothing is its own? By compute-sanitizer."""
        sanitizer = ["compute-sanitizer", "--tool", "memcheck", "--error-exitcode", "9"]
        again = [sys.executable, "-m", __spec__.name, str(self.folder), "-", "--touch"]
        done = subprocess.run([*sanitizer, *again], capture_output=True, text=True, timeout=120)
        said = (done.stdout + done.stderr).strip().splitlines()
        self.found["memcheck"] = said[-1] if said else ""
        self.see(done.returncode == 0, f"memcheck: {said[-3:]}")
        self.say(self.found["memcheck"])

    def table(self) -> None:
        """All figures, last."""
        for case in self.manifest["cases"]:
            for row in case.get("rows", ()):
                rate = row["states"] / row["us"] * 1e6
                said = f"{row['order']} {row['states']:8d} {row['us']:10.1f} us {rate:10.3e}/s"
                self.say(f"{case['name']:34s} {said} {row.get('part', 0.0):5.2f}")
            for row in case.get("motions", ()):
                rate = row["states"] * row["steps"] / row["us"] * 1e6
                said = f"{row['method']} {row['states']} x {row['steps']} {rate:.3e} steps/s"
                self.say(f"{case['name']:34s} {said}")


def carried(folder: Path) -> None:
    """Take the code that was compiled beforehand where there is some for this text and card."""
    usual = compiling.cubin

    def cubin(name: str, text: str, architecture: str) -> compiling.Cubin:
        digest = hashlib.sha256(text.encode()).hexdigest()
        known = folder / f"{digest}.{architecture}.cubin"
        if known.exists():
            return compiling.Cubin(known.read_bytes(), "", ())
        print("compiled here:", digest[:12], flush=True)
        return usual(name, text, architecture)

    compiling.cubin = cubin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("receipt", type=Path)
    parser.add_argument("--emulate", action="store_true")
    parser.add_argument("--touch", action="store_true", help="run two kernels and no more")
    asked = parser.parse_args()
    if asked.emulate:
        sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
        from devices import emulate

        emulate()
    carried(asked.folder)
    check = Check(asked.folder, asked.emulate)
    if asked.touch:
        check.touch()
        return
    check.card()
    for case in check.manifest["cases"]:
        if time.time() - check.began > LONGEST:
            check.say("left out for time:", case["name"])
            continue
        check.part(check.case, case)
    for part in (check.faces, check.validated, *([] if asked.emulate else [check.memory])):
        check.part(part)
    check.table()
    receipt = check.found | check.manifest | {"failed": check.failed}
    asked.receipt.write_text(json.dumps(receipt, indent=1) + "\n")
    sys.exit(bool(check.failed))


if __name__ == "__main__":
    main()

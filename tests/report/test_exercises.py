"""Exercises: solved from their own text by other formulas, accepted; planted errors are named."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from commands import run

from mstmm.errors import UsageError
from mstmm.report.documents.plain import text
from mstmm.report.exercise_tasks import ENDS, TASKS
from mstmm.report.exercises import Exercise, filled

Answers = dict[str, str]
NUMBER = r"(-?[\d.]+)"


def numbers(pattern: str, sheet: str) -> list[float]:
    found = re.search(pattern.replace("#", NUMBER), sheet)
    assert found, pattern
    return [float(x) for x in found.groups()]


def told(sheet: str) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
    """U of a body by Newton and Euler about its centre of mass, as loads at O by motion at I."""
    (m,) = numbers("mass +# kg", sheet)
    (J,) = numbers("centre C +# kg m²", sheet)
    cx, cy = numbers(r"from I to C +\(#, #\) m", sheet)
    ox, oy = numbers(r"from I to O +\(#, #\) m", sheet)
    (w,) = numbers("angular velocity +# rad/s", sheet)
    x, y, W, mI, qx, qy = z = sp.symbols("x y W mI qx qy")

    def moved(rx: float, ry: float) -> tuple[sp.Expr, sp.Expr]:
        return x - ry * W - rx * w**2, y + rx * W - ry * w**2

    ax, ay = moved(cx, cy)
    outx, outy = qx - m * ax, qy - m * ay - m * 9.81
    # About C: −m_I + m_O, q_I at I − C, and −q_O at O − C.
    moment = J * W + mI - (-cx * qy + cy * qx) + ((ox - cx) * outy - (oy - cy) * outx)
    output = sp.Matrix([*moved(ox, oy), W, moment, outx, outy])
    matrix = output.jacobian(z)
    return matrix, (output - matrix * sp.Matrix(z)).expand(), sp.Matrix(z)


def transfer_matrix(sheet: str) -> Answers:
    matrix, known, _ = told(sheet)
    whole = matrix.row_join(known)
    names = re.findall(r"^U\d\d", sheet, re.MULTILINE)
    return {x: str(whole[int(x[1]) - 1, int(x[2]) - 1]) for x in names}


def riccati_step(sheet: str) -> Answers:
    matrix, known, z = told(sheet)
    free = (matrix * z + known).subs(dict.fromkeys(z[3:], 0))
    motion = sp.solve(list(free[:3, 0] - sp.Matrix(sp.symbols("a b c"))), z[:3])
    answer = sp.Matrix(free[3:, 0]).subs(motion).expand()
    S = answer.jacobian(sp.symbols("a b c"))
    return entries(sheet, S, (answer - S * sp.Matrix(sp.symbols("a b c"))).expand())


def hinge_step(sheet: str) -> Answers:
    found = [x.replace("−", "-") for x in re.split(r"\nS |\ne ", sheet)[1:3]]
    S = sp.Matrix(3, 3, [float(x) for x in re.findall(NUMBER, found[0])[:9]])
    e = sp.Matrix([float(x) for x in re.findall(NUMBER, found[1])[:3]])
    x, y, W = sp.symbols("x y W")
    z = S * sp.Matrix([x, y, W]) + e
    behind = z.subs(W, sp.solve(z[0], W)[0]).expand()
    new = behind.jacobian([x, y])
    return entries(sheet, new, (behind - new * sp.Matrix([x, y])).expand())


def entries(sheet: str, S: sp.Matrix, e: sp.Matrix) -> Answers:
    names = re.findall(r"^(?:S\d\d|e\d)(?= +entry)", sheet, re.MULTILINE)
    at = {x: [int(k) - 1 for k in x[1:]] for x in names}
    return {x: str(float(S[at[x][0], at[x][1]] if x[0] == "S" else e[at[x][0]])) for x in names}


def joined(sheet: str) -> dict[str, tuple[str, str]]:
    flat = " ".join(sheet.split())
    return {a: (pin, b) for a, pin, b in re.findall(r"(\d+) – (\d+) – (\d+|ground)", flat)}


def tips_of(sheet: str) -> list[str]:
    behind = joined(sheet)
    return [x for x in behind if x not in {to for _, to in behind.values()}]


def counting(sheet: str) -> Answers:
    tips, pins = len(tips_of(sheet)), len(joined(sheet)) - 1
    found = {"tips": tips, "unknowns": 3 + 3 * tips + pins, "main": 6, "hinge": pins}
    found["geometric"] = found["unknowns"] - 6 - pins  # as many rows as unknowns
    return {name: str(x) for name, x in found.items()}


def overall(sheet: str) -> Answers:
    behind, answers = joined(sheet), {}
    for tip in tips_of(sheet):
        way = [tip]
        while behind[way[-1]][1] != "ground":
            way += behind[way[-1]]
        answers[f"tip{tip}"] = " · ".join(f"U{x}" for x in reversed(way)).replace("U", "")
    return answers


def loop(sheet: str) -> Answers:
    """By Newton and Euler of each rod about its centre: nine motions, eight forces, no matrix U."""
    rods = re.findall(rf"rod (\d) +{NUMBER} kg +{NUMBER} m +{NUMBER}\n", sheet)
    x, forces = sp.symbols("x:9"), sp.symbols("q:8")  # ẍ, ÿ of the centre and Ω̇; a pin's q each
    equations = []
    before = [sp.Integer(0)] * 2
    for k, (_, m, a, t) in enumerate(rods):
        ax, ay, turn = x[3 * k : 3 * k + 3]
        half = sp.Matrix([sp.cos(float(t)), sp.sin(float(t))]) * float(a) / 2
        inp, out = sp.Matrix(forces[2 * k : 2 * k + 2]), sp.Matrix(forces[2 * k + 2 : 2 * k + 4])
        across = turn * sp.Matrix([-half[1], half[0]])
        centre, m = sp.Matrix([ax, ay]), float(m)
        equations += [*(centre - across - sp.Matrix(before))]
        equations += [*(m * centre - inp + out + sp.Matrix([0, 9.81 * m]))]
        moment = half[0] * -(inp + out)[1] + half[1] * (inp + out)[0]
        equations += [m * float(a) ** 2 / 12 * turn - moment]
        before = [*(centre + across)]
    left, right = sp.linear_eq_to_matrix([*equations, *before], [*x, *forces])
    found = np.linalg.solve(*(np.array(side, float) for side in (left, right))).ravel()
    names = {"alpha1": 2, "alpha3": 5, "alpha5": 8, "qx": 9, "qy": 10}
    return {"unknowns": "8"} | {name: str(found[k]) for name, k in names.items()}


def boundary(sheet: str) -> Answers:
    flat = " ".join(sheet.split())
    answers = {}
    for letter, kind in re.findall(r"([A-D]) an end that is (.*?)(?= [B-D] an end| Find)", flat):
        motion = {"x", "y", "Omega"}
        free = {"free": motion, "pinned": {"Omega"}, "clamped": set()}.get(kind.split()[0])
        if free is None:
            free = {"x"} | ({"Omega"} if "turns" in kind else set())
        force = {"x": "qx", "y": "qy", "Omega": "m"}  # what does not move is held, and only that
        answers[letter] = ", ".join([*(motion - free), *(force[x] for x in free)])
    return answers


def holzer(sheet: str) -> Answers:
    J = [float(x) for x in re.findall(rf"disc \d +{NUMBER} kg", sheet)]
    k = [float(x) for x in re.findall(rf"shaft behind disc \d +{NUMBER} N m", sheet)]
    nu = sp.Symbol("nu")
    angle, moment = sp.Integer(1), sp.Integer(0)
    for n, inertia in enumerate(J):
        moment = sp.expand(moment - sp.Rational(str(inertia)) * nu * angle)
        if n < len(k):
            angle = sp.expand(angle + moment / sp.Rational(str(k[n])))
    residual = angle if len(k) == len(J) else sp.cancel(moment / nu)
    roots = sorted(float(x) for x in sp.real_roots(residual))
    return {f"omega{n}": str(np.sqrt(roots[n - 1])) for n in (1, 2)}


SOLVERS: dict[str, Callable[[str], Answers]] = {
    "transfer-matrix": transfer_matrix,
    "boundary": boundary,
    "riccati-step": riccati_step,
    "hinge-step": hinge_step,
    "counting": counting,
    "overall": overall,
    "loop": loop,
    "holzer": holzer,
}
SHEETS = [(task, seed) for task in TASKS for seed in range(1, 7)]


@pytest.mark.parametrize(("task", "seed"), SHEETS)
def test_what_its_text_gives_is_accepted_and_an_error_is_named(task: str, seed: int) -> None:
    exercise = Exercise.of(task, seed)
    answers = SOLVERS[task](text(exercise.sheet()))
    judged = exercise.judged(answers)
    assert {x.sentence for x in judged} == {"right"}
    assert {x.entry for x in judged} == {x.name for x in exercise.asked}
    wrong = exercise.asked[seed % len(exercise.asked)]
    if isinstance(wrong.answer, float):
        planted = str(wrong.answer * 1.01 + np.copysign(1e-3, wrong.answer))
    elif isinstance(wrong.answer, int):
        planted = str(wrong.answer + 1)
    else:
        planted = ", ".join(sorted(wrong.answer)[:-1]) or "m"
    judged = exercise.judged(answers | {wrong.name: planted})
    assert [x.entry for x in judged if not x.ok] == [wrong.name]


def test_every_task_has_a_solver_and_every_end_half_of_a_state() -> None:
    assert SOLVERS.keys() == TASKS.keys()
    assert all(len(known) == 3 for known in ENDS.values())


def test_a_class_has_other_numbers_each_and_forms_are_read(tmp_path: Path) -> None:
    assert run("exercises", "holzer", "--count", "3", "-o", tmp_path).exit_code == 0
    sheets = [tmp_path / f"holzer-{k}.html" for k in (1, 2, 3)]
    assert len({x.read_text(encoding="utf-8") for x in sheets}) == 3
    form = tmp_path / "holzer-2.txt"
    answers = holzer(text(Exercise.of("holzer", 2).sheet()))
    lines = [f"{x}{answers[x[:6]]}" if x.startswith("omega") else x
             for x in form.read_text(encoding="utf-8").splitlines()]  # fmt: skip
    form.write_text("\n".join(lines), encoding="utf-8")
    done = run("check-answer", form)
    assert done.exit_code == 0
    assert done.output.count("right") == 2
    form.write_text("\n".join(lines[:-1]), encoding="utf-8")
    done = run("check-answer", form)
    assert done.exit_code == 1
    assert "omega2: open" in done.output
    assert "1 of 2 open" in done.output
    form.write_text("\n".join((*lines[:-1], "omega2 = 1")), encoding="utf-8")
    (tmp_path / "holzer-10.txt").write_text("omega1 = 3\n", encoding="utf-8")
    done = run("check-answer", tmp_path)
    assert done.exit_code == 1
    assert [line.partition(":")[0] for line in done.output.splitlines()[:4]] == [
        "holzer-1.txt", "holzer-2.txt", "holzer-3.txt", "holzer-10.txt",
    ]  # fmt: skip
    assert "holzer-1.txt: 2 of 2 open" in done.output
    assert "holzer-2.txt: 1 of 2 wrong: omega2" in done.output
    assert "4 of 4 forms are not all right" in done.output


def test_answers_are_read_as_people_write_them() -> None:
    held = Exercise.of("boundary", 1)
    name, known = next((x.name, x.answer) for x in held.asked if x.answer == ENDS["free"])
    assert isinstance(known, frozenset)
    assert {x.entry: x.ok for x in held.judged({name: "m, q_x, q_y"})}[name]
    shaft = Exercise.of("holzer", 1)
    omega = shaft.asked[0]
    judged = shaft.judged({omega.name: f"{omega.answer:.5g} rad/s"})
    assert judged[0].ok
    assert not shaft.judged({omega.name: "12,5"})[0].ok
    way = Exercise.of("overall", 1).asked[0]
    assert isinstance(way.answer, tuple)
    written = " ".join(f"U{x}" for x in way.answer)
    assert Exercise.of("overall", 1).judged({way.name: written})[0].ok


def test_what_is_no_form_is_refused() -> None:
    with pytest.raises(UsageError, match="first line must be"):
        filled("omega1 = 3")
    with pytest.raises(UsageError, match="line 2 of the form is no answer"):
        filled("# mstmm exercises holzer --seed 2\nseven\n")
    with pytest.raises(UsageError, match="there is no task 'holz'"):
        Exercise.of("holz", 1)

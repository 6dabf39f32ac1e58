"""What the letters of programs mean, in a few words each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from .documents.document import Cell, Typed

#: Letters of kernels and arrays. Indices are explained apart.
MEANINGS: Mapping[str, str] = {
    "A": "direction cosines: from the link's axes to inertial ones",
    "C": "rotation of a hinge: from the child's axes to the parent's",
    "IA": "inertia of the subtree as felt at the body's output end: λ = IA a + pA",
    "pA": "the part of λ that does not depend on a: weights, centrifugal terms, forces",
    "IAh": "inertia of the subtree behind the hinge, whose own freedoms are eliminated",
    "pAh": "the part of λ that does not depend on a, behind the hinge",
    "IAt": "IAh moved to the parent's origin",
    "pAt": "pAh moved to the parent's origin",
    "IAb": "inertia of the subtree beside the bias motion",
    "pAb": "force of the subtree beside the bias motion",
    "P": "what the hinge's own acceleration takes from that of its inboard end",
    "b": "the hinge's own acceleration where the inboard end does not accelerate",
    "Pb": "P and b side by side, solved from one system",
    "K": "force in the hinge for each acceleration of the inboard end",
    "D": "inertia that the hinge's own freedoms feel, Hᵀ IA H",
    "H": "motion subspace of the hinge: a column for each of its freedoms",
    "S": "matrix of Riccati coefficients: z_a = S z_b + e",
    "e": "column of Riccati coefficients: z_a = S z_b + e",
    "U": "transfer matrix: z_O = U z_I",
    "E": "columns of the loops' multipliers: z_a = S z_b + e + E μ",
    **{f"E{k}": "block of a body's transfer matrix, stated with it" for k in range(1, 10)},
    "c": "cosine of the body's angle",
    "s": "sine of the body's angle",
    "cz": "cosine of the hinge's angle",
    "sz": "sine of the hinge's angle",
    "a": "accelerations: of the speeds, or of a link's origin with its angular one",
    "rdd": "acceleration r̈ of an end",
    "Omegad": "angular acceleration Ω̇",
    "theta": "angle of the body, in the plane",
    "omega": "angular velocity of the body, in the plane",
    "w": "angular velocity",
    "w2": "square of the angular velocity, Ω² and not −Ω²: in the plane ~Ω ~Ω r = −w2 r",
    "wr": "relative angular velocity in a hinge",
    "vr": "relative velocity in a hinge",
    "br": "relative acceleration of a hinge at steady speeds",
    "bw": "relative angular acceleration of a hinge at steady speeds",
    "W": "~Ω ~Ω: what makes a point's centripetal acceleration, W r",
    "gam": "bias: the hinge's relative acceleration at steady speeds",
    "cp": "centripetal acceleration of a hinge's place in its parent",
    "held": "λ that the hinge would carry if it were locked",
    "h": "first moment of mass about the output end",
    "r": "position of a point",
    "rC": "position of the centre of mass",
    "rIC": "from the input end to the centre of mass",
    "rIO": "from the input end to the output end",
    "rICb": "from the input end to the centre of mass, in the body's axes",
    "rIOb": "from the input end to the output end, in the body's axes",
    "rb": "position of an input end from the output end, in the body's axes",
    "hb": "first moment of mass, in the body's axes",
    "J": "inertia about a point, or the conditions' Jacobian",
    "m": "mass, or cutting moment",
    "g": "acceleration of gravity; with an index g = ~Ω ~Ω r of an input end",
    "T": "IA moved from an input end: IA X",
    "X": "takes the output end's acceleration to an input end",
    "y": "pA at an input end with the centripetal part, pA + IA g",
    "M": "a body's own inertia about its output end: m 1, ~hᵀ; ~h, J by rows, in the plane "
    "m, 0, −h2; 0, m, h1; −h2, h1, J; or the mass matrix",
    "p": "place, or what of a body's force and moment does not depend on its acceleration: "
    "~Ω ~Ω h − m g, then ~Ω J Ω − ~h g (in the plane −~h g), less the forces on the body",
    "lam": "load λ through a hinge: moment and force, or force and moment",
    "load": "the load as the paper counts it: m, then q",
    "tau": "generalised forces in hinges",
    "fl": "force of the hinge's law",
    "q": "coordinate; among loads the cutting force",
    "v": "speeds",
    "qd": "rates of the coordinates",
    "fC": "external force at the centre of mass, gravity included",
    "mC": "external moment about the centre of mass",
    "z": "state of an end: accelerations, cutting loads, 1",
    "za": "the part (m, q) of the state of an end",
    "zb": "the part (r̈, Ω̇) of the state of an end",
    "mu": "multipliers: loads in the hinges that loops are cut at",
    "V": "twist of a link: angular and linear velocity",
    "Vd": "rate of a twist",
    "turn": "takes accelerations to the axes and point of what is carried",
    "d": "from one point to another",
    "u": "speed of a hinge; in a transfer matrix a row vector that is computed beforehand",
    "t": "time",
    "x": "position, or an unknown",
    "o": "position of an origin",
    "rho": "momentum, or a rotor's inertia",
    "sigma": "conditions of a loop",
    "row": "a row of an elimination",
    "k": "stiffness, or a term of a chain's middle",
}

INDICES: tuple[tuple[Cell, str], ...] = (
    ("I1, I2 …", "of the first, second … input end; O: of the output end"),
    ("p at the end", "of the parent, as in wp; b at the end: in the body's own axes"),
    ("t at the end", "moved to the parent's origin; h: behind the hinge"),
    (
        "1, 2, 3 …",
        "entries of a vector, 11, 12 … of a matrix; after an underscore the element's name",
    ),
    (Typed("d_…"), "a derivative of what follows"),
    ("~", "~a b = a × b"),
    ("~0", "a number that is zero but for rounding errors"),
)


def meanings(names: Iterable[str], sources: Mapping[str, str]) -> list[tuple[str, str]]:
    """Each letter with its meaning; of one that has none here, the equation that states it.

    What stands for each input end, as IA_I1 and IA_I2, is told once.
    """
    found = []
    told = set()
    for name in dict.fromkeys(names):
        meaning = meaning_of(name)
        alike = re.sub(r"_I\d+$", "", name), meaning
        if meaning is not None and alike in told:
            continue
        told.add(alike)
        if meaning is None:
            source = sources.get(name)
            if source is None:
                continue
            meaning = f"stated by {source}" if source else "given; see where it is read"
        found.append((name, meaning))
    return found


def meaning_of(name: str) -> str | None:
    """What a letter means; an index after it does not matter."""
    stem = name
    before = ""
    if name.startswith("d_") and len(name) > 2:
        stem, before = name[2:], "derivative of: "
    for candidate in (stem, re.sub(r"_.*$", "", stem), re.sub(r"[_\d].*$", "", stem)):
        if candidate in MEANINGS:
            return before + MEANINGS[candidate]
    bare = re.sub(r"[_\d].*$", "", stem)
    for ending, words in (("p", ", of the parent"), ("b", ", in body axes"), ("t", ", moved")):
        if bare.endswith(ending) and bare[:-1] in MEANINGS:
            return before + MEANINGS[bare[:-1]] + words
    return None

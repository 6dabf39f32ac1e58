"""What letters of kernels mean that have no table of letters yet, by words of the place."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..symbolic.language.letters import Letter
from ..symbolic.language.program import Kernel
from ..symbolic.language.tangent import PREFIX

#: What numbers and elements stand behind a letter.
_INDEX = r"\d*(_.*)?$"

FIELD = "~Ω̇ + ~Ω ~Ω: what makes a point's acceleration beside its origin's, B r"
RICCATI_S = "matrix of Riccati coefficients: z_a = S z_b + e"
RICCATI_e = "column of Riccati coefficients: z_a = S z_b + e"
OF_HINGE = "rate of a hinge's speed"
BLOCK = "block of a body's transfer matrix, stated with it"
HINGE_LAW = "force along a freedom of the hinge, by its law"

REACH = "diagonal of the multipliers' matrix if no position made it zero: ranks go by it"

#: Letters of kernels and arrays; where one stands for several things, by words of the place that
#: states it, the first that is there; "" is any place. Indices are explained apart.
MEANINGS: Mapping[str, str | Mapping[str, str]] = {
    "A": "direction cosines: from the link's axes to inertial ones",
    "Ab": "direction cosines: from the body's own axes to inertial ones",
    "Ag": "direction cosines: from the moving base's axes to inertial ones",
    "Al": "direction cosines: from the body's axes to inertial ones",
    "AJ": "direction cosines times the inertia in the body's axes",
    "B": {
        "motion of the base": FIELD,
        "A_parent K": "direction cosines: from the hinge's axes on the parent to inertial ones",
    },
    "Bc": "direction cosines: from the hinge's axes on the parent to inertial ones",
    "Bg": "~Ω̇ + ~Ω ~Ω of the moving base",
    "C": "rotation of a hinge: from the child's axes to the parent's",
    "IA": "inertia of the subtree as felt at the body's output end: λ = IA a + pA",
    "pA": "the part of λ that does not depend on a: weights, centrifugal terms, forces",
    "IAh": "inertia of the subtree behind the hinge, whose own freedoms are eliminated",
    "pAh": "the part of λ that does not depend on a, behind the hinge",
    "IAt": "IAh moved to the parent's origin",
    "pAt": "pAh moved to the parent's origin",
    "P": {
        "P = −IA22": "what the hinge's own acceleration takes from that of its inboard end",
        "paper form": "what the inboard end's motion gives to the outboard one, (24)",
    },
    "Pq": {
        "paper form": "the inboard end's motion, then its part that does not depend on it, (24)"
    },
    "Pb": {"smooth": "P and b side by side, solved from one system"},
    "b": {
        "b = −IA22": "the hinge's own acceleration where the inboard end does not accelerate",
        "velocity terms": "the part of the relative acceleration that speeds alone give",
    },
    "K": {"paper form": "what the hinge's condition takes from the inboard end's acceleration"},
    "D": "inertia that the hinge's own freedoms feel, Hᵀ IA H",
    "H": "motion subspace of the hinge: a column for each of its freedoms",
    "Gk": "G and k side by side",
    "S": {
        "Riccati": RICCATI_S,
        "S and e": RICCATI_S,
    },
    "Sh": "S behind the hinge: z_a = S z_b + e",
    "e": {"Riccati": RICCATI_e, "S and e": RICCATI_e},
    "eh": "e behind the hinge: z_a = S z_b + e",
    "U": {
        "Riccati paper (4)": "transfer matrix: z_O = U z_I",
        "U = IA H": "force that unit accelerations of the hinge's freedoms need, IA H",
        "D⁻¹ X": "what the multipliers of a merge take from those that stay",
        "P y": "what the multipliers of a merge take from those that stay",
    },
    "E": {
        "S and e": "columns of the conditions' multipliers μ: z_a = S z_b + e + E μ",
    },
    **{f"E{k}": {"Riccati paper (5)": BLOCK, "Riccati paper (17)": BLOCK} for k in range(1, 10)},
    "mu": "multipliers: loads that keep the conditions",
    "c": {
        "orientation of a body": "cosine of the body's angle",
    },
    "s": {"orientation of a body": "sine of the body's angle"},
    "a": {
        "angular acceleration": "rate of the body's angular velocity, in its axes",
    },
    "ud": "rates of the hinge's speeds",
    "edd": "rates of the rates of a beam's modal coordinates",
    "acc": "acceleration of the link: of its origin, then angular",
    "accg": "acceleration of the moving base",
    "rdd": "acceleration r̈ of an end",
    "Omega": "angular velocity Ω, in inertial axes",
    "Omegad": "angular acceleration Ω̇",
    "dOmega": "angular acceleration Ω̇ of the root",
    "w2": "square of the angular velocity, Ω² and not −Ω²: in the plane ~Ω ~Ω r = −w2 r",
    "wg": "angular velocity of the moving base",
    "wI": "angular velocity of the link, in inertial axes",
    "wl": {"": "angular velocity in the link's axes"},
    "wr": "relative angular velocity in a hinge",
    "vr": "relative velocity in a hinge",
    "br": "relative acceleration of a hinge at steady speeds",
    "bw": "relative angular acceleration of a hinge at steady speeds",
    "vl": "velocity of the link's origin, in its axes",
    "vg": "velocity of the moving base",
    "vx": "velocity of the link's origin, in inertial axes",
    "rd": "velocity of an end",
    "W": {
        "W = ~Ω ~Ω": "~Ω ~Ω: what makes a point's centripetal acceleration, W r",
        "force between points": "force and moment of a force between points on a body",
    },
    "Wr": {"S and e": "the centripetal part of the acceleration, from the hinge's outboard end"},
    "gam": "bias: the hinge's relative acceleration at steady speeds",
    "cp": "centripetal acceleration of a hinge's place in its parent",
    "held": "λ of the outboard side at unchanged speeds of the hinge, pA + IA γ",
    "h": {
        "first moment": "first moment of mass about the output end",
    },
    "r": {
        "r_k + K p": "from the parent's origin to the child's point, in the parent's axes",
        "": "from the body's output end to an input end",
    },
    "rC": "from the output end to the centre of mass",
    "rIC": "from the input end to the centre of mass",
    "rIO": "from the input end to the output end",
    "ar": "from the parent's origin to the hinge, in inertial axes",
    "d": {
        "full lever": REACH,
        "bodies alone": REACH,
        "": "from the parent's origin to the link's, in inertial axes",
    },
    "R": {
        "full lever": "how far, squared, speeds of a hinge can move the conditions",
        "cut": "rotation of a cut hinge: from the child's axes to the parent's",
    },
    "p": {
        "cut": "position of the child's point from the parent's, in the parent's axes",
        "beam": "what of a beam's force and moment does not depend on its acceleration",
    },
    "pd": {"cut": "velocity of the child's point from the parent's, in the parent's axes"},
    "x": {
        "input of a body": "position of an input end",
    },
    "xl": "position of the body's origin",
    "xb": "position of the body's own origin",
    "xg": "position of the moving base",
    "theta": "angle of the body",
    "omega": "angular velocity of the body",
    "phi": "angles of the moving base",
    "phid": "rates of the moving base's angles",
    "phidd": "second rates of the moving base's angles",
    "J": {
        "coupling": "rate of a coupling's condition for a unit speed",
    },
    "Jb": "screw of a hinge in the body's axes, at its origin",
    "JO": "moment of momentum about the end, J Ω",
    "Jw": "moment of momentum about the end, J Ω",
    "q": {
        "coordinates of a cut": "coordinate of the cut hinge, from its sides' poses",
    },
    "u": {
        "Riccati paper": BLOCK,
        "coordinates of a cut": "speed of the cut hinge, from its sides' motions",
        "rates of a hinge's speeds": OF_HINGE,
    },
    "row": {
        "derivatives": "entries of a row of the derivatives",
        "": "entries of a row of the overall equation",
    },
    "g": {"~Ω ~Ω r": "centripetal acceleration of an input end, ~Ω ~Ω r"},
    "T": {
        "IA": "IA moved from an input end: IA X",
        "force in a hinge": HINGE_LAW,
    },
    "X_I": "takes the output end's acceleration to an input end",
    "X_O": "takes the floating frame's acceleration to the output end",
    "y": {
        "y_a = 1/": "rate of a speed by a force of 1 along it, all other speeds held",
    },
    "y_I": "pA at an input end with the centripetal part, pA + IA g",
    "M": {
        "beam": "inertia of a beam, of its frame and its modal coordinates",
    },
    "M_s": "inertia between a beam's frame and its deformation",
    "MN_s": "inertia of a beam's deformation, in its functions",
    "N": {
        "beam": "the functions that a beam deforms in, in its own coordinates",
    },
    "h_s": "deformation of a beam, in its own coordinates",
    "hd_s": "rate of a beam's deformation",
    "hdd_s": "second rate of a beam's deformation at steady modal speeds",
    "p_s": "forces of a beam that do not depend on its acceleration",
    "bent": "what the accelerations of the modal coordinates add to the loads",
    "lam": {
        "loads at a hinge": "load λ through the hinge: force, then moment",
        "wrench": "force, then moment, that the body and what it carries need",
    },
    "lt": "load λ moved to the parent's origin",
    "load": {
        "beam": "forces along a beam's modal coordinates, without their accelerations' part",
        "": "the load as the paper counts it: m, then q",
    },
    "own": {
        "wrench of": "force, then moment, that the body's own motion needs",
        "force in a cut": "load of the law in the child's axes",
    },
    "o": {
        "motion of the base": "angular velocity of the base, in inertial axes",
        "pose of a body": "position of the body's own origin",
    },
    "tau": "generalised forces in hinges",
    "fl": "force of a load, in the link's axes",
    "fs": "force, then moment, of one force on the body, at its centre of mass",
    "wrench": "force, then moment, of all forces between points on the body",
    "fC": "external force at the centre of mass, gravity included",
    "force": {
        "wrench of a force": "force on a body of what acts between points, in its axes",
        "cut": "force of the law in the cut hinge",
    },
    "moment": {"cut": "moment of the law in the cut hinge"},
    "back": {"cut": "force of the law on the parent's side"},
    "point": {"cut": "place of the cut in its body"},
    "arma": "place of the cut on its first side, from the body's origin",
    "armb": "place of the cut on its second side, from the body's origin",
    "gap": "from the first of two points to the second",
    "dir": "direction from the first of two points to the second",
    "dist": "distance of the two points",
    "distd": "rate of the distance of the two points",
    "pull": "tension between the two points: it draws them together",
    "sensed": "what a sensor measures",
    "sensedd": "rate of what a sensor measures",
    "turn": {"cut": "turn of a cut hinge, summed over the hinges of its loop"},
    "z": {"S and e": "state of an end: accelerations, cutting loads, 1"},
    "za": "the part (m, q) of the state of an end",
    "zb": "the part (r̈, Ω̇) of the state of an end",
    "zbI": "the part (r̈, Ω̇) of the state of the input end",
    "zbO": "the part (r̈, Ω̇) of the state of the output end",
    "zbar": "what is unknown of a body with two inputs: its ends' motions and loads",
    "V": {
        "motion of a": "twist of the body: velocity of its centre of mass, then angular velocity",
    },
    "V0": "acceleration of a body by what is applied, without its joints",
    "Vs": {"spatial": "twist of the link about the inertial origin"},
    "Vr": "relative velocity in the hinge, at the bodies' centres",
    "Ws": {
        "directions of a hinge": "loads on the child's body for unit multipliers σ of the joint"
    },
    "Wp": {
        "directions of a hinge": "loads on the parent's body for unit multipliers σ of the joint"
    },
    "Zs": {"directions of a hinge": "loads on the child's body for unit forces of the hinge"},
    "Zp": {"directions of a hinge": "loads on the parent's body for unit forces of the hinge"},
    "Wa": {"cut": "loads of the cut for unit multipliers, on its first side's body"},
    "Wb": {"cut": "loads of the cut for unit multipliers, on its second side's body"},
    "F": {"F = Σ": "force and moment on a body, at its centre of mass"},
    "Ji": "inverse inertia of the body, in inertial axes",
    "half": {"inverse inertia": "direction cosines times the inverse inertia in the body's axes"},
    "ce": "from the link's origin to its centre of mass, in inertial axes",
    "Xi": "Ξ: accelerations along the joints for unit multipliers σ",
    "xi": "ξ: accelerations along the joints without multipliers",
    "sigma": "σ: multipliers, loads along the directions that joints hold",
    "rate": {
        "angular acceleration": "rate of the body's angular velocity, in its axes",
        "cut": "rate of what the directions of the cut depend on",
    },
}

#: What the caller gives, by the owner of the buffer.
ARGUMENTS: Mapping[str, str] = {
    "q": "coordinate",
    "v": "speed",
    "t": "time",
    "ad": "rate of a speed, as it is given",
    "jerk": "second rate of a speed, as it is given",
    "snap": "third rate of a speed, as it is given",
    "tau": "force along a speed, from outside",
    "f": "force and moment on a body, from outside",
    "mom": "joint momentum, as it is given",
    "mu": "multiplier of a condition, as it is given",
    "c": "what a condition's second rate is to be",
    "sigma": "impulse of a joint, as it is given",
}

#: The element's own data, which no call gives.
DATA: Mapping[str, str] = {
    "m": "mass",
    "im": "one over the mass",
    "J": "inertia about the output end, in the body's axes",
    "Jb": "inertia about the input end, in the body's axes",
    "JC": "inertia about the centre of mass, in the body's axes",
    "JCi": "inverse inertia about the centre of mass, in the body's axes",
    "h": "first moment of mass about the output end, in the body's axes",
    "hb": "first moment of mass about the output end, in the body's axes",
    "g": "acceleration of gravity",
    "H": "motion subspace of the hinge: a column for each of its freedoms",
    "K": "direction cosines: from the hinge's axes to those of the parent",
    "k": "stiffness",
    "c": "damping",
    "r": "position of a point, in the link's axes",
    "rk": "position of the hinge on the parent, in the parent's axes",
    "rb": "from the output end to an input end, in the body's axes",
    "rC": "from the input end to the centre of mass, in the body's axes",
    "rCb": "from the output end to the centre of mass, in the body's axes",
    "rICb": "from the input end to the centre of mass, in the body's axes",
    "rIOb": "from the input end to the output end, in the body's axes",
    "pitch": "pitch of the hinge",
    "radius": "radius of the pinion",
}


def untraced(name: str, kernel: Kernel) -> Letter | None:
    """What a kernel without a table states by a name, at least its rule; none of what it reads."""
    given = next((x for x in kernel.statements if x.port.name == name), None)
    if kernel.facts or given is None:
        return None
    if not given.says and name not in {port.name for port in kernel.outputs}:
        return None
    place = " | ".join((kernel.title, given.says, given.source))
    known = _meaning(name.removeprefix(PREFIX), place)
    return Letter(name, "1", "", known or given.says or f"given by {given.source}")


def data(name: str) -> Letter | None:
    """What a letter of an element's data means."""
    known = DATA.get(re.sub(_INDEX, "", name, count=1))
    return Letter(name, "1", "", known) if known else None


def _meaning(stem: str, place: str) -> str | None:
    patterns = (r"$", r"\d+$", r"_.*$", _INDEX)
    for candidate in dict.fromkeys(re.sub(pattern, "", stem, count=1) for pattern in patterns):
        known = MEANINGS.get(candidate)
        if isinstance(known, str):
            return known
        for words, meaning in (known or {}).items():
            if words in place:
                return meaning
    return None

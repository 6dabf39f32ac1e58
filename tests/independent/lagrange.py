"""Lagrange's equations of a tree in its own coordinates: mass matrix from the placement.

The position of every centre of mass is a sum of arms that turn with the bodies on the way to
the ground: in the plane r_k = Σ_j d_kj exp(i θ_j) with complex constants d_kj, in space
r_k = Σ_j A_j d_kj. Kinetic energy, and with it the mass matrix, follows; hinge forces do no
work and are found afterwards, from Newton's law of all that hangs on the hinge.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mstmm.model import GROUND, Model

from .newton_euler import Motion
from .tree import Array, Numbers, cross, joints, numbers, orientations


def placement(model: Model, data: Numbers) -> Array:
    """d_kj: what body j contributes to the centre of mass of body k; (body, body, component)."""
    n = len(data.names)
    arms = np.zeros((n, n, model.dimension))
    for joint in joints(model):
        k = data.index(joint.tip.body)
        if joint.root.body != GROUND:
            p = data.index(joint.root.body)
            arms[k] = arms[p]
            arms[k, p] += data.arm[joint.root]
        arms[k, k] -= data.arm[joint.tip]
    return arms


def lagrange(
    model: Model,
    q: Sequence[float],
    v: Sequence[float],
    wrenches: Array | None = None,
    tau: Array | None = None,
) -> Motion:
    """Accelerations and hinge forces; arguments and result as of `newton_euler`."""
    data = numbers(model)
    n, d = len(data.names), model.dimension
    load = np.zeros((n, 3 if d == 2 else 6)) if wrenches is None else np.asarray(wrenches)
    find = _planar if d == 2 else _spatial
    couples = np.zeros(np.shape(v)) if tau is None else np.asarray(tau)
    accelerations, centres = find(model, data, np.asarray(q), np.asarray(v), load, couples)
    missing = data.mass[:, None] * (data.gravity - centres) + load[:, :d]
    forces = {}
    for joint in reversed(joints(model)):
        k = data.index(joint.tip.body)
        forces[str(joint.tip)] = missing[k].copy()
        if joint.root.body != GROUND:
            missing[data.index(joint.root.body)] += missing[k]
    return Motion(accelerations, centres, forces)


def _planar(
    model: Model, data: Numbers, q: Array, v: Array, load: Array, couples: Array
) -> tuple[Array, Array]:
    arms = placement(model, data)
    turned = (arms[..., 0] + 1j * arms[..., 1]) * np.exp(1j * q)
    bias = -turned @ v**2
    applied = data.mass * (complex(*data.gravity) - bias) + load[:, 0] + 1j * load[:, 1]
    mass = (turned.conj().T @ (data.mass[:, None] * turned)).real + np.diag(data.inertia[:, 0, 0])
    right = ((1j * turned).conj().T @ applied).real + load[:, 2] + couples
    accelerations = np.linalg.solve(mass, right)
    centres = bias + 1j * turned @ accelerations
    return accelerations, np.stack([centres.real, centres.imag], axis=1)


def _spatial(
    model: Model, data: Numbers, q: Array, v: Array, load: Array, couples: Array
) -> tuple[Array, Array]:
    arms = placement(model, data)
    n = len(data.names)
    rotation = orientations(model, q)
    spin = v.reshape(n, 3)
    mass = np.zeros((3 * n, 3 * n))
    right = couples.astype(float).copy()
    centres = np.zeros((n, 3))
    partial = np.zeros((n, 3, 3 * n))
    for k in range(n):
        own = slice(3 * k, 3 * k + 3)
        for j in range(n):
            partial[k, :, 3 * j : 3 * j + 3] = -rotation[j] @ cross(arms[k, j])
            centres[k] += rotation[j] @ np.cross(spin[j], np.cross(spin[j], arms[k, j]))
        applied = data.mass[k] * (data.gravity - centres[k]) + load[k, :3]
        mass += data.mass[k] * partial[k].T @ partial[k]
        mass[own, own] += data.inertia[k]
        right += partial[k].T @ applied
        right[own] += rotation[k].T @ load[k, 3:] - np.cross(spin[k], data.inertia[k] @ spin[k])
    accelerations = np.linalg.solve(mass, right)
    return accelerations, centres + partial @ accelerations


def poses(model: Model, q: Sequence[float]) -> Array:
    """Each body's transform from its own axes to the inertial ones; (bodies, 4, 4)."""
    data = numbers(model)
    arms = placement(model, data)
    rotation = orientations(model, q)
    d, found = model.dimension, np.tile(np.eye(4), (len(data.names), 1, 1))
    for k, body in enumerate(model.bodies):
        centre = sum(rotation[j] @ arms[k, j] for j in range(len(data.names)))
        own = np.array([model.value(x) for x in body.centre])
        found[k, :d, :d] = rotation[k]
        found[k, :d, 3] = centre - rotation[k] @ own
    return found


def energy(model: Model, q: Sequence[float], v: Sequence[float]) -> float:
    """Kinetic plus potential energy, the latter zero where the ground hinge is."""
    data = numbers(model)
    arms = placement(model, data)
    rotation = orientations(model, q)
    n = len(data.names)
    spin = np.asarray(v).reshape(n, -1)
    total = 0.0
    for k in range(n):
        position = sum(rotation[j] @ arms[k, j] for j in range(n))
        velocity = sum(rotation[j] @ _rate(spin[j], arms[k, j]) for j in range(n))
        total += 0.5 * data.mass[k] * velocity @ velocity
        total += 0.5 * spin[k] @ data.inertia[k] @ spin[k]
        total -= data.mass[k] * data.gravity @ position
    return float(total)


def _rate(spin: Array, arm: Array) -> Array:
    if len(arm) == 2:
        return spin[0] * np.array([-arm[1], arm[0]])
    return np.cross(spin, arm)

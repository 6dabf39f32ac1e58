"""The articulated-body algorithm of an arm of hinges about z, as one writes it in JAX."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def _cross(p: Any) -> Any:
    return jnp.array([[0.0, -p[2], p[1]], [p[2], 0.0, -p[0]], [-p[1], p[0], 0.0]])


def _moved(x: Any) -> Any:
    """The cross product of motions (v, ω)."""
    zero = jnp.zeros((3, 3))
    return jnp.block([[_cross(x[3:]), _cross(x[:3])], [zero, _cross(x[3:])]])


def accelerations(links: Mapping[str, Any]) -> Any:
    """A function of q, v, tau, for many states at once.

    Source
        Featherstone, Rigid Body Dynamics Algorithms, table 7.1.
    """
    count, axis = len(links["mass"]), jnp.zeros(6).at[5].set(1.0)
    inertias = []
    for k in range(count):
        m, c = links["mass"][k], np.asarray(_cross(links["centre"][k]))
        about = links["inertia"][k] + m * c @ c.T
        inertias.append(np.block([[m * np.eye(3), -m * c], [m * c, about]]))

    def one(q: Any, v: Any, tau: Any) -> Any:
        X, C, IA, pA = [], [], [], []
        moving = jnp.zeros(6)
        for k in range(count):
            c, s = jnp.cos(q[k]), jnp.sin(q[k])
            turn = jnp.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
            E = (links["rotation"][k] @ turn).T
            X.append(jnp.block([[E, -E @ _cross(links["place"][k])], [jnp.zeros((3, 3)), E]]))
            moving = X[k] @ moving + axis * v[k]
            C.append(_moved(moving) @ (axis * v[k]))
            IA.append(jnp.array(inertias[k]))
            pA.append(-_moved(moving).T @ (inertias[k] @ moving))
        U, D, u = [axis] * count, [axis[0]] * count, [axis[0]] * count
        for k in reversed(range(count)):
            U[k] = IA[k] @ axis
            D[k], u[k] = axis @ U[k], tau[k] - axis @ pA[k]
            if k:
                Ia = IA[k] - jnp.outer(U[k], U[k]) / D[k]
                pa = pA[k] + Ia @ C[k] + U[k] * u[k] / D[k]
                IA[k - 1] += X[k].T @ Ia @ X[k]
                pA[k - 1] += X[k].T @ pa
        a, found = jnp.array([0.0, 0.0, 9.81, 0.0, 0.0, 0.0]), []
        for k in range(count):
            a = X[k] @ a + C[k]
            found.append((u[k] - U[k] @ a) / D[k])
            a += axis * found[k]
        return jnp.stack(found)

    return jax.jit(jax.vmap(one))

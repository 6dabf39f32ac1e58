"""All robots of the package example-robot-data: each loads, or says in a word what mends it."""

from __future__ import annotations

import warnings
from importlib import metadata
from pathlib import Path

import pytest

import mstmm

#: By file: what its message ends with, and the words behind the file's name that mend it.
MENDED = {
    "alex_psyonic_hands.urdf": (
        "hold what follows: locked={",
        ",".join(
            f"{side}_{finger}_q2=0"
            for side in ("Left", "Right")
            for finger in ("index", "middle", "ring", "pinky")
        ),
    ),
    "quadrotor_base.urdf": ("floating=True", "floating"),
    "iris_simple.urdf": ("floating=True", "floating"),
}
#: Files with links that move without inertia: kinematics alone, unless they are held.
KINEMATIC = ("romeo.urdf", "romeo_laas_small.urdf")
#: A document without a link.
EMPTY = "ur3.urdf"


def shipped() -> list[Path]:
    try:
        files = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        return []
    return sorted(Path(str(file.locate())) for file in files if file.suffix == ".urdf")


@pytest.mark.skipif(not shipped(), reason="needs the extra robots (example-robot-data)")
def test_every_shipped_robot_loads_or_says_what_mends_it() -> None:
    files = shipped()
    assert len(files) >= 60
    warnings.simplefilter("ignore", mstmm.ModelWarning)
    for file in files:
        if file.name == EMPTY:
            with pytest.raises(mstmm.ModelError, match="links: the file has none"):
                mstmm.load(str(file))
            continue
        said, words = MENDED.get(file.name, ("", ""))
        if said:
            with pytest.raises(mstmm.ModelError) as caught:
                mstmm.load(str(file))
            assert said in str(caught.value), file.name
        model = mstmm.load(f"{file}:{words}")
        assert model.speeds, file.name
        assert model.kinematic == (file.name in KINEMATIC), file.name
        if model.kinematic:
            assert not mstmm.load(f"{file}:hold-massless").kinematic

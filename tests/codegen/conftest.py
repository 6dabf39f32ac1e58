"""Some of what emitted code computes is judged as users compile it, in a hurry too."""

import pytest

from mstmm.codegen.build import FLAGS_VARIABLE

#: Files and tests for which code is compiled as users do: what builds it, the room that it takes,
#: and of every compiled target the numbers or blocks of some models.
AS_USERS = {
    "test_build.py",
    "test_room.py",
    "test_every_entry_equals_numpy_for_any_number_of_states",
    "test_accelerations_and_loads_agree_with_the_dense_judge",
    "test_the_emitted_code_stores_behind_the_loop",
}


@pytest.fixture(autouse=True)
def usual_flags(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if AS_USERS & {request.path.name, request.function.__name__}:
        monkeypatch.delenv(FLAGS_VARIABLE, raising=False)

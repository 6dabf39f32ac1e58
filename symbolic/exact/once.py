"""Methods that are computed once for each instance and arguments."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])


def once(method: Method) -> Method:
    """A method whose values an instance remembers."""

    @wraps(method)
    def found(self: Any, *args: Any) -> Any:
        known = self.__dict__.setdefault("_known", {})
        key = (method.__name__, *args)
        if key not in known:
            known[key] = method(self, *args)
        return known[key]

    return cast(Method, found)

"""What is odd in a model and taken all the same: a warning, or an error where that is wanted."""

from __future__ import annotations

import warnings

from ..errors import ModelError, ModelWarning


def doubt(message: str, *, element: str = "", field: str = "") -> None:
    """Warn of what is taken as it is, or mended.

    Raises
        ModelError: warnings are errors here, as `strict=True` makes them.
    """
    error = ModelError(message, element=element, field=field)
    try:
        warnings.warn(ModelWarning(str(error)), stacklevel=3)
    except ModelWarning:
        raise error from None

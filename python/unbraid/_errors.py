"""What can go wrong, as a small tree under `unbraid.Error`."""

from __future__ import annotations


class Error(Exception):
    """The root of every error that `unbraid` raises on purpose."""


class ArrayError(Error, ValueError):
    """An array has the wrong shape or type, or holds something that is no number."""


class SettingError(Error, ValueError):
    """An option is out of range or does not fit the others."""


class MissingError(Error):
    """A metric needs something that these data do not have; the message says what."""


class UnknownError(Error, LookupError):
    """A name that no metric has; the message says which was probably meant."""


# Where users import them from, so that a traceback reads `unbraid.ArrayError`.
for _error in (Error, ArrayError, SettingError, MissingError, UnknownError):
    _error.__module__ = "unbraid"

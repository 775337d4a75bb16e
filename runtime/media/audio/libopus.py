"""The functions of libopus that a call needs and PyAV does not offer: error correction, concealment
and settings that change while a stream runs.

PyAV's wheels ship libopus, and a PyAV that was built here links the system's. Either way it is the
library that this process has loaded already.
"""

from __future__ import annotations

import ctypes
import ctypes.util
from functools import cache
from pathlib import Path

import av

OK = 0
APPLICATION_VOIP = 2048
APPLICATION_LOWDELAY = 2051
SET_BITRATE = 4002
SET_COMPLEXITY = 4010
SET_INBAND_FEC = 4012
SET_PACKET_LOSS_PERCENT = 4014

_WHEELS = (("av.libs", "libopus*.so*"), ("av/.dylibs", "libopus*.dylib"))
_POINTER, _INT = ctypes.c_void_p, ctypes.c_int
_INT_POINTER = ctypes.POINTER(ctypes.c_int)
_PROTOTYPES: dict[str, tuple[type | None, list[type]]] = {
    "opus_encoder_create": (_POINTER, [_INT, _INT, _INT, _INT_POINTER]),
    # Its third argument depends on the request.
    "opus_encoder_ctl": (_INT, [_POINTER, _INT]),
    "opus_encode": (_INT, [_POINTER, _POINTER, _INT, _POINTER, _INT]),
    "opus_encoder_destroy": (None, [_POINTER]),
    "opus_decoder_create": (_POINTER, [_INT, _INT, _INT_POINTER]),
    "opus_decode": (_INT, [_POINTER, ctypes.c_char_p, _INT, _POINTER, _INT, _INT]),
    "opus_decoder_destroy": (None, [_POINTER]),
    "opus_packet_get_nb_samples": (_INT, [ctypes.c_char_p, _INT, _INT]),
    "opus_packet_has_lbrr": (_INT, [ctypes.c_char_p, _INT]),
}
"""By name: what it returns, and its arguments (opus.h)."""


class OpusMissing(RuntimeError):
    """There is no libopus, or it is too old."""


@cache
def libopus() -> ctypes.CDLL:
    """
    Raises:
        OpusMissing: there is no libopus, or it is too old.
    """
    path = _path()
    if path is None:
        raise OpusMissing("libopus was not found; install PyAV from its wheel")
    library = ctypes.CDLL(path)
    for name, (returns, arguments) in _PROTOTYPES.items():
        try:
            function = getattr(library, name)
        except AttributeError as error:
            raise OpusMissing(f"{path} is too old: it has no {name}") from error
        function.restype, function.argtypes = returns, arguments
    return library


def _path() -> str | None:
    site_packages = Path(av.__file__).parent.parent
    for folder, pattern in _WHEELS:
        for found in sorted((site_packages / folder).glob(pattern)):
            return str(found)
    return ctypes.util.find_library("opus")

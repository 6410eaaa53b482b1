"""Messages between processes: a length, JSON, then raw tensor bytes.

Nothing here can carry code: a tensor travels as a dtype's name, a shape and bytes, a dataclass
as its name and those of its fields that are not what they are by default.
"""

from __future__ import annotations

import ctypes
import json
import math
import os
import struct
import time
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Protocol

__all__ = [
    "KIND",
    "Closed",
    "Garbled",
    "Line",
    "Packed",
    "Pipe",
    "TooLate",
    "dtype_name",
    "pack",
    "receive",
    "receive_packed",
    "send",
    "send_packed",
    "unpack",
    "warm_up",
]

# A message's JSON, and the bytes of its tensors.
Packed = tuple[bytes, bytes | memoryview]
_HEAD = struct.Struct("<QQ")
# Our largest messages have some megabytes; a longer one is not ours, and reading it would cost.
_TEXT_LIMIT, _RAW_LIMIT = 32 << 20, 512 << 20
_AXES, _SIZE = 16, 1 << 31
_TENSOR = "\x00tensor"
# Under this a message says which dataclass it was.
KIND = "\x00kind"
# Bound here, before any submission could put its own in their place.
_dumps, _loads, _bytes_at = json.dumps, json.loads, ctypes.string_at
_read, _write = os.read, os.write
_DTYPES = (
    "float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8",
    "bool", "complex64", "complex128",
)  # fmt: skip


class Closed(EOFError):
    """The other side went away."""


class Garbled(ValueError):
    """What came is not a message."""


class TooLate(TimeoutError):
    """No whole message came in time."""


class Line(Protocol):
    """What a message goes over: a socket, or what stands in its place."""

    def settimeout(self, seconds: float | None, /) -> None:
        """Say for how long the next call may wait."""

    def recv(self, size: int, /) -> bytes:
        """Read some bytes, none at the end."""
        ...

    def sendall(self, data: bytes, /) -> None:
        """Write all of it."""


class Pipe:
    """A socket's descriptor as the candidate's side uses it: waiting for as long as it takes."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def settimeout(self, seconds: float | None) -> None:
        """Stand where a socket's method stands; this side has no deadline."""

    def recv(self, size: int) -> bytes:
        """Read some bytes, none at the end."""
        return _read(self.fd, size)

    def sendall(self, data: bytes) -> None:
        """Write all of it."""
        rest = memoryview(data)
        while rest:
            rest = rest[_write(self.fd, rest) :]


def dtype_name(dtype: object) -> str:
    """Return a torch dtype's bare name, such as `float64`, without importing torch."""
    return str(dtype).removeprefix("torch.")


def pack(message: Any) -> Packed:
    """Take a message apart; the tensors' bytes are in the order in which they are met."""
    chunks: list[bytes] = []

    def taken(value: Any) -> Any:
        if is_dataclass(value):
            return told(value)
        if not hasattr(value, "data_ptr"):
            raise TypeError(f"no part of a message: {type(value).__name__}")
        name, shape, raw = take_apart(value)
        chunks.append(raw)
        return {_TENSOR: [name, shape]}

    # What JSON does not know is met in the order in which it is written.
    return _dumps(message, default=taken).encode(), b"".join(chunks)


def told(message: Any) -> dict[str, Any]:
    """Return a dataclass's name and fields, but for those that are what they are by default."""
    kind = type(message)
    held = ((name, default, getattr(message, name)) for name, default in _told_of(kind))
    return {KIND: kind.__name__, **{n: value for n, usual, value in held if value is not usual}}


@cache
def _told_of(kind: Any) -> tuple[tuple[str, Any], ...]:
    return tuple((one.name, one.default) for one in fields(kind) if one.init)


def take_apart(tensor: Any) -> tuple[str, list[int], bytes]:
    """Return a tensor's dtype, shape and bytes, in order.

    The methods are torch's own, whatever a submission has put in their place.
    """
    held = tensor
    for method in _methods():
        held = method(held)
    pointer, count, size = (method(held) for method in _measures())
    return dtype_name(held.dtype), list(held.shape), _bytes_at(pointer, count * size)


@cache
def _methods() -> tuple[Callable[[Any], Any], ...]:
    from torch import Tensor

    return (Tensor.detach, Tensor.cpu, Tensor.resolve_conj, Tensor.resolve_neg, Tensor.contiguous)


@cache
def _measures() -> tuple[Callable[[Any], int], ...]:
    from torch import Tensor

    return (Tensor.data_ptr, Tensor.numel, Tensor.element_size)


def warm_up() -> None:
    """Bind torch's methods before any submission runs."""
    _methods()
    _measures()


def unpack(text: bytes, raw: bytes | memoryview) -> Any:
    """Undo `pack`. Raise Garbled where the bytes are not a message."""
    place, raw = 0, memoryview(raw)

    def tensor(name: Any, shape: list[Any]) -> Any:
        nonlocal place
        import torch

        if name not in _DTYPES or len(shape) > _AXES or not all(map(_is_size, shape)):
            raise Garbled(f"no such tensor: {name} {shape}")
        dtype = getattr(torch, name)
        count = math.prod(shape)
        size = count * dtype.itemsize
        if place + size > len(raw):
            raise Garbled("a tensor ends beyond its message")
        if count == 0:
            return torch.empty(shape, dtype=dtype)
        held = torch.frombuffer(bytearray(raw[place : place + size]), dtype=dtype, count=count)
        place += size
        return held.reshape(shape)

    def rich(found: dict[str, Any]) -> Any:
        return tensor(*found[_TENSOR]) if _TENSOR in found and len(found) == 1 else found

    try:
        return _loads(text, object_hook=rich)
    except (ValueError, TypeError, RuntimeError, RecursionError) as fault:
        raise Garbled(str(fault)) from fault


def _is_size(value: Any) -> bool:
    return type(value) is int and 0 <= value < _SIZE


def send(channel: Line, message: Any, deadline: float | None = None) -> None:
    """Write one message. Raise Closed where nobody is there, TooLate where nobody reads."""
    send_packed(channel, pack(message), deadline)


def send_packed(channel: Line, packed: Packed, deadline: float | None = None) -> None:
    """The same for a message that is packed already."""
    text, raw = packed
    channel.settimeout(None if deadline is None else max(0.001, deadline - time.monotonic()))
    try:
        channel.sendall(b"".join((_HEAD.pack(len(text), len(raw)), text, raw)))
    except TimeoutError as fault:
        raise TooLate from fault
    except OSError as fault:
        raise Closed(str(fault)) from fault


def receive(channel: Line, deadline: float | None = None) -> Any:
    """Read one message, by `deadline` on the monotonic clock if one is given."""
    return unpack(*receive_packed(channel, deadline))


def receive_packed(channel: Line, deadline: float | None = None) -> Packed:
    """The same, left as it came."""
    text_size, raw_size = _HEAD.unpack(_exactly(channel, _HEAD.size, deadline))
    if text_size > _TEXT_LIMIT or raw_size > _RAW_LIMIT:
        raise Garbled("a message larger than any of ours")
    body = memoryview(_exactly(channel, text_size + raw_size, deadline))
    return bytes(body[:text_size]), body[text_size:]


def _exactly(channel: Line, size: int, deadline: float | None) -> bytearray:
    parts = bytearray()
    while len(parts) < size:
        if deadline is None:
            channel.settimeout(None)
        else:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TooLate
            channel.settimeout(left)
        try:
            piece = channel.recv(min(size - len(parts), 1 << 20))
        except TimeoutError as fault:
            raise TooLate from fault
        except OSError as fault:
            raise Closed(str(fault)) from fault
        if not piece:
            raise Closed("the other side closed")
        parts += piece
    return parts

"""Messages between processes: a length, JSON, then raw tensor bytes.

Nothing here can carry code: a tensor travels as a dtype's name, a shape and bytes.
"""

from __future__ import annotations

import ctypes
import json
import math
import socket
import struct
import time
from typing import Any

__all__ = ["Closed", "Garbled", "TooLate", "dtype_name", "pack", "receive", "send", "unpack"]

_HEAD = struct.Struct("<QQ")
_LIMIT = 1 << 30
_TENSOR = "\x00tensor"
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


def dtype_name(dtype: object) -> str:
    """Return a torch dtype's bare name, such as `float64`, without importing torch."""
    return str(dtype).removeprefix("torch.")


def pack(message: Any) -> tuple[bytes, bytes]:
    """Return a message's JSON and the bytes of its tensors, in the order they are met."""
    chunks: list[bytes] = []

    def plain(value: Any) -> Any:
        if hasattr(value, "data_ptr"):
            held = value.detach().cpu().contiguous()
            raw = ctypes.string_at(held.data_ptr(), held.numel() * held.element_size())
            name = dtype_name(held.dtype)
            chunks.append(raw)
            return {_TENSOR: [name, list(held.shape)]}
        if isinstance(value, dict):
            return {str(key): plain(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [plain(item) for item in value]
        return value

    text = json.dumps(plain(message)).encode()
    return text, b"".join(chunks)


def unpack(text: bytes, raw: bytes) -> Any:
    """Undo `pack`. Raise Garbled where the bytes are not a message."""
    place = 0

    def tensor(name: Any, shape: list[Any]) -> Any:
        nonlocal place
        import torch

        if name not in _DTYPES or not all(isinstance(n, int) and n >= 0 for n in shape):
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

    def rich(value: Any) -> Any:
        if isinstance(value, dict):
            if len(value) == 1 and _TENSOR in value:
                return tensor(*value[_TENSOR])
            return {key: rich(item) for key, item in value.items()}
        if isinstance(value, list):
            return [rich(item) for item in value]
        return value

    try:
        return rich(json.loads(text))
    except (ValueError, TypeError, RecursionError) as fault:
        raise Garbled(str(fault)) from fault


def send(channel: socket.socket, message: Any, deadline: float | None = None) -> None:
    """Write one message. Raise Closed where nobody is there, TooLate where nobody reads."""
    text, raw = pack(message)
    channel.settimeout(None if deadline is None else max(0.001, deadline - time.monotonic()))
    try:
        channel.sendall(_HEAD.pack(len(text), len(raw)) + text + raw)
    except TimeoutError as fault:
        raise TooLate from fault
    except OSError as fault:
        raise Closed(str(fault)) from fault


def receive(channel: socket.socket, deadline: float | None = None) -> Any:
    """Read one message, by `deadline` on the monotonic clock if one is given."""
    text_size, raw_size = _HEAD.unpack(_exactly(channel, _HEAD.size, deadline))
    if text_size > _LIMIT or raw_size > _LIMIT:
        raise Garbled("a message larger than any of ours")
    body = _exactly(channel, text_size + raw_size, deadline)
    return unpack(body[:text_size], body[text_size:])


def _exactly(channel: socket.socket, size: int, deadline: float | None) -> bytes:
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
    return bytes(parts)

"""Which keys do what on the watch screen, for prompt_toolkit, which reads them whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from prompt_toolkit.filters import Always, Filter, has_focus
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

if TYPE_CHECKING:
    from .app import WatchApp

__all__ = ["bindings"]


def bindings(watch: WatchApp) -> KeyBindings:
    """Bind the keys that move, choose and leave; what a letter does is the view's to say."""
    bound = KeyBindings()
    anywhere, reading = Always(), ~has_focus(watch.filter)

    def bind(names: str, action: Callable[[], object], when: Filter = anywhere) -> None:
        for name in names.split():
            # Escape is for nothing else: it need not wait for what would make it another key.
            bound.add(name, filter=when, eager=name == "escape")(lambda _: action())

    bind("up", lambda: watch.move(-1))
    bind("down", lambda: watch.move(1))
    bind("pageup", lambda: watch.move(pages=-1))
    bind("pagedown", lambda: watch.move(pages=1))
    bind("enter", watch.enter)
    bind("escape", watch.escape)
    bind("c-c <sigint>", lambda: watch.leave(KeyboardInterrupt()))
    bind("c-d", watch.leave)
    bind("c-z", watch.suspend)
    bind("c-l", watch.redraw)
    # In the filter's line they are letters, or move within it.
    bind("k", lambda: watch.move(-1), reading)
    bind("j", lambda: watch.move(1), reading)
    bind("space", lambda: watch.move(pages=1), reading)
    bind("home g", lambda: watch.to_end(last=False), reading)
    bind("end G", lambda: watch.to_end(last=True), reading)

    @bound.add(Keys.Any, filter=reading)
    def _(event: KeyPressEvent) -> None:
        # Not its data: what is pasted would be a key then.
        watch.press(event.key_sequence[0].key)

    return bound

"""The line to type on: each Enter hands over what was typed before it, a paste line by line."""

from __future__ import annotations

from textual import events
from textual.message import Message
from textual.widgets import Input

__all__ = ["Typed"]


class Typed(Input):
    """An input that hands over whole lines."""

    class Line(Message):
        """A line that was ended. more: more of the same paste follows it."""

        def __init__(self, text: str, *, more: bool = False) -> None:
            super().__init__()
            self.text = text
            self.more = more

    async def _on_key(self, event: events.Key) -> None:
        # Handled here and not as a binding, which would come after keys that were typed later.
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.hand_over()
        else:
            await super()._on_key(event)

    def _on_paste(self, event: events.Paste) -> None:
        # The usual input keeps a paste's first line alone.
        event.stop()
        event.prevent_default()
        *whole, rest = event.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for left, line in zip(reversed(range(len(whole))), whole, strict=True):
            self.insert_text_at_cursor(line)
            self.hand_over(more=bool(left or rest))
        self.insert_text_at_cursor(rest)

    def hand_over(self, *, more: bool = False) -> None:
        """Hand over what is typed, and begin a new line."""
        text, self.value = self.value, ""
        self.post_message(self.Line(text, more=more))

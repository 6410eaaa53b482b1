"""What several commands take, and the options of `check` as one value, read from its fields."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import typer

from .checker import KEEP
from .practice.completion import called, kata_ids, target_names
from .practice.errors import Refusal
from .practice.judging import TIMEOUT, Mask, Wishes
from .practice.surroundings import device_called
from .terminal.formats import Format

if TYPE_CHECKING:
    from .checker import Bench
    from .terminal.verdicts import Manner

__all__ = [
    "Checking", "ClassName", "Edit", "KataName", "MaskMeaning", "OptionalKata",
    "Record", "Targets", "takes",
]  # fmt: skip

T = TypeVar("T")


def _target_names(ctx: typer.Context, incomplete: str) -> list[str]:
    return target_names(incomplete, ctx.params.get("what") or ())


Targets = Annotated[
    list[str] | None, typer.Argument(metavar="[KATA] [FILE]...", autocompletion=_target_names)
]
KataName = Annotated[str, typer.Argument(metavar="KATA", autocompletion=kata_ids)]
OptionalKata = Annotated[
    str | None, typer.Argument(metavar="[KATA]", autocompletion=kata_ids, show_default=False)
]
Edit = Annotated[bool, typer.Option("--edit", "-e")]
ClassName = Annotated[str | None, typer.Option("--class", metavar="NAME")]
MaskMeaning = Annotated[Mask, typer.Option(metavar="keep|drop|additive")]
Record = Annotated[bool | None, typer.Option("--record/--no-record")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checking:
    """How a check is asked for: what the judge is told, and what is shown."""

    class_name: ClassName = None
    device: Annotated[
        str, typer.Option(metavar="auto|cpu|cuda", autocompletion=called("auto", "cpu", "cuda"))
    ] = "auto"
    mask: MaskMeaning = Mask.keep
    seed: Annotated[int | None, typer.Option(metavar="N", min=0, max=2**31)] = None
    timeout: Annotated[float, typer.Option(metavar="SECONDS", min=0.1)] = TIMEOUT
    memory: Annotated[int, typer.Option(metavar="MB", min=0)] = 0
    jobs: Annotated[int, typer.Option(metavar="N", min=0)] = 0
    quiet: Annotated[bool, typer.Option("--quiet", "-q")] = False
    verbose: Annotated[bool, typer.Option("--verbose", "-v")] = False
    as_json: Annotated[bool, typer.Option("--json")] = False
    form: Annotated[Format, typer.Option("--format", metavar="text|json|github|sarif|junit")] = (
        Format.text
    )
    trace: Annotated[bool, typer.Option("--trace")] = False
    output: Annotated[bool, typer.Option("--output")] = False
    heat: Annotated[bool, typer.Option("--heat", metavar="[FILE]")] = False
    heat_file: Annotated[Path | None, typer.Option("--heat-file", hidden=True)] = None
    bench: Annotated[bool, typer.Option("--bench")] = False
    keep: Annotated[float | None, typer.Option("--keep", metavar="MINUTES", min=0)] = None
    force: Annotated[bool, typer.Option("--force")] = False
    record: Record = None

    def keep_judges(self) -> None:
        """Have judges stay for as long as was said, if it was."""
        if self.keep is not None:
            os.environ[KEEP] = f"{self.keep:g}"

    def wishes(self, language: str) -> Wishes:
        """Return what the judge is told. Raise Refusal where there is no such device."""
        return Wishes(
            language=language,
            class_name=self.class_name,
            device=device_called(self.device),
            mask=self.mask,
            seed=self.seed,
            timeout=self.timeout,
            memory=self.memory,
            heat=self.heat,
            one_by_one=self.bench,
        )

    def __post_init__(self) -> None:
        """Raise Refusal where two forms of report are asked for."""
        if self.as_json and self.form not in {Format.text, Format.json}:
            raise Refusal("format-or-json", form=self.form.value, commands=("check --help",))

    def manner(self, judges: Bench, wishes: Wishes) -> Manner:
        """Return how reports are shown."""
        from .practice.pages import page_names
        from .terminal.verdicts import Manner

        return Manner(
            form=Format.json if self.as_json else self.form,
            trace=self.trace,
            output=self.output,
            heat=self.heat and self.heat_file is None,
            quiet=self.quiet,
            checks="all" if self.verbose else "count",
            timer=judges.timings if self.bench else None,
            explained=page_names(),
            typed=wishes.to_type(),
            watched=wishes.to_watch(),
        )


def takes(
    kind: Callable[..., T],
) -> Callable[[Callable[[typer.Context, list[str] | None, T], int]], Callable[..., int]]:
    """Make a command of a function whose last argument holds its options, a field each."""

    def decorate(
        function: Callable[[typer.Context, list[str] | None, T], int],
    ) -> Callable[..., int]:
        def command(ctx: typer.Context, what: list[str] | None = None, **given: Any) -> int:
            return function(ctx, what, kind(**given))

        hints = get_type_hints(kind, include_extras=True)
        context, what, _ = inspect.signature(function, eval_str=True).parameters.values()
        first = [context, what.replace(default=None)]
        options = [
            inspect.Parameter(
                field.name, inspect.Parameter.KEYWORD_ONLY, annotation=hints[field.name],
                default=inspect.Parameter.empty if field.default is MISSING else field.default,
            )
            for field in fields(kind)  # type: ignore[arg-type]
        ]  # fmt: skip
        command.__name__, command.__doc__ = function.__name__, function.__doc__
        command.__annotations__ = {one.name: one.annotation for one in (*first, *options)}
        command.__signature__ = inspect.Signature([*first, *options])  # type: ignore[attr-defined]
        return command

    return decorate

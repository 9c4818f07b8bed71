"""How far a job is, on a terminal and in a notebook."""

from __future__ import annotations

import html
import shutil
import sys
import time
from collections.abc import Callable
from typing import Any

Step = dict[str, Any]
Hook = Callable[[Step], None]

_SECONDS_BETWEEN = 0.1


class Progress:
    """Shows a line that changes while a job runs: on a terminal until it ends, in a notebook also afterwards.

    Attributes:
        hook: What to call after each step of the job; None if nobody wants to know.
    """

    def __init__(self, wanted: bool | None, describe: Callable[[Step], str], also: Hook | None) -> None:
        """`wanted` None: on a terminal and in a notebook. `also` is called after each step, too."""
        self._describe, self._also = describe, also
        show = _place(wanted)
        self._show = show
        self.hook: Hook | None = also if show is None else self._after_step
        self._begin, self._shown, self._last = time.monotonic(), 0.0, ""

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        if self._show is not None and self._last:
            self._show(self._last, True)

    def _after_step(self, step: Step) -> None:
        if self._show is not None:
            now = time.monotonic()
            self._last = f"{self._describe(step)}, {now - self._begin:.1f} s"
            if now - self._shown >= _SECONDS_BETWEEN:
                self._show(self._last, False)
                self._shown = now
        if self._also is not None:
            self._also(step)


def of_epoch(step: Step) -> str:
    name = f"{step['model']}: " if step["model"] else ""  # one of several
    parts = [f"{name}epoch {step['epoch']}", f"loss {step['loss']:.4g}"]
    if step.get("validation_metric") is not None:
        parts.append(f"validation {step['validation_metric']:.4g}")
    return ", ".join(parts)


def of_model(step: Step) -> str:
    return f"{step['model']}: validation {step['validation']:.4g}"


def of_training(step: Step) -> str:
    found = "could not be trained" if step["validation"] is None else f"validation {step['validation']:.4g}"
    return f"trial {step['trial']}, {step['epochs']} epochs: {found}"


def _place(wanted: bool | None) -> Callable[[str, bool], None] | None:
    """Shows a line, and whether it is the last; None: nowhere."""
    if wanted is False:
        return None
    if _is_notebook():
        return _Cell()
    return _on_terminal if wanted or _is_terminal() else None


def _is_notebook() -> bool:
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return shell is not None and hasattr(shell, "kernel")


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _on_terminal(line: str, is_last: bool) -> None:
    if not _is_terminal():
        if is_last:
            print(line, file=sys.stderr)
        return
    width = shutil.get_terminal_size().columns - 1
    print(f"\r\x1b[K{'' if is_last else line[:width]}", end="", file=sys.stderr, flush=True)


class _Cell:
    """A line below a cell."""

    def __init__(self) -> None:
        self._handle: Any = None

    def __call__(self, line: str, is_last: bool) -> None:
        from IPython.display import HTML, display  # type: ignore[import-not-found, unused-ignore]

        shown = HTML(f"<pre>{html.escape(line)}</pre>")
        if self._handle is None:
            self._handle = display(shown, display_id=True)
        else:
            self._handle.update(shown)

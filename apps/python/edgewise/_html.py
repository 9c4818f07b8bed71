"""Results as tables of a notebook."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from typing import Any

ROWS_SHOWN = 20


def table(
    caption: str,
    header: Sequence[str],
    rows: Sequence[Sequence[Any]],
    count: int | None = None,
    notes: Iterable[str] = (),
) -> str:
    """The first rows of `count` (by default all) as an HTML table. Texts are escaped; numbers have four significant digits."""
    count = len(rows) if count is None else count
    head = "".join(f"<th>{html.escape(name)}</th>" for name in header)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows[:ROWS_SHOWN])
    more = [f"and {count - ROWS_SHOWN} more"] if count > ROWS_SHOWN else []
    below = "".join(f"<p>{html.escape(line)}</p>" for line in [*more, *notes])
    return (
        f"<table><caption>{html.escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>{below}"
    )


def framed(page: str) -> str:
    """A whole page as a part of another one."""
    style = "width: 100%; height: 36em; border: 1px solid #8884"
    return f'<iframe sandbox title="report" style="{style}" srcdoc="{html.escape(page)}"></iframe>' if page else ""


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return f"<td>{'yes' if value else 'no'}</td>"
    if isinstance(value, (int, float)):
        text = "" if math.isnan(value) else f"{value:.4g}" if isinstance(value, float) else str(value)
        return f'<td style="text-align: right">{text}</td>'
    return f'<td style="text-align: left">{html.escape("" if value is None else str(value))}</td>'

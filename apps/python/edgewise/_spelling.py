"""Names and classes as the user has them: the library, as files do, has only their texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Optional

_TRUTHS = ({"true": True, "false": False}, {"True": True, "False": False}, {"TRUE": True, "FALSE": False})


class Spelling(NamedTuple):
    """What are texts even if all of them look like numbers. Anything else is read as pandas reads a file."""

    are_names_texts: bool = False
    are_labels_texts: bool = False

    def names(self, texts: Iterable[str]) -> list[Any]:
        return list(texts) if self.are_names_texts else as_read(texts)

    def labels(self, texts: Iterable[str]) -> list[Any]:
        return list(texts) if self.are_labels_texts else as_read(texts)


def as_read(texts: Iterable[str]) -> list[Any]:
    """Whole numbers as integers and truth values as bool, if all are; else the texts."""
    found = list(texts)
    if found and all(map(_is_whole, found)):
        return [int(text) for text in found]
    truths: Optional[Mapping[str, bool]] = next((of for of in _TRUTHS if found and set(found) <= set(of)), None)
    return [truths[text] for text in found] if truths is not None else found


def _is_whole(text: str) -> bool:
    """Whether it is a number as `str` writes it: others, such as 007, are names."""
    digits = text[1:] if text.startswith("-") else text
    return digits.isascii() and digits.isdigit() and str(int(text)) == text

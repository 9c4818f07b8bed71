"""Comparing models on the same splits."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from edgewise import _core, _html
from edgewise._configuration import as_json, call_text, configuration, explicit
from edgewise._jobs import tell
from edgewise._progress import Progress, of_model
from edgewise._tables import Tables

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped, unused-ignore]
    from typing_extensions import Unpack

    from edgewise._arguments import JobArguments


class Comparison:
    """Models that were trained on the same splits, with the same seeds.

    Attributes:
        metric: What they were compared by.
        models: A dict for each, the best on the validation items first: "model", its name; "validation" and "test",
            each with "mean", "std" and the "values" of the runs; "beside_best", the difference on the test items, with
            "mean", "std" and whether it "is_clear"; "seconds" of all runs.
        best: The name of the best on the validation items.
        config: What makes `train` train it, or the next that leaves a model, which label propagation does not:
            `train(..., config=comparison.config)`. None if none of them does.
        verdict: Sentences: whether the graph helps, whether attention does, whether a simpler model is as good.
        notes: What was noticed about the data, and why models were skipped.
    """

    def __init__(self, result: Mapping[str, Any], notes: list[str]) -> None:
        self.metric: str = result["metric"]
        self.models: list[dict[str, Any]] = result["models"]
        self.best: str = result["best"]
        self.config: dict[str, Any] | None = result["config"]
        self.verdict: list[str] = result["verdict"]
        self.notes = notes
        self._page: str = result["page"]

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes a page of HTML about it, which needs nothing but itself, to a file, which is replaced."""
        _core.write_file(os.fspath(path), self._page)

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame with a row for each model: mean and deviation of the metric, the difference, and the seconds."""
        import pandas

        rows = [
            {
                "validation": of["validation"]["mean"],
                "validation_std": of["validation"]["std"],
                "test": of["test"]["mean"],
                "test_std": of["test"]["std"],
                "beside_best": of["beside_best"]["mean"],
                "is_clear": of["beside_best"]["is_clear"],
                "seconds": of["seconds"],
            }
            for of in self.models
        ]
        return pandas.DataFrame(rows, index=pandas.Index([of["model"] for of in self.models], name="model"))

    def __len__(self) -> int:
        return len(self.models)

    def __repr__(self) -> str:
        return f"Comparison({len(self)} models by {self.metric}, best {self.best})"

    def _repr_html_(self) -> str:
        rows = [
            [of["model"], *(of[part][name] for part in ("validation", "test") for name in ("mean", "std")), of["seconds"]]
            for of in self.models
        ]
        header = ["model", "validation", "±", "test", "±", "seconds"]
        return _html.table(repr(self), header, rows, notes=self.verdict) + _html.framed(self._page)


@explicit("data", "split", "model", "training", without="model")
def compare(
    dataset: str | None = None,
    *,
    models: Iterable[str] | None = None,
    config: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    log: str | os.PathLike[str] | None = None,
    on_model: Callable[[dict[str, Any]], None] | None = None,
    progress: bool | None = None,
    **arguments: Unpack[JobArguments],
) -> Comparison:
    """Compares models on the same splits, five runs each unless `runs` says otherwise.

    Args:
        dataset: A data set of the catalogue, in place of files.
        models: Names as for `model` of `train`; by default all that suit the data, and variants of the best.
        config: As for `train`.
        log: A file to keep the result of every run in, so that a comparison that was interrupted can be continued.
        on_model: Called after all runs of a model with a dict of "model", "validation" and "test" (means of the metric)
            and "seconds". An exception ends the comparison, as Ctrl-C does.
        progress: Whether to show how far the job is; by default on a terminal and in a notebook.
        arguments: The other arguments of `train`: the data, the split, the training.

    Raises:
        UsageError: For a wrong argument or configuration, or if no model suits the data.
        DataError: If a file or a table cannot be used as it is.
        NumericalError: If training makes numbers that are not finite.
    """
    if "model" in arguments:
        raise _core.UsageError("model: expected models, a list of names; one alone is for train")
    named = names_of_models(models)
    with Tables(arguments) as given, Progress(progress, of_model, on_model) as shown:
        merged = configuration({"dataset": dataset, **given.arguments}, config)
        call = call_text("edgewise.compare", dataset, {"models": models, "config": config, **arguments})
        text = _core.compare(as_json(merged), named, os.fspath(log or ""), call, shown.hook, given.core)
    result = json.loads(given.readable(text))
    notes: list[str] = result["notes"]
    tell(notes)
    return Comparison(result, notes)


def names_of_models(models: str | Iterable[str] | None) -> list[str]:
    """The names; none for None.

    Raises:
        UsageError: For a name that is there more than once.
    """
    names = [models] if isinstance(models, str) else [str(name) for name in models or []]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise _core.UsageError(f'models: "{twice}" is there more than once')
    return names

"""Searching for a better configuration."""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from edgewise import _core, _html
from edgewise._comparison import names_of_models
from edgewise._configuration import as_json, call_text, configuration, explicit
from edgewise._jobs import tell
from edgewise._progress import Progress, of_training
from edgewise._tables import Tables

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped, unused-ignore]
    from typing_extensions import Unpack

    from edgewise._arguments import JobArguments


class Search:
    """What a search for a better configuration found.

    Attributes:
        metric: What was compared, on the validation items.
        trainings: A dict for each, in their order: "trial", its number; "epochs", at most so many; "validation", the
            metric, None if the trial could not be trained; "seconds"; "settings", those of the trial.
        best: The best of the trainings with the most epochs.
        config: What makes `train` train it on the same data: `train(..., config=search.config)`.
        notes: What was noticed about the data, and why trials could not be trained.
    """

    def __init__(self, result: Mapping[str, Any], notes: list[str]) -> None:
        self.metric: str = result["metric"]
        self.trainings: list[dict[str, Any]] = result["steps"]
        self.best: dict[str, Any] = result["best"]
        self.config: dict[str, Any] = result["config"]
        self.notes = notes
        self._page: str = result["page"]

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes a page of HTML about it, which needs nothing but itself, to a file, which is replaced."""
        _core.write_file(os.fspath(path), self._page)

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame with a row for each training, and a column for each setting."""
        import pandas

        return pandas.json_normalize(self.trainings)

    def __len__(self) -> int:
        return len(self.trainings)

    def __repr__(self) -> str:
        return f"Search({len(self)} trainings, best {self.metric} {self.best['validation']:.4g})"

    def _repr_html_(self) -> str:
        columns = ["trial", "epochs", "validation", "seconds"]
        trainings = sorted(self.trainings, key=lambda of: of is not self.best and of != self.best)
        rows = [[*(of[name] for name in columns), str(of["settings"])] for of in trainings]
        return _html.table(repr(self), [*columns, "settings"], rows) + _html.framed(self._page)


@explicit("data", "split", "model", "training")
def tune(
    dataset: str | None = None,
    *,
    model: str | Mapping[str, Any] | None = None,
    models: str | Iterable[str] | None = None,
    budget: str | None = None,
    brackets: int | None = None,
    config: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    log: str | os.PathLike[str] | None = None,
    on_training: Callable[[dict[str, Any]], None] | None = None,
    progress: bool | None = None,
    **arguments: Unpack[JobArguments],
) -> Search:
    """Searches for a configuration with a better metric on the validation items, by successive halving.

    Args:
        dataset: A data set of the catalogue, in place of files.
        model: The one model to tune.
        models: Names of several; by default all that suit the data.
        budget: A time limit such as "90s", "10m" or "2h"; by default ten minutes.
        brackets: A number of brackets instead of a time limit, which makes the same search on every machine.
        config: As for `train`: what to start from, which the search may change.
        log: A file to keep the result of every training in, so that a search that was interrupted can be continued.
        on_training: Called after every training with a dict as in `Search.trainings`. An exception ends the search, as
            Ctrl-C does.
        progress: Whether to show how far the job is; by default on a terminal and in a notebook.
        arguments: The other arguments of `train`: the data, the split, and what is the same in all trials.

    Raises:
        UsageError: For a wrong argument or configuration, or if no trial could be trained in time.
        DataError: If a file or a table cannot be used as it is, or the log is of another search.
    """
    named = names_of_models(models)
    count = 0 if brackets is None else operator.index(brackets)
    if brackets is not None and count < 1:
        raise _core.UsageError(f"brackets: expected at least 1, got {brackets}")
    if budget is not None and not isinstance(budget, str):
        raise _core.UsageError(f'budget: expected a time such as "90s", "10m" or "2h", got {budget!r}')
    if named and model is not None:
        raise _core.UsageError("model: names the one model to tune; with models, add it to that list")
    with Tables(arguments) as given, Progress(progress, of_training, on_training) as shown:
        start, fixed = configuration({}, config), configuration({"dataset": dataset, "model": model, **given.arguments})
        search = {"model": model, "models": models, "budget": budget, "brackets": brackets, "config": config}
        call = call_text("edgewise.tune", dataset, {**search, **arguments})
        text = _core.tune(
            as_json(start), as_json(fixed), named, budget, count, os.fspath(log or ""), call, shown.hook, given.core
        )
    result = json.loads(given.readable(text))
    notes: list[str] = result["notes"]
    tell(notes)
    return Search(result, notes)

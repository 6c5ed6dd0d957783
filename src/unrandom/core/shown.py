"""Objects show themselves by a few named lines: text when printed, a table in a notebook."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from html import escape

LONGEST = 110  # characters of a line, and of a cell


class Shown(ABC):
    """A mixin: ``str`` and notebooks show what ``shown`` returns; ``repr`` is its first line, for lists and tracebacks.

    A dataclass that inherits it needs ``repr=False``.
    """

    @abstractmethod
    def shown(self) -> Mapping[str, str]:
        """The lines by their names."""

    def __str__(self) -> str:
        lines = self.shown()
        width = max(map(len, lines))
        return "\n".join(f"{name:<{width}}  {_shortened(text)}" for name, text in lines.items())

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {_shortened(next(iter(self.shown().values())))}>"

    def _repr_html_(self) -> str:
        rows = (
            f'<tr><th style="text-align: left">{escape(name)}</th><td style="text-align: left">{escape(text)}</td></tr>'
            for name, text in self.shown().items()
        )
        return f"<table>{''.join(rows)}</table>"


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1].rstrip()}…"

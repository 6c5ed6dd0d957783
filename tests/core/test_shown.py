"""Objects show themselves in a few lines, with their texts escaped."""

from dataclasses import dataclass

from unrandom.core.shown import LONGEST, Shown


@dataclass(frozen=True, repr=False)
class Numbers(Shown):
    values: tuple[int, ...]

    def shown(self):
        return {"first": f"<{self.values[0]}>", "all": " ".join(map(str, self.values))}


def test_text_is_aligned_and_short_and_html_is_whole_and_escaped():
    numbers = Numbers(tuple(range(1000)))
    first, rest = str(numbers).splitlines()
    assert first == "first  <0>"
    assert rest.startswith("all    0 1 2")
    assert rest.endswith("…")
    assert len(rest) <= LONGEST + 7
    assert repr(numbers) == "<Numbers: <0>>"
    assert "&lt;0&gt;" in numbers._repr_html_()
    assert " 999</td>" in numbers._repr_html_()

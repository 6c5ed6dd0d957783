"""How are formulas set on the site? As MathML, which browsers draw themselves; powers in running text as superscripts.

Between dollar signs, pages have LaTeX, which GitHub shows, too. Elsewhere ``2^k``, ``p^(w+1)`` and ``v_p(n)`` are
raised and lowered in the text of a page, and left as they are in code.
"""

import re
from collections.abc import Iterator

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.writers.html5 import HTML5Translator

RAISED = re.compile(r"(?<=[\w)\]½])\^(?:\(((?:[^()]|\([^()]*\))*)\)|([−-]?(?:[\d,.]*\d|\w)))")
LOWERED = re.compile(r"(?<=\b[A-Za-zΔΣ])_(?:\(([^()]*)\)|([a-z0-9]{1,2})(?!\w))")
UNTOUCHED = (nodes.literal, nodes.literal_block, nodes.math, nodes.math_block, nodes.raw, nodes.image)


def inline(writer: HTML5Translator, node: nodes.math) -> None:
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def block(writer: HTML5Translator, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="math">{convert(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def raised(text: str) -> Iterator[nodes.Node]:
    """The text with its powers and indices as nodes."""
    found = min((RAISED.search(text), LOWERED.search(text)), key=lambda match: match.start() if match else len(text))
    if found is None:
        yield nodes.Text(text)
        return
    kind = nodes.superscript if found.re is RAISED else nodes.subscript
    yield nodes.Text(text[: found.start()])
    yield kind("", "", *raised(found[1] or found[2]))
    yield from raised(text[found.end() :])


class Powers(SphinxPostTransform):
    """Set powers and indices in the text of a page."""

    default_priority = 800
    formats = ("html",)

    def run(self, **_: object) -> None:
        for text in list(self.document.findall(nodes.Text)):
            parents, parent = [], text.parent
            while parent is not None:
                parents.append(parent)
                parent = parent.parent
            if ("^" in text or "_" in text) and not any(isinstance(each, UNTOUCHED) for each in parents):
                text.parent.replace(text, list(raised(str(text))))


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    app.add_post_transform(Powers)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Run the lessons, and write what they print and draw into the notebooks; or check that it is still the same.

    python docs/run_lessons.py            # examples/*.ipynb with new outputs
    python docs/run_lessons.py --check    # a line for each cell whose output differs; exit status 1 if there is one

Each notebook runs in an empty folder, so that a lesson needs no file of the repository. Texts are compared word by
word: numbers with decimals may differ by a tenth, as other processors round otherwise and training then ends elsewhere.
Of a cell with the tag `varies`, such as one that prints a time, and of pictures only the number is compared.
"""

import base64
import io
import itertools
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbclient
import nbformat
from PIL import Image

LESSONS = sorted((Path(__file__).parents[1] / "examples").glob("*.ipynb"))
COLOURS = 64  # of a picture, which is a fifth as large as with all
SECONDS = 300  # per cell
DIFFERENCE = 0.1  # of numbers with decimals, absolute or relative
DECIMAL = re.compile(r"-?\d*\.\d+")


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with the outputs of a run in an empty folder."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # models are small, and busy cores make two threads slower than one
    running = nbformat.reads(json.dumps(notebook), as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        client = nbclient.NotebookClient(running, timeout=SECONDS, resources={"metadata": {"path": folder}})
        client.execute()
    code = [cell for cell in running.cells if cell.cell_type == "code"]
    for count, (cell, ran) in enumerate(zip(code_cells(notebook), code, strict=True), 1):
        cell |= {"execution_count": count, "outputs": list(kept(ran.outputs, count))}
    return notebook


def kept(outputs: list[Any], count: int) -> Iterator[dict[str, Any]]:
    """What is kept of the outputs of a cell: what it prints, the text of its value, and its pictures."""
    for kind, group in itertools.groupby(outputs, lambda output: output.output_type):
        if kind == "stream":
            text = "".join(output.text for output in group if output.name == "stdout")
            yield {"name": "stdout", "output_type": "stream", "text": text}
            continue
        for output in group:
            data = {"text/plain": output.data["text/plain"]}
            if "image/png" in output.data:
                data = {"image/png": smaller(output.data["image/png"]), **data}
            number = {"execution_count": count} if kind == "execute_result" else {}
            yield {"data": data, **number, "metadata": {}, "output_type": kind}


def smaller(picture: str) -> str:
    """A picture in base64 with few colours."""
    image = Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB")
    written = io.BytesIO()
    image.quantize(COLOURS, Image.Quantize.MAXCOVERAGE).save(written, "PNG", optimize=True)
    return base64.b64encode(written.getvalue()).decode()


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def differences(before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """A line for each cell whose output is not the same."""
    for old, new in zip(code_cells(before), code_cells(now), strict=True):
        varies = "varies" in old["metadata"].get("tags", ())
        if [kind(each) for each in old["outputs"]] != [kind(each) for each in new["outputs"]]:
            yield f"{old['id']}: it has other outputs"
        elif not varies and not same(words(old), words(new)):
            yield f"{old['id']}: it was {' '.join(words(old))}\n  and is {' '.join(words(new))}"


def kind(output: dict[str, Any]) -> str:
    return "picture" if "image/png" in output.get("data", {}) else output["output_type"]


def words(cell: dict[str, Any]) -> list[str]:
    """The words of a cell's texts."""
    texts = (each.get("text") or each["data"]["text/plain"] for each in cell["outputs"] if kind(each) != "picture")
    return " ".join(texts).split()


def same(old: list[str], new: list[str]) -> bool:
    return len(old) == len(new) and all(itertools.starmap(same_word, zip(old, new, strict=True)))


def same_word(old: str, new: str) -> bool:
    """Whether two words are the same up to small differences of their numbers with decimals."""
    if DECIMAL.sub("", old) != DECIMAL.sub("", new):
        return False
    pairs = zip(map(float, DECIMAL.findall(old)), map(float, DECIMAL.findall(new)), strict=False)
    return all(abs(one - other) <= DIFFERENCE * max(1.0, abs(one)) for one, other in pairs)


def main() -> int:
    check, faults = "--check" in sys.argv[1:], 0
    for lesson in LESSONS:
        before = json.loads(lesson.read_text("utf-8"))
        now = executed(json.loads(json.dumps(before)))
        if check:
            for line in differences(before, now):
                faults += 1
                print(f"{lesson.name} {line}")
        else:
            lesson.write_text(json.dumps(now, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return min(1, faults)


if __name__ == "__main__":
    sys.exit(main())

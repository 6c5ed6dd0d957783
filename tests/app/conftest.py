"""One app serves all tests of this folder."""

from collections.abc import Iterator

import pytest
from serving import STARTS_IN, App, start_app


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The app; it must end with status 0 and nothing of ours in its log."""
    pytest.importorskip("gradio", reason="the app needs gradio")
    served = start_app(tmp_path_factory.mktemp("app"))
    yield served
    served.process.terminate()
    written, _ = served.process.communicate(timeout=STARTS_IN)
    assert (served.process.returncode, written) == (0, "ended\n")
    assert "a request failed" not in served.log.read_text()
    assert not list(served.temporary.glob("unrandom-*"))

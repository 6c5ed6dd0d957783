"""Files of numbers."""

import pytest


@pytest.fixture
def file(tmp_path):
    """The path of a file with this content."""

    def write(content):
        path = tmp_path / "numbers"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write

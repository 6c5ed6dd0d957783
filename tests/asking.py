"""How do tests ask an app that was started as a command?"""

import subprocess

from sweeping import PATIENCE

AUDIT = [None, "", "", "inferred", "", 10]  # what follows the numbers: no file, and the options


def address_of(app: subprocess.Popen[str]) -> str:
    """Where the command serves the app, as its first line on standard error says; it ends in a slash."""
    assert app.stderr is not None
    return app.stderr.readline().split()[4].rstrip(";")


def answered(address: str, name: str, *data: object) -> str:
    """The text of the app's answer to a request of its API."""
    import httpx  # comes with the app

    call = f"{address}gradio_api/call/{name}"
    begun = httpx.post(call, json={"data": data}, timeout=PATIENCE).json()
    return httpx.get(f"{call}/{begun['event_id']}", timeout=PATIENCE).text

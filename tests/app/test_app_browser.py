"""Four pages are used as a person would, in a real browser: on a phone and on a screen, in light and in dark.

Pictures of the pages are kept in the folder that the variable UNRANDOM_PICTURES names.
"""

import os
import re
import shutil
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from serving import STARTS_IN

from tiers import nightly_but
from unrandom.app.models import loaded
from unrandom.core.run_folder import RunFolder
from unrandom.generators.lcg import LCG

pytest.importorskip("gradio", reason="the app needs gradio")
playwright = pytest.importorskip("playwright.sync_api", reason="the browser is driven by playwright")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="2026-11-24: no Chromium is installed")

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PICTURES = os.environ.get("UNRANDOM_PICTURES")
CROSSED = ["400 dark", "1400 light"], ["400 light", "1400 dark"]
WINDOWS = [sorted(CROSSED[0] + CROSSED[1])] * 2 if PICTURES else CROSSED
STREAM = LCG(m=2**31, a=1103515245, c=12345).orbit(x0=1, length=40)


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield started
        started.close()


class Visit:
    """A page of the app in a window, and what it asked for and complained of."""

    def __init__(self, browser, app, window):
        width, scheme = window.split()
        size = {"width": int(width), "height": 900}
        self.context = browser.new_context(viewport=size, color_scheme=scheme)
        self.context.set_default_timeout(1000 * STARTS_IN)
        self.page, self.window, self.asked, self.complaints = self.context.new_page(), window, [], []
        self.context.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("response", lambda got: self.complaints.append(got.url) if got.status >= 400 else None)
        self.address = app.address
        self.page.goto(app.address)
        self.page.get_by_text("The next number is").wait_for()

    def open(self, tab):
        self.page.get_by_role("tab", name=tab, exact=True).click()

    def press(self, button):
        self.page.get_by_role("button", name=button, exact=True).click()

    def choose(self, label, choice):
        self.page.get_by_label(label, exact=True).click()
        self.page.get_by_role("option", name=choice, exact=True).click()

    def look(self, name):
        """Nothing may be wider than the window; a picture is kept."""
        self.page.wait_for_timeout(300)
        wide, window = self.page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
        assert wide <= window
        if PICTURES:
            self.page.screenshot(path=Path(PICTURES) / f"{self.window.replace(' ', '-')}-{name}.png", full_page=True)

    def end(self):
        """Everything came from the app, and nothing was complained of."""
        self.context.close()
        assert self.asked
        assert {url for url in self.asked if not url.startswith((self.address, "data:", "blob:"))} == set()
        assert self.complaints == []


@pytest.fixture
def visit(browser, app, request):
    begun = Visit(browser, app, request.param)
    yield begun
    begun.end()


@pytest.mark.slow
@pytest.mark.parametrize("visit", nightly_but(WINDOWS[0][:1], WINDOWS[0]), indirect=True)
def test_play(visit, app):
    page = visit.page
    visit.look("play")
    for label, value in (("modulus m", "256"), ("multiplier a", "77"), ("increment c", "21"), ("first number x0", "9")):
        page.get_by_label(label, exact=True).fill(value)
    visit.press("Guess")
    numbers = LCG(m=256, a=77, c=21).orbit(x0=9, length=41)
    guess = loaded("fm-256", app.runs).run.predict(numbers[:40]).numbers[0]
    page.get_by_text(f"After 40 numbers the model says {guess},").wait_for()
    page.get_by_text(f"The next number is {numbers[40]}:").wait_for()
    assert page.locator(".scroll tbody tr").count() == 40
    assert page.locator(".js-plotly-plot").count() == 2
    visit.choose("model", "um-144")
    playwright.expect(page.get_by_label("modulus m", exact=True)).to_have_value("144")
    page.get_by_label("multiplier a", exact=True).fill("37")
    head = page.get_by_label("attention of", exact=True)
    playwright.expect(head).to_have_value("layer 0 head 1")  # whose line is the strongest
    head.click()
    page.get_by_role("option", name="layer 3 head 2", exact=True).click()
    page.get_by_label("multiplier a", exact=True).press("Enter")
    numbers = LCG(m=144, a=37, c=21).orbit(x0=9, length=41)
    page.get_by_text(f"The next number is {numbers[40]}:").wait_for()
    page.get_by_text("never on 96, 108 and 144; m = 144 is unseen").wait_for()
    page.get_by_text("layer 3 head 2 puts").wait_for()
    playwright.expect(page.locator(".js-plotly-plot:visible")).to_have_count(3)
    grid = page.locator(".js-plotly-plot:visible").nth(1)
    assert grid.locator(".heatmaplayer .hm").count() == 16
    grid.locator(".nsewdrag").nth(5).hover(position={"x": 5, "y": 100})
    page.get_by_text(re.compile(r"^layer 1 head 1: query \d+ looks at key \d+: 0?\.\d+")).wait_for()
    visit.look("play-heads")
    page.get_by_label("numbers that I type").check()
    playwright.expect(page.get_by_label("modulus m", exact=True)).to_be_hidden()
    page.get_by_label("numbers, as they were printed").fill(" ".join(map(str, numbers)))
    visit.press("Guess")
    page.get_by_text("After 41 numbers the model says").wait_for()
    visit.look("play-typed")
    page.get_by_label("numbers, as they were printed").fill("1 2 <b>three</b>")
    visit.press("Guess")
    page.get_by_text("'<b>three</b>' is not a number").wait_for()
    playwright.expect(page.get_by_text("guesses, the newest first")).to_be_hidden()
    visit.look("play-mistake")
    page.get_by_label("numbers, as they were printed").fill("1 2 3")
    visit.press("Guess")
    page.get_by_text("guesses, the newest first").wait_for()
    playwright.expect(page.locator(".js-plotly-plot:visible")).to_have_count(3)


@pytest.mark.slow
@pytest.mark.parametrize("visit", nightly_but(WINDOWS[1][:1], WINDOWS[1]), indirect=True)
def test_audit(visit, tmp_path):
    page = visit.page
    visit.open("Audit")
    visit.look("audit-empty")
    page.get_by_label("outputs", exact=True).fill("\n".join(map(str, STREAM[:30])))
    visit.press("Audit")
    page.get_by_role("heading", name="Predictable", exact=True).wait_for()
    page.get_by_text(str(STREAM[30])).wait_for()
    visit.look("audit-text")
    (tmp_path / "few.txt").write_text("1 2 3")
    page.locator("input[type=file]").set_input_files(tmp_path / "few.txt")
    page.get_by_label("few.txt").wait_for()
    visit.press("Audit")
    verdict = page.get_by_role("heading", name=re.compile("^(Too few numbers|Not finished)$"))  # on a busy machine
    verdict.wait_for()
    visit.look("audit-file")
    visit.press("8 × nextInt() of Java")
    playwright.expect(page.get_by_label("outputs", exact=True)).to_have_value(re.compile("^-1170105035\n234785527\n"))
    playwright.expect(page.get_by_label("few.txt")).to_be_hidden()
    visit.press("Audit")
    page.get_by_text("java.util.Random.nextInt()").wait_for()
    visit.press("Options ▼")
    page.get_by_label("column: column (heading or number), key or list to read").fill("n")
    table = "n,m\n" + "\n".join(f"{number},{index * index % 97}" for index, number in enumerate(STREAM[:30]))
    page.get_by_label("outputs", exact=True).fill(table)
    visit.press("Audit")
    page.get_by_text(str(STREAM[30])).wait_for()
    visit.look("audit-options")


@pytest.mark.parametrize("visit", nightly_but(WINDOWS[0][:1], WINDOWS[0]), indirect=True)
def test_results(visit):
    page = visit.page
    visit.open("Results")
    page.locator("details.experiment").first.wait_for()  # all are listed at once
    visit.look("results-all")
    everything = page.locator("article.claim").count()
    assert everything > 100
    page.get_by_label("not reproduced", exact=True).uncheck()
    page.get_by_label("beyond the paper").check()
    page.get_by_label("with the words").fill("Muon")
    page.get_by_label("with the words").press("Enter")
    page.wait_for_function(f"document.querySelectorAll('article.claim').length < {everything}")
    assert 0 < page.locator("article.claim").count() < 20
    for text in page.locator("details.experiment").all_text_contents():
        assert "muon" in text.lower()
    for text in page.locator("article.claim").all_text_contents():
        assert "not reproduced" not in text
    for block in page.locator("details.experiment:not([open]) summary").all():
        block.click()
    pictures = page.locator("details.experiment img")
    assert pictures.count() > 0
    for each in pictures.all():
        each.scroll_into_view_if_needed()
        playwright.expect(each).to_have_js_property("complete", True)
        assert each.evaluate("image => image.naturalWidth") == int(each.get_attribute("width"))
        assert each.bounding_box()["width"] <= page.viewport_size["width"]
    visit.look("results")
    page.get_by_label("with the words").fill("<i>nothing</i>")
    visit.press("Show")
    page.get_by_text(re.compile("^0 of [0-9]+ claims")).wait_for()


@pytest.mark.slow
@pytest.mark.parametrize("visit", nightly_but(WINDOWS[1][:1], WINDOWS[1]), indirect=True)
def test_runs(visit, app):
    page, seed = visit.page, str(WINDOWS[1].index(visit.window))
    visit.open("Runs")
    page.get_by_label("seed of the demo").fill("x")
    visit.press("Start demo")
    page.get_by_text("the seed must be a whole number").wait_for()
    page.get_by_label("seed of the demo").fill(seed)
    visit.press("Start demo")
    page.get_by_text(f"The demo with seed {seed} has started: fm-256-").wait_for()
    page.get_by_text("training. There is no evaluation yet.").or_(page.get_by_text("step")).first.wait_for()
    page.get_by_text(", training. The last number").wait_for()
    playwright.expect(page.locator(".js-plotly-plot:visible")).to_have_count(2)
    visit.look("runs")
    visit.press("Stop demo")
    page.get_by_text("The demo has stopped.").wait_for()
    page.get_by_text(", not finished. The last number").wait_for()
    said = page.get_by_text(", not finished. The last number").inner_text()
    name = said.partition(":")[0]
    assert " per step, as so far, the rest takes about " in said
    assert RunFolder(app.runs / name).read_manifest()["config"]["seed"] == int(seed)
    visit.look("runs-stopped")
    page.reload()
    page.get_by_text("The next number is").wait_for()
    visit.open("Runs")
    page.get_by_text(f"{name}: step").wait_for()  # the newest run is shown
    shutil.copytree(app.runs / name, app.runs / f"copy-{seed}")
    manifest = app.runs / f"copy-{seed}" / "manifest.json"
    manifest.write_text(manifest.read_text().replace(f'"seed": {seed}', '"seed": 77'))
    visit.press("Look for runs")
    page.get_by_label("runs", exact=True).click()
    page.get_by_role("option", name=f"copy-{seed}", exact=True).click()
    page.keyboard.press("Escape")
    page.get_by_text("seed=77").first.wait_for()
    page.get_by_text(f"seed={seed}", exact=True).first.wait_for()
    visit.look("runs-together")


@pytest.mark.slow
@pytest.mark.parametrize("visit", ["400 light"], indirect=True)
def test_every_control_has_a_name_and_is_reached_by_the_keyboard(visit):
    page = visit.page
    for tab, buttons in (
        ("Play", ["Guess"]),
        ("Audit", ["Audit"]),
        ("Results", ["Show"]),
        ("Runs", ["Start demo", "Stop demo", "Look for runs"]),
    ):
        visit.open(tab)
        page.get_by_role("button", name=buttons[0], exact=True).wait_for()
        nameless = page.evaluate(NAMELESS)
        assert nameless == [], tab
        page.get_by_role("tab", name=tab, exact=True).focus()
        reached = []
        for _ in range(60):
            page.keyboard.press("Tab")
            reached.append(page.evaluate("document.activeElement.innerText.trim()"))
        assert set(buttons) <= set(reached), tab
    visit.open("Play")
    page.get_by_label("multiplier a", exact=True).fill("13")
    page.get_by_role("button", name="Guess").focus()
    page.keyboard.press("Enter")
    page.get_by_text(f"The next number is {LCG(m=256, a=13, c=3).orbit(x0=1, length=41)[-1]}:").wait_for()


NAMELESS = """() => [...document.querySelectorAll('input, textarea, select, button')]
  .filter(one => one.offsetParent !== null && one.type !== 'hidden')
  .filter(one => !(one.getAttribute('aria-label') || one.getAttribute('aria-labelledby') || one.title
      || [...(one.labels ?? [])].some(label => label.innerText.trim()) || one.innerText?.trim()))
  .map(one => one.outerHTML.slice(0, 200))"""


OTHER_SITE = b"""<!doctype html><title>another site</title><script>
const files = new FormData()
files.append("files", new Blob(["1 2 3"]), "evil.txt")
fetch("ADDRESSgradio_api/upload", {method: "POST", body: files, mode: "no-cors"}).finally(() => {
  fetch("ADDRESSgradio_api/call/start", {method: "POST", body: '{"data": ["0"]}', mode: "no-cors"}).finally(() => {
    document.title = "sent"
  })
})
</script>"""


def test_the_page_of_another_site_writes_no_file(browser, app):
    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(OTHER_SITE.replace(b"ADDRESS", app.address.encode()))

        def log_message(self, *_):
            pass

    def kept():
        return sorted(path for path in app.temporary.glob("unrandom-app-*/**/*") if path.is_file())

    before = kept()
    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as site, browser.new_context() as context:
        Thread(target=site.serve_forever, daemon=True).start()
        answers = []
        context.on("response", lambda got: answers.append((got.url.rpartition("/")[2], got.status)))
        page = context.new_page()
        page.goto(f"http://localhost:{site.server_port}/")
        page.wait_for_function("document.title == 'sent'", timeout=1000 * STARTS_IN)
        site.shutdown()
    assert {("upload", 403), ("start", 403)} <= set(answers)
    assert kept() == before

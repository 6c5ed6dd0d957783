"""Limits on what a visitor of the app can ask for, with which a laptop serves 20 visitors at once."""

MAX_CHARACTERS = 200_000  # the longest text that can be pasted
MAX_DIGITS = 40  # the longest m, a, c or x0 that can be typed
MAX_FILE = 2 * 2**20  # the largest file that can be uploaded, in bytes
REQUEST_SECONDS = 10.0  # a request arrives whole within this time
SESSIONS_KEPT = 200  # what Gradio knows of visitors, about 0.12 MB each; every request of a script is one
MAX_REQUEST = 4 * 2**20  # bytes; more than a file or a pasted text in JSON has
AUDIT_SECONDS = 10  # an audit searches this long; reading and the last family may take some more
MAX_SECONDS = 180  # the longest search that a visitor can choose
KILLED_AFTER = 30  # seconds beyond these after which an audit is ended, whatever it does
AUDITS_AT_ONCE = 2  # each audit is a process of its own
ANSWERS_AT_ONCE = 2  # models guess for this many requests at a time
MAX_WAITING = 100  # requests wait in the queue; one more is refused
OWN_MODELS = 50  # runs of the folder of runs that can be played with, the newest ones
LOADED_MODELS = 4  # models are kept in memory, the ones last asked for
TEST_TOKENS = 2**13  # tokens that measure a staircase; its intervals are wide, and the results have more
FEWEST_SEQUENCES = 32  # a staircase of long sequences is measured on this many, though they have more tokens
GUESSES_SHOWN = 64  # the table shows the last ones; each of a model with several digits takes some forward passes
TOKENS_SHOWN = 256  # the picture of a head's attention shows the first ones
GRID_TOKENS = 64  # the picture of all heads shows the first ones
MAX_WORDS = 200  # characters of a search, or of an option of an audit
RUNS_TOGETHER = 8  # runs whose curves are drawn together
MAX_PICTURE = 4 * 2**20  # bytes of a picture of the results

"""A model of one's own reads answers, and one that lies earns nobody a point."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import ClassVar

import pytest
from attn_kata.practice.errors import Refusal
from attn_kata.practice.interview.model import Model, NotRead
from attn_kata.practice.interview.questions import question_called

ANSWER = "You divide by the square root of head_dim. I like the sea very much indeed."
QUESTION = "mha:mha-which-d"


@pytest.fixture
def server():
    """A server that speaks the protocol and says what the test wants."""

    class Handler(BaseHTTPRequestHandler):
        says: object = ""
        asked: ClassVar = []

        def _reply(self, data):
            body = json.dumps(data).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):
            self._reply({"data": [{"id": "tiny"}]})

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            Handler.asked.append((body, self.headers.get("Authorization")))
            said = Handler.says if isinstance(Handler.says, str) else json.dumps(Handler.says)
            self._reply({"choices": [{"message": {"content": said}}]})

        def log_message(self, format, *args):  # noqa: A002
            """Keep quiet."""

    Handler.asked = []
    found = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=found.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield Handler, f"http://127.0.0.1:{found.server_port}"
    found.shutdown()
    found.server_close()


def read(url, text=ANSWER):
    """Have an answer read."""
    return Model(url).read(question_called(QUESTION, "en"), text)


def test_each_point_is_asked_for_itself(server):
    """One request a point, with the question, the point and the answer, and no key unasked."""
    handler, url = server
    handler.says = {"made": False, "quote": ""}
    assert read(url).points == (False,) * 4
    assert len(handler.asked) == 4
    bodies = [body for body, _ in handler.asked]
    assert {body["model"] for body in bodies} == {"tiny"}
    assert all(ANSWER in body["messages"][1]["content"] for body in bodies)
    assert {key for _, key in handler.asked} == {None}


def test_a_quote_from_the_answer_earns_the_point(server):
    """Also where the model puts words around its JSON."""
    handler, url = server
    quote = "divide by the square root of head_dim"
    handler.says = "Sure! " + json.dumps({"made": True, "quote": quote})
    assert read(url).points == (True,) * 4
    assert read(url).quotes == (quote,) * 4


@pytest.mark.parametrize(
    "quote",
    ["", "the", "of head_dim", "the variance is head_dim", "divide by √hidden_dim, always"],
)
def test_a_quote_that_does_not_stand_there_earns_nothing(server, quote):
    """Invented, empty, or a scrap of it."""
    handler, url = server
    handler.says = {"made": True, "quote": quote}
    assert read(url).points == (False,) * 4


@pytest.mark.parametrize("says", ["yes", "", "[1]", "{broken"])
def test_what_cannot_be_read_is_no_reading(server, says):
    """Nonsense is no verdict: the words are heard instead."""
    handler, url = server
    handler.says = says
    with pytest.raises(NotRead, match="JSON"):
        read(url)


def test_a_liar_in_the_interview(server, lead, work, script):
    """It is asked for answers alone, and what it quotes must be about the point."""
    handler, url = server
    handler.says = {"made": True, "quote": "I like the sea very much indeed"}
    led = lead()
    led.model = Model(url)
    led.line("start")
    (work / "interview.py").write_text(script.right, "utf-8")
    led.line("submit")
    while led.session.put is not None and led.session.put.asked("en").exact:
        led.line("")
    put = led.session.put
    assert put is not None
    led.line("I like the sea very much indeed")
    led.line("")
    assert put.reader == "tiny (127.0.0.1)"
    assert not any(put.made)


def test_without_the_model_the_words_are_heard(lead, work, script):
    """A server that is not there is said, and the interview goes on."""
    led = lead()
    led.model = Model("http://127.0.0.1:9")
    led.line("start")
    (work / "interview.py").write_text(script.right, "utf-8")
    led.line("submit")
    while led.session.put.asked("en").exact:
        led.line("")
    put = led.session.put
    led.line(put.asked("en").answer)
    keys = [one.key for one in led.line("")]
    assert put.reader == "words"
    assert any(put.made)
    assert "interview-unread" in keys or all(put.made)


@pytest.mark.parametrize("url", ["localhost", "ftp://there", "file:///etc/passwd", ""])
def test_what_is_no_address_is_refused(url):
    """Only http and https, with a host."""
    with pytest.raises(Refusal):
        Model(url)

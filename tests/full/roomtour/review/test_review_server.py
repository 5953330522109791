import json
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from roomtour.files.reviews import RATINGS
from roomtour.review.texts import ReviewSession, draw_sample
from roomtour.run import Run
from roomtour.view.tour import load_tour
from tests.support.browser_leaves import leave_at_once
from tests.support.runs.made_tour import make_run
from tests.support.runs.read_page import EVIL, Elements
from tests.support.runs.review_server import serving
from tests.support.runs.run_folder import write_run


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("review") / "run"
    (folder / "frames").mkdir(parents=True)
    return write_run(folder, make_run(folder / "frames", text=EVIL, models=2))


@pytest.fixture
def folder(run, tmp_path):
    """The run with nothing rated; ratings go elsewhere, so that the run stays as it is."""
    return tmp_path


@pytest.fixture
def server(run, folder):
    with serving(session_of(run, folder, "anna"), 18500) as started:
        yield started


def session_of(run, folder, rater):
    return ReviewSession(draw_sample({"run": load_tour(Run(run), 1000)}, 3), {"run": folder}, rater)


def ask(server, method, path, body=None, **headers):
    connection = HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request(method, path, body=body, headers={"Host": f"127.0.0.1:{server.port}", **headers})
    reply = connection.getresponse()
    content = reply.read()
    connection.close()
    return reply, content


def answer(server, row=0, sent=None, body=None, headers=None):
    usual = {"score": 3, "accurate": True, "wrong_words": [1], "note": "so"}
    body = json.dumps(usual if sent is None else sent) if body is None else body
    own = {"Origin": f"http://127.0.0.1:{server.port}", "X-Review-Token": server.token}
    own |= {"Content-Type": "application/json", **(headers or {})}
    return ask(server, "POST", f"/item/{row}", body, **{name: value for name, value in own.items() if value})


def test_an_answer_is_on_the_disk_before_the_page_goes_on(server, folder):
    reply, content = answer(server)
    assert (reply.status, json.loads(content)) == (200, {"next": "/item/1"})
    (rating,) = RATINGS.load(folder)
    item = server.session.items[0]
    assert (rating.instruction, rating.rater, rating.score) == (item.row.id, "anna", 3)
    assert rating.accurate is True
    assert (rating.wrong_words, rating.note) == ((1,), "so")


def test_a_rater_goes_on_where_they_stopped_and_another_starts_anew(server, run, folder):
    answer(server, 0)
    answer(server, 1)
    assert ask(server, "GET", "/")[0].getheader("Location") == "/item/2"
    again, other = session_of(run, folder, "anna"), session_of(run, folder, "ben")
    assert (again.next_open(), other.next_open()) == (2, 0)
    assert [item.row.id for item in again.items] == [item.row.id for item in other.items]


def test_after_the_last_text_comes_the_end(server):
    replies = [json.loads(answer(server, row)[1])["next"] for row in (2, 0, 1)]
    assert replies == ["/item/0", "/item/1", "/end"]
    assert ask(server, "GET", "/")[0].getheader("Location") == "/end"
    assert "Every text of the sample is judged" in ask(server, "GET", "/end")[1].decode()


def test_another_site_can_neither_answer_nor_read(server, folder, subtests):
    for name, value in (
        ("Origin", "https://evil.example"), ("Origin", None), ("Origin", "null"), ("X-Review-Token", "guessed"),
        ("X-Review-Token", None), ("Host", "evil.example:80"),
    ):  # fmt: skip
        with subtests.test(f"{name}: {value}"):
            assert answer(server, headers={name: value})[0].status == 403
    assert not (folder / RATINGS.file).exists()
    reply, content = ask(server, "GET", "/item/0", Host=f"evil.example:{server.port}")
    assert reply.status == 403
    assert b"token" not in content


def test_an_answer_that_does_not_fit_is_refused(server, folder, subtests):
    whole = {"score": 1, "accurate": True, "wrong_words": [], "note": ""}
    for changed in ({"score": 5}, {"score": "x"}, {"wrong_words": [9999]}, {"wrong_words": [-1]}, {"note": "x" * 3000},
                    {"accurate": None}):  # fmt: skip
        with subtests.test(str(changed)[:40]):
            reply, content = answer(server, sent={**whole, **changed})
            assert (reply.status, bool(json.loads(content)["error"])) == (400, True)
    for sent in ([], {"score": 1}, {"score": 1, "wrong_words": [], "note": ""}):
        with subtests.test(str(sent)):
            assert answer(server, sent=sent)[0].status == 400
    for body in ("[" * 30_000 + "]" * 30_000, '{"score":' * 7_000, "{"):
        with subtests.test(body[:10]):
            reply, content = answer(server, body=body)
            assert reply.status == 400
            assert "not valid JSON" in json.loads(content)["error"]
    assert not (folder / RATINGS.file).exists()


def test_what_is_not_there_is_not_found(server):
    for path in ("/item/99", "/item/x", "/frame/0/99999.jpg", "/frame/99/1.jpg", "/../manifest.json", "/item/0?x=1"):
        assert ask(server, "GET", path)[0].status == 404
    assert answer(server, 99)[0].status == 404
    assert answer(server, headers={"Content-Type": "text/plain"})[0].status == 415


def test_texts_of_the_run_stay_text_the_way_is_drawn_and_nothing_foreign_is_loaded(server):
    reply, content = ask(server, "GET", "/item/0")
    page = Elements(content.decode())
    assert [attributes["src"] for name, attributes in page.tags if name == "script"] == ["/review.js"]
    assert not any(key.startswith("on") for _, attributes in page.tags for key in attributes)
    assert "alert(1)" in page.text
    pictures = [attributes["src"] or "" for name, attributes in page.tags if name == "img"]
    assert pictures
    assert all(urlsplit(picture).path.startswith("/frame/0/") and not urlsplit(picture).netloc for picture in pictures)
    assert (reply.getheader("Content-Security-Policy") or "").startswith("default-src 'none'")
    first, picture = ask(server, "GET", pictures[0])
    assert (first.getheader("Content-Type"), picture[:2]) == ("image/jpeg", b"\xff\xd8")
    page = Elements(ask(server, "GET", "/item/0")[1].decode())
    assert any(attributes.get("class") == "map" for _, attributes in page.tags)
    assert any(attributes.get("class") == "walk" for _, attributes in page.tags)
    assert any(attributes.get("class") == "whole-walk" for _, attributes in page.tags)


def test_a_browser_that_goes_away_is_no_fault(server, capfd):
    for sent in (b"GET / HTTP/1.1\r\n", b"GET /frame/0/1.jpg HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % server.port):
        leave_at_once(server.port, sent)
    assert ask(server, "GET", "/")[0].status == 303
    assert capfd.readouterr().err == ""

"""Films of runs: what the page holds, that it needs nothing else, and that it plays."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cell_models import spatial_frame

import mstmm
from mstmm.errors import ToolchainError, UsageError
from mstmm.model.files.toml import from_text
from mstmm.report.animation import Animation
from mstmm.report.drawing.figure import Figure, figure
from mstmm.report.drawing.places import start

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)


@cache
def film(name: str) -> Animation:
    run = mstmm.compile(name, target="numpy").simulate(t_end=0.4, dt=2e-3, record=8e-3)
    found = run.animate()
    assert isinstance(found, Animation)
    return found


def data(text: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="film">(.*?)</script>', text)
    assert found
    return dict(json.loads(found[1]))


@pytest.mark.parametrize("name", ["spatial-tree", "four-bar", "example-1"])
def test_the_page_holds_the_motion(name: str) -> None:
    """In 16 bits of the range: half a step of the coarsest axis."""
    given = data(film(name).html)
    shape = (len(given["times"]), given["count"], given["dimension"])
    raw = np.frombuffer(base64.b64decode(given["numbers"]), "<u2").reshape(shape)
    vertices = given["low"] + given["step"] * raw
    expected = film(name).figure.vertices[..., : given["dimension"]]
    np.testing.assert_allclose(vertices, expected, atol=0.51 * given["step"])
    assert given["step"] < np.ptp(expected) / 60_000
    used = {k for _, vertices, _ in given["strokes"] for k in vertices}
    used |= {vertex for _, vertex, _ in given["marks"]}
    assert max(used) < given["count"]


def test_a_moving_hinge_is_where_the_bodies_are() -> None:
    """The tip of a pendulum that hangs straight down at zero, from its angle alone."""
    run = mstmm.compile("double-pendulum", target="numpy").simulate(t_end=0.1, dt=5e-3)
    found = run.animate().figure
    assert isinstance(found, Figure)
    length = np.linalg.norm(
        found.vertices[0, found.bodies["1"][0]] - found.vertices[0, found.bodies["1"][1]]
    )
    place = found.vertices[:, found.hinges["2"]]
    expected = length * np.stack([np.sin(run.q[:, 0]), -np.cos(run.q[:, 0])], axis=1)
    np.testing.assert_allclose(place[:, :2], expected, atol=1e-12)


def test_the_page_needs_no_network_and_is_small() -> None:
    text = film("spatial-tree").html
    assert not re.findall(r"https?://|src=|href=|@import|url\(", text)
    assert len(text) < 100_000
    assert film("spatial-tree")._repr_html_().startswith("<iframe srcdoc=")


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    film("four-bar").save(tmp_path / "x.html")
    assert (tmp_path / "x.html").read_text() == film("four-bar").html
    with pytest.raises(UsageError, match=r"saved as \.html, \.mp4, \.webm, \.gif, not '\.avi'"):
        film("four-bar").save(tmp_path / "x.avi")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolchainError, match=r"\(\.mp4\) is made by ffmpeg, which is not") as told:
        film("four-bar").save(tmp_path / "x.mp4")
    assert "install ffmpeg" in told.value.remedy
    assert [file.name for file in tmp_path.iterdir()] == ["x.html"]


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="no ffmpeg on this machine")
@pytest.mark.parametrize("suffix", [".mp4", ".webm", ".gif"])
def test_a_video_lasts_as_long_as_the_motion_and_moves(tmp_path: Path, suffix: str) -> None:
    """Decoded by ffmpeg itself to grey pixels: 0.4 s at 30 frames, light ground, dark strokes."""
    path = tmp_path / f"x{suffix}"
    film("four-bar").save(path)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    given = ("ffmpeg", "-v", "error", "-i", str(path))
    raw = ("-f", "rawvideo", "-pix_fmt", "gray", "-vsync", "passthrough", "-")
    pixels = subprocess.run([*given, *raw], capture_output=True, check=True, timeout=60).stdout
    frames = np.frombuffer(pixels, np.uint8).reshape(-1, 576, 768)
    assert len(frames) == round(0.4 * 30)
    assert np.median(frames) > 240
    dark = (frames < 80).mean(axis=(1, 2))
    assert dark.min() > 0.001
    assert dark.max() < 0.05
    drawn = frames[:, 46:] < 80  # below the title
    assert (drawn[1:] != drawn[:-1]).mean(axis=(1, 2)).min() > 1e-4  # in every frame
    assert drawn.all(axis=0).sum() > 140  # the pins at the ground stand still


#: Plays, scrubs, traces and turns, then writes what it saw into the title.
PROBE = """<script>
const wrong = [];
addEventListener("error", event => wrong.push(event.message));
addEventListener("load", () => {
  const pen = canvas.getContext("2d");
  const pixels = () => [...pen.getImageData(0, 0, canvas.width, canvas.height).data];
  const ink = () => pixels().filter((x, k) => k % 4 === 3 && x).length;
  const picture = () => canvas.toDataURL();
  toggle(false); slider.value = 0; slider.dispatchEvent(new Event("input"));
  const start = picture(), drawn = ink();
  slider.value = 700; slider.dispatchEvent(new Event("input"));
  const later = picture();
  trace.selectedIndex = 2; trace.dispatchEvent(new Event("change"));
  const traced = picture();
  const drag = (name, x) =>
    canvas.dispatchEvent(new PointerEvent(name, {clientX: x, clientY: 100, pointerId: 1}));
  try { drag("pointerdown", 100); } catch (error) { /* no such pointer in a test */ }
  drag("pointermove", 220);
  const turned = picture();
  play.click();
  const report = { wrong, drawn,
    moves: start !== later, traces: later !== traced, turns: traced !== turned,
    playing: play.textContent, wide: document.documentElement.scrollWidth - innerWidth,
    fetched: performance.getEntriesByType("resource").length };
  document.title = "REPORT" + JSON.stringify(report) + "END";
});
</script>"""


@pytest.mark.browser
@pytest.mark.skipif(BROWSER is None, reason="no chromium on this machine")
@pytest.mark.parametrize(("name", "width"), [("spatial-tree", 390), ("four-bar", 1200)])
def test_it_plays_scrubs_traces_and_turns(tmp_path: Path, name: str, width: int) -> None:
    page = tmp_path / "film.html"
    page.write_text(film(name).html.replace("</body>", PROBE + "</body>"))
    flags = ("--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=2000")
    done = subprocess.run(
        [str(BROWSER), *flags, f"--window-size={width},800", "--dump-dom", page.as_uri()],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    said = re.search(r"REPORT(.*?)END", done.stdout)
    assert said, done.stderr[-2000:]
    report = json.loads(said[1].replace("&quot;", '"'))
    assert report["wrong"] == []
    assert report["drawn"] > 200
    assert (report["moves"], report["traces"]) == (True, True)
    assert report["turns"] == (name == "spatial-tree")
    assert (report["playing"], report["wide"], report["fetched"]) == ("Pause", 0, 0)


SHAFT = """
name = "shaft"
dimension = 3
gravity = [0, 0, 0]
[bodies.left]
mass = 1
inertia = [1, 1, 1, 0, 0, 0]
centre = [0, 0, 1]
[bodies.right]
mass = 1
inertia = [1, 1, 1, 0, 0, 0]
centre = [0, 0, 2]
[hinges.bearing]
kind = "revolute"
parent = "ground"
child = "left"
axis = [0, 0, 1]
[hinges.shaft]
kind = "revolute"
parent = "left"
child = "right"
axis = [0, 0, 1]
spring = { stiffness = 2e8 }
"""


def mode() -> Animation:
    """Of ω² = 2 k/J = 4·10⁸: over in 0.3 ms."""
    modes = mstmm.compile(from_text(SHAFT), target="numpy").modes()
    assert modes.animate(1).title == "shaft, mode 1, zero"
    found = modes.animate(2)
    assert isinstance(found, Animation)
    return found


def test_a_mode_is_named_and_lines_that_turn_have_discs() -> None:
    found = mode()
    assert found.title == "shaft, mode 2, 3183 Hz"
    discs = {x.owner: x for x in found.figure.strokes if x.role == "wheel" and x.closed}
    assert [*discs] == ["left", "right"]
    rims = [found.figure.vertices[:, x.vertices[0]] for x in discs.values()]
    heights = [rim[:, 2] for rim in rims]
    np.testing.assert_allclose(heights, [[1.0] * 61, [2.0] * 61], atol=1e-12)
    # The spring's angle is 0.2 at most, of which each disc has half, to either side.
    turns = [np.unwrap(np.arctan2(rim[:, 1], rim[:, 0])) for rim in rims]
    left, right = (x - x[0] for x in turns)
    np.testing.assert_allclose(left, -right, atol=1e-12)
    assert float(np.abs(left).max()) == pytest.approx(0.1, rel=1e-6)
    given = data(found.html)
    np.testing.assert_allclose(given["times"], found.figure.times, rtol=1e-11)


def test_beams_bend_in_a_film_of_a_mode() -> None:
    """As their fields say, and bodies stay on their ends, turned as these are."""
    solver = mstmm.compile(from_text(spatial_frame()), algorithm="linear", target="numpy")
    modes = solver.modes(count=2)
    found = modes.animate(2, amplitude=1e-4).figure
    beams = {
        x.owner: found.vertices[:, list(x.vertices)] for x in found.strokes if x.role == "beam"
    }
    field = modes.field("beam1", np.linspace(0, np.linalg.norm([0.8, 0.3, 0.2]), 17))
    amount = 1e-4 * np.sin(2 * np.pi * found.times * modes.hertz[1])
    moved = np.multiply.outer(amount, field.motion[1, :, 3:])
    np.testing.assert_allclose(beams["beam1"] - beams["beam1"][0], moved, atol=1e-15)
    np.testing.assert_allclose(beams["beam0"][0, -1], [0, 0, 1], atol=1e-15)
    for one, other in (("beam0", "beam1"), ("beam1", "beam2")):
        np.testing.assert_allclose(beams[one][:, -1], beams[other][:, 0], atol=1e-15)
    neck, centre = (found.vertices[:, k] for k in (found.hinges["neck"], found.bodies["head"][-1]))
    np.testing.assert_allclose(neck, beams["beam2"][:, -1], atol=1e-7)
    np.testing.assert_allclose(centre, neck, atol=1e-7)
    assert np.ptp(found.vertices[:, found.bodies["head"][0]], axis=0).max() > 1e-4


def test_exact_beams_are_drawn_where_they_start() -> None:
    """In loops and in space: ends that are hinged to each other are drawn at one place."""
    for name, joints in (("portal-frame", ("corner1", "corner2")), ("spatial-frame", ("joint3",))):
        found = figure(start(mstmm.load(name)))
        at = found.vertices[0]
        ends = {x.owner: at[[x.vertices[0], x.vertices[-1]]] for x in found.strokes}
        for joint in joints:
            hinge = next(x for x in mstmm.load(name).hinges if x.name == joint)
            before, after = (ends[end.body][k] for end, k in zip(hinge.ends, (1, 0), strict=True))
            np.testing.assert_allclose(before, after, atol=1e-15)
            np.testing.assert_allclose(at[found.hinges[joint]], after, atol=1e-15)
    np.testing.assert_allclose(ends["beam3"][1], [0.8, 0.9, 0.4], atol=1e-15)


@pytest.mark.browser
@pytest.mark.skipif(BROWSER is None, reason="no chromium on this machine")
def test_a_mode_goes_on_in_a_time_that_is_seen(tmp_path: Path) -> None:
    """A period in 1.5 s, whatever the mode's: half of it in 0.75 s, and after 1.6 s it goes on."""
    asked = """<script>addEventListener("load", () => {
      const seen = [];
      t = begin; last = 0; playing = true;
      for (let stamp = 50; stamp <= 1600; stamp += 50) {
        tick(stamp);
        if (stamp === 750 || stamp === 1600) seen.push(Number(byId("time").value));
      }
      document.title = "REPORT" + JSON.stringify([...seen, playing]) + "END";
    });</script>"""
    page = tmp_path / "film.html"
    page.write_text(mode().html.replace("</body>", asked + "</body>"))
    flags = ("--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=2000")
    done = subprocess.run(
        [str(BROWSER), *flags, "--dump-dom", page.as_uri()],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    said = re.search(r"REPORT(.*?)END", done.stdout)
    assert said, done.stderr[-2000:]
    half, again, playing = json.loads(said[1])
    assert (half, again) == pytest.approx((500, 1000 / 15), abs=0.01)
    assert playing

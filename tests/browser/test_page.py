"""A report as its reader has it: it opens, answers as the command line does, and can be used by keyboard and on a phone."""

import csv
import io
import os
from pathlib import Path

import pytest

SECTIONS = ["try", "prototypes", "errors", "certainty", "size", "map", "features", "training", "made"]
WIDTHS = [1280, 390]


def check_of(browser):
    same, all_rows = map(int, browser.run("document.getElementById('check').dataset.same").split("/"))
    return same, all_rows


@pytest.mark.parametrize("name", ["digits", "wine", "moons"])
@pytest.mark.parametrize("dark", [False, True])
def test_opens_without_complaints_and_with_every_section(pages, browser, name, dark):
    browser.open(getattr(pages, name), dark=dark)
    assert browser.complaints == []
    assert [u for u in browser.requests if not u.startswith(("file:", "data:"))] == []
    for section in SECTIONS:
        assert browser.run(f"document.getElementById('{section}').getBoundingClientRect().height") > 40, section
    # Every figure has a text alternative and its numbers.
    assert browser.run("[...document.querySelectorAll('svg.figure')].every(s => s.getAttribute('aria-label'))")
    assert browser.run("[...document.querySelectorAll('figure.plate')].every(f => f.querySelectorAll('details tr').length > 1)")
    assert browser.run("[...document.images].every(i => i.alt && i.complete && i.naturalWidth > 0)")


@pytest.mark.parametrize("settings", [
    ["-m", "npc", "--per-class", 3, "--epochs", 5, "--deskew"],
    ["-m", "npc", "--per-class", 3, "--epochs", 5, "--pca", 20, "--metric", "linear", "--precision", "f64"],
    ["-m", "lpd", "--epochs", 3],
    ["-m", "lgmlvq", "--epochs", 3, "--rule", "soft"],
    ["-m", "grlvq", "--epochs", 3],
    ["-m", "pnn", "--draws", 2000, "--rounds", 2],
    ["-m", "epnn", "--draws", 2000, "--learners", 3],
    ["-m", "npc", "--hog", "--per-class", 3, "--epochs", 3],
    ["-m", "npc", "--members", 2, "--per-class", 4, "--metric", "linear", "--epochs", 3],
    ["-m", "kmeans", "--per-class", 5, "--rule", "3-np", "--unit"],
], ids=lambda s: f"{s[1]}-{s[-2]}-{s[-1]}")
def test_answers_are_those_of_the_command_line(pages, browser, settings):
    browser.open(pages.page("any", "test.csv", *settings, train="train.csv"))
    same, rows = check_of(browser)
    assert same == rows and rows >= 500
    assert browser.complaints == []


def test_a_drawing_is_answered_as_the_command_line_answers_its_pixels(pages, browser):
    browser.open(pages.digits)
    browser.run("document.getElementById('draw').scrollIntoView({block: 'center'}); document.getElementById('clear').click()")
    box = browser.run("(({x, y, width, height}) => [x, y, width, height])(document.getElementById('draw').getBoundingClientRect())")
    at = lambda u, v: (box[0] + u * box[2], box[1] + v * box[3])
    drawings = [
        [[at(0.5, 0.05 + 0.1 * k) for k in range(10)]],
        [[at(0.25, 0.1), at(0.5, 0.1), at(0.75, 0.1), at(0.65, 0.4), at(0.5, 0.7), at(0.4, 0.95)]],
        [[at(0.5, 0.1), at(0.3, 0.3), at(0.3, 0.7), at(0.5, 0.9), at(0.7, 0.7), at(0.7, 0.3), at(0.5, 0.1)]],
    ]
    answers = []
    for strokes in drawings:
        browser.run("document.getElementById('clear').click()")
        browser.settle()
        for stroke in strokes:
            browser.stroke(stroke)
        pixels = browser.run("protea.sample()")
        assert max(pixels) > 8, "nothing was drawn"
        answers.append((browser.run("document.getElementById('answer').dataset.class"), pixels))
    rows = "\n".join(",".join(map(str, pixels)) for _, pixels in answers) + "\n"
    (pages.folder / "drawn.csv").write_text(rows)
    said = [row["label"] for row in csv.DictReader(io.StringIO(pages.protea("predict", "digits.model", "drawn.csv", "--header", "no")))]
    assert [answer for answer, _ in answers] == said
    # An answer that never changed could agree by accident.
    assert len(set(said)) > 1
    assert browser.complaints == []


def test_prototypes_are_filtered_and_shown_before_learning(pages, browser):
    browser.open(pages.digits)
    shown = "[...document.querySelectorAll('.proto')].filter(e => !e.hidden)"
    assert browser.run(f"{shown}.length") == 40
    browser.run("document.getElementById('filter').focus()")
    browser.press("ArrowDown")
    if browser.run("document.getElementById('filter').value") == "":
        browser.press("Enter")
    assert browser.run("document.getElementById('filter').value") == "0"
    assert browser.run(f"{shown}.length") == 4
    assert browser.run(f"{shown}.every(e => e.querySelector('b').textContent === 'digit0')")
    assert browser.run("document.getElementById('count').textContent") == "4 of 40 shown"
    pictures = "[...document.querySelectorAll('.proto:not([hidden]) img:not([hidden])')].map(i => i.src)"
    after = browser.run(pictures)
    browser.run("document.getElementById('before').focus()")
    browser.press(" ", " ")
    before = browser.run(pictures)
    assert len(before) == 4 and set(before).isdisjoint(after)


def test_errors_are_shown_with_what_misled(pages, browser):
    browser.open(pages.digits)
    shown = browser.run("[...document.querySelectorAll('.mistakes li')].map(e => [...e.querySelectorAll('b')].map(b => b.textContent))")
    assert shown and all(truth != answer for truth, answer in shown)
    wrong = browser.run("[...document.querySelectorAll('#errors svg rect.wrong')].length")
    assert len(set(map(tuple, shown))) <= wrong


def test_the_mesh_and_exact_regions_are_there(pages, browser):
    browser.open(pages.moons)
    assert browser.run("document.querySelectorAll('#figure-mesh rect').length") == 11 * 12
    assert "exact borders" in browser.run("document.querySelector('#figure-map figcaption').textContent")
    # Every class has one region, made of the cells of its prototypes.
    assert browser.run("document.querySelectorAll('#figure-map .region').length") == 2


def test_the_page_of_a_comparison(pages, browser):
    for width in WIDTHS:
        browser.open(pages.methods, width=width)
        assert browser.complaints == []
        assert [u for u in browser.requests if not u.startswith(("file:", "data:"))] == []
        assert browser.run("document.documentElement.scrollWidth") <= width
        keep(browser, f"methods-{width}")
    assert browser.run("document.querySelectorAll('#charts svg').length") == 2
    names = ["kmeans 1", "kmeans 3", "npc 1", "npc 3", "knn"]
    rows = browser.run("[...document.querySelectorAll('#table tbody tr')].map(r => r.cells[0].textContent)")
    assert sorted(rows) == sorted(names)
    # The front is drawn from the smallest to the most accurate.
    assert browser.run("[...document.querySelectorAll('#charts path.line')].every(p => p.getAttribute('d').length > 5)")


def test_sections_are_reached_by_keyboard(pages, browser):
    browser.open(pages.digits)
    browser.press("Tab")
    assert browser.run("document.activeElement.className") == "skip"
    seen = []
    for _ in range(60):
        browser.press("Tab")
        seen.append(browser.run("document.activeElement.id || document.activeElement.getAttribute('href') || document.activeElement.tagName"))
    for wanted in ["#errors", "row", "next", "draw", "clear", "filter", "before", "SUMMARY"]:
        assert wanted in seen, wanted
    browser.run("document.querySelector('#errors summary').focus()")
    browser.press("Enter", "\r")
    assert browser.run("document.querySelector('#errors details').open")


def test_the_page_says_when_it_is_ready(pages, browser):
    browser.open(pages.digits)
    ready = browser.run("performance.getEntriesByName('ready')[0].startTime")
    print(f"ready after {ready:.0f} ms")
    assert ready > 0


def test_the_canvas_can_be_drawn_on_by_keyboard(pages, browser):
    browser.open(pages.digits)
    browser.run("document.getElementById('draw').focus()")
    browser.press("Delete")
    assert set(browser.run("protea.sample()")) == {0}
    browser.press(" ")
    assert max(browser.run("protea.sample()")) > 8


def test_sliders_move_the_answer_by_keyboard(pages, browser):
    browser.open(pages.wine)
    before = browser.run("protea.sample()[12]")
    browser.run("document.querySelectorAll('#sliders input')[12].focus()")
    browser.press("ArrowRight")
    after = browser.run("protea.sample()")
    assert after[12] > before
    said = browser.run("document.getElementById('answer').dataset.class")
    assert said == browser.run("protea.classify(protea.sample())")
    names = browser.run("protea.model.doc.features")
    (pages.folder / "one.csv").write_text(",".join(names) + "\n" + ",".join(map(str, after)) + "\n")
    assert said == pages.protea("predict", "wine.model", "one.csv").split()[1]


def keep(browser, name):
    """Takes a picture of the whole page, and saves it in the folder that PROTEA_SCREENSHOTS names."""
    picture = browser.screenshot()
    assert picture.startswith(b"\x89PNG") and len(picture) > 20_000
    if folder := os.environ.get("PROTEA_SCREENSHOTS"):
        (Path(folder) / f"{name}.png").write_bytes(picture)


@pytest.mark.parametrize("name", ["digits", "wine", "moons"])
@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_fits_its_window(pages, browser, name, width):
    browser.open(getattr(pages, name), width=width)
    assert browser.run("document.documentElement.scrollWidth") <= width
    keep(browser, f"{name}-{width}")


CONTRAST = """(() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const worst = [];
  for (const e of document.querySelectorAll('h1, h2, h3, p, li b, li span, td, th, figcaption, summary, a, label, button, select, svg text')) {
    const style = getComputedStyle(e), ink = e.closest('svg') ? style.fill : style.color;
    const layers = [];
    for (let n = e; n; n = n.parentElement) layers.unshift(getComputedStyle(n).backgroundColor);
    // Counts of a reliability diagram stand on their bars.
    if (e.classList.contains('on')) layers.push(getComputedStyle(e.previousElementSibling).fill);
    const pixel = colours => {
      canvas.fillStyle = getComputedStyle(document.documentElement).colorScheme.includes('dark') && DARK ? '#121212' : '#fff';
      canvas.fillRect(0, 0, 1, 1);
      for (const c of colours) { canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1); }
      return canvas.getImageData(0, 0, 1, 1).data;
    };
    const [a, b] = [light(pixel([...layers, ink])), light(pixel(layers))].sort((x, y) => y - x);
    worst.push([(a + 0.05) / (b + 0.05), e.tagName + ' ' + e.textContent.slice(0, 30)]);
  }
  return worst.sort((x, y) => x[0] - y[0])[0];
})()"""


@pytest.mark.parametrize("name", ["digits", "wine"])
@pytest.mark.parametrize("dark", [False, True])
def test_text_has_enough_contrast(pages, browser, name, dark):
    browser.open(getattr(pages, name), dark=dark)
    ratio, where = browser.run(CONTRAST.replace("DARK", "true" if dark else "false"))
    # WCAG 2.2, level AA for text of any size.
    assert ratio >= 4.5, where

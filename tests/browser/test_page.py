"""A report as its reader has it: it opens, answers as the command line does, and can be used by keyboard and on a phone."""

import csv
import io
import os
from pathlib import Path

import pytest

from conftest import PENGUINS

SECTIONS = ["try", "data", "prototypes", "errors", "certainty", "size", "map", "features", "training", "made"]
WIDTHS = [1280, 390]


def check_of(browser):
    same, all_rows = map(int, browser.run("document.getElementById('check').dataset.same").split("/"))
    return same, all_rows


@pytest.mark.parametrize("name", ["digits", "wine", "moons", "penguins"])
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


@pytest.mark.parametrize("name", ["digits", "wine", "moons", "penguins"])
@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_fits_its_window(pages, browser, name, width):
    browser.open(getattr(pages, name), width=width)
    assert browser.run("document.documentElement.scrollWidth") <= width
    keep(browser, f"{name}-{width}")


def test_the_page_runs_no_script_and_applies_no_style_but_its_own(pages, browser):
    browser.open(pages.penguins)
    assert "unsafe" not in browser.run("document.querySelector('meta[http-equiv]').content")
    browser.run("""for (const [tag, text] of [['script', 'window.hasRun = true'], ['style', 'h1 { position: fixed }']]) {
      const e = document.createElement(tag); e.textContent = text; document.head.append(e); }
      document.body.insertAdjacentHTML('beforeend', '<p id="foreign" style="position:fixed" onclick="window.hasRun = true">x</p>');
      document.getElementById('foreign').click()""")
    browser.settle()
    assert not browser.run("!!window.hasRun")
    assert browser.run("['h1', '#foreign'].map(s => getComputedStyle(document.querySelector(s)).position)") == ["static"] * 2
    assert len([c for c in browser.complaints if "Content Security Policy" in c]) >= 3


# Pairs of labels of a chart that lie over each other.
OVERLAPS = """[...document.querySelectorAll('svg.chart')].flatMap(svg => {
  const texts = [...svg.querySelectorAll('.tick, .title')].map(e => [e.textContent, e.getBoundingClientRect()]);
  const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.5;
  return texts.flatMap(([s, a], i) => texts.slice(i + 1).filter(([, b]) => over(a, b)).map(([t]) => s + ' | ' + t));
})"""


@pytest.mark.parametrize("name", ["digits", "wine", "moons", "penguins", "methods"])
@pytest.mark.parametrize("width", WIDTHS)
def test_labels_of_charts_do_not_overlap(pages, browser, name, width):
    browser.open(getattr(pages, name), width=width)
    assert browser.run("document.querySelectorAll('svg.chart .tick').length") > 8
    assert browser.run(OVERLAPS) == []


# Words that are broken into lines inside.
BROKEN = """[...document.querySelectorAll('h1, #sliders span, th, .reasons td, .tiles span')].flatMap(e => {
  const walk = document.createTreeWalker(e, NodeFilter.SHOW_TEXT), broken = [];
  for (let node = walk.nextNode(); node; node = walk.nextNode())
    for (const word of node.textContent.matchAll(/[\\p{L}\\p{N}]+/gu)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map(r => Math.round(r.top))).size > 1) broken.push(word[0]);
    }
  return broken;
})"""


@pytest.mark.parametrize("name", ["wine", "moons", "penguins"])
@pytest.mark.parametrize("width", WIDTHS)
def test_names_are_not_broken_inside_words(pages, browser, name, width):
    browser.open(getattr(pages, name), width=width)
    assert browser.run(BROKEN) == []
    # The check itself: a narrow box that may be broken anywhere is found.
    browser.run("const h = document.querySelector('h1'); h.style.cssText = 'width:2rem;overflow-wrap:anywhere'")
    assert browser.run(BROKEN) != []


def test_a_category_is_a_choice(pages, browser):
    browser.open(pages.penguins)
    names = browser.run("[...document.querySelectorAll('#sliders label')].map(l => [l.querySelector('span').textContent, l.children[1].tagName])")
    assert ["island", "SELECT"] in names and ["sex", "SELECT"] in names and ["bill_length_mm", "INPUT"] in names
    assert not [name for name, _ in names if "=" in name]
    features = browser.run("protea.model.doc.features")
    at = [f for f, name in enumerate(features) if name.startswith("island=")]
    browser.run("document.querySelector('#sliders select').focus()")
    for level in range(len(at)):
        browser.run(f"(s => {{ s.value = '{level}'; s.dispatchEvent(new Event('change')); }})(document.querySelector('#sliders select'))")
        browser.settle()
        sample = browser.run("protea.sample()")
        # A penguin is on one island.
        assert [sample[f] for f in at] == [float(k == level) for k in range(len(at))]
    assert browser.run("document.getElementById('answer').dataset.class") == browser.run("protea.classify(protea.sample())")
    shown = browser.run("[...document.querySelectorAll('.reasons td:first-child')].map(c => c.textContent)")
    assert shown and set(shown) <= {name for name, _ in names}
    assert browser.complaints == []


def test_misclassified_rows_are_listed_and_can_be_tried(pages, browser):
    browser.open(pages.penguins)
    # The title has the name of the file, not the folder that it is in.
    assert browser.run("document.querySelector('h1').textContent") == "npc on penguins.csv"
    rows = browser.run("[...document.querySelectorAll('#wrong tbody tr')].map(r => [...r.cells].slice(0, 3).map(c => c.textContent))")
    lines = list(csv.DictReader(io.StringIO(pages.protea("predict", "penguins.model", PENGUINS))))
    truth = list(csv.DictReader(PENGUINS.open()))
    wrong = {i + 1 for i, (a, b) in enumerate(zip(lines, truth)) if a["label"] != b["species"]}
    assert rows and {int(number) for number, _, _ in rows} == wrong
    number, species, answer = rows[0]
    browser.run("document.querySelector('#wrong button').click()")
    browser.settle()
    assert browser.run("document.getElementById('row').value") == number
    assert species in browser.run("document.getElementById('truth').textContent")
    assert browser.run("document.getElementById('answer').dataset.class") == answer


@pytest.mark.parametrize("name", ["digits", "wine", "penguins", "methods"])
def test_what_is_cut_off_says_so(pages, browser, name):
    browser.open(getattr(pages, name), width=390)
    browser.run("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    browser.settle()
    # Every box that scrolls: whether something is to the right, below, and what its hint says.
    boxes = """[...document.querySelectorAll('main *')].filter(b => /auto|scroll|hidden/.test(getComputedStyle(b).overflowX) && !b.closest('svg, .strip'))
      .filter(b => !['SELECT', 'INPUT', 'CANVAS', 'IMG'].includes(b.tagName))
      .map(b => [b.scrollLeft + b.clientWidth < b.scrollWidth - 1, b.scrollTop + b.clientHeight < b.scrollHeight - 1,
        b.previousElementSibling.className === 'more' && !b.previousElementSibling.hidden ? b.previousElementSibling.textContent : ''])"""
    seen = browser.run(boxes)
    assert any(right or down for right, down, _ in seen)
    for right, down, hint in seen:
        assert right == ("→" in hint) and down == ("↓" in hint), seen
    # At the other end the hint points back.
    browser.run("document.querySelectorAll('.wide, .cards, #sliders').forEach(b => b.scrollTo(b.scrollWidth, b.scrollHeight))")
    browser.settle()
    after = browser.run(boxes)
    assert [hint.translate(str.maketrans("→↓", "←↑")) for _, _, hint in seen] == [hint for _, _, hint in after]


def test_the_reliability_diagram_gives_a_verdict(pages, browser):
    browser.open(pages.digits)
    said = browser.run("document.querySelector('#figure-reliability figcaption').textContent")
    assert said.startswith(("The model is over-confident", "The model is under-confident", "The model is about as sure"))
    cells = browser.run("[...document.querySelectorAll('#figure-reliability details tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
    # Errors of all ranges are those of the sentence.
    errors = sum(int(row[5]) for row in cells)
    assert f"with {errors} errors where its claims allow for" in said


CONTRAST = """(() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const worst = [];
  for (const e of document.querySelectorAll('h1, h2, h3, p, li b, li span, td, th, figcaption, summary, a, label, button, select, svg text')) {
    const style = getComputedStyle(e), ink = e.closest('svg') ? style.fill : style.color;
    const layers = [];
    for (let n = e; n; n = n.parentElement) layers.unshift(getComputedStyle(n).backgroundColor);
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


@pytest.mark.parametrize("name", ["digits", "wine", "penguins"])
@pytest.mark.parametrize("dark", [False, True])
def test_text_has_enough_contrast(pages, browser, name, dark):
    browser.open(getattr(pages, name), dark=dark)
    ratio, where = browser.run(CONTRAST.replace("DARK", "true" if dark else "false"))
    # WCAG 2.2, level AA for text of any size.
    assert ratio >= 4.5, where

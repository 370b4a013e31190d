"use strict";
(() => {
  const id = name => document.getElementById(name), make = (tag, text) => {
    const e = document.createElement(tag);
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const percent = v => v > 0.999 ? "more than 99.9 %" : (100 * v).toFixed(1) + " %";

  // Prototypes: by class, sorted, before and after learning.
  const list = document.querySelector("#prototypes .cards, #prototypes tbody");
  const filter = () => {
    const wanted = id("filter").value, all = list ? Array.from(list.children) : [];
    all.forEach(e => { e.hidden = wanted !== "" && e.dataset.class !== wanted; });
    id("count").textContent = all.filter(e => !e.hidden).length + " of " + id("count").dataset.all + " shown";
  };
  if (id("filter")) { id("filter").addEventListener("change", filter); filter(); }
  if (id("before")) id("before").addEventListener("click", () => {
    const old = id("before").getAttribute("aria-pressed") !== "true";
    id("before").setAttribute("aria-pressed", old);
    document.querySelectorAll("#prototypes .after").forEach(e => { e.hidden = old; });
    document.querySelectorAll("#prototypes .before").forEach(e => { e.hidden = !old; });
  });

  if (!id("model")) return;
  const model = readModel(JSON.parse(id("model").textContent)), doc = model.doc;
  // Test samples that the page carries, to try and to check its answers by.
  const samples = model.numbers(doc.check.x), features = doc.features.length;
  const sample = i => samples.subarray(i * features, (i + 1) * features);
  const x = Float64Array.from(sample(0)), size = doc.image, classes = doc.classes;
  const low = Math.min(...doc.low), high = Math.max(...doc.high);

  // Grey picture of values with `dark` as black and `light` as white.
  const paint = (canvas, values, dark, light) => {
    canvas.width = size[0]; canvas.height = size[1];
    const context = canvas.getContext("2d"), picture = context.createImageData(size[0], size[1]);
    values.forEach((v, i) => {
      const grey = Math.max(0, Math.min(255, 255 * (v - dark) / (light - dark)));
      picture.data.set([grey, grey, grey, 255], 4 * i);
    });
    context.putImageData(picture, 0, 0);
  };
  const portrait = j => {
    const box = make("figure"), known = id("p" + j), image = known && known.querySelector("img.after");
    if (image) { const copy = image.cloneNode(); copy.hidden = false; box.append(copy); }
    box.append(make("figcaption", "prototype " + j + ", " + classes[model.labels[j]]));
    return box;
  };
  const number = v => String(+v.toPrecision(4));
  // What speaks for the answer: a picture of pixels, or the features that add most beside those of both prototypes.
  const pixels = lead => {
    const canvas = make("canvas"), top = lead.reduce((m, v) => Math.max(m, Math.abs(v)), 1e-300), figure = make("figure");
    paint(canvas, lead, -top, top);
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "pixels that speak for the answer, light, and against it, dark");
    figure.append(canvas, make("figcaption", "light pixels speak for the answer, dark ones against it"));
    return figure;
  };
  const row = (cells, tag) => {
    const line = make("tr");
    line.append(...cells.map(c => { const cell = make(tag); cell.append(c); return cell; }));
    return line;
  };
  // A name that is broken into lines after its punctuation or before a capital, not inside a word.
  const named = text => {
    const span = make("span"), parts = text.split(/(?<=[_=.\/\\\-:,;|+])(?![_=.\/\\\-:,;|+\s])|(?<=\p{Ll})(?=\p{Lu})/u);
    parts.forEach((part, i) => { if (i) span.append(make("wbr")); span.append(part); });
    return span;
  };
  // What a row has in a column: a number, or the level or levels of a category.
  const value = (c, row) => {
    if (!c.levels) return number(row[c.at]);
    const order = Array.from(c.levels.keys()).sort((a, b) => row[c.at + b] - row[c.at + a]), own = k => row[c.at + k];
    if (!order.length || own(order[0]) === 0) return "none of the known";
    if (Math.abs(own(order[0]) - 1) < 0.005) return c.levels[order[0]];
    return order.filter(k => own(k) >= 0.05).slice(0, 2).map(k => c.levels[k] + " " + own(k).toFixed(2)).join(", ");
  };
  const decisive = e => {
    const lead = doc.columns.map(c => e.lead.subarray(c.at, c.at + (c.levels ? c.levels.length : 1)).reduce((a, v) => a + v, 0));
    const order = Array.from(lead.keys()).sort((a, b) => Math.abs(lead[b]) - Math.abs(lead[a])).slice(0, 6);
    const most = Math.abs(lead[order[0]]) || 1, near = model.shown(e.winner), far = model.shown(e.rival);
    const table = make("table"), head = make("thead"), body = make("tbody"), box = make("div");
    const name = j => "prototype " + j + ", " + classes[model.labels[j]];
    head.append(row(["feature", "sample", name(e.winner), name(e.rival), "speaks"], "th"));
    order.forEach(k => {
      const cell = make("span", lead[k] < 0 ? "against " : "for "), bar = make("i"), column = doc.columns[k];
      bar.style.width = 3 * Math.abs(lead[k]) / most + "rem";
      bar.className = lead[k] < 0 ? "against" : "for";
      cell.append(bar);
      body.append(row([named(column.name), value(column, x), value(column, near), value(column, far), cell], "td"));
    });
    table.append(head, body);
    table.className = "reasons";
    box.className = "wide";
    box.append(table);
    return box;
  };
  let waiting = false;
  const answer = () => {
    waiting = false;
    const e = model.explain(x), out = id("answer");
    out.dataset.class = classes[e.answer];
    const says = make("p");
    says.className = "says";
    says.append("The answer is ", make("strong", classes[e.answer]), ", with " + percent(e.sure) + " confidence.");
    out.replaceChildren(says);
    const name = c => classes[model.labels[c]], pair = make("div");
    pair.className = "pair";
    if (size) { pair.append(portrait(e.winner)); out.append(pair); }
    if (e.rival < 0) return;
    const times = e.near > 0 ? (e.far / e.near).toFixed(2) + " times as far away" : "further away";
    const turn = e.turn === null ? "" : " Moved " + percent(e.turn) + " of the way to that prototype, the answer would change.";
    if (size) {
      pair.append(portrait(e.rival));
      if (e.lead) pair.append(pixels(e.lead));
      out.append(make("p", "First: the closest prototype of that class. Second: the runner-up of another class, " + name(e.rival) + ", " + times + "." + turn));
      return;
    }
    out.append(make("p", "The closest prototype of that class is number " + e.winner + "; the runner-up of another class, number " + e.rival +
      " of " + name(e.rival) + ", is " + times + "." + turn));
    if (!e.lead) return;
    const table = decisive(e);
    out.append(table);
    watchWide(table);
  };
  const ask = () => { if (!waiting) { waiting = true; requestAnimationFrame(answer); } };

  // Images are drawn on, tables have a control for each column.
  let show = () => {};
  if (size) {
    const canvas = id("draw"), cursor = [size[0] >> 1, size[1] >> 1];
    const background = model.doc.plan.ops.reduce((b, s) => s.op === "deskew" ? s.background : b, low);
    show = () => paint(canvas, x, low, high);
    const stamp = (cx, cy) => {
      const reach = Math.max(1, size[0] / 20);
      for (let b = 0; b < size[1]; b++) for (let a = 0; a < size[0]; a++) {
        const ink = Math.max(0, Math.min(1, 1.5 - Math.hypot(a + 0.5 - cx, b + 0.5 - cy) / reach));
        const i = b * size[0] + a;
        // Whole numbers stay whole, so that a file of them holds the same picture.
        const v = background + ink * (high - background), whole = high - background > 2 ? Math.round(v) : v;
        if (whole > x[i]) x[i] = whole;
      }
    };
    let last = null;
    const at = e => {
      const box = canvas.getBoundingClientRect();
      return [(e.clientX - box.left) / box.width * size[0], (e.clientY - box.top) / box.height * size[1]];
    };
    const draw = e => {
      const to = at(e), from = last || to, n = Math.ceil(2 * Math.hypot(to[0] - from[0], to[1] - from[1])) || 1;
      for (let k = 1; k <= n; k++) stamp(from[0] + (to[0] - from[0]) * k / n, from[1] + (to[1] - from[1]) * k / n);
      last = to; show(); ask();
    };
    canvas.addEventListener("pointerdown", e => { canvas.setPointerCapture(e.pointerId); last = null; draw(e); });
    canvas.addEventListener("pointermove", e => { if (e.buttons & 1) draw(e); });
    canvas.addEventListener("pointerup", () => { last = null; });
    const clear = () => { x.fill(background); show(); ask(); };
    id("clear").addEventListener("click", clear);
    canvas.addEventListener("keydown", e => {
      const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
      if (move) { cursor[0] = Math.max(0, Math.min(size[0], cursor[0] + move[0])); cursor[1] = Math.max(0, Math.min(size[1], cursor[1] + move[1])); }
      if (move || e.key === " ") {
        e.preventDefault();
        if (e.key === " " || e.shiftKey) stamp(cursor[0], cursor[1]);
        show(); ask();
        const context = canvas.getContext("2d");
        context.fillStyle = "#e33";
        context.fillRect(cursor[0] - 0.5, cursor[1] - 0.5, 1, 1);
      }
      if (e.key === "Delete" || e.key === "Backspace") { e.preventDefault(); clear(); }
    });
  } else {
    // A slider for each number and a box of choices for each category; `set` shows the sample.
    const slider = c => {
      const input = make("input"), shown = make("output");
      input.type = "range"; input.min = doc.low[c.at]; input.max = doc.high[c.at]; input.step = c.whole ? "1" : "any";
      input.addEventListener("input", () => { x[c.at] = +input.value; shown.textContent = number(+input.value); ask(); });
      return { parts: [input, shown], set: () => { input.value = x[c.at]; shown.textContent = number(x[c.at]); } };
    };
    const choice = c => {
      const input = make("select"), none = make("option", "none of the known");
      none.value = -1;
      c.levels.forEach((level, k) => { const option = make("option", level); option.value = k; input.append(option); });
      input.append(none);
      input.addEventListener("change", () => { c.levels.forEach((_, k) => { x[c.at + k] = +(k === +input.value); }); ask(); });
      const set = () => { input.value = c.levels.findIndex((_, k) => x[c.at + k] === 1); none.hidden = input.value !== "-1"; };
      return { parts: [input], set };
    };
    const controls = doc.columns.map(c => {
      const label = make("label"), control = c.levels ? choice(c) : slider(c);
      label.append(named(c.name), ...control.parts);
      id("sliders").append(label);
      return control;
    });
    show = () => controls.forEach(c => c.set());
  }
  // Samples go by their numbers in the test data, of which the page may carry only some.
  const wanted = id("row"), rows = doc.check.row;
  const load = () => {
    const from = rows.findIndex(row => row + 1 >= +wanted.value), i = from < 0 ? rows.length - 1 : from;
    wanted.value = rows[i] + 1;
    x.set(sample(i));
    id("truth").textContent = "This sample is of class " + classes[doc.check.truth[i]] + ".";
    show(); ask();
  };
  wanted.max = rows[rows.length - 1] + 1;
  wanted.addEventListener("change", load);
  id("next").addEventListener("click", () => {
    wanted.value = +wanted.value > rows[rows.length - 1] ? 1 : +wanted.value + 1;
    load();
  });
  document.querySelectorAll("button[data-sample]").forEach(button => button.addEventListener("click", () => {
    wanted.value = button.dataset.sample;
    load();
    id("try").scrollIntoView();
  }));
  load();
  performance.mark("ready");
  // For scripts and tests: the sample that is shown, and what the page answers to any other.
  window.protea = { sample: () => Array.from(x), classify: v => classes[model.classify(v)], model };
  setTimeout(() => {
    const right = doc.check.answer.reduce((n, answer, i) => n + (model.classify(sample(i)) === answer), 0);
    const all = doc.check.answer.length;
    id("check").textContent = right === all
      ? "Checked: the page gives the command line's answer to all " + all + " test samples it carries."
      : "Careful: the page gives the command line's answer to " + right + " of the " + all + " test samples it carries.";
    id("check").dataset.same = right + "/" + all;
  }, 50);
})();

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
    id("count").textContent = all.filter(e => !e.hidden).length + " of " + all.length + " shown";
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
  const x = Float64Array.from(model.sample(0)), size = doc.image, classes = doc.classes;
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
  const reasons = lead => {
    const box = make("div");
    if (!lead) return box;
    if (size) {
      const canvas = make("canvas"), top = Math.max(...lead.map(Math.abs), 1e-300);
      paint(canvas, lead, -top, top);
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", "pixels that speak for the answer, light, and against it, dark");
      const figure = make("figure");
      figure.append(canvas, make("figcaption", "light pixels speak for the answer, dark ones against it"));
      box.append(figure);
      return box;
    }
    const order = Array.from(lead.keys()).sort((a, b) => Math.abs(lead[b]) - Math.abs(lead[a])).slice(0, 6);
    const total = lead.reduce((a, b) => a + Math.abs(b), 0) || 1, items = make("ul");
    items.className = "reasons";
    order.forEach(f => {
      const item = make("li", doc.features[f] + " " + (lead[f] < 0 ? "speaks against it" : "speaks for it"));
      const bar = make("i");
      bar.style.width = 100 * Math.abs(lead[f]) / total + "%";
      bar.className = lead[f] < 0 ? "against" : "for";
      item.append(bar);
      items.append(item);
    });
    box.append(items);
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
    const pair = make("div");
    pair.className = "pair";
    pair.append(portrait(e.winner));
    out.replaceChildren(says, pair);
    if (e.rival >= 0) {
      pair.append(portrait(e.rival));
      const times = e.near > 0 ? (e.far / e.near).toFixed(2) + " times as far away" : "further away";
      const other = classes[model.labels[e.rival]];
      const turn = e.turn === null ? "" : " Moved " + percent(e.turn) + " of the way to that prototype, the answer would change.";
      out.append(make("p", "Left: the closest prototype of that class. Right: the runner-up of another class, " + other + ", " + times + "." + turn));
    }
    out.append(reasons(e.lead));
  };
  const ask = () => { if (!waiting) { waiting = true; requestAnimationFrame(answer); } };

  // Images are drawn on, tables have a slider for each feature.
  let show = () => {};
  if (size) {
    const canvas = id("draw"), cursor = [size[0] >> 1, size[1] >> 1];
    const background = model.doc.steps.reduce((b, s) => s.kind === "deskew" ? s.background : b, low);
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
    const box = id("sliders"), inputs = [];
    doc.features.forEach((name, f) => {
      const label = make("label"), input = make("input"), value = make("output");
      input.type = "range"; input.min = doc.low[f]; input.max = doc.high[f]; input.step = "any";
      input.addEventListener("input", () => { x[f] = +input.value; value.textContent = +(+input.value).toPrecision(4); ask(); });
      label.append(make("span", name), input, value);
      box.append(label);
      inputs.push([input, value]);
    });
    show = () => inputs.forEach(([input, value], f) => { input.value = x[f]; value.textContent = +x[f].toPrecision(4); });
  }
  const row = id("row");
  const load = () => {
    const i = Math.max(0, Math.min(doc.check.answer.length - 1, Math.round(+row.value - 1) || 0));
    x.set(model.sample(i));
    id("truth").textContent = "This sample is of class " + classes[doc.check.truth[i]] + ".";
    show(); ask();
  };
  row.max = doc.check.answer.length;
  row.addEventListener("change", load);
  id("next").addEventListener("click", () => { row.value = +row.value % doc.check.answer.length + 1; load(); });
  load();
  // For scripts and tests: the sample that is shown, and what the page answers to any other.
  window.protea = { sample: () => Array.from(x), classify: v => classes[model.classify(v)], model };
  setTimeout(() => {
    const right = model.check(), all = doc.check.answer.length;
    id("check").textContent = right === all
      ? "Checked: the page gives the command line's answer to all " + all + " test samples it carries."
      : "Careful: the page gives the command line's answer to " + right + " of the " + all + " test samples it carries.";
    id("check").dataset.same = right + "/" + all;
  }, 50);
})();

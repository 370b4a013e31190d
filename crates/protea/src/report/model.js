"use strict";
// The model of this page: preprocessing, distances, decision, as `protea predict` has them.
function readModel(doc) {
  const numbers = text => {
    const raw = atob(text), bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    return doc.type === "f64" ? new Float64Array(bytes.buffer) : new Float32Array(bytes.buffer);
  };
  const dim = doc.dim, labels = doc.labels, m = labels.length, classes = doc.classes.length;
  const p = numbers(doc.prototypes), w = numbers(doc.metric.values), kind = doc.metric.kind;
  const steps = doc.steps.map(s => {
    const step = { ...s };
    for (const name of ["centre", "factor", "matrix", "inverse"]) if (s[name]) step[name] = numbers(s[name]);
    return step;
  });
  const checkX = numbers(doc.check.x), features = doc.features.length;

  // A x for a matrix of rows of length x.length, from `at` on.
  const times = (a, x, at = 0, rows = (a.length - at) / x.length) => {
    const out = new Float64Array(rows);
    for (let i = 0; i < rows; i++) {
      let sum = 0;
      for (let f = 0, k = at + i * x.length; f < x.length; f++, k++) sum += a[k] * x[f];
      out[i] = sum;
    }
    return out;
  };
  // Aᵀ v for the same.
  const transposed = (a, v, columns, at = 0) => {
    const out = new Float64Array(columns);
    for (let i = 0; i < v.length; i++)
      for (let f = 0, k = at + i * columns; f < columns; f++, k++) out[f] += a[k] * v[i];
    return out;
  };
  const deskew = (s, x) => {
    const { width, height, background } = s, image = Float64Array.from(x, v => v - background);
    let mass = 0, mx = 0, my = 0;
    image.forEach((v, i) => { mass += v; mx += v * (i % width); my += v * Math.floor(i / width); });
    if (mass <= 0) return x;
    mx /= mass; my /= mass;
    let vary = 0, cov = 0;
    image.forEach((v, i) => {
      const dx = i % width - mx, dy = Math.floor(i / width) - my;
      vary += v * dy * dy; cov += v * dx * dy;
    });
    const shear = vary / mass > 1e-9 ? cov / vary : 0, cx = (width - 1) / 2, cy = (height - 1) / 2;
    const at = (a, b) => a >= 0 && b >= 0 && a < width && b < height ? image[b * width + a] : 0;
    return image.map((_, i) => {
      const y = Math.floor(i / width), sx = mx + (i % width - cx) + shear * (y - cy), sy = my + (y - cy);
      const a = Math.floor(sx), b = Math.floor(sy), u = sx - a, v = sy - b;
      const top = (1 - u) * at(a, b) + u * at(a + 1, b), low = (1 - u) * at(a, b + 1) + u * at(a + 1, b + 1);
      return (1 - v) * top + v * low + background;
    });
  };
  const apply = (step, x) => {
    if (step.kind === "deskew") return deskew(step, x);
    if (step.kind === "scale") return x.map((v, f) => (v - step.centre[f]) * step.factor[f]);
    if (step.kind === "linear") return times(step.matrix, x.map((v, f) => v - step.centre[f]));
    const size = Math.hypot(...x);
    return size > 0 ? x.map(v => v / size) : x;
  };
  const straighten = x => steps.filter(s => s.kind === "deskew").reduce((x, s) => apply(s, x), Float64Array.from(x));
  const prepare = x => steps.reduce((x, s) => apply(s, x), Float64Array.from(x));
  const prototype = j => Float64Array.from(p.subarray(j * dim, (j + 1) * dim));
  // Prototype j in the units of the input.
  const shown = j => steps.slice().reverse().reduce((z, s) => {
    if (s.kind === "scale") return z.map((v, f) => v / s.factor[f] + s.centre[f]);
    if (s.kind === "linear") return times(s.inverse, z).map((v, f) => v + s.centre[f]);
    return z;
  }, prototype(j));

  // Prototypes under one matrix for all of them.
  const linear = kind === "linear", rank = linear ? w.length / dim : dim;
  const images = linear ? new Float64Array(m * rank) : p;
  if (linear) for (let j = 0; j < m; j++) images.set(times(w, prototype(j)), j * rank);
  const group = j => doc.metric.ends.findIndex(end => j < end);
  const groupSize = doc.metric.ends ? w.length / doc.metric.ends.length : 0;
  const distances = z => {
    const x = linear ? times(w, z) : z, d = new Float64Array(m);
    for (let j = 0; j < m; j++) {
      let sum = 0;
      if (kind === "local-linear") {
        const delta = z.map((v, f) => v - p[j * dim + f]);
        for (const v of times(w, delta, group(j) * groupSize, groupSize / dim)) sum += v * v;
      } else {
        for (let f = 0, k = j * rank; f < rank; f++, k++) {
          const delta = (x[f] - images[k]) * (kind === "diagonal" ? w[f] : kind === "local" ? w[k] : 1);
          sum += delta * delta;
        }
      }
      d[j] = sum;
    }
    return d;
  };
  const minima = (d, from = 0, to = m) => {
    const least = new Float64Array(classes).fill(Infinity);
    for (let j = from; j < to; j++) if (d[j] < least[labels[j]]) least[labels[j]] = d[j];
    return least;
  };
  const scores = d => {
    const { weights, ends, biases } = doc.head;
    if (!ends) return Array.from(minima(d), (v, c) => -(weights[c] * v + biases[c]));
    const sums = new Float64Array(classes);
    ends.forEach((end, l) => minima(d, l ? ends[l - 1] : 0, end).forEach((v, c) => { sums[c] += v; }));
    return Array.from(sums, (v, c) => -(v / ends.length + biases[c]));
  };
  const evidence = d => {
    const least = minima(d), gamma = doc.gamma;
    if (doc.head) return scores(d).map(s => gamma * s);
    if (doc.posterior === "inverse") return Array.from(least, v => -0.5 * gamma * Math.log(Math.max(v, 2.3e-308)));
    if (doc.posterior === "nearest") return Array.from(least, v => -gamma * v);
    const sums = new Float64Array(classes);
    d.forEach((v, j) => { sums[labels[j]] += Math.exp(-gamma * (v - least[labels[j]])); });
    return Array.from(least, (v, c) => v === Infinity ? -Infinity : Math.log(sums[c]) - gamma * v);
  };
  const probabilities = d => {
    const e = evidence(d), most = Math.max(...e), q = e.map(v => Math.exp(v - most));
    const total = q.reduce((a, b) => a + b, 0);
    return q.map(v => v / total);
  };
  const largest = v => v.reduce((best, x, c) => x > v[best] ? c : best, 0);
  const decide = d => {
    const k = /^(\d+)-np$/.exec(doc.rule);
    if (!k) return largest(doc.rule === "scores" ? scores(d) : probabilities(d));
    if (+k[1] === 1) return labels[d.reduce((best, v, j) => v < d[best] ? j : best, 0)];
    const near = Array.from(d.keys()).sort((a, b) => d[a] - d[b] || a - b).slice(0, +k[1]);
    const votes = new Array(classes).fill(0);
    near.forEach(j => votes[labels[j]]++);
    const most = Math.max(...votes);
    return labels[near.find(j => votes[labels[j]] === most)];
  };
  const nearest = (d, wanted) => d.reduce((best, v, j) => wanted(j) && (best < 0 || v < d[best]) ? j : best, -1);
  // What each feature adds to the distance of prototype j.
  const contributions = (x, j) => {
    if (steps.some(s => s.kind === "unit")) return null;
    const straight = straighten(x), z = steps.filter(s => s.kind !== "deskew").reduce((x, s) => apply(s, x), straight);
    const delta = z.map((v, f) => v - p[j * dim + f]);
    let pulled = delta;
    if (kind === "diagonal") pulled = delta.map((v, f) => v * w[f] * w[f]);
    if (kind === "local") pulled = delta.map((v, f) => v * w[j * dim + f] ** 2);
    if (linear) pulled = transposed(w, times(w, delta), dim);
    if (kind === "local-linear") {
      const at = group(j) * groupSize;
      pulled = transposed(w, times(w, delta, at, groupSize / dim), dim, at);
    }
    for (const s of steps.slice().reverse()) {
      if (s.kind === "scale") pulled = pulled.map((v, f) => v * s.factor[f]);
      if (s.kind === "linear") pulled = transposed(s.matrix, pulled, s.centre.length);
    }
    const own = shown(j);
    return straight.map((v, f) => (v - own[f]) * pulled[f]);
  };
  // Share of the way to prototype `to` at which the answer changes first; none if it never does.
  const turning = (z, answer, to) => {
    const goal = prototype(to), at = t => decide(distances(z.map((v, f) => v + t * (goal[f] - v))));
    let low = 0, high = -1;
    for (let k = 1; k <= 40 && high < 0; k++) if (at(k / 40) !== answer) high = k / 40; else low = k / 40;
    if (high < 0) return null;
    for (let k = 0; k < 10; k++) { const mid = (low + high) / 2; if (at(mid) !== answer) high = mid; else low = mid; }
    return high;
  };

  const classify = x => decide(distances(prepare(x)));
  const explain = x => {
    const z = prepare(x), d = distances(z), answer = decide(d), q = probabilities(d);
    const winner = nearest(d, j => labels[j] === answer), rival = nearest(d, j => labels[j] !== answer);
    const [a, b] = rival < 0 ? [null, null] : [contributions(x, winner), contributions(x, rival)];
    return {
      answer, winner, rival, sure: q[answer], near: Math.sqrt(d[winner]), far: rival < 0 ? Infinity : Math.sqrt(d[rival]),
      lead: a && b ? a.map((v, f) => b[f] - v) : null, turn: rival < 0 ? null : turning(z, answer, rival),
    };
  };
  const sample = i => checkX.subarray(i * features, (i + 1) * features);
  const check = () => doc.check.answer.reduce((n, answer, i) => n + (classify(sample(i)) === answer), 0);
  return { doc, classify, explain, sample, check, shown, labels };
}

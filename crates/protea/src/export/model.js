// Answers of a protea model: preprocessing, distances, decision, as `protea predict` has them. No dependencies.
//
// `doc` holds type, classes, features and plan: operations in order, and the arrays that they read.
export function readModel(doc) {
  const numbers = text => {
    const raw = atob(text), bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    return doc.type === "f64" ? new Float64Array(bytes.buffer) : new Float32Array(bytes.buffer);
  };
  const plan = doc.plan, classes = doc.classes.length, features = doc.features.length;
  const arrays = plan.arrays.map(a => typeof a === "string" ? numbers(a) : a);
  // The plan in three parts: to a sample that distances are taken of, the distances, and what is made of them.
  const distanceAt = plan.ops.findIndex(o => o.op === "distance" || o.op === "matrix-distance");
  const steps = plan.ops.slice(0, distanceAt), metric = plan.ops[distanceAt], rest = plan.ops.slice(distanceAt + 1);
  const labels = arrays[rest.find(o => "labels" in o).labels], m = labels.length;
  const p = arrays[metric.prototypes], dim = p.length / m;

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
  const hog = (s, x) => {
    const { width, height, side, block, bins } = s, across = Math.floor(width / side), down = Math.floor(height / side);
    const cells = new Float64Array(across * down * bins);
    for (let r = 0; r < down * side; r++) for (let c = 0; c < across * side; c++) {
      const gx = x[r * width + Math.min(c + 1, width - 1)] - x[r * width + Math.max(c - 1, 0)];
      const gy = x[Math.min(r + 1, height - 1) * width + c] - x[Math.max(r - 1, 0) * width + c];
      const strength = Math.hypot(gx, gy);
      if (strength === 0) continue;
      let angle = Math.atan2(gy, gx) % Math.PI;
      if (angle < 0) angle += Math.PI;
      const turn = angle / Math.PI * bins - 0.5, low = Math.floor(turn), share = turn - low, bin = (low + bins) % bins;
      const cell = (Math.floor(r / side) * across + Math.floor(c / side)) * bins;
      cells[cell + bin] += (1 - share) * strength;
      cells[cell + (bin + 1) % bins] += share * strength;
    }
    const out = [], wide = across + 1 - block, high = down + 1 - block;
    for (let r = 0; r < high; r++) for (let c = 0; c < wide; c++) {
      let part = [];
      for (let k = 0; k < block; k++) {
        const start = ((r + k) * across + c) * bins;
        part.push(...cells.subarray(start, start + block * bins));
      }
      for (const cut of [0.2, Infinity]) {
        const size = Math.sqrt(part.reduce((a, v) => a + v * v, 0) + 1e-10);
        part = part.map(v => Math.min(v / size, cut));
      }
      out.push(...part);
    }
    return Float64Array.from(out);
  };
  // Edges of each feature in turn.
  const edgesOf = s => Array.from(arrays[s.ends], (end, f) => arrays[s.edges].slice(f ? arrays[s.ends][f - 1] : 0, end));
  const encode = (s, x) => Float64Array.from(edgesOf(s).flatMap((e, f) => Array.from(e.subarray(1), (high, b) =>
    high > e[b] ? Math.min(Math.max((x[f] - e[b]) / (high - e[b]), 0), 1) : 0)));
  // The value at the place among the edges that the components of a feature add up to.
  const decode = (s, z) => {
    let at = 0;
    return Float64Array.from(edgesOf(s), e => {
      const bins = e.length - 1, own = z.subarray(at, at += bins);
      const place = own.reduce((sum, c) => sum + Math.min(Math.max(c, 0), 1), 0), b = Math.min(Math.floor(place), bins - 1);
      return e[b] + (place - b) * (e[b + 1] - e[b]);
    });
  };
  const gather = (s, v) => {
    let at = 0;
    return Float64Array.from(edgesOf(s), e => v.subarray(at, at += e.length - 1).reduce((a, b) => a + b, 0));
  };
  const unclip = (limit, v) => {
    const share = Math.min(Math.max(v / limit, -0.999), 0.999);
    return limit * share / Math.sqrt(1 - share * share);
  };
  const apply = (s, x) => {
    if (s.op === "deskew") return deskew(s, x);
    if (s.op === "hog") return hog(s, x);
    if (s.op === "scale") return x.map((v, f) => (v - arrays[s.centre][f]) * arrays[s.factor][f]);
    if (s.op === "smooth-clip") return x.map(v => v / Math.sqrt(1 + (v / s.limit) ** 2));
    if (s.op === "piecewise-linear") return encode(s, x);
    if (s.op === "affine") return times(arrays[s.matrix], x.map((v, f) => v - arrays[s.centre][f]));
    if (s.op !== "unit") throw new Error("unknown operation " + s.op);
    const size = Math.hypot(...x);
    return size > 0 ? x.map(v => v / size) : x;
  };
  const straighten = x => steps.filter(s => s.op === "deskew").reduce((x, s) => apply(s, x), Float64Array.from(x));
  const prepare = x => steps.reduce((x, s) => apply(s, x), Float64Array.from(x));
  const prototype = j => Float64Array.from(p.subarray(j * dim, (j + 1) * dim));
  const invert = (some, z) => some.slice().reverse().reduce((z, s) => {
    if (s.op === "scale") return z.map((v, f) => v / arrays[s.factor][f] + arrays[s.centre][f]);
    if (s.op === "affine") return times(arrays[s.inverse], z).map((v, f) => v + arrays[s.centre][f]);
    if (s.op === "smooth-clip") return z.map(v => unclip(s.limit, v));
    if (s.op === "piecewise-linear") return decode(s, z);
    return z;
  }, z);
  // Prototype j in the units of the input.
  const shown = j => invert(steps, prototype(j));

  // One weight for each feature, or for each prototype and feature; or a matrix for each group of prototypes.
  const weights = metric.weights === null || metric.weights === undefined ? null : arrays[metric.weights];
  const weight = (j, f) => weights ? weights[(j * dim + f) % weights.length] : 1;
  const matrices = metric.op === "matrix-distance" ? arrays[metric.matrices] : null;
  const ends = matrices ? arrays[metric.ends] : [], size = matrices ? matrices.length / ends.length : 0;
  const group = j => ends.findIndex(end => j < end);
  // Prototypes under one matrix for all of them are mapped once.
  const single = matrices && ends.length === 1, rank = single ? size / dim : dim;
  const images = single ? new Float64Array(m * rank) : p;
  if (single) for (let j = 0; j < m; j++) images.set(times(matrices, prototype(j)), j * rank);
  const distances = z => {
    const x = single ? times(matrices, z) : z, d = new Float64Array(m);
    for (let j = 0; j < m; j++) {
      let sum = 0;
      if (matrices && !single) {
        const delta = z.map((v, f) => v - p[j * dim + f]);
        for (const v of times(matrices, delta, group(j) * size, size / dim)) sum += v * v;
      } else {
        for (let f = 0, k = j * rank; f < rank; f++, k++) {
          const delta = (x[f] - images[k]) * (single ? 1 : weight(j, f));
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
  const largest = v => v.reduce((best, x, c) => x > v[best] ? c : best, 0);
  const vote = (d, k) => {
    if (k === 1) return labels[d.reduce((best, v, j) => v < d[best] ? j : best, 0)];
    const near = Array.from(d.keys()).sort((a, b) => d[a] - d[b] || a - b).slice(0, k);
    const votes = new Array(classes).fill(0);
    near.forEach(j => votes[labels[j]]++);
    const most = Math.max(...votes);
    return labels[near.find(j => votes[labels[j]] === most)];
  };
  const code = (s, d) => {
    const learners = arrays[s.learners], n = Math.max(...learners) + 1, near = new Float64Array(n * classes).fill(Infinity);
    d.forEach((v, j) => {
      const at = learners[j] * classes + labels[j];
      near[at] = Math.min(near[at], v + 1e-30);
    });
    if (s.sparse) for (let l = 0; l < n; l++) {
      let winner = 0;
      for (let c = 1; c < classes; c++) if (near[l * classes + c] < near[l * classes + winner]) winner = c;
      for (let c = 0; c < classes; c++) if (c !== winner) near[l * classes + c] = Infinity;
    }
    const total = near.reduce((a, v) => isFinite(v) ? a + v : a, 0);
    return near.map(v => isFinite(v) ? v / total : 0);
  };
  const softLeast = (s, d) => {
    const least = minima(d), sums = new Float64Array(classes);
    d.forEach((v, j) => { sums[labels[j]] += Math.exp(-s.gamma * (v - least[labels[j]])); });
    return least.map((v, c) => v === Infinity ? -Infinity : Math.log(sums[c]) - s.gamma * v);
  };
  const meanLeast = (s, d) => {
    const members = arrays[s.ends], sums = new Float64Array(classes);
    members.forEach((end, l) => minima(d, l ? members[l - 1] : 0, end).forEach((v, c) => { sums[c] += v; }));
    return sums.map(v => v / members.length);
  };
  // The class of a row of distances, and the evidence for every class.
  const judge = d => {
    let v = d, answer = 0;
    for (const s of rest) {
      if (s.op === "vote") answer = vote(v, s.k);
      else if (s.op === "largest") answer = largest(v);
      else if (s.op === "least") v = meanLeast(s, v);
      else if (s.op === "soft-least") v = softLeast(s, v);
      else if (s.op === "code") v = code(s, v);
      else if (s.op === "weigh") v = v.map((x, c) => -(arrays[s.weights][c] * x + arrays[s.biases][c]));
      else if (s.op === "product") v = times(arrays[s.weights], v).map((x, c) => x + arrays[s.biases][c]);
      else if (s.op === "inverse-log") v = v.map(x => -0.5 * Math.log(Math.max(x, 2.3e-308)));
      else if (s.op === "multiply") v = v.map(x => s.by * x);
      else throw new Error("unknown operation " + s.op);
    }
    return { answer, evidence: v };
  };
  const decide = d => judge(d).answer;
  const probabilities = d => {
    const e = judge(d).evidence, most = Math.max(...e), q = e.map(v => Math.exp(v - most));
    const total = q.reduce((a, b) => a + b, 0);
    return q.map(v => v / total);
  };
  const nearest = (d, wanted) => d.reduce((best, v, j) => wanted(j) && (best < 0 || v < d[best]) ? j : best, -1);
  // What each feature adds to the distance of prototype j.
  const contributions = (x, j) => {
    if (steps.some(s => s.op === "unit" || s.op === "hog")) return null;
    // Curves of single features come first, linear steps after them.
    const curved = steps.findLastIndex(s => s.op === "piecewise-linear" || s.op === "smooth-clip") + 1;
    const curves = steps.slice(0, curved).filter(s => s.op !== "deskew"), linear = steps.slice(curved).filter(s => s.op !== "deskew");
    const straight = curves.reduce((x, s) => apply(s, x), straighten(x)), z = linear.reduce((x, s) => apply(s, x), straight);
    const delta = z.map((v, f) => v - p[j * dim + f]);
    let pulled = delta.map((v, f) => v * weight(j, f) ** 2);
    if (matrices) {
      const at = group(j) * size;
      pulled = transposed(matrices, times(matrices, delta, at, size / dim), dim, at);
    }
    for (const s of linear.slice().reverse()) {
      if (s.op === "scale") pulled = pulled.map((v, f) => v * arrays[s.factor][f]);
      if (s.op === "affine") pulled = transposed(arrays[s.matrix], pulled, arrays[s.centre].length);
    }
    const own = invert(linear, prototype(j)), terms = straight.map((v, f) => (v - own[f]) * pulled[f]);
    return curves.reduceRight((v, s) => s.op === "piecewise-linear" ? gather(s, v) : v, terms);
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

  const checked = x => {
    if (x.length !== features) throw new RangeError("expected " + features + " features, found " + x.length);
    for (let f = 0; f < features; f++)
      if (!Number.isFinite(x[f])) throw new RangeError("feature " + doc.features[f] + " is not a finite number");
    return x;
  };
  // Index of the class of a row.
  const classify = x => decide(distances(prepare(checked(x))));
  // Probability of each class of a row.
  const certainty = x => Array.from(probabilities(distances(prepare(checked(x)))));
  const explain = x => {
    const z = prepare(checked(x)), d = distances(z), answer = decide(d), q = probabilities(d);
    const winner = nearest(d, j => labels[j] === answer), rival = nearest(d, j => labels[j] !== answer);
    const [a, b] = rival < 0 ? [null, null] : [contributions(x, winner), contributions(x, rival)];
    return {
      answer, winner, rival, sure: q[answer], near: Math.sqrt(d[winner]), far: rival < 0 ? Infinity : Math.sqrt(d[rival]),
      lead: a && b ? a.map((v, f) => b[f] - v) : null, turn: rival < 0 ? null : turning(z, answer, rival),
    };
  };
  return { doc, classify, probabilities: certainty, explain, shown, labels, numbers };
}

// Microseconds of a query, then the class of each row of rows.bin.
import { readFileSync } from "node:fs";
import * as model from "./model.mjs";
const bytes = readFileSync("rows.bin"), n = model.features.length;
const x = new ARRAY(bytes.buffer, bytes.byteOffset, bytes.length / ARRAY.BYTES_PER_ELEMENT), answers = [];
const start = performance.now();
for (let i = 0; i < x.length; i += n) answers.push(model.predictIndex(x.subarray(i, i + n)));
console.log(1e3 * (performance.now() - start) / answers.length);
console.log(answers.join("\n"));

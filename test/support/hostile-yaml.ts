/** Hostile YAML: every form that nests, and every form that costs time, alone and mixed. */
import { Document, type Node, isCollection, visit } from "yaml";
import type { Random } from "./random.ts";

const opening = [
  "[",
  "{",
  "{a: ",
  "{? ",
  "[? ",
  "[{",
  "{a: [",
  "[- ",
  "[a: ",
  '{"a": ',
  "{a:\n",
  "[\n",
  "[!t ",
  "[&a ",
];
const blocks = [
  "- ",
  "? ",
  ": ",
  "- - ",
  "- ? ",
  "? - ",
  "? ? ",
  ": : ",
  "- a: ",
  "-\t",
  "-\n",
  "?\n",
  ":\n",
  "- !t ",
  "- &a ",
];
const others = [
  "!t ",
  "&a ",
  "*a ",
  "!<x> ",
  "'",
  '"',
  '"\\',
  "|\n ",
  ">-\n",
  "|9+\n",
  "#\n",
  "%YAML 1.2\n",
  "...\n",
  "<<: *a\n",
  "\t",
  "a",
  "a: ",
  "a:\n",
  ",",
  "]",
  "}",
  "\r",
  "\r\n",
  "\u2028",
  "\0",
  "\u0018",
  "\u001f",
  "\u0002",
  "\ufeff",
  "\ud800",
  "😀",
  "0x10 ",
  "1e999 ",
  "__proto__: ",
];
const units = [...opening, ...blocks, ...others];
const closers = ["", "]", "}", "]}", "}]", "\n", " x", ": x", "'", '"'];

/** One hostile frontmatter block, without its `---` lines; a few are longer than the limit for parsing. */
export function hostileYaml(random: Random): string {
  const forms = [repeated, staircase, mixed, mixed, spliced];
  const text = random.pick(forms)(random);
  return (random.once(3) ? `name: a\ndescription: b\nx: ${random.once(2) ? "\n " : ""}` : "") + text;
}

function repeated(random: Random): string {
  const unit = random.pick(random.once(4) ? units : [...opening, ...blocks]);
  const count = random.size(6000);
  const close = random.pick(closers);
  return unit.repeat(count) + close.repeat(random.once(2) ? count : 1);
}

/** Each line is indented further than the one above it. */
function staircase(random: Random): string {
  const unit = random.pick(["a:", "-", "- a:", "?", ":", "? a\n:", "- -", "a: !t", "a: &b", "[", "{a:"]);
  const step = random.pick(["", " ", "  ", "\t"]);
  const count = random.size(step === "" ? 4000 : 200);
  const ending = random.pick(["\n", "\r\n", " # [\n"]);
  return Array.from({ length: count }, (_, level) => step.repeat(level) + unit).join(ending);
}

function mixed(random: Random): string {
  const some = Array.from({ length: 1 + random.below(5) }, () => random.pick(units));
  return Array.from({ length: random.size(3000) }, () => random.pick(some)).join("");
}

/** A valid document into which something else is inserted. */
function spliced(random: Random): string {
  const sound = `name: a\ntags: [a, "b]", 'c']\nmeta:\n  - x: {y: |z}\n  - >\n    folded\n    text\n`;
  const at = random.below(sound.length);
  return sound.slice(0, at) + random.pick([repeated, mixed])(random) + sound.slice(at + random.below(10));
}

/** A valid mapping with collections nested exactly `depth` levels deep, whose scalars and comments contain brackets. */
export function nestedYaml(random: Random, depth: number): string {
  const scalar = () =>
    random.pick(["a", "[[[[", "- - - -", "{{{{", "it's", 'a "b"', "? x", "x\n[[\n{{\n", "# {", 7, null]);
  let value: unknown = { a: scalar() };
  for (let level = 1; level < depth; level++) {
    const siblings = Array.from({ length: random.below(2) }, scalar);
    const last = level === depth - 1;
    value =
      random.once(2) && !last
        ? [...siblings, value, ...siblings]
        : { s: siblings[0] ?? 1, "k[": value, t: 2 };
  }
  const document = new Document(value);
  visit(document, {
    Node: (_, node) => {
      if (isCollection(node)) node.flow = random.once(4);
      else if (random.once(12)) (node as Node).comment = " [[{{ - - -";
    },
  });
  return document.toString({ indent: 1, lineWidth: 0 });
}

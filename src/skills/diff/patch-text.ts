/** Differences between two versions as a text that `git apply` accepts. */
import { limits } from "../../../contract/limits.ts";
import { sizeText } from "../../../contract/text/size-text.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import { actorKey, type Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import type { CallerCompute } from "../../compute/compute.ts";
import { ServiceError } from "../../errors.ts";
import { isText, listChangedFiles, type ChangedFile } from "./changed-files.ts";
import {
  compareWithin,
  readSides,
  selectCompared,
  totalTimeMs,
  type ComparedVersions,
  type DiffRequest,
} from "./diff-versions.ts";

const nothing = "0".repeat(40);

/** Throws `payload_too_large` if a file, or the whole text, is too large for a response, or as `CallerCompute`. */
export async function patchOf(
  app: App,
  actor: Actor,
  skill: SkillDoc,
  request: DiffRequest,
): Promise<string> {
  const compute = app.compute.by(actorKey(actor));
  const compared = await selectCompared(app, skill, request);
  const parts: string[] = [];
  let bytes = 0;
  const time = { leftMs: totalTimeMs };
  for (const file of await listChangedFiles(app, compute, compared.before, compared.after, request)) {
    const part = await patchOfFile(app, compute, compared, file, request.context, time);
    bytes += part.length;
    if (bytes > limits.patchBytes)
      throw tooLarge(
        `The differences have over ${sizeText(limits.patchBytes)} as a text.`,
        limits.patchBytes,
      );
    parts.push(part);
  }
  return parts.join("");
}

async function patchOfFile(
  app: App,
  compute: CallerCompute,
  compared: ComparedVersions,
  file: ChangedFile,
  context: number,
  time: { leftMs: number },
): Promise<string> {
  const { left, right } = file;
  const names = [quoted(`a/${left?.path ?? file.path}`), quoted(`b/${file.path}`)] as const;
  const head = [`diff --git ${names.join(" ")}`, ...modeLines(file)];
  if (left?.oid === right?.oid) return textOf(head);
  const mode = left && right && left.mode === right.mode ? ` ${left.mode}` : "";
  head.push(`index ${left?.oid ?? nothing}..${right?.oid ?? nothing}${mode}`);
  const sides = await readSides(app, compared, file);
  if (!sides)
    throw tooLarge(
      `"${file.path}" has over ${sizeText(limits.inlineFileBytes)}, too much for a diff: compare the packages.`,
      limits.inlineFileBytes,
    );
  if (!isText(sides.left) || !isText(sides.right)) {
    const literal = (data: Buffer) => compute.run("binary-patch", { data: new Uint8Array(data) });
    const parts = await Promise.all([sides.right, sides.left].map(literal));
    return textOf([...head, "GIT binary patch", ...parts]);
  }
  const [old, fresh] = [sides.left.toString("utf8"), sides.right.toString("utf8")];
  // Without time, all lines are replaced, which has the same result.
  const texts = { path: file.path, left: old, right: fresh, context };
  const found = time.leftMs > 0 ? await compareWithin(compute, texts) : undefined;
  const hunks = found?.hunks ?? [replaced(old, fresh)];
  time.leftMs -= found?.ms ?? 0;
  if (old === "" && fresh === "") return textOf(head);
  return textOf([
    ...head,
    `--- ${left ? named(names[0]) : "/dev/null"}`,
    `+++ ${right ? named(names[1]) : "/dev/null"}`,
    ...hunks.flatMap((hunk) => [
      `@@ -${rangeOf(hunk.oldStart, hunk.oldLines)} +${rangeOf(hunk.newStart, hunk.newLines)} @@${
        hunk.section === undefined ? "" : ` ${hunk.section}`
      }`,
      ...hunk.lines,
    ]),
  ]);
}

function modeLines({ status, left, right, similarity }: ChangedFile): string[] {
  if (!left) return [`new file mode ${right!.mode}`];
  if (!right) return [`deleted file mode ${left.mode}`];
  const modes = left.mode === right.mode ? [] : [`old mode ${left.mode}`, `new mode ${right.mode}`];
  if (status !== "renamed") return modes;
  return [
    ...modes,
    `similarity index ${similarity}%`,
    `rename from ${quoted(left.path)}`,
    `rename to ${quoted(right.path)}`,
  ];
}

const textOf = (lines: readonly string[]) => `${lines.join("\n")}\n`;

/** A name with a space ends with a tab, as Git writes it, so that no date is looked for in it. */
const named = (name: string) => (name.includes(" ") && !name.startsWith('"') ? `${name}\t` : name);

/** Git counts the lines before an empty side. */
const rangeOf = (start: number, count: number) => `${count === 0 ? Math.max(0, start - 1) : start},${count}`;

/** A hunk that replaces a text as a whole. */
function replaced(old: string, fresh: string) {
  const [left, right] = [splitLines(old), splitLines(fresh)];
  return {
    oldStart: 1,
    oldLines: left.lines.length,
    newStart: 1,
    newLines: right.lines.length,
    section: undefined,
    lines: [
      ...left.lines.map((line) => `-${line}`),
      ...left.end,
      ...right.lines.map((line) => `+${line}`),
      ...right.end,
    ],
  };
}

function splitLines(text: string): { lines: string[]; end: string[] } {
  const lines = text.split("\n");
  if (lines.at(-1) === "") return { lines: lines.slice(0, -1), end: [] };
  return { lines, end: ["\\ No newline at end of file"] };
}

/** A path as Git quotes it (`core.quotePath`). Paths have no control characters, quotes apart. */
function quoted(path: string): string {
  if (/^[\x20-\x7e]*$/.test(path) && !/["\\]/.test(path)) return path;
  const bytes = [...Buffer.from(path)].map((byte) => {
    if (byte === 0x22 || byte === 0x5c) return `\\${String.fromCharCode(byte)}`;
    return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, "0")}`;
  });
  return `"${bytes.join("")}"`;
}

function tooLarge(message: string, limitBytes: number): ServiceError {
  return new ServiceError("payload_too_large", message, { kind: "content", limitBytes });
}

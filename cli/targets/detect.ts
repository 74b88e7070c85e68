/** Signs that a tool is installed. */
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { Machine } from "./target.ts";

/** Whether any of the folders exists or any of the programs is on PATH. */
export async function detectAny(
  machine: Machine,
  signs: { folders: readonly string[]; programs: readonly string[] },
): Promise<boolean> {
  const folders = (machine.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const endings =
    machine.platform === "win32" ? (machine.env["PATHEXT"] ?? ".EXE;.CMD;.BAT").split(";") : [""];
  const programs = signs.programs.flatMap((program) =>
    folders.flatMap((folder) => endings.map((ending) => join(folder, program + ending))),
  );
  const found = await Promise.all(
    [...signs.folders, ...programs].map((path) =>
      access(path).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}

/** Programs of others that install skills, and the files that they should have then, in base64 by path. */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { unzipSync } from "fflate";
import { readTree } from "../support/file-tree.ts";

export interface Ran {
  code: number | null;
  out: string;
  /** Both streams. */
  output: string;
}

export async function runClient(
  program: string,
  args: readonly string[],
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<Ran> {
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 120_000,
  });
  const [out, error] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((resolve) => child.once("close", resolve)),
  ]);
  return { code: child.exitCode, out, output: out + error };
}

/** The files below a folder but for those that the client keeps there itself. */
export const installedFiles = (folder: string, isOwn = (_path: string) => false): Record<string, string> =>
  Object.fromEntries(
    Object.entries(readTree(folder))
      .filter(([path]) => !isOwn(path))
      .map(([path, { bytes }]) => [path, bytes.toString("base64")]),
  );

/** @param base address of the organization */
export async function publishedFiles(base: string, skill: string): Promise<Record<string, string>> {
  const zip = await fetch(`${base}/${skill}.zip`);
  const files = unzipSync(new Uint8Array(await zip.arrayBuffer()));
  return Object.fromEntries(
    Object.entries(files).map(([path, bytes]) => [path, Buffer.from(bytes).toString("base64")]),
  );
}

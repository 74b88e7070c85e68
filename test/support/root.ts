/** The checkout under test. `npm test` runs the tests compiled, from dist/tests; a file run by hand is its source. */
import path from "node:path";

const isSource = import.meta.filename.endsWith(".ts");

export const root = path.resolve(import.meta.dirname, isSource ? "../.." : "../../../..");

/** Node options that modules of this checkout need in a child process. */
export const nodeOptions: readonly string[] = isSource ? ["--import", "tsx"] : ["--enable-source-maps"];

/**
 * The file that a module was loaded from: its source, or its compiled form.
 *
 * @param name its source, relative to the checkout, e.g. `test/queue/worker-process.ts`
 */
export function moduleFile(name: string): string {
  if (isSource) return path.join(root, name);
  return path.resolve(import.meta.dirname, "../..", name.replace(/\.ts$/, ".js"));
}

/** Arguments of node that run a module of this checkout as a program. */
export function programArgs(name: string): string[] {
  return [...nodeOptions, moduleFile(name)];
}

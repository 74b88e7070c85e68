/** Reads the local state for a command that does not change it. */
import type { Context } from "../context.ts";
import { type Config, readConfigFile } from "./config.ts";
import { statePaths } from "./paths.ts";

/** The current config. A damaged file is reported, and renamed by the next change. */
export async function readConfig(context: Context): Promise<Config> {
  const reading = await readConfigFile(statePaths(context.home));
  if ("config" in reading) return reading.config;
  // Changes are loaded only here: most commands make none.
  const { changeConfig } = await import("./state.ts");
  return changeConfig(context, async ({ config }) => config);
}

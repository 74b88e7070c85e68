import { type Check, failed, ok } from "./check.ts";

/** As in `engines` of package.json. */
const oldest = [20, 19] as const;

/** The version of Node that runs the client. */
export function checkNode(text: string = process.versions.node): Check {
  const [major = 0, minor = 0] = text.split(".").map(Number);
  const isSupported = major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
  if (isSupported) return ok("node", `Node ${text} is supported.`);
  return failed("node", `Node ${text} is not supported.`, `Install Node ${oldest.join(".")} or later.`);
}

import { countText } from "../../contract/text/count-text.ts";
import type { Context } from "../context.ts";
import { CliError } from "../errors.ts";
import { resolvePins } from "../install/pins/resolve-pins.ts";
import { inScopes } from "../install/records/scopes.ts";
import { removalOf, removalText } from "../install/removal.ts";
import { openSession } from "../state/session.ts";
import { type Check, ok, warning } from "./check.ts";

const name = "withdrawn";

/** Check for installed versions that were rejected or found malicious after they were published. */
export async function checkRemovals(context: Context): Promise<Check> {
  const session = await openSession(context);
  const installed = Object.entries(session.config.profiles[session.profile]?.installed ?? {});
  const found = await resolvePins(session, installed.flatMap(inScopes), undefined);
  const [first, ...others] = found.flatMap((one) => (one.remove ? [{ one, reason: one.remove }] : []));
  if (first) {
    const more = others.map(({ one, reason }) => removalOf(one, reason).command);
    const count = others.length === 0 ? "" : ` There are ${countText(others.length + 1, "such version")}.`;
    const commands = [removalOf(first.one, first.reason).command, ...more].join(", ");
    return warning(name, `${removalText(first.one, first.reason)}.${count}`, `Run ${commands}.`);
  }
  const unreached = found.find(
    ({ resolved }) => resolved instanceof CliError && resolved.code === "E_NETWORK",
  );
  if (unreached?.resolved instanceof CliError) throw unreached.resolved;
  return ok(name, "No installed version was rejected or found malicious.");
}

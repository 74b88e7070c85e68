/** Shows before an install what the scan of a version found, and asks about it where a person has to decide. */
import type { ScanPayload } from "../../contract/payloads/skills/scans.ts";
import { isFlagged } from "../../contract/scan/policy.ts";
import { countText } from "../../contract/text/count-text.ts";
import { openScanCalls } from "../api/calls/scan.ts";
import { unlessHidden } from "../api/unless-hidden.ts";
import type { Context } from "../context.ts";
import type { Session } from "../state/session.ts";
import { askYes } from "../terminal/prompts.ts";
import { type AcceptedVersion, qualifiedName } from "./publisher.ts";

export type ShownScan = Pick<ScanPayload, "state" | "verdict">;

/**
 * Asks a person about a suspicious or malicious version of another organization. That a scan is pending, as it is for
 * seconds after each publish, is shown to others than members only. Returns the state of the scan and the verdict,
 * undefined if the service reports none.
 */
export async function confirmScan(
  context: Context,
  { client }: Session,
  { skill, version, own }: AcceptedVersion,
  dryRun: boolean,
): Promise<ShownScan | undefined> {
  const scan = await unlessHidden(() =>
    openScanCalls(client.options).read(skill.publicId, String(version.version)),
  );
  // An organization may allow its members what is suspicious; it does not decide that for others.
  const found = own ? version.verdict : (version.verdict ?? scan?.verdict);
  const name = `${qualifiedName(skill)} ${version.semver}`;
  if (isFlagged(found)) {
    const finding = `The scan of ${name} found it ${found}.`;
    if (own || dryRun || !context.interactive) context.output.note(finding);
    else await askYes(`${finding} Install it all the same?`);
  } else if (scan && !(own && scan.state === "pending")) {
    const text = textOf(name, scan);
    if (text !== undefined) context.output.note(text);
  }
  return scan && { state: scan.state, verdict: scan.verdict };
}

/** A scan without a suspicious finding as a sentence; undefined for a clean one. */
function textOf(name: string, { state, verdict, rules }: ScanPayload): string | undefined {
  if (state === "failed" || verdict === "failed")
    return `The scan of ${name} failed: it is not known whether it is harmless.`;
  if (state === "pending") return `${name} has not been scanned yet.`;
  if (verdict !== "notes") return undefined;
  const count = rules.reduce((sum, one) => sum + one.count, 0);
  return `The scan of ${name} found ${countText(count, "note")}: ${rules.map(({ rule }) => rule).join(", ")}.`;
}

import { limits } from "../../../contract/limits.ts";
import type { App } from "../../app.ts";
import { countSealed, describeSealed } from "./count-sealed.ts";

export interface Finding {
  isOk: boolean;
  text: string;
}

/** State of each key of the ring, for an operator. */
export async function examineKeys(app: Pick<App, "storage" | "now">): Promise<Finding[]> {
  const ring = await app.storage.keyRing.find();
  if (!ring) return [{ isOk: true, text: "No keys are recorded yet: the service has not started." }];
  const findings: Finding[] = [];
  for (const { id, replacedAt } of ring.keys) {
    const count = await countSealed(app, id);
    const secrets = describeSealed(count);
    if (id === ring.current) findings.push({ isOk: true, text: `Key ${id}: current, encrypts ${secrets}.` });
    else if (count > 0)
      findings.push({
        isOk: false,
        text: `Key ${id}: still encrypts ${secrets}. Keep it: the workers renew them every hour.`,
      });
    else findings.push({ isOk: true, text: `Key ${id}: ${removable(app.now(), replacedAt)}` });
  }
  return findings;
}

/** Refresh tokens of agents are signed, and last longer than the links in mails. */
function removable(now: Date, replacedAt: Date | undefined): string {
  const end = new Date((replacedAt?.getTime() ?? 0) + limits.oauthIdleMs);
  if (end <= now) return "encrypts nothing, and can be removed.";
  const day = end.toISOString().slice(0, 10);
  return (
    `encrypts nothing, and can be removed. Before ${day}, its removal ends links in mails and sign-ins of ` +
    "agents that have not been used since it was replaced."
  );
}

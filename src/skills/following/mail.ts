/** Text of the mails about followed skills. */
import { countText } from "../../../contract/count-text.ts";
import { followedSentence } from "../../../contract/following.ts";
import type { App } from "../../app.ts";
import { composeMail, inertName, quotedName } from "../../mail/compose.ts";
import type { Mail } from "../../mail/mailer.ts";
import type { SeenChange } from "./changes.ts";
import { unsubscribeUrl } from "./unsubscribe-link.ts";

/** Changes that a mail lists; it says how many others there are. */
const maxListed = 25;

/** A mail about changes that the person may read, of which there is at least one. */
export function writeFollowMail(
  app: App,
  { userId, to }: { userId: string; to: string },
  changes: readonly SeenChange[],
): Mail {
  const { baseUrl } = app.config;
  const [first] = changes;
  const rest = changes.length - maxListed;
  const unsubscribe = unsubscribeUrl(app, userId);
  const page =
    changes.length === 1 && first
      ? { label: "Open the skill", url: `${baseUrl}/${first.skill.tenantSlug}/${first.skill.slug}` }
      : { label: "See all changes", url: `${baseUrl}/` };
  return {
    to,
    unsubscribeUrl: unsubscribe,
    ...composeMail(baseUrl, {
      subject:
        changes.length === 1 && first
          ? `${first.skill.slug} ${followedSentence(first.row.kind, first.row)}`
          : `${countText(changes.length, "change")} to skills that you follow`,
      before: [
        ...changes.slice(0, maxListed).map(lineOf),
        ...(rest > 0 ? [`And ${countText(rest, "other change")}.`] : []),
      ],
      link: page,
      after: [
        "You get this mail because you follow these skills or their folders. " +
          `Choose your mails in Settings, Notifications: ${baseUrl}/settings/notifications`,
        `Unsubscribe: ${unsubscribe}`,
      ],
    }),
  };
}

function lineOf({ row, skill }: SeenChange): string {
  const message = row.message === undefined ? "" : ` ${quotedName(row.message)}`;
  const sentence = followedSentence(row.kind, row);
  return `${skill.tenantSlug}/${skill.slug} ${sentence} (${inertName(row.by)}).${message}`;
}

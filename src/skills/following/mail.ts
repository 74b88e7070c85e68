/** Text of the mails about followed skills. */
import { followedSentence } from "../../../contract/events/following.ts";
import { countText } from "../../../contract/text/count-text.ts";
import { listText } from "../../../contract/text/list-text.ts";
import type { App } from "../../app.ts";
import { composeMail, inertName, quotedName, type MailText } from "../../mail/compose.ts";
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
  const reminders = changes.filter(({ row }) => row.kind === "reminder");
  const rest = changes.length - maxListed;
  const unsubscribe = unsubscribeUrl(app, userId);
  const page =
    changes.length === 1 && first ? pageOf(baseUrl, first) : { label: "See all changes", url: `${baseUrl}/` };
  return {
    to,
    unsubscribeUrl: unsubscribe,
    ...composeMail(baseUrl, {
      subject:
        changes.length === 1 && first
          ? `${first.skill.slug} ${sentenceOf(first)}`
          : subjectOf(changes, reminders.length),
      before: [
        ...changes.slice(0, maxListed).map(lineOf),
        ...(rest > 0 ? [`And ${countText(rest, "other change")}.`] : []),
      ],
      link: page,
      after: [
        `You get this mail because ${reasonOf(changes)}. ` +
          `Choose your mails in Settings, Notifications: ${baseUrl}/settings/notifications`,
        `Unsubscribe: ${unsubscribe}`,
      ],
      ...(reminders.length > 0 && { command: updateCommand(reminders) }),
    }),
  };
}

function pageOf(baseUrl: string, { row, skill: { tenantSlug, slug } }: SeenChange): MailText["link"] {
  return row.kind === "review"
    ? { label: "Review it", url: `${baseUrl}/${tenantSlug}/-/reviews/${slug}/${row.semver}` }
    : { label: "Open the skill", url: `${baseUrl}/${tenantSlug}/${slug}` };
}

function subjectOf(changes: readonly SeenChange[], reminders: number): string {
  const all = changes.length;
  if (changes.every(({ row }) => row.kind === "review"))
    return `${countText(all, "version waits", "versions wait")} for your review`;
  const isFollowed = changes.every(({ row }) => row.reason !== "team" && row.reason !== "reviewer");
  if (reminders === 0) return `${countText(all, "change")} to skills${isFollowed ? " that you follow" : ""}`;
  if (reminders === all) return `${countText(reminders, "skill needs", "skills need")} an update`;
  return `${countText(all - reminders, "change")} to skills, and ${countText(reminders, "reminder")} to update`;
}

function reasonOf(changes: readonly SeenChange[]): string {
  const has = (passes: (row: SeenChange["row"]) => boolean) => changes.some(({ row }) => passes(row));
  const reasons = [
    has(({ kind, reason }) => kind !== "reminder" && reason !== "team" && reason !== "reviewer") &&
      "you follow skills or their folders",
    has(({ reason }) => reason === "team") && "your team looks after skills",
    has(({ reason }) => reason === "reviewer") &&
      "you asked for mails about versions that wait for your review",
    has(({ kind }) => kind === "reminder") && "a member reminded everyone with an earlier version to update",
  ];
  return listText(reasons.filter((one) => one !== false));
}

const nameOf = ({ skill }: SeenChange) => `${skill.tenantSlug}/${skill.slug}`;

/** A reminder names the version that is current when the mail is sent. */
const sentenceOf = ({ row, skill }: SeenChange) =>
  followedSentence(row.kind, row.kind === "reminder" ? { semver: skill.current.semver } : row);

function lineOf(change: SeenChange): string {
  const { row, outdated = [] } = change;
  const message = row.message === undefined ? "" : ` ${quotedName(row.message)}`;
  const installed = [...new Set(outdated.map(({ semver, platform }) => `${semver} in ${platform}`))];
  const machines = new Set(outdated.map(({ machine }) => machine)).size;
  const present =
    installed.length === 0
      ? ""
      : ` You have ${listText(installed)}${machines > 1 ? `, on ${machines} machines` : ""}.`;
  return `${nameOf(change)} ${sentenceOf(change)} (${inertName(row.by)}).${message}${present}`;
}

function updateCommand(reminders: readonly SeenChange[]): MailText["command"] {
  const [only] = reminders;
  return {
    label: "To update, run this on each machine:",
    line: reminders.length === 1 && only ? `svc pull ${nameOf(only)}` : "svc pull",
  };
}

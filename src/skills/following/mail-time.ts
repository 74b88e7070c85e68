/** When the next mail to a person is due. */
import type { FollowMail, FollowReason } from "../../../contract/events/following.ts";
import { limits } from "../../../contract/limits.ts";
import type { FollowSettingsDoc } from "../../../storage/following/settings.ts";

export const defaultFollowMail: FollowMail = "daily";
/** Hour of the daily mail, in UTC. */
const dailyHour = 7;
/** Changes within this time are in one mail. */
const collectMs = 60_000;

/**
 * Time of the mail about a change that is noted now; undefined if the person gets none. A review waits for the person,
 * so its mail does not wait for the daily one.
 */
export function nextMailAt(
  settings: Pick<FollowSettingsDoc, "mail" | "lastSentAt"> | undefined,
  now: Date,
  reason: FollowReason = "followed",
): Date | undefined {
  const mail = reason === "reviewer" ? "instant" : (settings?.mail ?? defaultFollowMail);
  if (mail === "off") return undefined;
  if (mail === "daily") return nextDay(now);
  const earliest = (settings?.lastSentAt?.getTime() ?? 0) + limits.followMailMs;
  return new Date(Math.max(now.getTime() + collectMs, earliest));
}

function nextDay(now: Date): Date {
  const day = new Date(now);
  day.setUTCHours(dailyHour, 0, 0, 0);
  if (day <= now) day.setUTCDate(day.getUTCDate() + 1);
  return day;
}

/** Reminders to update a skill, as they cross the wire. */
import { z } from "zod";

const count = z.number().int();

export const ReminderPayload = z
  .object({
    semver: z.string().meta({ description: "the version that installs resolve to" }),
    people: count.meta({ description: "members who are reminded, or would be" }),
    machines: count.meta({ description: "their machines with a version other than `semver`" }),
    mails: count.meta({
      description: "people who get a mail; the others see the reminder on their home page",
    }),
    recent: count.meta({ description: "members who are behind and were reminded in the last 7 days" }),
    isComplete: z
      .boolean()
      .meta({ description: "false if more than 1,000 are behind: the next call continues" }),
  })
  .meta({ id: "Reminder" });
export type ReminderPayload = z.infer<typeof ReminderPayload>;

/** Names and addresses of persons, and how they are folded for comparison. */
import { z } from "zod";
import { oneLineText } from "../../contract/checks/unsafe-characters.ts";
import { limits } from "../../contract/limits.ts";
import { emailAddress } from "../../contract/names/email-address.ts";
import { reservedSlugs } from "../../contract/names/reserved-slugs.ts";
import { slugPattern } from "../../contract/names/slug.ts";

/** Names that look the same compare as the same: NFKC, without case. */
export function foldName(text: string): string {
  return text.normalize("NFKC").toLowerCase().normalize("NFKC");
}

export const username = z
  .string()
  .max(limits.username.max * 4)
  .trim()
  .overwrite(foldName)
  .min(limits.username.min)
  .max(limits.username.max)
  .regex(slugPattern, "must be lower-case letters, digits and single hyphens between them")
  .refine((name) => !(reservedSlugs as readonly string[]).includes(name), "is reserved by the service");

/** A person's display name: any script, but nothing that breaks lines or turns the reading direction around. */
export const personName = z
  .string()
  .trim()
  .min(1)
  .max(limits.personName)
  .regex(oneLineText, "must not contain control characters");

export const email = z
  .string()
  .max(limits.email)
  .trim()
  .normalize("NFKC")
  .max(limits.email)
  .regex(emailAddress, "is not an e-mail address");

export const UpdateProfile = z
  .strictObject({ name: personName.optional(), username: username.optional() })
  .refine((fields) => Object.keys(fields).length > 0, "needs name or username");
export type UpdateProfile = z.output<typeof UpdateProfile>;

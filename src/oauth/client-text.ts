/** Texts by which clients describe themselves. */
import { unprintable } from "../../contract/checks/unsafe-characters.ts";
import { limits } from "../../contract/limits.ts";

/** A client's name as one harmless line: the consent page shows it. Empty if there is none. */
export function readClientName(given: unknown): string {
  const line = (typeof given === "string" ? given.slice(0, 1000) : "")
    .normalize("NFC")
    .replace(unprintable, "")
    .replace(/\s+/g, " ");
  return Array.from(line.trim()).slice(0, limits.oauthClientName).join("").trim();
}

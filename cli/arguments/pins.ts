/** References with a pin, as typed by a user to name a skill and its version. */
import semver from "semver";
import { isChannelName } from "../../contract/names/channel-name.ts";
import { invalidArgument } from "../errors.ts";

export const unpinned = "latest";

export interface PinnedRef {
  ref: string;
  /** The pin, resolved by the service, and by each `pull` again. */
  range: string;
}

/**
 * Splits `ref@spec`. The ref is a slug, `org/slug`, a public id or a share URL, so the pin follows the first `@`
 * after the last slash.
 */
export function parsePinnedRef(text: string, argument = "<ref>"): PinnedRef {
  const at = text.indexOf("@", text.lastIndexOf("/") + 1);
  const ref = (at === -1 ? text : text.slice(0, at)).trim();
  if (!isRef(ref))
    throw invalidArgument(
      argument,
      `"${text}" names no skill: use a slug, org/slug, a public id or a share URL.`,
    );
  if (at === -1) return { ref, range: unpinned };
  return { ref, range: parsePin(text.slice(at + 1), argument) };
}

/**
 * The reference of a command that takes no pin. `refusal` is the remedy; `argument` is named in the error.
 */
export function parseUnpinnedRef(text: string, argument: string, refusal: string): string {
  const { ref, range } = parsePinnedRef(text, argument);
  if (range !== unpinned) throw invalidArgument(argument, refusal);
  return ref;
}

/** Checks a pin after `@`: `latest`, exact, any range or a channel. A bare major is an x-range, as in npm. */
export function parsePin(text: string, flag: string): string {
  const spec = text.trim();
  if (/^\d+$/.test(spec)) return `${Number(spec)}.x`;
  return parseSpec(spec, flag);
}

/** Checks the value of `pull --version`: the same, except that an integer is the number of a version. */
export function parseVersionSpec(text: string, flag: string): string {
  const spec = text.trim();
  if (/^\d+$/.test(spec)) {
    if (!Number.isSafeInteger(Number(spec)) || Number(spec) < 1)
      throw invalidArgument(flag, `${flag}: version numbers start at 1.`);
    return String(Number(spec));
  }
  return parseSpec(spec, flag);
}

/** Checks the name of a channel. */
export function parseChannelName(text: string, flag: string): string {
  const name = text.trim();
  if (isChannelName(name)) return name;
  throw invalidArgument(
    flag,
    `"${name}" is not a valid channel name. Use lower-case letters, digits and hyphens, beginning with a ` +
      "letter, but not latest, head or the form of a version.",
  );
}

function parseSpec(spec: string, flag: string): string {
  if (spec === unpinned || isChannelName(spec)) return spec;
  const exact = semver.valid(spec);
  if (exact !== null && /^[v=]?\d/.test(spec)) {
    if (spec.includes("+"))
      throw invalidArgument(flag, `"${spec}": build metadata takes no part in versions; leave out the "+…".`);
    return exact;
  }
  if (spec === "" || semver.validRange(spec) === null)
    throw invalidArgument(
      flag,
      `"${spec}" is not a valid version. Use 1.2.3, ^1.2, ~1.2, ">=1 <2", 1.x, *, latest or a channel.`,
    );
  return spec;
}

function isRef(ref: string): boolean {
  if (/^https?:\/\//.test(ref)) return URL.canParse(ref);
  return /^[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)?$/.test(ref);
}

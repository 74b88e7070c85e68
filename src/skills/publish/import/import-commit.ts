/** Texts from a commit of a connected repository, none of which is trusted: made safe for records and terminals. */
import { unprintable } from "../../../../contract/checks/unsafe-characters.ts";
import { limits } from "../../../../contract/limits.ts";
import { publicName } from "../../../../contract/names/public-name.ts";
import type { ImportedFrom } from "../version-record.ts";

const authorLength = 200;
const branchLength = 255;
const shortOidLength = 7;
const unknownAuthor = "unknown";

/** Commit that the content comes from, as the repository reports it. */
export interface EditCommit {
  oid: string;
  subject: string;
  authorName: string;
  authorEmail?: string;
}

/** Commit and branch with the content, if the fetched history does not contain the edit. */
export interface FoundAt {
  oid: string;
  branch: string;
}

export type ImportCommit = EditCommit | FoundAt;

export function importedFrom(commit: ImportCommit): ImportedFrom {
  if ("branch" in commit) return { commit: commit.oid };
  const { authorName, authorEmail } = commit;
  const whole = authorEmail ? `${authorName} <${authorEmail}>` : authorName;
  return {
    commit: commit.oid,
    author: nameOf(commit),
    authorAddress: plainLine(whole, authorLength) || unknownAuthor,
  };
}

function nameOf({ authorName }: EditCommit): string {
  return publicName(plainLine(authorName, authorLength)) || unknownAuthor;
}

/** Message of the version: the subject of the commit, and its id and author. */
export function messageOf(commit: ImportCommit): string {
  const short = commit.oid.slice(0, shortOidLength);
  if ("branch" in commit) return `Taken from ${plainLine(commit.branch, branchLength)} at ${short}`;
  const whose = `(${short} by ${nameOf(commit)})`;
  const { authorEmail = "" } = commit;
  const said = authorEmail === "" ? commit.subject : withoutText(commit.subject, authorEmail);
  const subject = plainLine(said, limits.versionMessage - whose.length - 1);
  return subject === "" ? `Imported ${whose}` : `${subject} ${whose}`;
}

/** Removes each occurrence of another text, ignoring case. */
function withoutText(text: string, other: string): string {
  const pattern = new RegExp(other.replace(/[^A-Za-z0-9]/g, "\\$&"), "gi");
  return text.replace(pattern, "");
}

/** Reduces a text to one line without control, formatting and unassigned characters. */
export function plainLine(text: string, length: number): string {
  return text
    .replace(unprintable, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, length)
    .replace(/\p{Surrogate}/gu, "")
    .trim();
}

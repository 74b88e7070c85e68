/** Sentences of an audit log. */
import { eventTexts } from "./event-texts.ts";

/** An entry of a log, as far as its sentence needs it. */
export interface LoggedEvent {
  action: string;
  metadata: Record<string, unknown>;
}

/** A part of a sentence; a value is something that a person has named. */
export interface SentencePart {
  text: string;
  isValue: boolean;
}
/** Names of roles and teams by their ids, which some entries have only. */
export type Names = ReadonlyMap<string, string>;

const textsOf = (action: string) => (eventTexts as Record<string, readonly [string, string]>)[action];

/** Name of an event for people; its own name for one that this page does not know yet. */
export const eventName = (action: string): string => textsOf(action)?.[0] ?? action;

/** The sentence of an entry, after the name of its actor. */
export function sentenceOf({ action, metadata }: LoggedEvent, names: Names = new Map()): SentencePart[] {
  const template = textsOf(action)?.[1] ?? action;
  return template.split(/(\[[^\]]*\])/).flatMap((part) => {
    if (!part.startsWith("[")) return partsOf(part, metadata, names);
    const inner = partsOf(part.slice(1, -1), metadata, names);
    return inner.some(({ isValue, text }) => isValue && text === "") ? [] : inner;
  });
}

/** A sentence as plain text. */
export const sentenceText = (parts: readonly SentencePart[]): string =>
  parts
    .map(({ text }) => text)
    .join("")
    .trim();

function partsOf(template: string, metadata: LoggedEvent["metadata"], names: Names): SentencePart[] {
  return template
    .split(/(\{[^}]*\})/)
    .filter((part) => part !== "")
    .map((part) => {
      if (!part.startsWith("{")) return { text: part, isValue: false };
      const [key = "", instead] = part.slice(1, -1).split("|");
      const value = valueAt(metadata, key);
      if (value !== "") return { text: names.get(value) ?? value, isValue: true };
      return { text: instead ?? "", isValue: instead === undefined };
    });
}

/** The text at a path such as `moved.to`; empty if there is none. */
function valueAt(metadata: LoggedEvent["metadata"], path: string): string {
  let value: unknown = metadata;
  for (const key of path.split("."))
    value = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** The name of what an entry is about, as it was recorded. */
export function subjectOf({ metadata }: LoggedEvent): string | undefined {
  const keys = ["path", "slug", "email", "username", "userName", "name", "domain", "repository", "job"];
  return keys.map((key) => metadata[key]).find((one): one is string => typeof one === "string" && one !== "");
}

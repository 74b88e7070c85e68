/** The client, tool and scope that a reader chose last, which the next skill begins with. */
import { useState } from "react";
import {
  installScopes,
  targets,
  type InstallScope,
  type Target,
} from "../../../../../contract/vocabulary.ts";
import { ways, type Way } from "./install-command.ts";

const storageKey = "svc-install";

export interface InstallChoice {
  way: Way;
  tool: Target | "";
  scope: InstallScope;
}

/**
 * Stored text may be of another release, or of anybody who has the browser. At first with a tool, so that the line
 * works in a script too, where svc can't ask.
 */
function readChoice(): InstallChoice {
  let stored: Partial<Record<keyof InstallChoice, unknown>> = {};
  try {
    const parsed = JSON.parse(localStorage.getItem(storageKey) ?? "{}") as unknown;
    if (typeof parsed === "object" && parsed !== null) stored = parsed;
  } catch {
    // As if nothing were stored.
  }
  return {
    way: ways.find(({ value }) => value === stored.way)?.value ?? "svc",
    tool: stored.tool === "" ? "" : (targets.find((target) => target === stored.tool) ?? "claude"),
    scope: installScopes.find((scope) => scope === stored.scope) ?? "global",
  };
}

export function useInstallChoice(): [InstallChoice, (part: Partial<InstallChoice>) => void] {
  const [choice, setChoice] = useState(readChoice);
  const change = (part: Partial<InstallChoice>) => {
    const next = { ...choice, ...part };
    localStorage.setItem(storageKey, JSON.stringify(next));
    setChoice(next);
  };
  return [choice, change];
}

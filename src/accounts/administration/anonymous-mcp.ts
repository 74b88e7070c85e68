/** Use of the MCP server by agents without a sign-in. */
import type { AnonymousMcpMode } from "../../../contract/vocabulary.ts";
import type { App } from "../../app.ts";
import { perApp } from "../../per-app.ts";

/** An administrator's choice precedes the configuration. */
export async function anonymousMcpMode(app: App): Promise<AnonymousMcpMode> {
  return (await app.storage.serviceSettings.find())?.anonymousMcp ?? app.config.anonymousMcp;
}

/**
 * Whether agents without a sign-in are served now. Programs offer to sign in only if the first request is refused, so
 * that a service without public skills refuses it.
 */
export async function allowsAnonymousMcp(app: App): Promise<boolean> {
  const mode = await anonymousMcpMode(app);
  return mode === "auto" ? hasPublicSkill(app) : mode === "on";
}

/** Time for which a public skill is taken to be there still. */
const knownMs = 60_000;
const publicSkill = perApp(() => ({ seenAt: -Infinity }));

async function hasPublicSkill(app: App): Promise<boolean> {
  const now = app.now().getTime();
  const known = publicSkill(app);
  if (now - known.seenAt < knownMs) return true;
  const isThere = await app.storage.skills.hasPublic();
  known.seenAt = isThere ? now : -Infinity;
  return isThere;
}

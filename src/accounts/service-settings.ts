/** Settings of the service that its administrators change while it runs. */
import type { ServiceSettingsPayload } from "../../contract/payloads/administration.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { flushEvents, makeEvent } from "../audit/events.ts";
import { serviceLog } from "../audit/fan-out.ts";
import { signUpMode } from "../users/sign-up-mode.ts";
import type { ChangeServiceSettings } from "./schema.ts";

export async function readServiceSettings(app: App): Promise<ServiceSettingsPayload> {
  return { signUp: await signUpMode(app), configuredSignUp: app.config.signUp };
}

/** Sets the sign-up mode, which then precedes the configuration. A mode that is set already changes nothing. */
export async function changeServiceSettings(
  app: App,
  actor: Actor,
  { signUp, reason }: ChangeServiceSettings,
): Promise<ServiceSettingsPayload> {
  const before = await signUpMode(app);
  const event = makeEvent(app, actor, "service.sign_up_changed", {
    ...serviceLog,
    resourceType: "service",
    resourceId: "sign-up",
    metadata: { before, after: signUp, reason },
  });
  const { serviceSettings } = app.storage;
  if (before !== signUp && (await serviceSettings.setSignUp(signUp, [event])))
    flushEvents(app, serviceSettings, "service", [event]);
  return readServiceSettings(app);
}

/** Settings of the service that its administrators change while it runs. */
import type { ServiceSettingsPayload } from "../../../contract/payloads/service/administration.ts";
import type { EventName } from "../../../contract/vocabulary.ts";
import type { EventRow } from "../../../storage/outbox.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { flushEvents, makeEvent } from "../../audit/events.ts";
import { serviceLog } from "../../audit/fan-out.ts";
import { signUpMode } from "../../users/sign-up-mode.ts";
import type { ChangeServiceSettings } from "../schema.ts";
import { anonymousMcpMode } from "./anonymous-mcp.ts";
import { findRootCollection, readRootCollection, refOfCollection } from "./root-collection.ts";

export async function readServiceSettings(app: App): Promise<ServiceSettingsPayload> {
  const { signUp, anonymousMcp } = app.config;
  const root = await readRootCollection(app);
  return {
    signUp: await signUpMode(app),
    configuredSignUp: signUp,
    anonymousMcp: await anonymousMcpMode(app),
    configuredAnonymousMcp: anonymousMcp,
    rootCollection: root ? refOfCollection(root) : null,
  };
}

/** Changes settings, which then precede the configuration. A value that a setting has already changes nothing. */
export async function changeServiceSettings(
  app: App,
  actor: Actor,
  { signUp, anonymousMcp, rootCollection, reason }: ChangeServiceSettings,
): Promise<ServiceSettingsPayload> {
  const before = await readServiceSettings(app);
  const { serviceSettings } = app.storage;
  const record = async (
    name: EventName,
    resourceId: string,
    change: { before: string | null; after: string | null | undefined },
    set: (events: EventRow[]) => Promise<boolean>,
  ) => {
    if (change.after === undefined || change.after === change.before) return;
    const metadata = { ...change, reason };
    const event = makeEvent(app, actor, name, {
      ...serviceLog,
      resourceType: "service",
      resourceId,
      metadata,
    });
    if (await set([event])) flushEvents(app, serviceSettings, "service", [event]);
  };
  const root = rootCollection ? await findRootCollection(app, rootCollection) : null;
  const hasRoot = Boolean((await serviceSettings.find())?.rootCollection);
  await record("service.sign_up_changed", "sign-up", { before: before.signUp, after: signUp }, (events) =>
    serviceSettings.set({ signUp: signUp! }, events),
  );
  await record(
    "service.anonymous_mcp_changed",
    "anonymous-mcp",
    { before: before.anonymousMcp, after: anonymousMcp },
    (events) => serviceSettings.set({ anonymousMcp: anonymousMcp! }, events),
  );
  await record(
    "service.root_collection_changed",
    "root-collection",
    {
      before: before.rootCollection ?? (hasRoot ? "a collection that is not public any more" : null),
      after: rootCollection === undefined ? undefined : root && refOfCollection(root),
    },
    (events) =>
      serviceSettings.set(
        { rootCollection: root && { tenantId: root.tenant._id, collectionId: root.collection._id } },
        events,
      ),
  );
  return readServiceSettings(app);
}

/** The calls of a user through hosted connectors. */
import type { ConnectorCallDoc } from "../../storage/connectors/calls.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { TimeCursor, decodeCursor, pageOf } from "../http/request/cursor.ts";
import { type Page } from "../http/route.ts";
import { requireUnrestricted } from "../users/load.ts";
import type { ListCalls } from "./schema.ts";
import { oldestCall } from "./status.ts";

/** The calls of the caller in the last days, latest first. */
export async function listOwnCalls(
  app: App,
  actor: Actor,
  { connector, limit, cursor }: ListCalls,
): Promise<Page<ConnectorCallDoc>> {
  const { userId } = requireUnrestricted(actor, "see the calls of hosted connectors");
  const after = decodeCursor(cursor, TimeCursor);
  const owner = connector === undefined ? { userId } : { userId, connectorId: connector };
  const rows = await app.storage.connectorCalls.list(owner, oldestCall(app), after, limit + 1);
  return pageOf(rows, limit, (end) => [end.at.getTime(), end._id]);
}

/** The calls of a user through hosted connectors. */
import { z } from "zod";
import type { ConnectorCallDoc } from "../../storage/connectors/calls.ts";
import { isId } from "../../storage/database.ts";
import type { Actor } from "../access/actor.ts";
import type { App } from "../app.ts";
import { decodeCursor, pageOf } from "../http/request/cursor.ts";
import { type Page } from "../http/route.ts";
import { requireUnrestricted } from "../users/load.ts";
import type { ListCalls } from "./schema.ts";
import { oldestCall } from "./status.ts";

const Cursor = z.tuple([z.number().int(), z.string().refine(isId)]);

/** The calls of the caller in the last days, latest first. */
export async function listOwnCalls(
  app: App,
  actor: Actor,
  { connector, limit, cursor }: ListCalls,
): Promise<Page<ConnectorCallDoc>> {
  const { userId } = requireUnrestricted(actor, "see the calls of hosted connectors");
  const last = decodeCursor(cursor, Cursor);
  const after = last && { at: new Date(last[0]), id: last[1] };
  const owner = connector === undefined ? { userId } : { userId, connectorId: connector };
  const rows = await app.storage.connectorCalls.list(owner, oldestCall(app), after, limit + 1);
  return pageOf(rows, limit, (end) => [end.at.getTime(), end._id]);
}

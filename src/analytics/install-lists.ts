/** Lists of installs, of skills and of MCP servers. */
import { z } from "zod";
import { isId } from "../../storage/database.ts";
import type { App } from "../app.ts";
import { decodeCursor, encodeCursor } from "../http/request/cursor.ts";
import { Page } from "../http/route.ts";

const Cursor = z.tuple([z.iso.datetime(), z.string().refine(isId)]);

/** Rows that are read at a time at least: a short page among hidden rows would take a query for each few of them. */
const leastRead = 100;

interface InstallRow {
  _id: string;
  userId: string;
  updatedAt: Date;
}

/** A page of the visible rows, latest report first, which is full unless it is the last one. */
export async function pageOfInstalls<Row extends InstallRow, T>(
  query: { limit: number; cursor?: string },
  list: (after: { updatedAt: Date; id: string } | undefined, limit: number) => Promise<Row[]>,
  show: (rows: Row[]) => Promise<{ row: Row; item: T }[]>,
): Promise<Page<T>> {
  const last = decodeCursor(query.cursor, Cursor);
  let after = last && { updatedAt: new Date(last[0]), id: last[1] };
  const shown: { row: Row; item: T }[] = [];
  for (;;) {
    const wanted = Math.max(query.limit + 1 - shown.length, leastRead);
    const rows = await list(after, wanted);
    shown.push(...(await show(rows)));
    const end = rows.at(-1);
    if (!end || rows.length < wanted || shown.length > query.limit) break;
    after = { updatedAt: end.updatedAt, id: end._id };
  }
  const page = shown.slice(0, query.limit);
  const end = page.at(-1);
  const next =
    end && shown.length > page.length ? encodeCursor([end.row.updatedAt.toISOString(), end.row._id]) : null;
  return new Page(
    page.map(({ item }) => item),
    next,
  );
}

/** The rows of current members of an organization, who are named. Records of previous ones are about to be removed. */
export async function keepMembers<Row extends InstallRow>(
  app: App,
  tenantId: string,
  rows: readonly Row[],
): Promise<{ row: Row; user: { id: string; username: string; name: string } }[]> {
  const { memberships, users } = app.storage;
  const ids = [...new Set(rows.map((row) => row.userId))];
  const [members, people] = await Promise.all([
    memberships.listByUserIds(tenantId, ids),
    users.listByIds(ids),
  ]);
  const byId = new Map(people.map((person) => [person._id, person]));
  const isMember = new Set(members.map((member) => member.userId));
  return rows.flatMap((row) => {
    const person = byId.get(row.userId);
    if (!person || !isMember.has(row.userId)) return [];
    const { _id: id, username, name } = person;
    return [{ row, user: { id, username, name } }];
  });
}

/** The receiver of an organization's audit log. */
import { api, dataOf } from "../client.ts";
import { query } from "../query.ts";

const path = "/api/tenants/{tenant}/audit-log/forwarding";
const of = (tenant: string) => ({ params: { path: { tenant } } });

export const receiverQuery = (org: string) => query(path, { tenant: org });

export const setReceiver = (org: string, body: { url: string; newSecret: boolean }) =>
  dataOf(api.PUT(path, { ...of(org), body }));

export const removeReceiver = (org: string) => dataOf(api.DELETE(path, of(org)));

export const testReceiver = (org: string) => dataOf(api.POST(`${path}/test`, of(org)));

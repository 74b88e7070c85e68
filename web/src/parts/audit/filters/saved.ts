/** Saved filters of audit logs, in this browser, by user and organization. */
import { readAuditFilter, type AuditFilter } from "../../../api/organization/audit.ts";

export interface SavedFilter {
  name: string;
  filter: AuditFilter;
}

const storageKey = (owner: string) => `svc-audit-filters ${owner}`;

/** The filter as text, without the page: equal filters have equal texts. */
export const keyOf = ({ action, actor, resource, from, to, past }: AuditFilter): string =>
  JSON.stringify({ action, actor, resource, from, to, past });

export function readSaved(owner: string): SavedFilter[] {
  try {
    const stored = JSON.parse(localStorage.getItem(storageKey(owner)) ?? "[]") as unknown;
    if (!Array.isArray(stored)) return [];
    return stored.flatMap((one: Partial<SavedFilter>) =>
      typeof one.name === "string" ? [{ name: one.name, filter: readAuditFilter({ ...one.filter }) }] : [],
    );
  } catch {
    return [];
  }
}

export function writeSaved(owner: string, saved: readonly SavedFilter[]): void {
  localStorage.setItem(storageKey(owner), JSON.stringify(saved));
}

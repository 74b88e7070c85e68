import type { App } from "../../app.ts";
import { sealedFields, type SealedField } from "./sealed-fields.ts";

/** Number of stored secrets that a key encrypts. */
export async function countSealed(app: Pick<App, "storage">, keyId: string): Promise<number> {
  const counts = await Promise.all(sealedFields.map((field) => app.storage.sealedValues.count(field, keyId)));
  return counts.reduce((sum, count) => sum + count, 0);
}

export const describeSealed = (count: number) =>
  count === 1 ? "one stored secret" : `${count} stored secrets`;

/** The encrypted value of a document. */
export function sealedValueOf(row: object, { path }: Pick<SealedField, "path">): string {
  let value: unknown = row;
  for (const part of path.split(".")) value = (value as Record<string, unknown>)[part];
  return value as string;
}

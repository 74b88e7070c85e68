import { isDeepStrictEqual } from "node:util";

/**
 * Whether a record has every value of an update already, so that there is nothing to write or to record. An undefined
 * value is not part of the update; null and an empty text remove a field.
 */
export function hasAll(record: object, fields: object): boolean {
  const before = new Map<string, unknown>(Object.entries(record));
  return Object.entries(fields).every(
    ([field, value]) =>
      value === undefined || isDeepStrictEqual(storedForm(before.get(field)), storedForm(value)),
  );
}

const storedForm = (value: unknown) => (value === "" ? undefined : (value ?? undefined));

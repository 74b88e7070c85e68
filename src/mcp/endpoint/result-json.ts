/** The JSON of results, made once: a result of 10 MB is measured, and sent. */
const made = new WeakMap<object, string>();

/** The result must not change afterwards. */
export function jsonOf(result: object): string {
  const known = made.get(result);
  if (known !== undefined) return known;
  const json = JSON.stringify(result);
  made.set(result, json);
  return json;
}

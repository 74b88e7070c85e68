/**
 * Encrypts every stored secret with the current key, after `SECRET_KEYS` has changed, so that older keys can be
 * removed. A value that does not open is logged, and the next run tries it again.
 */
import type { App } from "../../app.ts";
import { bindRecoveryCodes } from "../../mfa/recovery-codes.ts";
import { sealedValueOf } from "./count-sealed.ts";
import { sealedFields } from "./sealed-fields.ts";

export async function rotateKeys(app: Pick<App, "secrets" | "storage" | "log">): Promise<void> {
  const { secrets, storage, log } = app;
  await bindRecoveryCodes(app);
  for (const field of sealedFields) {
    const { name, collection, path, keyIdPath } = field;
    let renewed = 0;
    for await (const row of storage.sealedValues.eachOfOtherKeys(field, secrets.currentKeyId)) {
      const from = sealedValueOf(row, field);
      try {
        const recordId = field.recordId(row);
        const to = secrets.seal(secrets.open(from, recordId), recordId);
        const more = keyIdPath === undefined ? {} : { [keyIdPath]: secrets.currentKeyId };
        if (await storage.sealedValues.replace(field, row._id, { from, to }, more)) renewed++;
      } catch (error) {
        log.error({ error, collection, path, id: row._id }, "a stored secret does not open with any key");
      }
    }
    if (renewed > 0)
      log.info({ name, renewed, key: secrets.currentKeyId }, "encrypted secrets with the current key");
  }
}

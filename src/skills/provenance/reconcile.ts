/** Signs versions that have no statement, or one by a key that was revoked or is unknown, as after a restore. */
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { App } from "../../app.ts";
import { invalidateKeys } from "./keys.ts";
import { signAll } from "./sign.ts";

/** Returns the number of statements that it has made. `versions`: of any skills. */
export async function signMissing(app: App, versions: readonly VersionDoc[]): Promise<number> {
  const { attestations, signingKeys, skills } = app.storage;
  const valid = (await signingKeys.list()).filter(({ revokedAt }) => !revokedAt).map(({ _id }) => _id);
  const signed = await attestations.listSigned(
    versions.map(({ _id }) => _id),
    valid,
  );
  const missing = versions.filter(({ _id }) => !signed.has(_id));
  if (missing.length === 0) return 0;
  invalidateKeys(app);
  const found = await skills.listByIds([...new Set(missing.map(({ skillId }) => skillId))]);
  const skillOf = new Map(found.map((skill) => [skill._id, skill]));
  const rows = await signAll(
    app,
    missing.flatMap((version) => {
      const skill = skillOf.get(version.skillId);
      return skill ? [{ skill, version }] : [];
    }),
  );
  for (const row of rows) await attestations.replace(row);
  return rows.length;
}

/** Removes the private parts of keys that sign nothing any more. */
export const forgetFormerKeys = (app: App): Promise<void> => app.storage.signingKeys.forgetPrivate(app.now());

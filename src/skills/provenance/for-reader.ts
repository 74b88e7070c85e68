/** The statement about a version for one reader. */
import type { Statement } from "../../../contract/provenance/statement.ts";
import type { AttestationDoc } from "../../../storage/provenance/attestations.ts";
import type { SkillDoc } from "../../../storage/skills/skills.ts";
import type { VersionDoc } from "../../../storage/versions/versions.ts";
import type { Actor } from "../../access/actor.ts";
import type { App } from "../../app.ts";
import { readsAsMember } from "../load.ts";
import { signAll } from "./sign.ts";

/**
 * The statement that is stored. It has the slug of the time at which it was signed. If that is a former one which was
 * never public, only members see it: for others, it is replaced by one with the present slug.
 */
export async function statementFor(
  app: App,
  actor: Actor,
  skill: SkillDoc,
  version: VersionDoc,
): Promise<AttestationDoc | null> {
  const { attestations, slugReservations } = app.storage;
  const found = await attestations.find(version._id);
  const slug = found && slugIn(found);
  if (slug === null || slug === skill.slug || (await readsAsMember(app, actor, skill))) return found;
  const former = await slugReservations.listFormer(skill.tenantId, [skill._id], true);
  if (former.some((one) => one.slug === slug)) return found;
  const [signed] = await signAll(app, [{ skill, version }]);
  if (!signed) return null;
  await attestations.replace(signed);
  return signed;
}

/** From the name of its subject: `acme/release-notes@1.4.2`. */
function slugIn({ payload }: AttestationDoc): string {
  const { subject } = JSON.parse(payload) as Statement;
  const { name } = subject[0]!;
  return name.slice(name.indexOf("/") + 1, name.indexOf("@"));
}
